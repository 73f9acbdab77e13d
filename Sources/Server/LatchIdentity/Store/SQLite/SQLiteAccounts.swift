// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore: AccountStore {
    /// Reads on the caller's own thread, without waiting for the writer.
    ///
    /// - Throws: `IdentityError.corruptStore` if a column has another type than in the schema.
    package func account(id: String) throws(IdentityError) -> Account? {
        try readers.read { db throws(IdentityError) in try db.account(id) }
    }

    package func account(emailKey: String) throws(IdentityError) -> Account? {
        try readers.read { db throws(IdentityError) in
            try db.first(
                "SELECT \(Account.columns) FROM account WHERE email_key = ?", [.text(emailKey)], read: Account.init)
        }
    }

    package func account(usernameKey: String) throws(IdentityError) -> Account? {
        try readers.read { db throws(IdentityError) in
            try db.first(
                "SELECT \(Account.columns) FROM account WHERE username_key = ?", [.text(usernameKey)],
                read: Account.init)
        }
    }

    /// Relies on the unique indexes of address and username to decide between concurrent sign-ups.
    package func insert(_ account: Account, details: AccountDetails? = nil) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) in
            try db.run(
                "INSERT INTO account (\(Account.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                account.sqliteValues)
            if let details { try db.insert(details, of: account.id) }
            try db.audit("account.created", account: account.id, at: account.createdAt)
        }
    }

    /// Compares the old hash: a login that rehashes must not undo a concurrent reset.
    package func upgradePasswordHash(of id: String, from old: String, to new: String) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            try db.run(
                "UPDATE account SET password_hash = ? WHERE id = ? AND password_hash = ?",
                [.text(new), .text(id), .text(old)])
        }
    }

    package func setRoles(
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
    /// The columns in the order in which `init(_:)` reads them.
    static let columns = """
        id, email, email_key, name, password_hash, password_changed_at, email_verified_at, roles, permissions, status, \
        created_at, username, username_key, standing
        """

    /// Creates an account from a row; an unknown status is damage and not "active".
    init(_ row: borrowing SQLiteRow) throws(IdentityError) {
        let word = try row.isNull(13) ? row.text(9) : row.text(13)
        guard let status = Status(rawValue: word) else { throw .corruptStore("an account has an unknown status") }
        self.init(
            id: try row.text(0), email: EmailAddress(text: try row.text(1), key: try row.text(2)),
            name: try row.optionalText(3), passwordHash: try row.optionalText(4),
            passwordChangedAt: try row.date(5), emailVerifiedAt: try row.optionalDate(6),
            roles: try row.text(7).words, permissions: try row.text(8).words, status: status,
            createdAt: try row.date(10))
        if let text = try row.optionalText(11) { username = Username(text: text, key: try row.text(12)) }
    }

    /// The values in the order of `columns`.
    fileprivate var sqliteValues: [SQLiteValue] {
        [
            .text(id), .text(email.text), .text(email.key), .text(name), .text(passwordHash),
            .date(passwordChangedAt), .date(emailVerifiedAt), .text(roles.joined(separator: " ")),
            .text(permissions.joined(separator: " ")), .text(status.statusColumn), .date(createdAt),
            .text(username?.text), .text(username?.key), .text(status.standingColumn),
        ]
    }
}

extension String {
    /// The words of a list column; roles and permissions hold no space (``AccountService`` checks them).
    fileprivate var words: [String] { split(separator: " ").map(String.init) }
}

extension Account.Status {
    /// The value of the column `status`, which has known only these two words since schema 1.
    fileprivate var statusColumn: String { (self == .active ? Self.active : .disabled).rawValue }

    /// The value of the column `standing`, which qualifies `disabled`; NULL for `active` and `disabled`.
    fileprivate var standingColumn: String? { self == .active || self == .disabled ? nil : rawValue }
}

extension SQLiteIdentityStore {
    package func fullAccount(id: String) throws(IdentityError) -> FullAccount? {
        try readers.read { db throws(IdentityError) in try db.fullAccount(id) }
    }

    /// Reads, changes and writes in one transaction, so that no concurrent change of another field is lost.
    package func change(
        _ change: AccountDetailsChange, of id: String, by actor: String, at now: Date
    ) async throws(IdentityError) -> FullAccount? {
        try await writer.write { db throws(IdentityError) in
            guard try db.target(id, of: .update, by: actor) != nil, let found = try db.fullAccount(id) else {
                return nil
            }
            let details = change.applied(to: found.details)
            if details != found.details { try db.insert(details, of: id) }
            if let typed = change.username {
                let name = typed.isEmpty ? nil : try Username(typed)
                do throws(IdentityError) {
                    try db.run(
                        "UPDATE account SET username = ?, username_key = ? WHERE id = ?",
                        [.text(name?.text), .text(name?.key), .text(id)])
                } catch IdentityError.alreadyExists {
                    throw .usernameTaken
                }
            }
            try db.run("UPDATE account SET updated_at = ? WHERE id = ?", [.date(now), .text(id)])
            try db.audit("account.changed", account: id, detail: actor == id ? nil : "by \(actor)", at: now)
            return try db.fullAccount(id)
        }
    }
}

extension SQLiteConnection {
    /// Returns an account with its details; nil if there is none, or it was deleted.
    fileprivate func fullAccount(_ id: String) throws(IdentityError) -> FullAccount? {
        try first(
            """
            SELECT \(FullAccount.columns) FROM account LEFT JOIN account_details ON account_id = id
            WHERE id = ? AND standing IS NOT 'deleted'
            """,
            [.text(id)], read: FullAccount.init)
    }

    /// Stores details, with the columns that lists search and sort by.
    fileprivate func insert(_ details: AccountDetails, of id: String) throws(IdentityError) {
        let searched = "\(details.firstName) \(details.lastName)\n\(details.displayName)".lowercased()
        try run(
            """
            INSERT OR REPLACE INTO account_details (account_id, first_name, last_name, shown_name, search_key, content)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(id), .text(details.firstName), .text(details.lastName), .text(details.shownName),
                .text(searched), .text(try details.json()),
            ])
    }
}

extension FullAccount {
    /// The columns of an account joined with its details, in the order in which `init(_:)` reads them.
    static let columns = "\(Account.columns), account.updated_at, account.last_login_at, account_details.content"

    /// Creates an account from a row; the details may be missing.
    init(_ row: borrowing SQLiteRow) throws(IdentityError) {
        let account = try Account(row)
        self.init(
            account: account, details: try row.optionalText(16).map(AccountDetails.init(json:)) ?? AccountDetails(),
            updatedAt: try row.optionalDate(14) ?? account.createdAt, lastLoginAt: try row.optionalDate(15))
    }
}

extension AccountDetails {
    /// Returns the details as JSON text.
    fileprivate func json() throws(IdentityError) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            throw .storeUnavailable("details of an account cannot be written")
        }
    }

    /// Parses the text of `json()`; anything else is damage.
    fileprivate init(json text: String) throws(IdentityError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        } catch {
            throw .corruptStore("the details of an account cannot be read")
        }
    }
}

extension SQLiteIdentityStore {
    /// Signs out the devices in the same transaction; a later activation brings none of them back.
    package func setStatus(
        of id: String, to status: Account.Status, by actor: String?, because reason: String, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard let target = try db.target(id, of: .setStatus(status), by: actor) else { return false }
            if status != .active { try db.requireAnotherAdministrator(than: target) }
            try db.run(
                "UPDATE account SET status = ?, standing = ?, updated_at = ? WHERE id = ?",
                [.text(status.statusColumn), .text(status.standingColumn), .date(now), .text(id)])
            if status != .active { try db.revokeDevices(of: id, because: .accountDisabled, at: now) }
            let detail = "by \(actor ?? "the operator")\(reason.isEmpty ? "" : ": \(reason)")"
            try db.audit("account.\(status.rawValue)", account: id, detail: detail, at: now)
            return true
        }
    }

    package func endSessions(of id: String, by actor: String?, at now: Date) async throws(IdentityError) -> Int? {
        try await writer.write { db throws(IdentityError) in
            guard try db.target(id, of: .endSessions, by: actor) != nil else { return nil }
            try db.audit("account.sessionsEnded", account: id, detail: "by \(actor ?? "the operator")", at: now)
            return try db.revokeDevices(of: id, because: .administrator, at: now)
        }
    }

    /// Reads the actor in the transaction, so that an administrator who is being dismissed can no longer grant roles.
    package func setRole(
        of id: String, to role: Role, by actor: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard let target = try db.target(id, of: .setRole(role), by: actor) else { return false }
            if role < .admin { try db.requireAnotherAdministrator(than: target) }
            try db.setRole(role, of: target, by: actor, at: now)
            return true
        }
    }

    /// Checks and promotes in one transaction, so that two nodes that start together promote one account.
    package func promoteFirstAdministrator(emailKey: String, at now: Date) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard try db.administratorCount() == 0,
                let account = try db.first(
                    """
                    SELECT \(Account.columns) FROM account
                    WHERE email_key = ? AND email_verified_at IS NOT NULL AND status = 'active'
                    """,
                    [.text(emailKey)], read: Account.init)
            else { return false }
            try db.setRole(.superAdmin, of: account, by: nil, at: now)
            return true
        }
    }

    /// Keeps the row, whose address stays taken, or removes it with everything that refers to it by foreign keys.
    package func delete(
        _ id: String, isFinal: Bool, by actor: String?, because reason: String, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard let target = try db.target(id, of: .delete, by: actor, orDeleted: isFinal) else { return false }
            try db.requireAnotherAdministrator(than: target)
            if isFinal {
                try db.run("DELETE FROM account WHERE id = ?", [.text(id)])
            } else {
                let status = Account.Status.deleted
                try db.run(
                    "UPDATE account SET status = ?, standing = ?, updated_at = ? WHERE id = ?",
                    [.text(status.statusColumn), .text(status.standingColumn), .date(now), .text(id)])
                try db.revokeDevices(of: id, because: .accountDisabled, at: now)
                try db.run("DELETE FROM one_time_token WHERE account_id = ?", [.text(id)])
            }
            let detail = "\(isFinal ? "final " : "")by \(actor ?? "the operator"): \(reason)"
            try db.audit("account.deleted", account: id, detail: detail, at: now)
            return true
        }
    }

    /// Compares the time of the last password change, so that a password that was reset meanwhile does not count.
    ///
    /// That time always moves forward, so that logins with the old password are detected.
    package func changePassword(
        of account: Account, to hash: String, signingOutAllBut device: [UInt8]?, at now: Date
    ) async throws(IdentityError) -> PasswordChange? {
        let id = account.id
        return try await writer.write { db throws(IdentityError) in
            let changed = try db.run(
                """
                UPDATE account SET password_hash = ?1, password_changed_at = max(?2, password_changed_at + 1)
                WHERE id = ?3 AND password_changed_at = ?4 AND status = 'active'
                """,
                [.text(hash), .date(now), .text(id), .date(account.passwordChangedAt)])
            guard changed == 1 else { return nil }
            try db.run("DELETE FROM one_time_token WHERE account_id = ?", [.text(id)])
            try db.run("DELETE FROM email_change WHERE account_id = ?", [.text(id)])
            var signedOut = 0
            if let device {
                signedOut = try db.revokeDevices(of: id, except: device, because: .passwordChange, at: now)
            }
            try db.audit("account.passwordChanged", account: id, at: now)
            return PasswordChange(accountID: id, signedOut: signedOut)
        }
    }
}

extension SQLiteConnection {
    /// Returns an account of any status; nil if there is none.
    func account(_ id: String) throws(IdentityError) -> Account? {
        try first("SELECT \(Account.columns) FROM account WHERE id = ?", [.text(id)], read: Account.init)
    }

    /// Returns the target of an action that the actor may perform; nil if there is no such account.
    ///
    /// - Parameter actor: Nil for the operator, who may do everything.
    /// - Throws: `IdentityError.forbidden`, also for a missing account unless the actor may see others.
    func target(
        _ id: String, of action: AccountAction, by actor: String?, orDeleted: Bool = false
    ) throws(IdentityError) -> Account? {
        let target = try account(id)
        if let actor {
            guard let actor = try account(actor) else { throw .forbidden }
            guard let target else {
                guard actor.status == .active, actor.role >= .moderator else { throw .forbidden }
                return nil
            }
            try action.authorize(actor, on: target)
        }
        guard let target, target.status != .deleted || orDeleted || actor == nil else { return nil }
        return target
    }

    /// Rejects a change that would leave no account that can administer the server (attack K9).
    fileprivate func requireAnotherAdministrator(than target: Account) throws(IdentityError) {
        guard target.role >= .admin, target.status == .active else { return }
        guard try administratorCount(except: target.id) > 0 else { throw .lastAdministrator }
    }

    /// Returns the number of active administrators.
    fileprivate func administratorCount(except id: String = "") throws(IdentityError) -> Int {
        try number(
            "SELECT count(*) FROM account WHERE status = 'active' AND \(Account.roleNumber) >= 3 AND id <> ?",
            [.text(id)])
    }

    /// Replaces the administrative role; other role words stay.
    fileprivate func setRole(_ role: Role, of account: Account, by actor: String?, at now: Date) throws(IdentityError) {
        try run(
            "UPDATE account SET roles = ?, updated_at = ? WHERE id = ?",
            [.text(role.replacing(in: account.roles).joined(separator: " ")), .date(now), .text(account.id)])
        let detail = "\(role.name) by \(actor ?? "the operator")"
        try audit("account.role", account: account.id, detail: detail, at: now)
    }
}

extension Account {
    /// The SQL expression of ``Role/init(of:)``.
    fileprivate static let roleNumber = """
        (CASE WHEN instr(' ' || roles || ' ', ' admin ') = 0
            THEN CASE WHEN instr(' ' || roles || ' ', ' moderator ') > 0 THEN 2 ELSE 1 END
            WHEN instr(' ' || roles || ' ', ' super_admin ') > 0 THEN 4 ELSE 3 END)
        """
}
