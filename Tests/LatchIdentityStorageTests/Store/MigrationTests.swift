// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchJOSE
import Testing

@testable import LatchIdentity

/// Files as earlier versions left them; the text of their tables stands here and not in the sources, since it must never
/// change again.
@Suite struct MigrationTests {
    /// The tables of version 1 as it was released, and one account with a device that is at its second generation.
    private static let first = [
        """
        CREATE TABLE account (
            id TEXT PRIMARY KEY NOT NULL, email TEXT NOT NULL, email_key TEXT NOT NULL UNIQUE, name TEXT,
            password_hash TEXT, password_changed_at INTEGER NOT NULL, email_verified_at INTEGER, roles TEXT NOT NULL,
            permissions TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE device (
            id BLOB PRIMARY KEY NOT NULL, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            secret BLOB NOT NULL, counter INTEGER NOT NULL, rotated_at INTEGER, rotation_key BLOB,
            created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
            revoked_at INTEGER, revoked_because TEXT, user_agent TEXT, address TEXT
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX device_of_account ON device (account_id)",
        "CREATE INDEX device_by_end ON device (expires_at)",
        """
        CREATE TABLE one_time_token (
            digest BLOB PRIMARY KEY NOT NULL, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            purpose TEXT NOT NULL, email_key TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX one_time_token_of_account ON one_time_token (account_id, purpose)",
        """
        CREATE TABLE signing_key (
            id TEXT PRIMARY KEY NOT NULL, private_jwk BLOB NOT NULL, created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE TABLE secret (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE heartbeat (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT",
        """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event TEXT NOT NULL, account_id TEXT, detail TEXT
        ) STRICT
        """,
        "INSERT INTO account VALUES ('id-ada', 'Ada@example.com', 'ada@example.com', 'Ada', NULL, 2052460800000, NULL, 'admin', '', 'active', 2052460800000)",
        """
        INSERT INTO device VALUES (x'000102030405060708090a0b0c0d0e0f', 'id-ada', zeroblob(32), 1, 2052460800000, NULL,
            2052460800000, 2052460800000, 2055052800000, NULL, NULL, 'old app', '127.0.0.1')
        """,
        "PRAGMA application_id = \(0x4C74_6368)",
        "PRAGMA user_version = 1",
    ]

    private func fileOfVersion1() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let connection = try SQLiteConnection(path: folder.file(), access: .readWrite)
        for statement in Self.first { try connection.run(statement) }
        return folder
    }

    @Test func `A store of an earlier schema is brought to this one with everything that is in it`() async throws {
        let folder = try fileOfVersion1()
        let store = try IdentityStore(path: folder.file())
        let account = try #require(try await store.account(emailKey: "ada@example.com"))
        expectEqual(account.id, "id-ada")
        expectEqual(account.name, "Ada")
        expectEqual(account.roles, ["admin"])
        expectNil(account.username)
        let device = try #require(try await store.device(id: Array(0..<16)))
        expectEqual(device.counter, 1)
        expectEqual(device.userAgent, "old app")
        expectNil(device.clientID)
        expectNil(device.scope)
        await store.close()
        let raw = try SQLiteConnection(path: folder.file(), access: .readOnly)
        try expectEqual(raw.number("PRAGMA user_version"), SQLiteSchema.latest)
        try expectEqual(raw.number("SELECT count(*) FROM pragma_foreign_key_check"), 0)
        try expectEqual(raw.first("PRAGMA integrity_check") { row throws(IdentityError) in try row.text(0) }, "ok")
    }

    @Test func `A store of an earlier schema has the same tables afterwards as a new one`() async throws {
        let (old, new) = (try fileOfVersion1(), try TemporaryFolder())
        let columns = { (folder: TemporaryFolder) in
            let store = try IdentityStore(path: folder.file())
            await store.close()
            let raw = try SQLiteConnection(path: folder.file(), access: .readOnly)
            return try raw.all(
                """
                SELECT m.name || '.' || c.name || ' ' || c.type FROM sqlite_master m, pragma_table_info(m.name) c
                ORDER BY m.name, c.cid
                """
            ) { row throws(IdentityError) in try row.text(0) }
        }
        let (migrated, made) = (try await columns(old), try await columns(new))
        expectEqual(migrated, made)
        #expect(made.contains("device.scope TEXT"))
    }

    @Test func `A store of an earlier schema keeps its devices signed in, with the default scopes`() async throws {
        let folder = try fileOfVersion1()
        let site = try await Site(in: folder)
        let store = site.identity.services.store
        let device = try #require(try await store.device(id: Array(0..<16)))
        let token = RefreshTokenKey(of: device, pepper: site.identity.services.pepper).token(counter: 1).text
        let next = try await site.refreshGrant(token)
        expectEqual(next.status, 200)
        expectEqual(next.scopes, site.identity.services.configuration.defaultScopes)
        try await expectEqual(site.refreshGrant(next.refreshToken, scope: "widgets:admin").oauthError, "invalid_scope")
        try await expectEqual(site.get("/widgets", bearer: next.accessToken).status, 200)
        await site.close()
    }

    @Test func `A store of an earlier schema gets its hashes counted, owners unproved and devices dated`()
        async throws
    {
        let folder = try fileOfVersion1()
        do {
            let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
            try raw.run("UPDATE account SET password_hash = '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA'")
        }
        let store = try IdentityStore(path: folder.file())
        try await expectEqual(store.passwordCosts().counts.map(\.parameters), ["m=64,t=1,p=1"])
        try await expectNil(store.account(id: "id-ada")?.ownerProvedAt)
        try await expectNil(store.device(id: Array(0..<16))?.authenticatedAt)
        await store.close()
    }

    @Test func `A store of an earlier schema is migrated by one of several servers that start at once`() async throws {
        let folder = try fileOfVersion1()
        let versions = try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let store = try IdentityStore(path: folder.file())
                    let found = try await store.account(id: "id-ada") != nil
                    await store.close()
                    return found
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        expectEqual(versions, Array(repeating: true, count: 8))
    }

    @Test
    func `A store of an earlier schema loses the table of the sample resource, unless that has rows`() async throws {
        for rows in 0...1 {
            let folder = try fileOfVersion1()
            do {
                let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
                for migration in SQLiteSchema.migrations[1..<16] {
                    for statement in migration.statements { try raw.run(statement) }
                }
                try raw.run("PRAGMA user_version = 16")
                if rows > 0 { try raw.run("INSERT INTO sample_item VALUES ('a', 'id-ada', 'widgets', 'b', 1)") }
            }
            let store = try IdentityStore(path: folder.file())
            #expect(try await store.account(id: "id-ada") != nil)
            await store.close()
            let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
            try expectEqual(raw.number("PRAGMA user_version"), SQLiteSchema.latest)
            try expectEqual(raw.number("SELECT count(*) FROM sqlite_master WHERE name LIKE 'sample%'"), rows * 2)
            if rows > 0 { try expectEqual(raw.number("SELECT count(*) FROM sample_item"), rows) }
        }
    }

    @Test func `A store of schema 17 keeps its rows, and gets the table of consents`() async throws {
        let (folder, account) = (try TemporaryFolder(), "Ünïcode id 0")
        let rows = { (raw: SQLiteConnection, tables: [StoreTable]) in
            try tables.map { table in
                let columns = table.columns.map { "quote(\($0.name))" }.joined(separator: " || ', ' || ")
                return try raw.all("SELECT \(columns) FROM \(table.name)") { row throws(IdentityError) in
                    try row.text(0)
                }
            }
        }
        let before: [[String]]
        var tables: [StoreTable] = []
        do {
            let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
            for statement in SQLiteSchema.migrations.prefix(17).flatMap(\.statements) { try raw.run(statement) }
            try raw.run("PRAGMA application_id = \(SQLiteSchema.applicationID)")
            try raw.run("PRAGMA user_version = 17")
            for table in StoreTable.all where table.name != "audit" {
                let known = try raw.all("SELECT name FROM pragma_table_info('\(table.name)')") {
                    row throws(IdentityError) in try row.text(0)
                }
                let columns = table.columns.map(\.name).filter(known.contains)
                if let table = table.with(columns: columns) { tables.append(table) }
            }
            for table in tables {
                let names = table.columns.map(\.name).joined(separator: ", ")
                let parameters = (1...table.columns.count).map { "$\($0)" }.joined(separator: ", ")
                let values = table.columns.map { column in
                    (table.name, column.name) == ("heartbeat", "id")
                        ? .integer(1) : TransferFixture.value(of: column, 0, account)
                }
                try raw.run("INSERT INTO \(table.name) (\(names)) VALUES (\(parameters))", values)
            }
            before = try rows(raw, tables)
        }
        #expect(before.count > 15 && before.allSatisfy { $0.count == 1 })
        let store = try IdentityStore(path: folder.file())
        #expect(try await store.consents(of: account).isEmpty)
        await store.close()
        let raw = try SQLiteConnection(path: folder.file(), access: .readOnly)
        try expectEqual(rows(raw, tables), before)
        try expectEqual(raw.number("PRAGMA user_version"), SQLiteSchema.latest)
        try expectEqual(raw.number("SELECT count(*) FROM pragma_foreign_key_check"), 0)
    }

    @Test func `A store of an earlier schema is unchanged if the step cannot be finished`() async throws {
        let folder = try fileOfVersion1()
        do {
            // A table of that name, which no version 1 has, makes the step fail in its middle.
            let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
            try raw.run("CREATE TABLE sample_item (x)")
        }
        #expect(throws: IdentityError.self) { try IdentityStore(path: folder.file()) }
        let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try expectEqual(raw.number("PRAGMA user_version"), 1)
        try expectEqual(raw.number("SELECT count(*) FROM pragma_table_info('device') WHERE name = 'scope'"), 0)
        try raw.run("DROP TABLE sample_item")
        let store = try IdentityStore(path: folder.file())
        #expect(try await store.account(id: "id-ada") != nil)
        await store.close()
    }
}
