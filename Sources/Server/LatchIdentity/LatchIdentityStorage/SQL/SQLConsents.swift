// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchFoundation

extension IdentityStore {
    /// Returns the kept consent of a user to a client, for an origin of redirect URIs and resource servers; nil if there
    /// is none.
    package func consent(
        of accountID: String, to clientID: String, at redirectOrigin: String, for resources: [String] = []
    ) async throws(IdentityError) -> Consent? {
        try await first(
            Consent.byKey, [.text(accountID), .text(clientID), .text(redirectOrigin), .text(Consent.key(resources))],
            read: Consent.init)
    }

    /// Returns the kept consents of a user, by client and origin.
    package func consents(of accountID: String) async throws(IdentityError) -> [Consent] {
        try await all(
            """
            SELECT \(Consent.Column.list) FROM consent WHERE account_id = $1
            ORDER BY client_id, redirect_origin, resources LIMIT 500
            """, [.text(accountID)], read: Consent.init)
    }

    /// Removes a user's consents to a client, and ends what the client has because of them, in one transaction.
    ///
    /// The client's devices of that account are signed out, and its codes and approved device authorizations are
    /// removed. So a concurrent exchange either finds no code, or its device is signed out.
    ///
    /// - Returns: False if none was kept; nothing has changed then.
    package func withdrawConsents(
        of accountID: String, to clientID: String, detail: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        guard clientID.isStorable else { return false }
        let key: [SQLValue] = [.text(accountID), .text(clientID)]
        return try await write { db throws(IdentityError) in
            guard try db.run("DELETE FROM consent WHERE account_id = $1 AND client_id = $2", key) > 0 else {
                return false
            }
            for table in ["authorization_code", "device_authorization"] {
                try db.run("DELETE FROM \(table) WHERE account_id = $1 AND client_id = $2", key)
            }
            try db.revokeDevices(of: accountID, clientID: clientID, because: .consentWithdrawn, at: now)
            try db.audit("consent.withdrawn", account: accountID, detail: detail, at: now)
            return true
        }
    }
}

extension SQLConnection {
    /// Removes all consents of an account, which another user may have given.
    func removeConsents(of account: String) throws(IdentityError) {
        try run("DELETE FROM consent WHERE account_id = $1", [.text(account)])
    }

    /// Applies the permission of a code in the code's transaction.
    ///
    /// - Returns: False if the consent that it relies on was withdrawn, or no longer has all scopes.
    func permit(_ code: AuthorizationCode, _ permission: CodePermission) throws(IdentityError) -> Bool {
        switch permission {
        case .trusted: return true
        case .decision(let origin, let detail):
            try audit("consent.granted", account: code.accountID, detail: detail, at: code.issuedAt)
            if let origin { try keep(code, at: origin) }
            return true
        case .kept(let origin):
            let kept = try consent(for: code, at: origin)
            return kept?.covers(code.consentedScopes) ?? false
        }
    }

    /// Adds what a code's user has agreed to to the kept consent to the client.
    private func keep(_ code: AuthorizationCode, at origin: String) throws(IdentityError) {
        let kept = try consent(for: code, at: origin)
        var union = kept?.scopes ?? []
        for scope in code.consentedScopes.elements { union.insert(scope) }
        let consent = Consent(
            accountID: code.accountID, clientID: code.clientID, redirectOrigin: origin, scopes: union,
            resources: Set(code.details.resources),
            grantedAt: kept?.grantedAt ?? code.issuedAt, updatedAt: code.issuedAt)
        try run(
            """
            INSERT INTO consent \(Consent.Column.insertion) ON CONFLICT (account_id, client_id, redirect_origin, resources)
            DO UPDATE SET scope = excluded.scope, updated_at = excluded.updated_at
            """, Consent.Column.values(of: consent))
    }

    private func consent(for code: AuthorizationCode, at origin: String) throws(IdentityError) -> Consent? {
        try first(
            Consent.byKey,
            [
                .text(code.accountID), .text(code.clientID), .text(origin), .text(Consent.key(code.details.resources)),
            ], read: Consent.init)
    }
}

extension Consent {
    /// The columns of `consent`.
    package enum Column: Int32, TableColumn {
        case accountID, clientID, redirectOrigin, resources, scope, grantedAt, updatedAt

        package static let keyCount = 4
        package static let (list, insertion) = texts()

        package func value(of consent: Consent?) -> SQLValue {
            switch self {
            case .accountID: .text(consent?.accountID)
            case .clientID: .text(consent?.clientID)
            case .redirectOrigin: .text(consent?.redirectOrigin)
            case .scope: .text(consent?.scopes.text)
            case .resources: .text(consent.map { Consent.key($0.resources) })
            case .grantedAt: .date(consent?.grantedAt)
            case .updatedAt: .date(consent?.updatedAt)
            }
        }
    }

    fileprivate static let byKey = """
        SELECT \(Column.list) FROM consent WHERE account_id = $1 AND client_id = $2 AND redirect_origin = $3
            AND resources = $4
        """

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            accountID: try row.text(Column.accountID), clientID: try row.text(Column.clientID),
            redirectOrigin: try row.text(Column.redirectOrigin),
            scopes: Scopes(parsing: try row.text(Column.scope)),
            resources: Set(try row.text(Column.resources).unicodeScalars.split(separator: " ").map { String($0) }),
            grantedAt: try row.date(Column.grantedAt),
            updatedAt: try row.date(Column.updatedAt))
    }
}
