// SPDX-License-Identifier: Apache-2.0

/// The receiver that inserts rows into an empty store, within its transaction.
final class StoreLoader: StoreRowReceiver {
    private let db: any SQLConnection
    /// The ID of the last audit entry in this store; nil before the first entry.
    private var lastEntry: Int64?

    init(_ db: any SQLConnection) { self.db = db }

    /// Requires that no table of the store has a row.
    ///
    /// - Throws: `IdentityError.storeNotEmpty`.
    func requireEmpty() throws(IdentityError) {
        for table in StoreTable.all.map(\.name) + ["audit_head"] {
            guard try db.number("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT 1) AS entry") == 0 else {
                throw .storeNotEmpty("The database")
            }
        }
    }

    func receive(_ rows: [[SQLValue]], of table: StoreTable) throws(IdentityError) {
        if db.dialect == .postgres { try requireStorable(rows, of: table) }
        switch (table.name, db.dialect) {
        case ("audit", .sqlite): try insert(rows.map { row in numbered(row) }, of: table)
        case ("audit", .postgres): try insert(rows.map { row in row + [chain(of: row)] }, of: table, adding: "chain")
        case ("account", .postgres): try insertInOrder(rows, of: table)
        default: try insert(rows, of: table)
        }
        switch (table.name, db.dialect) {
        case ("upstream_identity", _): try undoVersions(rows, of: table)
        case ("account_details", .postgres): try list(rows, of: table)
        default: break
        }
    }

    /// The digests are compared when the store is complete.
    func finish(_ summary: StoreTableSummary) {}

    private func insert(_ rows: [[SQLValue]], of table: StoreTable, adding extra: String? = nil) throws(IdentityError) {
        let names = table.columns.map(\.name) + (extra.map { [$0] } ?? [])
        let values = (1...names.count).map { "$\($0)" }.joined(separator: ", ")
        try db.run("INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(values))", each: rows)
    }

    /// Inserts accounts with consecutive numbers for their order within the millisecond of the sign-up.
    ///
    /// The default numbers are random, and may already be used.
    private func insertInOrder(_ rows: [[SQLValue]], of table: StoreTable) throws(IdentityError) {
        let created = table.columns.firstIndex { $0.name == "created_at" } ?? 0
        try db.run(Account.insertionInOrder, each: rows.map { $0 + [$0[created]] })
    }

    /// Undoes the increases of credential versions that triggers made for the inserted links.
    private func undoVersions(_ rows: [[SQLValue]], of table: StoreTable) throws(IdentityError) {
        let account = table.columns.firstIndex { $0.name == "account_id" } ?? 0
        try db.run(
            "UPDATE account SET credential_version = credential_version - 1 WHERE id = $1",
            each: rows.map { [$0[account]] })
    }

    /// Stores the columns that PostgreSQL lists and searches accounts by.
    private func list(_ rows: [[SQLValue]], of table: StoreTable) throws(IdentityError) {
        let columns = AccountDetails.listed.map { column in table.columns.firstIndex { $0.name == column.name } ?? 0 }
        try db.run(AccountDetails.listing, each: rows.map { row in columns.map { row[$0] } })
    }

    /// Returns an audit entry with the ID after the last one.
    ///
    /// The first entry keeps its ID, unless it is an ID of PostgreSQL, which is a time.
    private func numbered(_ row: [SQLValue]) -> [SQLValue] {
        var id = lastEntry.map { $0 + 1 } ?? 1
        if lastEntry == nil, case .integer(let found?) = row[0], found < PostgresAudit.endOfRestoredIDs { id = found }
        lastEntry = id
        return [.integer(id)] + row.dropFirst()
    }

    /// Returns the name of the chain of an audit entry.
    private func chain(of row: [SQLValue]) -> SQLValue {
        if case .text(let account?) = row[3] { return .text(account) }
        guard case .integer(let id?) = row[0] else { return .text(PostgresCall.sharedChain(0)) }
        return .text(PostgresCall.sharedChain(Int(truncatingIfNeeded: id)))
    }

    /// Requires texts without NUL, which SQLite can store and PostgreSQL cannot.
    private func requireStorable(_ rows: [[SQLValue]], of table: StoreTable) throws(IdentityError) {
        for row in rows {
            for (column, value) in zip(table.columns, row) {
                guard case .text(let text?) = value, !text.isStorable else { continue }
                throw .unstorableText("\(table.name).\(column.name)")
            }
        }
    }
}
