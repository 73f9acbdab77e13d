// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchPostgres
import TestSupport
import Testing

@testable import LatchIdentity

@Suite struct PostgresMigrationTests {
    private let account = "Ünïcode id 0"

    /// Makes the tables of a version, each with a row.
    private func create(by migrations: [Migration]) async throws -> String {
        let address = try await IdentityDatabase.create()
        try await migrate(address, by: migrations)
        let connection = try PostgresConnection(PostgresConfiguration(address))
        for table in StoreTable.all {
            let present = try columns(of: table.name, connection)
            guard !present.isEmpty else { continue }
            var row = table.columns.filter { present.contains($0.name) }
                .map { (name: $0.name, value: TransferFixture.value(of: $0, 0, account)) }
            if table.name == "heartbeat" { row[0].value = .integer(1) }
            if table.name == "audit" { row.append(("chain", .text(account))) }
            let values = (1...row.count).map { "$\($0)" }.joined(separator: ", ")
            try connection.run(
                "INSERT INTO \(table.name) (\(row.map(\.name).joined(separator: ", "))) VALUES (\(values))",
                row.map(\.value.postgres))
        }
        return address
    }

    private func migrate(_ address: String, by migrations: [Migration] = PostgresSchema.migrations) async throws {
        let database = PostgresDatabase(PostgresConfiguration(address))
        defer { database.close() }
        try await PostgresSchema.migrate(database, by: migrations)
    }

    private func columns(of table: String, _ connection: PostgresConnection) throws -> [String] {
        try connection.all(
            """
            SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1
            ORDER BY ordinal_position
            """, [.text(table)]
        ) { row throws(PostgresError) in try row.text(0) }
    }

    /// Returns the only row of a table as a text.
    private func row(of table: String, _ columns: [String], _ connection: PostgresConnection) throws -> String? {
        try connection.first("SELECT (\(columns.joined(separator: ", ")))::text FROM \(table)") {
            row throws(PostgresError) in try row.text(0)
        }
    }

    /// Returns what the catalog says about the tables, their columns and indexes, the views, the triggers and the functions.
    private func schema(of address: String) throws -> [String] {
        try PostgresConnection(PostgresConfiguration(address)).all(
            """
            SELECT concat_ws(' ', 'column', table_name, ordinal_position, column_name, data_type, collation_name,
                is_nullable, column_default, generation_expression)
            FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
            FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
            UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'latch%'
            UNION ALL SELECT concat_ws(' ', viewname, definition) FROM pg_views WHERE schemaname = 'public'
            UNION ALL SELECT concat_ws(' ', 'version', version) FROM latch_schema
            ORDER BY 1
            """
        ) { row throws(PostgresError) in try row.text(0) }
    }

    @Test(needsPostgres)
    func `A PostgreSQL database of an earlier schema loses the empty table of the sample resource`() async throws {
        for rows in 0...1 {
            let address = try await create(by: Array(PostgresSchema.migrations.prefix(4)))
            let connection = try PostgresConnection(PostgresConfiguration(address))
            if rows > 0 {
                try connection.run(
                    "INSERT INTO sample_item SELECT 'a', id, 'widgets', 'b', 1 FROM account ORDER BY id LIMIT 1")
            }
            try await migrate(address)
            let found = try connection.first("SELECT count(*) FROM pg_class WHERE relname LIKE 'sample%'") {
                row throws(PostgresError) in try row.integer(0)
            }
            // The table, the index of its key, and that of its accounts.
            expectEqual(found, Int64(rows * 3))
            if rows > 0 { try expectEqual(row(of: "sample_item", ["id", "name"], connection), "(a,b)") }
        }
    }

    @Test(needsPostgres, arguments: 1..<PostgresSchema.latest)
    func `A PostgreSQL database of an earlier schema gets the newest one, and keeps its rows`(version: Int) async throws
    {
        let address = try await create(by: Array(PostgresSchema.migrations.prefix(version)))
        let connection = try PostgresConnection(PostgresConfiguration(address))
        var before: [String: (columns: [String], row: String)] = [:]
        for table in StoreTable.all {
            let columns = try columns(of: table.name, connection)
            // A later version adds the table.
            guard !columns.isEmpty else { continue }
            before[table.name] = (columns, try #require(try row(of: table.name, columns, connection)))
        }
        try await migrate(address)
        for (table, (columns, expected)) in before {
            try expectEqual(row(of: table, columns, connection), expected, "\(table)")
        }
        let new = try await IdentityDatabase.create()
        try await migrate(new)
        try expectEqual(schema(of: address), schema(of: new))
    }
}
