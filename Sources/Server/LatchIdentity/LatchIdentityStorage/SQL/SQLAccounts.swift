// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation
import Synchronization

extension IdentityStore {
    /// Returns an account of any status; nil if it does not exist.
    ///
    /// - Throws: `IdentityError.corruptStore` if a column has a type other than that of the schema.
    package func account(id: String) async throws(IdentityError) -> Account? {
        try await account(where: "id", is: id)
    }

    /// Returns the account of an address, by its canonical form (``EmailAddress/key``).
    package func account(emailKey: String) async throws(IdentityError) -> Account? {
        // An account without an address has its ID in the column.
        guard emailKey.utf8.contains(UInt8(ascii: "@")) else { return nil }
        return try await account(where: "email_key", is: emailKey)
    }

    /// Returns the account of a user name, by its canonical form (``Username/key``).
    package func account(usernameKey: String) async throws(IdentityError) -> Account? {
        try await account(where: "username_key", is: usernameKey)
    }

    /// Returns the account of an address or a user name in lower case; a user name contains no `@`.
    package func account(named key: String) async throws(IdentityError) -> Account? {
        key.utf8.contains(UInt8(ascii: "@")) ? try await account(emailKey: key) : try await account(usernameKey: key)
    }

    private func account(where column: String, is key: String) async throws(IdentityError) -> Account? {
        guard key.isStorable else { return nil }
        return try await first(
            "SELECT \(Account.Column.list) FROM account WHERE \(column) = $1", [.text(key)], read: Account.init)
    }

    /// Returns the account with its details; nil if it does not exist or was deleted.
    package func fullAccount(id: String) async throws(IdentityError) -> FullAccount? {
        try await read { db throws(IdentityError) in try db.fullAccount(id) }
    }

    /// Inserts an account, optionally with details and an email to its address.
    ///
    /// The unique indexes of address and user name decide between concurrent sign-ups.
    ///
    /// - Parameters:
    ///   - actor: The account that invites the owner, as it was read; nil for an owner who signs up.
    ///   - acting: The device or the key with which it does so.
    ///   - note: The detail for the audit log; by default the version of the accepted terms.
    /// - Throws: `IdentityError.alreadyExists` if the address or the user name is taken. `.forbidden` if the roles or
    ///   the status of `actor` have changed. `.invalidToken` if its device was signed out, `.invalidAPIKey` if its key ended.
    package func insert(
        _ account: Account, details: AccountDetails? = nil, mail: OutboxMail? = nil, by actor: Account? = nil,
        with acting: AccountActor? = nil, note: String? = nil
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) in
            if let actor { try db.requireActor(actor, with: acting, at: account.createdAt) }
            try db.insert(account)
            if let details { try db.insert(details, of: account.id) }
            if let mail { try db.insert(mail) }
            let note = note ?? account.acceptedTerms.map { "terms \($0.version)" }
            try db.audit("account.created", account: account.id, detail: note, at: account.createdAt)
        }
    }

    /// Returns whether an account can administer the server, and can sign in.
    package var hasAdministrator: Bool {
        get async throws(IdentityError) {
            try await read { db throws(IdentityError) in try db.hasAdministrator(except: "") }
        }
    }

    /// Inserts the account of the first administrator.
    ///
    /// - Returns: False if there is an administrator already.
    /// - Throws: `IdentityError.alreadyExists` if the address is taken, or a store's error.
    package func insert(firstAdministrator account: Account) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            guard try !db.hasAdministrator(except: "") else { return false }
            try db.insert(account)
            try db.audit(
                "account.created", account: account.id, detail: "the first administrator", at: account.createdAt)
            return true
        }
    }

    /// Replaces a hash by another hash of the same password, unless the password has changed in the meantime.
    ///
    /// It compares the old hash: a login that rehashes must not undo a concurrent reset.
    package func upgradePasswordHash(of id: String, from old: String, to new: String) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            try db.run(
                "UPDATE account SET password_hash = $1 WHERE id = $2 AND password_hash = $3",
                [.text(new), .text(id), .text(old)])
        }
    }

    /// Sets the password of an account that was imported without one.
    ///
    /// The password is the one that its owner had in the other system, so nothing that depends on it ends.
    ///
    /// - Returns: False if its credentials have changed since the import, or it may not sign in.
    package func setFirstPassword(of id: String, hash: String, at now: Date) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            let changes = try db.run(
                """
                UPDATE account SET password_hash = $1
                WHERE id = $2 AND password_hash IS NULL AND credential_version = 0 AND status = $3
                """, [.text(hash), .text(id), .text(Account.Status.active.rawValue)])
            guard changes == 1 else { return false }
            try db.audit("account.passwordImported", account: id, at: now)
            return true
        }
    }

    /// Returns the cost parameters of the stored hashes.
    package func passwordCosts() async throws(IdentityError) -> PasswordCosts {
        if let age = backend.countAge, let read = passwordCostsRead.withLock({ $0 }), .now - read.at < age {
            return read.costs
        }
        let costs = PasswordCosts(
            counts: try await all("SELECT parameters, count FROM password_cost ORDER BY parameters", []) {
                row throws(IdentityError) in
                (try row.text(0), Int(try row.integer(1)))
            })
        passwordCostsRead.withLock { $0 = (costs, .now) }
        return costs
    }

    /// Replaces all roles and permissions; returns false if the account does not exist.
    package func setRoles(
        of id: String, roles: [String], permissions: [String], at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            let changed = try db.run(
                "UPDATE account SET roles = $1, permissions = $2 WHERE id = $3",
                [.text(roles.joined(separator: " ")), .text(permissions.joined(separator: " ")), .text(id)])
            guard changed == 1 else { return false }
            try db.endKeys(of: id, unlessFor: Role(of: roles), at: now)
            try db.audit("account.grants", account: id, detail: roles.joined(separator: " "), at: now)
            return true
        }
    }
}

extension Account {
    /// The columns of `account`.
    package enum Column: Int32, TableColumn {
        case id, email, emailKey, name, passwordHash, passwordChangedAt, emailVerifiedAt, roles, permissions, status
        case createdAt, username, usernameKey, standing, updatedAt, lastLoginAt, ownerProvedAt, credentialVersion
        case attributes, termsVersion, termsAcceptedAt, foreignID, guestUntil, phone, phoneVerifiedAt

        package static let (list, insertion) = texts()

        package func value(of account: Account?) -> SQLValue {
            switch self {
            case .id: .text(account?.id)
            // The columns are NOT NULL and unique. An id contains no @, so it is never the key of an address.
            case .email: .text(account.map { $0.email?.text ?? "" })
            case .emailKey: .text(account.map { $0.email?.key ?? $0.id })
            case .name: .text(account?.name)
            case .passwordHash: .text(account?.passwordHash)
            case .passwordChangedAt: .date(account?.passwordChangedAt)
            case .emailVerifiedAt: .date(account?.emailVerifiedAt)
            case .roles: .text(account?.roles.joined(separator: " "))
            case .permissions: .text(account?.permissions.joined(separator: " "))
            case .status: .text(account?.status.statusColumn)
            case .createdAt: .date(account?.createdAt)
            case .username: .text(account?.username?.text)
            case .usernameKey: .text(account?.username?.key)
            case .standing: .text(account?.status.standingColumn)
            // Both are set after the insertion.
            case .updatedAt, .lastLoginAt: .date(nil)
            case .ownerProvedAt: .date(account?.ownerProvedAt)
            case .credentialVersion: .integer((account?.credentialVersion).map { Int64($0) })
            case .attributes: .text(account.flatMap { Account.column(of: $0.attributes) })
            case .termsVersion: .text(account?.acceptedTerms?.version)
            case .termsAcceptedAt: .date(account?.acceptedTerms?.acceptedAt)
            case .foreignID: .text(account?.foreignID)
            case .guestUntil: .date(account?.guestUntil)
            case .phone: .text(account?.phone?.text)
            case .phoneVerifiedAt: .date(account?.phoneVerifiedAt)
            }
        }
    }

    /// Creates an account from a row; an unknown status is damage, and is not read as active.
    package init(_ row: borrowing SQLRow) throws(IdentityError) {
        let standing = try row.optionalText(Column.standing)
        let word = if let standing { standing } else { try row.text(Column.status) }
        guard let status = Status(rawValue: word) else { throw .corruptStore("an account has an unknown status") }
        let email = EmailAddress(text: try row.text(Column.email), key: try row.text(Column.emailKey))
        self.init(
            id: try row.text(Column.id), email: email.text.isEmpty ? nil : email,
            name: try row.optionalText(Column.name), passwordHash: try row.optionalText(Column.passwordHash),
            passwordChangedAt: try row.date(Column.passwordChangedAt),
            emailVerifiedAt: try row.optionalDate(Column.emailVerifiedAt),
            roles: try row.text(Column.roles).words, permissions: try row.text(Column.permissions).words,
            status: status, ownerProvedAt: try row.optionalDate(Column.ownerProvedAt),
            credentialVersion: Int(try row.integer(Column.credentialVersion)),
            createdAt: try row.date(Column.createdAt),
            foreignID: try row.optionalText(Column.foreignID), guestUntil: try row.optionalDate(Column.guestUntil))
        if let text = try row.optionalText(Column.username) {
            username = Username(text: text, key: try row.text(Column.usernameKey))
        }
        phone = try row.optionalText(Column.phone).map { PhoneNumber(text: $0) }
        phoneVerifiedAt = try row.optionalDate(Column.phoneVerifiedAt)
        if let text = try row.optionalText(Column.attributes) { attributes = try Self.attributes(json: text) }
        if let version = try row.optionalText(Column.termsVersion) {
            acceptedTerms = AcceptedTerms(version: version, acceptedAt: try row.date(Column.termsAcceptedAt))
        }
    }

    /// Returns attributes as a JSON object, sorted by name; nil for none.
    static func column(of attributes: [String: JSONValue]) -> String? {
        guard !attributes.isEmpty else { return nil }
        return String(decoding: JSONValue.object(JSONObject(sorting: attributes)).serialized(), as: UTF8.self)
    }

    /// Parses the text of `column(of:)`; anything else is damage.
    private static func attributes(json text: String) throws(IdentityError) -> [String: JSONValue] {
        let members = (try? JSONValue(parsing: text))?.objectValue
        guard let members else { throw .corruptStore("the attributes of an account cannot be read") }
        return members.reduce(into: [:]) { $0[$1.key] = $1.value }
    }
}

extension String {
    /// The words of a list in one column; roles and permissions contain no space (``AccountService`` checks them).
    fileprivate var words: [String] { unicodeScalars.split(separator: " ").map { String($0) } }
}

extension Account.Status {
    /// The value of the column `status`, which has only had these two words since schema 1.
    var statusColumn: String { (self == .active ? Self.active : .disabled).rawValue }

    /// The value of the column `standing`, which qualifies `disabled`; NULL for `active` and `disabled`.
    var standingColumn: String? { self == .active || self == .disabled ? nil : rawValue }
}

extension SQLConnection {
    /// Returns an account with its details; nil if it does not exist or was deleted.
    package func fullAccount(_ id: String) throws(IdentityError) -> FullAccount? {
        guard id.isStorable else { return nil }
        return try first(
            """
            SELECT \(FullAccount.list) FROM account LEFT JOIN account_details ON account_id = id
            WHERE id = $1 AND standing IS DISTINCT FROM 'deleted'
            """,
            [.text(id)], read: FullAccount.init)
    }

    /// Stores details, with the columns that lists search and sort by.
    func insert(_ details: AccountDetails, of id: String) throws(IdentityError) {
        let row = (details: details, content: try details.json(), accountID: id)
        // Not an update, since the lists of accounts are maintained by the insertion.
        try run("DELETE FROM account_details WHERE account_id = $1", [.text(id)])
        try run("INSERT INTO account_details \(AccountDetails.Column.insertion)", AccountDetails.Column.values(of: row))
        // There the lists of accounts come from the accounts themselves, and no trigger maintains them.
        guard dialect == .postgres else { return }
        try run(AccountDetails.listing, AccountDetails.listed.map { $0.value(of: row) })
    }
}

extension FullAccount {
    /// The columns of an account, followed by the content of its details.
    package static let list = "\(Account.Column.list), account_details.content"

    /// Creates an account from a row; the details may be missing.
    package init(_ row: borrowing SQLRow) throws(IdentityError) {
        let account = try Account(row)
        let content = try row.optionalText(Int32(Account.Column.allCases.count))
        self.init(
            account: account, details: try content.map(AccountDetails.init(json:)) ?? AccountDetails(),
            updatedAt: try row.optionalDate(Account.Column.updatedAt) ?? account.createdAt,
            lastLoginAt: try row.optionalDate(Account.Column.lastLoginAt))
    }
}

extension AccountDetails {
    /// The columns of `account_details`: the content, and what lists search and sort by.
    enum Column: Int32, TableColumn {
        case accountID, firstName, lastName, shownName, searchKey, content

        static let (list, insertion) = texts()

        func value(of row: (details: AccountDetails, content: String, accountID: String)?) -> SQLValue {
            switch self {
            case .accountID: .text(row?.accountID)
            case .firstName: .text(row?.details.firstName)
            case .lastName: .text(row?.details.lastName)
            case .shownName: .text(row?.details.shownName)
            case .searchKey: .text(row?.details.searchKey)
            case .content: .text(row?.content)
            }
        }
    }

    /// The statement that stores what PostgreSQL lists and searches accounts by, with the values of ``listed``.
    static let listing = """
        UPDATE account SET listed_first_name = $1, listed_last_name = $2, listed_shown_name = $3,
            listed_search_key = $4 WHERE id = $5
        """
    static let listed: [Column] = [.firstName, .lastName, .shownName, .searchKey, .accountID]

    private var searchKey: String { "\(firstName) \(lastName)\n\(displayName)".lowercased() }

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

extension IdentityStore {
    /// Sets a new password, ends all mailed tokens, and signs out the other devices if requested.
    ///
    /// It compares the version of the credentials, so that a password that was reset in the meantime does not count.
    /// The time of the change always moves forward, so that logins with the old password are detected.
    ///
    /// - Returns: False if the credentials have changed since `account` was read.
    /// - Throws: `IdentityError.invalidToken` if the device was signed out.
    package func changePassword(
        of account: Account, to hash: String, on device: [UInt8], signingOutOthers: Bool,
        causedBy cause: MailCause = MailCause(),
        at now: Date
    ) async throws(IdentityError) -> Bool {
        let id = account.id
        return try await write { db throws(IdentityError) in
            guard try db.isSignedIn(device, of: id, at: now) else { throw .invalidToken }
            let changed = try db.run(
                """
                UPDATE account SET password_hash = $1, password_changed_at =
                    CASE WHEN $2 > password_changed_at THEN $2 ELSE password_changed_at + 1 END
                WHERE id = $3 AND credential_version = $4 AND status = 'active'
                """,
                [.text(hash), .date(now), .text(id), .integer(Int64(account.credentialVersion))])
            guard changed == 1 else { return false }
            try db.endMailedTokens(of: id)
            if signingOutOthers { try db.revokeDevices(of: id, except: device, because: .passwordChange, at: now) }
            try db.audit("account.passwordChanged", account: id, at: now)
            try db.mail(.passwordChanged, to: id, causedBy: cause, at: now)
            return true
        }
    }
}

extension SQLConnection {
    /// Returns an account of any status; nil if it does not exist.
    package func account(_ id: String) throws(IdentityError) -> Account? {
        guard id.isStorable else { return nil }
        return try first("SELECT \(Account.Column.list) FROM account WHERE id = $1", [.text(id)], read: Account.init)
    }

    /// Inserts an account.
    ///
    /// - Throws: `IdentityError.alreadyExists` if the address or the user name is taken.
    /// Requires that an administrator is signed in and has the roles with which a decision was made.
    func requireActor(_ actor: Account, with acting: AccountActor?, at now: Date) throws(IdentityError) {
        let acting = acting ?? AccountActor(actor.id)
        try requireSignedIn(acting, at: now)
        try requireOwnFactor(of: acting)
        let current = try account(actor.id)
        guard current?.roles == actor.roles, current?.status == .active else { throw .forbidden }
    }

    package func insert(_ account: Account) throws(IdentityError) {
        // PostgreSQL orders accounts of the same millisecond by random numbers, and two numbers may be equal.
        let passingOver = dialect == .postgres ? "ON CONFLICT (created_at, listed_order) DO NOTHING" : ""
        let insertion = "INSERT INTO account \(Account.Column.insertion) \(passingOver)"
        for _ in 0..<100 where try run(insertion, Account.Column.values(of: account)) == 1 { return }
        throw .storeBusy
    }

    /// Returns whether the account is active and still has the credentials that a decision was based on.
    func isUnchanged(_ account: Account) throws(IdentityError) -> Bool {
        try isUnchanged(account.id, since: account.credentialVersion)
    }

    /// Returns whether the account with an id is active and still has the credentials of a version.
    func isUnchanged(_ accountID: String, since credentialVersion: Int) throws(IdentityError) -> Bool {
        try number(
            "SELECT 1 FROM account WHERE id = $1 AND status = 'active' AND credential_version = $2",
            [.text(accountID), .integer(Int64(credentialVersion))]) == 1
    }
}
