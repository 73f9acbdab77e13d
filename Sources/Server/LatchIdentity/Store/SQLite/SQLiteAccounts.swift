// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore: AccountStore {
    /// Reads on the caller's own thread, without waiting for the writer.
    ///
    /// - Throws: `IdentityError.corruptStore` if a column has another type than in the schema.
    package func account(id: String) throws(IdentityError) -> Account? {
        try first("SELECT \(Account.columns) FROM account WHERE id = ?", [.text(id)], read: Account.init)
    }

    package func account(emailKey: String) throws(IdentityError) -> Account? {
        try first("SELECT \(Account.columns) FROM account WHERE email_key = ?", [.text(emailKey)], read: Account.init)
    }

    package func account(usernameKey: String) throws(IdentityError) -> Account? {
        try first(
            "SELECT \(Account.columns) FROM account WHERE username_key = ?", [.text(usernameKey)], read: Account.init)
    }

    package func fullAccount(id: String) throws(IdentityError) -> FullAccount? {
        try readers.read { db throws(IdentityError) in try db.fullAccount(id) }
    }

    /// Relies on the unique indexes of address and username to decide between concurrent sign-ups.
    package func insert(
        _ account: Account, details: AccountDetails? = nil, mail: OutboxMail? = nil, by actor: String? = nil
    ) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) in
            try db.insert(account)
            if let details { try db.insert(details, of: account.id) }
            if let mail { try db.insert(mail) }
            try db.audit(
                "account.created", account: account.id, detail: actor.map { "invited by \($0)" }, at: account.createdAt)
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

    package func passwordCosts() throws(IdentityError) -> PasswordCosts {
        PasswordCosts(
            counts: try all("SELECT parameters, count FROM password_cost ORDER BY parameters", []) {
                row throws(IdentityError) in
                (try row.text(0), Int(try row.integer(1)))
            })
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
        created_at, username, username_key, standing, owner_proved_at, credential_version
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
            ownerProvedAt: try row.optionalDate(14), credentialVersion: Int(try row.integer(15)),
            createdAt: try row.date(10))
        if let text = try row.optionalText(11) { username = Username(text: text, key: try row.text(12)) }
    }

    /// The values in the order of `columns`.
    fileprivate var sqliteValues: [SQLiteValue] {
        [
            .text(id), .text(email.text), .text(email.key), .text(name), .text(passwordHash),
            .date(passwordChangedAt), .date(emailVerifiedAt), .text(roles.joined(separator: " ")),
            .text(permissions.joined(separator: " ")), .text(status.statusColumn), .date(createdAt),
            .text(username?.text), .text(username?.key), .text(status.standingColumn), .date(ownerProvedAt),
            .integer(Int64(credentialVersion)),
        ]
    }
}

extension String {
    /// The words of a list column; roles and permissions hold no space (``AccountService`` checks them).
    fileprivate var words: [String] { unicodeScalars.split(separator: " ").map { String($0) } }
}

extension Account.Status {
    /// The value of the column `status`, which has known only these two words since schema 1.
    fileprivate var statusColumn: String { (self == .active ? Self.active : .disabled).rawValue }

    /// The value of the column `standing`, which qualifies `disabled`; NULL for `active` and `disabled`.
    fileprivate var standingColumn: String? { self == .active || self == .disabled ? nil : rawValue }
}

extension SQLiteConnection {
    /// Returns an account with its details; nil if there is none, or it was deleted.
    func fullAccount(_ id: String) throws(IdentityError) -> FullAccount? {
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
            account: account, details: try row.optionalText(18).map(AccountDetails.init(json:)) ?? AccountDetails(),
            updatedAt: try row.optionalDate(16) ?? account.createdAt, lastLoginAt: try row.optionalDate(17))
    }
}

extension AccountDetails {
    /// Returns the details as JSON text.
    fileprivate func json() throws(IdentityError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self) else {
            throw .storeUnavailable("details of an account cannot be written")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Parses the text of `json()`; anything else is damage.
    fileprivate init(json text: String) throws(IdentityError) {
        guard let details = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            throw .corruptStore("the details of an account cannot be read")
        }
        self = details
    }
}

extension SQLiteIdentityStore {
    /// Reads the facts in the transaction, so that an administrator who is being dismissed can no longer act.
    package func perform(
        _ action: AccountAction, on id: String, by actor: String?, because reason: String?, at now: Date,
        if rule: @escaping AccountRule
    ) async throws(IdentityError) -> AccountActionResult? {
        try await writer.write { db throws(IdentityError) in
            let context = AccountActionContext(
                actor: try actor.flatMap { id throws(IdentityError) in try db.account(id) },
                target: try db.account(id), administratorCount: try db.administratorCount())
            guard try rule(context), let target = context.target else { return nil }
            let note = "by \(actor ?? "the operator")\(reason.map { ": \($0)" } ?? "")"
            return try db.perform(action, on: target, by: actor, note: note, at: now)
        }
    }

    /// Compares the version of the credentials, so that a password that was reset meanwhile does not count.
    ///
    /// The time of the change always moves forward, so that logins with the old password are detected.
    package func changePassword(
        of account: Account, to hash: String, signingOutAllBut device: [UInt8]?, at now: Date
    ) async throws(IdentityError) -> PasswordChange? {
        let id = account.id
        return try await writer.write { db throws(IdentityError) in
            let changed = try db.run(
                """
                UPDATE account SET password_hash = ?1, password_changed_at = max(?2, password_changed_at + 1)
                WHERE id = ?3 AND credential_version = ?4 AND status = 'active'
                """,
                [.text(hash), .date(now), .text(id), .integer(Int64(account.credentialVersion))])
            guard changed == 1 else { return nil }
            try db.endMailedTokens(of: id)
            var signedOut = 0
            if let device {
                signedOut = try db.revokeDevices(of: id, except: device, because: .passwordChange, at: now)
            }
            try db.audit("account.passwordChanged", account: id, at: now)
            try db.mail(.passwordChanged, to: id, at: now)
            return PasswordChange(accountID: id, signedOut: signedOut)
        }
    }
}

extension SQLiteConnection {
    /// Returns an account of any status; nil if there is none.
    func account(_ id: String) throws(IdentityError) -> Account? {
        try first("SELECT \(Account.columns) FROM account WHERE id = ?", [.text(id)], read: Account.init)
    }

    /// Inserts an account.
    ///
    /// - Throws: `IdentityError.alreadyExists` if the address or the username is taken.
    func insert(_ account: Account) throws(IdentityError) {
        try run(
            "INSERT INTO account (\(Account.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            account.sqliteValues)
    }

    /// Returns whether the account is active and has the credentials of the given value, on which a decision was based.
    func isUnchanged(_ account: Account) throws(IdentityError) -> Bool {
        try number(
            "SELECT 1 FROM account WHERE id = ? AND status = 'active' AND credential_version = ?",
            [.text(account.id), .integer(Int64(account.credentialVersion))]) == 1
    }

    /// Returns the number of active administrators, up to two; counted in the rows, and not taken from the tally.
    fileprivate func administratorCount() throws(IdentityError) -> Int {
        try number(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM account_list JOIN account ON account.id = account_list.account_id
                WHERE class IN (\(AccountClass.administrators)) LIMIT 2)
            """)
    }

    /// Performs an authorized action, with an entry in the audit log.
    fileprivate func perform(
        _ action: AccountAction, on target: Account, by actor: String?, note: String, at now: Date
    ) throws(IdentityError) -> AccountActionResult {
        let id = target.id
        var result = AccountActionResult()
        switch action {
        case .read: break
        case .update(let change):
            try update(id, change, at: now)
            try audit("account.changed", account: id, detail: actor == id ? nil : note, at: now)
        case .setRole(let role):
            try run(
                "UPDATE account SET roles = ?, updated_at = ? WHERE id = ?",
                [.text(role.replacing(in: target.roles).joined(separator: " ")), .date(now), .text(id)])
            try audit("account.role", account: id, detail: "\(role.name) \(note)", at: now)
        case .setStatus(let status):
            result.signedOut = try setStatus(of: id, to: status, at: now)
            try audit("account.\(status.rawValue)", account: id, detail: note, at: now)
        case .endSessions:
            try audit("account.sessionsEnded", account: id, detail: note, at: now)
            result.signedOut = try revokeDevices(of: id, because: .administrator, at: now)
        case .removeFactor:
            result.hadFactor = try removeFactor(of: id, detail: note, at: now)
            if result.hadFactor { result.signedOut = try revokeDevices(of: id, because: .administrator, at: now) }
        case .removeLink(let provider):
            let signedOut = try removeLink(to: provider, of: target, except: nil, note: note, at: now)
            (result.hadLink, result.signedOut) = (signedOut != nil, signedOut ?? 0)
        case .delete(isFinal: true):
            // Foreign keys remove everything that refers to the row.
            try run("DELETE FROM account WHERE id = ?", [.text(id)])
            try audit("account.deleted", account: id, detail: "final \(note)", at: now)
        case .delete(isFinal: false):
            result.signedOut = try setStatus(of: id, to: .deleted, at: now)
            try endMailedTokens(of: id)
            try audit("account.deleted", account: id, detail: note, at: now)
        }
        return result
    }

    /// Changes details; read and written in one transaction, so that no concurrent change of another field is lost.
    private func update(_ id: String, _ change: AccountDetailsChange, at now: Date) throws(IdentityError) {
        guard let found = try fullAccount(id) else { return }
        let details = change.applied(to: found.details)
        if details != found.details { try insert(details, of: id) }
        if let typed = change.username {
            let name = typed.isEmpty ? nil : try Username(typed)
            do throws(IdentityError) {
                try run(
                    "UPDATE account SET username = ?, username_key = ? WHERE id = ?",
                    [.text(name?.text), .text(name?.key), .text(id)])
            } catch IdentityError.alreadyExists {
                throw .usernameTaken
            }
        }
        try run("UPDATE account SET updated_at = ? WHERE id = ?", [.date(now), .text(id)])
    }

    /// Sets a status, and signs out the devices unless it is `active`; a later activation brings none of them back.
    private func setStatus(of id: String, to status: Account.Status, at now: Date) throws(IdentityError) -> Int {
        try run(
            "UPDATE account SET status = ?, standing = ?, updated_at = ? WHERE id = ?",
            [.text(status.statusColumn), .text(status.standingColumn), .date(now), .text(id)])
        return status == .active ? 0 : try revokeDevices(of: id, because: .accountDisabled, at: now)
    }
}
