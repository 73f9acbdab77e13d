// SPDX-License-Identifier: Apache-2.0

/// A table of a store's content, with the same columns in every database.
///
/// Content does not include what a database derives, such as lists of accounts and digests of the audit log. Each
/// database builds these when rows are inserted. Content also does not include the leases of running servers, and the
/// events that wait for listeners: each of them is an entry of the audit log, and a replay tells it.
package struct StoreTable: Sendable, Hashable {
    package struct Column: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case integer
            case text
            case blob
        }

        package let name: String
        package let kind: Kind
        /// Whether each store assigns the values of the column; the digest of the table omits them.
        var isReassigned = false
    }

    package let name: String
    /// The columns, with those of the primary key first.
    package let columns: [Column]
    /// The number of columns of the primary key, which the rows are sorted by.
    package let keyCount: Int

    private init(
        _ name: String, key: KeyValuePairs<String, Column.Kind>, _ columns: KeyValuePairs<String, Column.Kind> = [:]
    ) {
        self.init(name, (Array(key) + Array(columns)).map { Column(name: $0.key, kind: $0.value) }, keyCount: key.count)
    }

    /// Creates the table of a row type, with a column whose values each store assigns, if there is one.
    private init<Columns: TableColumn>(_ name: String, _ columns: Columns.Type, reassigning reassigned: Columns? = nil)
    {
        let columns = Columns.allCases.map { column in
            Column(
                name: column.name, kind: column.value(of: nil).kind,
                isReassigned: column.rawValue == reassigned?.rawValue)
        }
        self.init(name, columns, keyCount: Columns.keyCount)
    }

    private init(_ name: String, _ columns: [Column], keyCount: Int) {
        self.name = name
        self.columns = columns
        self.keyCount = keyCount
    }

    /// Returns the table with some of its columns; nil if it lacks one of them, or if the key differs.
    package func with(columns names: [String]) -> StoreTable? {
        let found = names.compactMap { name in columns.first { $0.name == name } }
        guard found.count == names.count, Set(names).count == names.count,
            found.prefix(keyCount) == columns.prefix(keyCount)
        else { return nil }
        return StoreTable(name, found, keyCount: keyCount)
    }

    /// Returns the table with a name, including tables of earlier versions; nil if it does not exist.
    package static func named(_ name: String) -> StoreTable? { (all + retired).first { $0.name == name } }

    /// Whether the table is from an earlier version, so that stores no longer accept its rows.
    var isRetired: Bool { Self.retired.contains { $0.name == name } }

    /// Returns the numbers of rows in a store's tables of earlier versions.
    package static func leftOut(of db: any SQLConnection) throws(IdentityError) -> [(table: String, rows: Int)] {
        var found: [(table: String, rows: Int)] = []
        for table in retired where try db.has(table) {
            let rows = try db.number("SELECT count(*) FROM \(table.name)")
            if rows > 0 { found.append((table.name, rows)) }
        }
        return found
    }

    /// All tables; each one follows the tables that its rows refer to.
    package static let all = accounts + waiting + operations

    private static let accounts = [
        StoreTable("account", Account.Column.self),
        StoreTable("account_details", AccountDetails.Column.self),
        StoreTable("device", Device.Column.self),
        StoreTable("second_factor", SecondFactor.Column.self),
        StoreTable("recovery_code", key: ["account_id": .text, "is_confirmed": .integer, "digest": .blob]),
        StoreTable("upstream_identity", UpstreamLink.Column.self),
        StoreTable("passkey", Passkey.Column.self),
        StoreTable("consent", Consent.Column.self),
        StoreTable("account_deletion", AccountDeletion.Column.self),
        StoreTable("factor_recovery", FactorRecovery.Column.self),
        StoreTable("api_key", APIKey.Column.self),
        StoreTable("client", StoredClient.Column.self),
        StoreTable("initial_token", InitialToken.Column.self),
    ]

    private static let waiting = [
        StoreTable("one_time_token", OneTimeToken.Column.self),
        StoreTable("sign_in_challenge", LoginChallenge.Column.self),
        StoreTable("email_change", EmailChange.Column.self),
        StoreTable("mail", OutboxMail.Column.self),
        StoreTable("client_notice", ClientNotice.Column.self),
        StoreTable("address_challenge", AddressChallenge.Column.self),
        StoreTable("sign_in_code", SignInCode.Column.self),
        StoreTable("spent_sign_in", key: ["digest": .blob], ["expires_at": .integer]),
        StoreTable("authorization_code", AuthorizationCode.Column.self),
        StoreTable("device_authorization", DeviceAuthorizationRecord.Column.self),
        StoreTable("pushed_request", PushedRequest.Column.self),
    ]

    private static let operations = [
        StoreTable("signing_key", StoredKey.Column.self),
        StoreTable("secret", key: ["name": .text], ["value": .blob, "sealed_by": .text]),
        StoreTable("heartbeat", key: ["id": .integer], ["at": .integer]),
        // Each store assigns the IDs: SQLite's are consecutive numbers, and PostgreSQL's are times.
        StoreTable("audit", AuditRecord.Column.self, reassigning: .id),
    ]

    /// The tables of earlier versions, which stores and backups may still contain.
    package static let retired = [
        StoreTable(
            "sample_item", key: ["id": .text],
            ["account_id": .text, "kind": .text, "name": .text, "created_at": .integer])
    ]

    /// The SQL statement that counts the rows of the sample resource of earlier versions.
    static let sampleRows = "SELECT count(*) FROM sample_item"
}

extension SQLConnection {
    /// Returns whether the database has a table.
    fileprivate func has(_ table: StoreTable) throws(IdentityError) -> Bool {
        let catalog =
            switch dialect {
            case .sqlite: "sqlite_master WHERE type = 'table' AND name = '\(table.name)'"
            case .postgres: "pg_class WHERE oid = to_regclass('\(table.name)')"
            }
        return try number("SELECT count(*) FROM \(catalog)") > 0
    }
}
