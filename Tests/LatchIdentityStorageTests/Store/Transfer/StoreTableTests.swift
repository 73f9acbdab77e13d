// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchPostgres
import TestSupport
import Testing

@testable import LatchIdentity

/// A table or column that is forgotten there would be lost with each copy and each backup.
@Suite struct StoreTableTests {
    /// What a database derives from the content, and what belongs to running servers.
    private static let derived: Set = [
        "account_list", "account_tally", "account_search", "password_cost", "audit_head", "latch_schema", "lease",
        "event_delivery",
    ]
    private static let derivedColumns: Set = ["audit.chain", "audit.digest", "account.cost_parameters"]

    private static var described: [String: StoreTable.Column.Kind] {
        var columns: [String: StoreTable.Column.Kind] = [:]
        for table in StoreTable.all {
            for column in table.columns { columns["\(table.name).\(column.name)"] = column.kind }
        }
        return columns
    }

    private static func kept(_ columns: [(table: String, column: String, type: String)]) -> [String: String] {
        var kept: [String: String] = [:]
        for (table, column, type) in columns {
            let name = "\(table).\(column)"
            guard !derived.contains(table), !table.hasPrefix("account_search"), !table.hasPrefix("sqlite_"),
                !derivedColumns.contains(name), !name.hasPrefix("account.listed_")
            else { continue }
            kept[name] = type
        }
        return kept
    }

    @Test func `The description of a store's content has every table and column of SQLite's newest schema`() throws {
        let folder = try TemporaryFolder()
        let connection = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try SQLiteSchema.migrate(connection)
        let found = try connection.all(
            """
            SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
            """
        ) { row throws(IdentityError) in (table: try row.text(0), column: try row.text(1), type: try row.text(2)) }
        let types: [StoreTable.Column.Kind: String] = [.integer: "INTEGER", .text: "TEXT", .blob: "BLOB"]
        expectEqual(Self.kept(found), Self.described.mapValues { types[$0] ?? "" })
    }

    @Test(needsPostgres)
    func `The description of a store's content has every table and column of PostgreSQL's newest schema`() async throws
    {
        let address = try await IdentityDatabase.create()
        await (try PostgresBackend.open(address)).close()
        let found = try PostgresConnection(PostgresConfiguration(address)).all(
            """
            SELECT c.table_name::text, c.column_name::text, c.data_type::text FROM information_schema.columns c
            JOIN information_schema.tables t USING (table_schema, table_name)
            WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
            """
        ) { row throws(PostgresError) in (table: try row.text(0), column: try row.text(1), type: try row.text(2)) }
        let types: [StoreTable.Column.Kind: String] = [.integer: "bigint", .text: "text", .blob: "bytea"]
        expectEqual(Self.kept(found), Self.described.mapValues { types[$0] ?? "" })
    }

    @Test func `The description of a store's content has the key of each table first`() throws {
        let folder = try TemporaryFolder()
        let connection = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try SQLiteSchema.migrate(connection)
        for table in StoreTable.all {
            let key = try connection.all(
                "SELECT name FROM pragma_table_info('\(table.name)') WHERE pk > 0 ORDER BY pk"
            ) { row throws(IdentityError) in try row.text(0) }
            expectEqual(table.columns.prefix(table.keyCount).map(\.name), key, "\(table.name)")
        }
    }
}
