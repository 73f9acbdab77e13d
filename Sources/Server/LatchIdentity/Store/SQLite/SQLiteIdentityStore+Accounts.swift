// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore {
    /// Reads on the caller's own thread, without waiting for the writer.
    ///
    /// - Throws: `IdentityError.corruptStore` where a column has another type than the schema promises, which is never
    ///   taken for "no such account".
    package func account(id: String) throws(IdentityError) -> Account? {
        try readers.read { db throws(IdentityError) in
            try db.first("SELECT \(Account.columns) FROM account WHERE id = ?", [.text(id)], read: Account.init)
        }
    }

    /// Finds by the unique index over `email_key`, so that a login costs the same however many accounts there are.
    ///
    /// The key, and not the address as it was typed, is compared: whoever registered `Ada@…` logs in as `ada@…`.
    package func account(emailKey: String) throws(IdentityError) -> Account? {
        try readers.read { db throws(IdentityError) in
            try db.first(
                "SELECT \(Account.columns) FROM account WHERE email_key = ?", [.text(emailKey)], read: Account.init)
        }
    }

    /// Finds by the unique index over `username_key`.
    package func account(usernameKey: String) throws(IdentityError) -> Account? {
        try readers.read { db throws(IdentityError) in
            try db.first(
                "SELECT \(Account.columns) FROM account WHERE username_key = ?", [.text(usernameKey)],
                read: Account.init)
        }
    }

    /// Continues behind a key and not at an offset, so that a row added meanwhile neither repeats nor hides another.
    ///
    /// - Parameter limit: The most that come; the caller bounds it, the store does not.
    package func accounts(after id: String?, limit: Int) throws(IdentityError) -> [Account] {
        try readers.read { db throws(IdentityError) in
            try db.all(
                "SELECT \(Account.columns) FROM account WHERE id > ? ORDER BY id LIMIT ?",
                [.text(id ?? ""), .integer(Int64(limit))], read: Account.init)
        }
    }

    /// The unique indexes on the address and the username decide between two sign-ups at once; the loser gets
    /// `IdentityError.alreadyExists`.
    package func insert(_ account: Account, details: AccountDetails? = nil) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) in
            try db.run(
                "INSERT INTO account (\(Account.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                account.sqliteValues)
            if let details { try db.keep(details, of: account.id) }
            try db.audit("account.created", account: account.id, at: account.createdAt)
        }
    }

    /// The old hash stands in the condition: a login that rehashes must not undo a reset that came in between.
    package func upgradePasswordHash(
        of id: String, from old: String, to new: String
    ) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            try db.run(
                "UPDATE account SET password_hash = ? WHERE id = ? AND password_hash = ?",
                [.text(new), .text(id), .text(old)])
        }
    }

    /// Replaces both lists and writes the audit entry in one transaction.
    ///
    /// Nobody is signed out: access tokens carry grants until they expire, while what must not wait is asked of the
    /// store.
    package func setGrants(
        of id: String, roles: [String], permissions: [String], at now: Date
    ) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            let changed = try db.run(
                "UPDATE account SET roles = ?, permissions = ? WHERE id = ?",
                [.text(roles.joined(separator: " ")), .text(permissions.joined(separator: " ")), .text(id)])
            guard changed == 1 else { return false }
            try db.audit("account.grants", account: id, detail: roles.joined(separator: " "), at: now)
            return true
        }
    }
}

extension Account {
    /// In the order in which `init(_:)` reads them.
    static let columns = """
        id, email, email_key, name, password_hash, password_changed_at, email_verified_at, roles, permissions, status, \
        created_at, username, username_key, standing
        """

    /// A row as the store has it; a status that this version does not know is damage and not "active".
    init(_ row: borrowing SQLiteRow) throws(IdentityError) {
        let standing = try row.optionalText(13)
        let use = try row.text(9)
        guard let status = Status(rawValue: standing ?? use) else {
            throw .corruptStore("an account has a status that nobody knows")
        }
        self.init(
            id: try row.text(0), email: EmailAddress(text: try row.text(1), key: try row.text(2)),
            name: try row.optionalText(3), passwordHash: try row.optionalText(4),
            passwordChangedAt: try row.date(5), emailVerifiedAt: try row.optionalDate(6),
            roles: try row.text(7).words, permissions: try row.text(8).words, status: status,
            createdAt: try row.date(10))
        if let text = try row.optionalText(11) { username = Username(text: text, key: try row.text(12)) }
    }

    /// In the order of `columns`; a password hash that is nil is an account that cannot log in by password.
    fileprivate var sqliteValues: [SQLiteValue] {
        [
            .text(id), .text(email.text), .text(email.key), .text(name), .text(passwordHash),
            .date(passwordChangedAt), .date(emailVerifiedAt), .text(roles.joined(separator: " ")),
            .text(permissions.joined(separator: " ")), .text(status.use), .date(createdAt),
            .text(username?.text), .text(username?.key), .text(status.standing),
        ]
    }
}

extension String {
    /// Grants hold no space (``Accounts`` sees to it), so one column can hold a list.
    fileprivate var words: [String] { split(separator: " ").map(String.init) }
}

extension Account.Status {
    /// The column `status`: whether the account may be used, in the two words that files from before have as well.
    var use: String { (self == .active ? Self.active : .disabled).rawValue }

    /// The column `standing`: which kind of shut it is, where that is not simply disabled.
    var standing: String? { self == .active || self == .disabled ? nil : rawValue }
}
