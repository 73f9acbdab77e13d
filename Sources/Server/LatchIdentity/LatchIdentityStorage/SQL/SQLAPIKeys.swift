// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Inserts a key, if its account may still have one.
    ///
    /// - Parameters:
    ///   - role: The lowest role that may have the scopes of the key.
    ///   - actor: The administrator who makes it, on a device that has proved a second factor; nil for the operator.
    ///   - cause: The request, for the email to the account's owner.
    ///   - limit: The greatest number of keys of one account.
    /// - Throws: `IdentityError.invalidToken` if the actor's device was signed out, `.administrationNeedsFactor`,
    ///   `.forbidden` unless the account has the role, `.tooManyAPIKeys`, or a store's error.
    package func insert(
        _ key: APIKey, for role: Role, by actor: AccountActor?, causedBy cause: MailCause, limit: Int
    ) async throws(IdentityError) {
        guard key.name.isStorable else { throw .invalid("name", "has a NUL") }
        _ = try await write { db throws(IdentityError) in
            try db.requireSignedIn(actor, at: key.createdAt)
            if let actor { try db.requireProvedFactor(of: actor) }
            guard let account = try db.account(key.accountID), account.isAdministrator, account.role >= role else {
                throw .forbidden
            }
            let count = try db.number(
                "SELECT count(*) FROM api_key WHERE account_id = $1 AND expires_at > $2",
                [.text(key.accountID), .date(key.createdAt)])
            guard count < limit else { throw .tooManyAPIKeys }
            try db.run("INSERT INTO api_key \(APIKey.Column.insertion)", APIKey.Column.values(of: key))
            try db.audit(
                "apiKey.created", account: key.accountID, detail: "\(key.id) (\(key.scope)) \(Self.note(actor))",
                at: key.createdAt)
            try db.mail(.apiKeyAdded, to: account.id, causedBy: cause, at: key.createdAt)
        }
    }

    /// Returns the key with a digest; nil if there is none.
    package func apiKey(digest: [UInt8]) async throws(IdentityError) -> APIKey? {
        try await first(
            "SELECT \(APIKey.Column.list) FROM api_key WHERE digest = $1", [.blob(digest)], read: APIKey.init)
    }

    /// Returns keys that have not ended, the newest first.
    ///
    /// - Parameters:
    ///   - owner: The account of the keys; nil for all.
    ///   - position: The date and the first bytes of the digest of the key after which to begin; nil for the newest.
    package func apiKeys(
        of owner: String?, after position: (date: Date, digest: [UInt8])? = nil, limit: Int = 1000, at now: Date
    ) async throws(IdentityError) -> [APIKey] {
        let last = position.map { $0.digest + [UInt8](repeating: 0xFF, count: 32) }
        return try await all(
            """
            SELECT \(APIKey.Column.list) FROM api_key WHERE expires_at > $1 AND ($2 IS NULL OR account_id = $2)
                AND ($3 IS NULL OR created_at < $3 OR (created_at = $3 AND digest > $4))
            ORDER BY created_at DESC, digest LIMIT $5
            """, [.date(now), .text(owner), .date(position?.date), .blob(last), .integer(Int64(limit))],
            read: APIKey.init)
    }

    /// Notes that a key was used, if its noted use is earlier than a date.
    package func note(useOf key: APIKey, at now: Date, ifBefore date: Date) async throws(IdentityError) {
        _ = try await update(
            """
            UPDATE api_key SET last_used_at = $1 WHERE digest = $2 AND (last_used_at IS NULL OR last_used_at < $3)
            RETURNING digest
            """, [.date(now), .blob(key.digest), .date(date)]
        ) { _ in }
    }

    /// Removes the key whose digest begins with these bytes.
    ///
    /// An administrator removes their own keys, and a super administrator those of all, as does the operator.
    ///
    /// - Returns: False unless exactly one key that the actor may remove begins so.
    /// - Throws: `IdentityError.invalidToken` if the actor's device was signed out, `.administrationNeedsFactor`,
    ///   `.forbidden` unless it is an administrator, or a store's error.
    package func remove(
        apiKey start: [UInt8], by actor: AccountActor?, at now: Date
    ) async throws(IdentityError) -> Bool {
        let last = start + [UInt8](repeating: 0xFF, count: 32)
        return try await write { db throws(IdentityError) in
            try db.requireSignedIn(actor, at: now)
            var owner: String?
            if let actor {
                try db.requireOwnFactor(of: actor)
                guard let account = try db.account(actor.accountID), account.isAdministrator else { throw .forbidden }
                owner = account.role == .superAdmin ? nil : account.id
            }
            let found = try db.all(
                "SELECT \(APIKey.Column.list) FROM api_key WHERE digest BETWEEN $1 AND $2 LIMIT 2",
                [.blob(start), .blob(last)], read: APIKey.init)
            guard found.count == 1, let key = found.first, owner == nil || owner == key.accountID else { return false }
            try db.run("DELETE FROM api_key WHERE digest = $1", [.blob(key.digest)])
            try db.audit("apiKey.removed", account: key.accountID, detail: "\(key.id) \(Self.note(actor))", at: now)
            return true
        }
    }

    private static func note(_ actor: AccountActor?) -> String { "by \(actor?.text ?? "the operator")" }
}

extension SQLConnection {
    /// Ends the keys of an account, or those that another role may not have; a later role restores none of them.
    ///
    /// - Parameter role: The new role of the account; nil ends all keys.
    func endKeys(of account: String, unlessFor role: Role? = nil, at now: Date) throws(IdentityError) {
        if role == .superAdmin { return }
        let rest = role == .admin ? "AND ' ' || scope || ' ' LIKE '% clients:write %'" : ""
        let ended = try run("DELETE FROM api_key WHERE account_id = $1 \(rest)", [.text(account)])
        if ended > 0 { try audit("apiKey.removed", account: account, detail: "\(ended) with the rights", at: now) }
    }

    /// Requires that the actor's device has proved a second factor or a passkey.
    ///
    /// - Throws: `IdentityError.administrationNeedsFactor`, also for an account that has neither: a stolen password would
    ///   become a key for years.
    fileprivate func requireProvedFactor(of actor: AccountActor) throws(IdentityError) {
        let proved = try number(
            "SELECT count(*) FROM device WHERE id = $1 AND factor_at IS NOT NULL", [.blob(actor.device)])
        guard proved == 1 else { throw .administrationNeedsFactor }
    }
}
