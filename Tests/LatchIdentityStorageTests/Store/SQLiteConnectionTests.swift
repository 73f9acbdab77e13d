// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchTesting
import Testing

@testable import LatchIdentity

@Suite struct SQLiteConnectionTests {
    let folder: TemporaryFolder
    let connection: SQLiteConnection

    init() throws {
        folder = try TemporaryFolder()
        connection = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try connection.run("PRAGMA foreign_keys = ON")
        try connection.run("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
        try connection.run("CREATE TABLE thing (value ANY UNIQUE, parent INTEGER REFERENCES parent (id))")
    }

    private func code(_ body: () throws(IdentityError) -> Void) -> String? {
        do throws(IdentityError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [
        "", "plain", "quote ' and \"", "NUL\u{0}inside", "ünïcödé 🧪", "e\u{301}",
        String(repeating: "x", count: 1 << 20),
    ])
    func `A connection to SQLite keeps text byte by byte`(text: String) throws {
        try connection.run("INSERT INTO thing (value) VALUES (?)", [.text(text)])
        let found = try connection.first("SELECT value FROM thing") { row throws(IdentityError) in try row.text(0) }
        expectEqual(found.map { Array($0.utf8) }, Array(text.utf8))
    }

    @Test(arguments: [[], [0], [0, 255, 0], Array(repeating: 7, count: 100_000)] as [[UInt8]])
    func `A connection to SQLite keeps bytes`(bytes: [UInt8]) throws {
        try connection.run("INSERT INTO thing (value) VALUES (?)", [.blob(bytes)])
        let found = try connection.first("SELECT value FROM thing") { row throws(IdentityError) in try row.blob(0) }
        expectEqual(found, bytes)
    }

    @Test(arguments: [0, 1, -1, Int64.max, .min])
    func `A connection to SQLite keeps integers`(number: Int64) throws {
        try connection.run("INSERT INTO thing (value) VALUES (?)", [.integer(number)])
        let found = try connection.first("SELECT value FROM thing") { row throws(IdentityError) in try row.integer(0) }
        expectEqual(found, number)
    }

    @Test(arguments: [
        Date(timeIntervalSince1970: 0), noon, noon + 0.001, Date(timeIntervalSince1970: -86_400.5),
        Date(timeIntervalSince1970: 1e11),
    ])
    func `A connection to SQLite keeps dates to the millisecond, the same after a second round`(date: Date) {
        let once = Date(storedMilliseconds: date.storedMilliseconds)
        #expect(abs(once.timeIntervalSince(date)) < 0.001)
        expectEqual(once.storedMilliseconds, date.storedMilliseconds)
    }

    @Test(arguments: [Date.distantFuture, .distantPast, Date(timeIntervalSince1970: .infinity)])
    func `A connection to SQLite does not trap on a date out of reach`(date: Date) {
        #expect(abs(date.storedMilliseconds) <= 9_000_000_000_000_000)
    }

    @Test func `A connection to SQLite reports a value of another type as damage`() throws {
        try connection.run("INSERT INTO thing (value) VALUES ('text')")
        expectEqual(
            code { () throws(IdentityError) in
                _ = try connection.first("SELECT value FROM thing") { row throws(IdentityError) in try row.integer(0) }
            }, IdentityError.corruptStore.code)
        expectEqual(
            code { () throws(IdentityError) in
                _ = try connection.first("SELECT parent FROM thing") { row throws(IdentityError) in try row.blob(0) }
            }, IdentityError.corruptStore.code)
    }

    @Test func `A connection to SQLite reports text that is not UTF-8 as damage`() throws {
        try connection.run("INSERT INTO thing (value) VALUES (CAST(x'FFFE41' AS TEXT))")
        expectEqual(
            code { () throws(IdentityError) in
                _ = try connection.first("SELECT value FROM thing") { row throws(IdentityError) in try row.text(0) }
            }, IdentityError.corruptStore.code)
    }

    @Test func `A connection to SQLite distinguishes a duplicate value from other violations`() throws {
        try connection.run("INSERT INTO thing (value) VALUES (1)")
        expectEqual(
            code { () throws(IdentityError) in try connection.run("INSERT INTO thing (value) VALUES (1)") },
            IdentityError.alreadyExists.code)
        expectEqual(
            code { () throws(IdentityError) in try connection.run("INSERT INTO thing (parent) VALUES (9)") },
            IdentityError.storeUnavailable.code)
    }

    @Test func `A connection to SQLite uses a statement again after it failed`() throws {
        let insert = "INSERT INTO thing (value) VALUES (?)"
        try connection.run(insert, [.integer(1)])
        #expect(code { () throws(IdentityError) in try connection.run(insert, [.integer(1)]) } != nil)
        try connection.run(insert, [.integer(2)])
        try expectEqual(connection.number("SELECT count(*) FROM thing"), 2)
    }

    @Test func `A connection to SQLite forgets earlier bindings`() throws {
        let insert = "INSERT INTO thing (value, parent) VALUES (?, ?)"
        try connection.run("INSERT INTO parent VALUES (1)")
        try connection.run(insert, [.integer(1), .integer(1)])
        try connection.run(insert, [.integer(2)])
        try expectEqual(connection.number("SELECT count(*) FROM thing WHERE parent IS NULL"), 1)
    }

    @Test func `A connection to SQLite describes the fault of a statement, without its values`() {
        do throws(IdentityError) {
            try connection.run("SELECT nonsense FROM nowhere WHERE x = 'SECRET'")
            Issue.record("a statement without a table was taken")
        } catch {
            #expect(error.message.contains("nowhere"))
            #expect(!error.message.contains("SECRET"))
        }
    }

    @Test func `A connection to SQLite gives all rows, the first one, or none`() throws {
        for number in 1...3 { try connection.run("INSERT INTO thing (value) VALUES (?)", [.integer(Int64(number))]) }
        let select = "SELECT value FROM thing WHERE value < ? ORDER BY value DESC"
        let read = { (row: borrowing SQLRow) throws(IdentityError) in try row.integer(0) }
        try expectEqual(connection.all(select, [.integer(9)], read: read), [3, 2, 1])
        try expectEqual(connection.first(select, [.integer(3)], read: read), 2)
        try expectNil(connection.first(select, [.integer(1)], read: read))
    }

    @Test func `A connection to SQLite that only reads cannot write`() throws {
        let reader = try SQLiteConnection(path: folder.file(), access: .readOnly)
        expectEqual(
            code { () throws(IdentityError) in try reader.run("INSERT INTO parent VALUES (5)") },
            IdentityError.readOnlyStore.code)
        expectEqual(
            code { () throws(IdentityError) in
                _ = try SQLiteConnection(path: folder.file("missing"), access: .readOnly)
            }, IdentityError.storeUnavailable.code)
        try expectEqual(folder.names(), ["store.sqlite"])
    }
}

@Suite struct SQLiteReaderPoolTests {
    @Test
    func `A pool of readers of SQLite reads no old snapshot after a failure, and nothing once it is closed`()
        async throws
    {
        let folder = try TemporaryFolder()
        let writer = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try writer.run("PRAGMA journal_mode = WAL")
        try writer.run("CREATE TABLE thing (value INTEGER)")
        let readers = SQLiteReaders(path: folder.file())
        let select = "SELECT count(*) FROM thing"
        let count = { () throws(IdentityError) in
            try readers.read { db throws(IdentityError) in try db.number(select) }
        }
        // SQLite ends a transaction by itself when the disk is full or broken.
        for (ending, expected) in [(nil, 1), ("ROLLBACK", 2)] as [(String?, Int)] {
            #expect(throws: IdentityError.storeFull) {
                try readers.snapshot { db throws(IdentityError) -> Void in
                    _ = try db.number(select)
                    if let ending { try db.run(ending) }
                    throw .storeFull
                }
            }
            try writer.run("INSERT INTO thing VALUES (1)")
            try expectEqual(count(), expected)
            try expectEqual(readers.snapshot { db throws(IdentityError) in try db.number(select) }, expected)
        }
        await readers.close()
        #expect(throws: IdentityError.storeClosed) { try count() }
    }

    @Test func `A pool of readers of SQLite is closed once its last reader has ended`() async throws {
        let folder = try TemporaryFolder()
        let writer = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try writer.run("PRAGMA journal_mode = WAL")
        let readers = SQLiteReaders(path: folder.file())
        let (ends, ended) = AsyncStream.makeStream(of: String.self)
        try readers.read { db throws(IdentityError) in
            Task { @Sendable in
                await readers.close()
                ended.yield("pool")
                ended.finish()
            }
            while true { do throws(IdentityError) { try readers.read { _ in } } catch { break } }
            _ = try db.number("SELECT count(*) FROM sqlite_schema")
            ended.yield("reader")
        }
        await expectEqual(ends.reduce(into: []) { $0.append($1) }, ["reader", "pool"])
    }
}

@Suite struct StoreNoteTests {
    @Test func `The notes of a store name each change, its account and its moment, and no secret`() async throws {
        let site = try await Site()
        let account = try await site.signUp(isVerified: false)
        let login = try await site.logIn()
        _ = try await site.post("/api/auth/verify-email", ["token": .string(try #require(await site.mailedToken()))])
        _ = try await site.post("/api/auth/logout", ["refreshToken": .string(login.refresh)])
        let second = try await site.logIn()
        _ = try await site.renew(second.refresh)
        site.clock.advance(by: 31)
        _ = try await site.renew(second.refresh)
        _ = try await site.logIn()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        _ = try await site.post("/api/auth/reset-password", ["token": .string(token), "password": "Another456!"])
        _ = try await site.identity.administration.setRoles(of: account.id, roles: ["editor"], permissions: [])
        _ = try await site.identity.administration.setStatus(of: account.id, to: .disabled)
        await site.close()

        let connection = try SQLiteConnection(path: site.folder.file(), access: .readOnly)
        let events = try connection.all(
            "SELECT event, detail FROM audit WHERE account_id = ? ORDER BY id",
            [
                .text(account.id)
            ]
        ) { row throws(IdentityError) in
            [try row.text(0), try row.optionalText(1)].compactMap(\.self).joined(separator: " ")
        }
        expectEqual(
            events,
            [
                "account.created", "device.signedIn", "account.emailVerified", "device.allSignedOut addressProof",
                "device.signedIn", "device.signedOut reuse", "device.signedIn",
                "device.allSignedOut passwordChange", "account.passwordReset", "account.grants editor",
                "account.disabled by the operator",
            ])
        try expectEqual(connection.number("SELECT count(*) FROM audit WHERE event = 'key.created'"), 1)
    }
}
