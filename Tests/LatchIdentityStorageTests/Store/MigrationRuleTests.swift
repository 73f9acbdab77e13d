// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchPostgres
import TestSupport
import Testing

@testable import LatchIdentity

/// What lets a server of an earlier version continue on a store that was migrated meanwhile.
@Suite struct MigrationRuleTests {
    @Test func `A migration only adds, except for one empty table, and adds no required column`() {
        let steps = SQLiteSchema.migrations.dropFirst() + PostgresSchema.migrations.dropFirst()
        for statement in steps.flatMap(\.statements) {
            let words = statement.split { $0 == " " || $0 == "\n" }.map(String.init)
            switch words.prefix(2).joined(separator: " ") {
            case "CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE", "CREATE VIRTUAL", "CREATE VIEW", "CREATE TRIGGER",
                "CREATE FUNCTION", "INSERT INTO":
                break
            case "ALTER TABLE":
                expectEqual(Array(words[3...4]), ["ADD", "COLUMN"], "\(statement)")
                #expect(!statement.contains("NOT NULL") || statement.contains("DEFAULT"), "\(statement)")
            case "DROP TABLE":
                // Only where it is empty, and servers that do not show the sample resource never read it.
                expectEqual(statement, "DROP TABLE IF EXISTS sample_item")
            default: Issue.record("\(statement)")
            }
        }
    }

    @Test(arguments: ["SQLite", "Postgres"])
    func `A migration has the number and the name of its file`(database: String) throws {
        let migrations = database == "SQLite" ? SQLiteSchema.migrations : PostgresSchema.migrations
        expectEqual(migrations.map(\.number), Array(1...migrations.count))
        let folder = URL(filePath: #filePath)
            .appending(path: "../../../../Sources/Server/LatchIdentity/LatchIdentityStorage/\(database)/Migrations")
            .standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for migration in migrations {
            let number = migration.number < 10 ? "0\(migration.number)" : "\(migration.number)"
            #expect(files.contains("\(database)\(number)\(migration.name).swift"), "\(migration.name)")
        }
    }

    @Test(needsPostgres)
    func `A migration of PostgreSQL takes longer than a statement is allowed to, and other nodes wait for it`()
        async throws
    {
        var configuration = PostgresConfiguration(try await IdentityDatabase.create())
        (configuration.statementTimeout, configuration.networkTimeout) = (.milliseconds(500), .seconds(1))
        let migrations = [
            Migration(
                number: 1, name: "Slow",
                statements: [
                    "CREATE TABLE slow AS SELECT 1 AS n FROM pg_sleep(2)", "ALTER TABLE slow ADD COLUMN m bigint",
                ]),
            Migration(number: 2, name: "Row", statements: ["INSERT INTO slow SELECT 2 FROM pg_sleep(1)"]),
        ]
        let nodes = (0..<2).map { _ in PostgresDatabase(configuration) }
        try await withThrowingTaskGroup { group in
            for node in nodes { group.addTask { try await PostgresSchema.migrate(node, by: migrations) } }
            try await group.waitForAll()
        }
        let count = try await nodes[0].read { connection in
            try connection.first("SELECT count(*) FROM slow") { row throws(PostgresError) in try row.integer(0) }
        }
        expectEqual(count, 2)
        // The limits hold again.
        await #expect(throws: PostgresError.statementTimeout) {
            try await nodes[0].transaction { try $0.run("SELECT 1 FROM pg_sleep(600)") }
        }
        for node in nodes { node.close() }
    }

    /// A later version's step: a table, and a column of one that every request writes.
    private static let next = ["CREATE TABLE later (x bigint)", "ALTER TABLE device ADD COLUMN later_at bigint"]

    /// Serves before, while and after another program has made the store one of a later version.
    private func outlives(at location: String, _ migrate: () throws -> Void) async throws {
        let site = try await Site(storedAt: location)
        try await site.signUp()
        let login = try await site.logIn()
        try await expectEqual(site.renew(login.refresh).status, 200)
        try migrate()
        let next = try await site.logIn()
        try await expectEqual(site.renew(next.refresh).status, 200)
        try await site.signUp("bob@example.com")
        try await expectEqual(site.logIn("bob@example.com").status, 200)
        if case .intact = try await site.identity.audit.verify() {} else { Issue.record("the log is damaged") }
        await #expect(throws: IdentityError.newerSchema) { try await Site(storedAt: location) }
        await #expect(throws: IdentityError.newerSchema) { try await StoreAdministration.schema(of: location) }
        await site.close()
    }

    @Test
    func `A migration does not stop a running server of the earlier version, which cannot start again`() async throws {
        let folder = try TemporaryFolder()
        try await outlives(at: folder.file()) {
            let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
            try raw.run("CREATE TABLE later (x INTEGER)")
            try raw.run("ALTER TABLE device ADD COLUMN later_at INTEGER")
            try raw.run("PRAGMA user_version = \(SQLiteSchema.latest + 1)")
        }
    }

    @Test(needsPostgres) func `A migration of PostgreSQL does not stop a running server either`() async throws {
        let address = try await IdentityDatabase.create()
        try await outlives(at: address) {
            let connection = try PostgresConnection(PostgresConfiguration(address))
            try connection.transaction { connection in
                for statement in Self.next { try connection.run(statement) }
                try connection.run("UPDATE latch_schema SET version = version + 1")
            }
        }
    }

    @Test func `A migration is reported before it is made`() async throws {
        let folder = try TemporaryFolder()
        let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
        for statement in SQLiteSchema.migrations[0].statements { try raw.run(statement) }
        try raw.run("PRAGMA application_id = \(SQLiteSchema.applicationID)")
        try raw.run("PRAGMA user_version = 1")
        try await expectEqual(StoreAdministration.schema(of: folder.file()).due, 2...SQLiteSchema.latest)
        await #expect(throws: IdentityError.olderSchema) {
            try await StoreAdministration.plain().copy(from: folder.file(), to: folder.file("new.sqlite"))
        }
        // Nor does a command of the operator: servers of that version could not start again.
        await #expect(throws: IdentityError.olderSchema) {
            _ = try await Identity(administering: folder.file(), configuration: IdentityConfiguration())
        }
        try expectEqual(raw.number("PRAGMA user_version"), 1)
        try await expectEqual(StoreAdministration.migrate(folder.file()).found, 1)
        try await expectNil(StoreAdministration.schema(of: folder.file()).due)
    }

    @Test(needsPostgres)
    func `A migration of a database that does not hold Unicode is refused before anything is made`()
        async throws
    {
        let address = try await IdentityDatabase.create(
            "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        let error = await #expect(throws: IdentityError.self) { _ = try await IdentityStore.open(address) }
        #expect(error?.message.contains("LATIN1") == true && error?.hint?.contains("--encoding=UTF8") == true)
        let connection = try PostgresConnection(PostgresConfiguration(address))
        let tables = try connection.first("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") {
            row throws(PostgresError) in try row.integer(0)
        }
        expectEqual(tables, 0)
    }

    @Test(needsPostgres) func `A migration of an empty database is reported before it is made`() async throws {
        let address = try await IdentityDatabase.create()
        try await expectEqual(StoreAdministration.schema(of: address).due, 1...PostgresSchema.latest)
        _ = try await StoreAdministration.migrate(address)
        try await expectNil(StoreAdministration.schema(of: address).due)
    }
}
