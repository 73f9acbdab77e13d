// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Inserts accounts of another system in one transaction, and leaves out those that the store knows.
    ///
    /// No email is sent. The values of the accounts differ from each other (``ImportedAccount/uniqueValues``).
    ///
    /// - Parameters:
    ///   - isDryRun: Whether nothing is inserted.
    ///   - actor: The administrator who imports, as it was read; nil for the operator.
    ///   - note: The detail for the audit log.
    /// - Returns: An outcome for each account.
    /// - Throws: `IdentityError.alreadyExists` if another transaction has taken a value in the meantime; the same call
    ///   then tells which. `.forbidden`, `.invalidToken` or `.invalidAPIKey` if the administrator has ended.
    package func insert(
        imported accounts: [ImportedAccount], isDryRun: Bool, by actor: Account? = nil,
        with acting: AccountActor? = nil, note: String, at now: Date
    ) async throws(IdentityError) -> [ImportedAccount.Outcome] {
        try await write { db throws(IdentityError) in
            if let actor { try db.requireActor(actor, with: acting, at: now) }
            let outcomes = try db.outcomes(of: accounts)
            guard !isDryRun else { return outcomes }
            let new = zip(accounts, outcomes).filter { $0.1 == .imported }.map(\.0)
            guard !new.isEmpty else { return outcomes }
            try db.insertInOrder(new.map(\.account))
            try db.run(
                "INSERT INTO second_factor \(SecondFactor.Column.insertion)",
                each: new.compactMap(\.factor).map(SecondFactor.Column.values(of:)))
            try db.run(
                "INSERT INTO passkey \(Passkey.Column.insertion)",
                each: new.flatMap(\.passkeys).map(Passkey.Column.values(of:)))
            try db.run(
                "INSERT INTO upstream_identity \(UpstreamLink.Column.insertion)",
                each: new.flatMap { account in
                    account.links.map { link in
                        UpstreamLink.Column.values(
                            of: (UpstreamLink(identity: link, linkedAt: now), account.account.id))
                    }
                })
            try db.auditCreated(new.map(\.account.id), detail: note, at: now)
            return outcomes
        }
    }
}

extension SQLConnection {
    /// Returns which of the accounts the store does not know, in one round trip for each kind of value.
    fileprivate func outcomes(of accounts: [ImportedAccount]) throws(IdentityError) -> [ImportedAccount.Outcome] {
        var outcomes = accounts.map { _ in ImportedAccount.Outcome.imported }
        func look(
            for kind: ImportedAccount.UniqueValue, _ sql: String, _ values: (ImportedAccount) -> [[SQLValue]]
        ) throws(IdentityError) {
            let rows = accounts.indices.flatMap { index in values(accounts[index]).map { (index: index, values: $0) } }
            let found = try all(sql, each: rows.map(\.values)) { row throws(IdentityError) in try row.text(0) }
            for (row, ids) in zip(rows, found) where !ids.isEmpty && outcomes[row.index] == .imported {
                outcomes[row.index] = .taken(kind)
            }
        }
        // First, since an account that was imported before has the same address too. With another address, it may be of
        // another system, which counted its users too.
        let foreign = accounts.indices.filter { accounts[$0].account.foreignID != nil }
        let known = try all(
            "SELECT email_key FROM account WHERE foreign_id = $1",
            each: foreign.map { [.text(accounts[$0].account.foreignID)] }
        ) { row throws(IdentityError) in try row.text(0) }
        for (index, keys) in zip(foreign, known) where !keys.isEmpty {
            outcomes[index] = keys.first == accounts[index].account.email?.key ? .known : .taken(.foreignID)
        }
        try look(for: .email, "SELECT id FROM account WHERE email_key = $1") {
            $0.account.email.map { [[.text($0.key)]] } ?? []
        }
        try look(for: .username, "SELECT id FROM account WHERE username_key = $1") {
            $0.account.username.map { [[.text($0.key)]] } ?? []
        }
        try look(for: .link, "SELECT account_id FROM upstream_identity WHERE issuer = $1 AND subject = $2") {
            $0.links.map { [.text($0.issuer), .text($0.subject)] }
        }
        try look(for: .passkey, "SELECT account_id FROM passkey WHERE credential_id = $1") {
            $0.passkeys.map { [.blob($0.id)] }
        }
        return outcomes
    }

    /// Inserts accounts, in PostgreSQL with consecutive numbers for their order within a millisecond.
    ///
    /// The default numbers are random, and thousands of accounts may have the same time.
    fileprivate func insertInOrder(_ accounts: [Account]) throws(IdentityError) {
        let rows = accounts.map(Account.Column.values(of:))
        guard dialect == .postgres else {
            return try run("INSERT INTO account \(Account.Column.insertion)", each: rows)
        }
        try run(Account.insertionInOrder, each: zip(rows, accounts).map { $0 + [.date($1.createdAt)] })
    }
}

extension Account {
    /// The insertion of an account after those of the same millisecond, whose time is also the last parameter.
    static let insertionInOrder: String = {
        let values = (1...Column.allCases.count).map { "$\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO account (\(Column.list), listed_order) VALUES (\(values),
                coalesce((SELECT max(listed_order) + 1 FROM account WHERE created_at = $\(Column.allCases.count + 1)), 0))
            """
    }()
}

extension IdentityStore {
    /// Returns a page of accounts that are not deleted, with everything that their owners sign in by.
    ///
    /// Accounts without an address are left out, since other systems find users by it.
    package func exportedAccounts(after id: String, limit: Int) async throws(IdentityError) -> [ImportedAccount] {
        try await snapshot { db throws(IdentityError) in
            let accounts = try db.all(
                """
                SELECT \(Account.Column.list) FROM account
                WHERE id > $1 AND standing IS DISTINCT FROM 'deleted' AND email <> '' ORDER BY id LIMIT $2
                """, [.text(id), .integer(Int64(limit))], read: Account.init)
            let ids = accounts.map { [SQLValue.text($0.id)] }
            let factors = try db.all(
                "SELECT \(SecondFactor.Column.list) FROM second_factor WHERE account_id = $1 AND is_confirmed = 1",
                each: ids, read: SecondFactor.init)
            let passkeys = try db.all(
                "SELECT \(Passkey.Column.list) FROM passkey WHERE account_id = $1 ORDER BY created_at, credential_id",
                each: ids, read: Passkey.init)
            let links = try db.all(
                "SELECT \(UpstreamLink.Column.list) FROM upstream_identity WHERE account_id = $1 ORDER BY linked_at, issuer",
                each: ids, read: UpstreamLink.init)
            return accounts.indices.map { index in
                var exported = ImportedAccount(accounts[index])
                exported.factor = factors[index].first
                exported.passkeys = passkeys[index]
                exported.links = links[index].map(\.identity)
                return exported
            }
        }
    }
}
