// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Returns the rows of signing keys, the latest `signsAt` first.
    ///
    /// They may include rows of ended keys that an attacker has restored.
    package func signingKeys() async throws(IdentityError) -> [StoredKey] {
        try await read { db throws(IdentityError) in try db.signingKeys() }
    }

    /// Changes the signing keys and their list, in one transaction.
    ///
    /// - Parameters:
    ///   - actor: The account of an administrator, for the audit log; nil for the server and its operator.
    ///   - change: Decides on the keys and secrets in the transaction, and may run several times; nil for no change.
    /// - Returns: The keys and secrets after the change; nil without a change.
    package func changeSigningKeys(
        by actor: String? = nil, at now: Date,
        _ change: @escaping @Sendable (StoredKeys) throws(IdentityError) -> KeyChange?
    ) async throws(IdentityError) -> StoredKeys? {
        try await write { db throws(IdentityError) in
            guard let change = try change(try db.storedKeys()) else { return nil }
            for removal in change.removed {
                guard try db.run("DELETE FROM signing_key WHERE id = $1", [.text(removal.id)]) == 1 else { continue }
                try db.audit(removal.event, account: nil, detail: removal.id, at: now)
            }
            for key in change.inserted { try db.insert(key, by: actor) }
            _ = try db.secret(proposing: change.list)
            try db.replace(change.list)
            return try db.storedKeys()
        }
    }

    package func secrets() async throws(IdentityError) -> [StoredSecret] {
        try await read { db throws(IdentityError) in try db.secrets() }
    }

    /// Returns the signing keys and secrets from one snapshot.
    package func storedKeys() async throws(IdentityError) -> StoredKeys {
        try await snapshot { db throws(IdentityError) in try db.storedKeys() }
    }

    /// Returns the secret with a name; if there is none, stores and returns the proposal.
    ///
    /// It inserts and reads back in one transaction, so that two nodes that start together get the same secret.
    package func secret(proposing secret: StoredSecret) async throws(IdentityError) -> StoredSecret {
        try await write { db throws(IdentityError) in try db.secret(proposing: secret) }
    }

    /// Replaces the content of the keys and secrets, and records it, in one transaction.
    ///
    /// - Parameter change: A function that returns the same keys and secrets with new content.
    package func reseal(
        recording event: String, at now: Date,
        _ change: @escaping @Sendable (StoredKeys) throws(IdentityError) -> StoredKeys
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            let changed = try change(try db.storedKeys())
            for key in changed.signing {
                try db.run(
                    "UPDATE signing_key SET private_jwk = $1, sealed_by = $2 WHERE id = $3",
                    [.blob(key.privateJWK), .text(key.sealedBy), .text(key.id)])
            }
            for secret in changed.secrets { try db.replace(secret) }
            try db.audit(event, account: nil, at: now)
        }
    }

    /// Replaces the digest of the pepper, and ends what depends on the earlier pepper, in one transaction.
    ///
    /// These are devices, mailed links and codes, changes of address, pending sign-ins, and API keys: a thief of the
    /// pepper may have had them, too.
    package func replacePepper(with digest: StoredSecret, at now: Date) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            try db.replace(digest)
            try db.endAllSignIns(because: .pepperReplaced, at: now)
            try db.audit("pepper.replaced", account: nil, at: now)
        }
    }
}

extension SQLConnection {
    package func storedKeys() throws(IdentityError) -> StoredKeys {
        StoredKeys(signing: try signingKeys(), secrets: try secrets())
    }

    fileprivate func secrets() throws(IdentityError) -> [StoredSecret] {
        try all("SELECT name, value, sealed_by FROM secret ORDER BY name", [], read: StoredSecret.init)
    }

    fileprivate func replace(_ secret: StoredSecret) throws(IdentityError) {
        try run(
            "UPDATE secret SET value = $1, sealed_by = $2 WHERE name = $3",
            [.blob(secret.content), .text(secret.sealedBy), .text(secret.name)])
    }

    /// Signs out all devices of all accounts, and ends links, codes, pending sign-ins and API keys.
    ///
    /// A provider's sign-in that was used stays used. Waiting emails whose links or codes are already stored are
    /// removed. The other emails get their links when they are sent, or are notices.
    fileprivate func endAllSignIns(because reason: Device.RevocationReason, at now: Date) throws(IdentityError) {
        for table in [
            "one_time_token", "email_change", "address_challenge", "sign_in_challenge", "sign_in_code",
            "authorization_code", "device_authorization", "api_key",
        ] { try run("DELETE FROM \(table)", []) }
        for purpose in [OutboxMail.Purpose.newAddress, .oldAddress, .addressCode, .signUpCode] {
            try run("DELETE FROM mail WHERE purpose = $1", [.text(purpose.rawValue)])
        }
        // In parts, since PostgreSQL cancels a statement that takes too long.
        var position: [UInt8] = []
        while true {
            let end = try first(
                "SELECT id FROM device WHERE id > $1 ORDER BY id LIMIT 1 OFFSET 10000", [.blob(position)]
            ) { row throws(IdentityError) in try row.blob(0) }
            try run(
                """
                UPDATE device SET revoked_at = $1, revoked_because = $2
                WHERE revoked_at IS NULL AND id > $3 AND ($4 IS NULL OR id <= $4)
                """, [.date(now), .text(reason.rawValue), .blob(position), .blob(end)])
            guard let end else { return }
            position = end
        }
    }

    /// Returns the secret with a name, after storing the proposal if there was none.
    package func secret(proposing secret: StoredSecret) throws(IdentityError) -> StoredSecret {
        try run(
            "INSERT INTO secret (name, value, sealed_by) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.text(secret.name), .blob(secret.content), .text(secret.sealedBy)])
        let stored = try first(
            "SELECT name, value, sealed_by FROM secret WHERE name = $1", [.text(secret.name)], read: StoredSecret.init)
        guard let stored else { throw .corruptStore("a secret of the server cannot be read back") }
        return stored
    }

    /// Returns the keys, the latest `signsAt` first.
    ///
    /// Keys with equal times are sorted by ID, so that all nodes sign with the same key.
    fileprivate func signingKeys() throws(IdentityError) -> [StoredKey] {
        try all(
            "SELECT \(StoredKey.Column.list) FROM signing_key ORDER BY coalesce(signs_at, created_at) DESC, id",
            read: StoredKey.init)
    }

    fileprivate func insert(_ key: StoredKey, by actor: String?) throws(IdentityError) {
        try run("INSERT INTO signing_key \(StoredKey.Column.insertion)", StoredKey.Column.values(of: key))
        try audit(
            "key.created", account: nil, detail: key.id + (actor.map { " by \($0)" } ?? ""), at: key.createdAt)
    }
}

extension StoredSecret {
    /// Creates a secret from a row.
    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(name: try row.text(0), content: try row.blob(1), sealedBy: try row.optionalText(2))
    }
}

extension StoredKey {
    /// The columns of `signing_key`.
    enum Column: Int32, TableColumn {
        case id, privateJWK, createdAt, signsAt, sealedBy

        static let (list, insertion) = texts()

        func value(of key: StoredKey?) -> SQLValue {
            switch self {
            case .id: .text(key?.id)
            case .privateJWK: .blob(key?.privateJWK)
            case .createdAt: .date(key?.createdAt)
            case .signsAt: .date(key?.signsAt)
            case .sealedBy: .text(key?.sealedBy)
            }
        }
    }

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            id: try row.text(Column.id), privateJWK: try row.blob(Column.privateJWK),
            createdAt: try row.date(Column.createdAt), signsAt: try row.optionalDate(Column.signsAt),
            sealedBy: try row.optionalText(Column.sealedBy))
    }
}
