// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct SQLiteWriterTests {
    let folder: TemporaryFolder
    let connection: SQLiteConnection
    let writer: SQLiteWriter

    init() throws {
        folder = try TemporaryFolder()
        connection = try SQLiteConnection(path: folder.file(), access: .readWrite, busyTimeout: .milliseconds(20))
        try connection.run("PRAGMA journal_mode = WAL")
        try connection.run("PRAGMA synchronous = FULL")
        try connection.run("CREATE TABLE note (text TEXT PRIMARY KEY NOT NULL) STRICT")
        writer = SQLiteWriter(connection)
    }

    private func add(_ text: String) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            try db.run("INSERT INTO note VALUES (?)", [.text(text)])
        }
    }

    private func notes() throws -> [String] {
        try SQLiteReaders(path: folder.file()).read { db throws(IdentityError) in
            try db.all("SELECT text FROM note ORDER BY text") { row throws(IdentityError) in try row.text(0) }
        }
    }

    @Test func `The writer of a store commits many waiting writes at once`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<400 { group.addTask { try await add("note \(number)") } }
            try await group.waitForAll()
        }
        expectEqual(writer.statistics.jobs, 400)
        #expect(writer.statistics.commits < 400)
        #expect(writer.statistics.largestCommit > 1)
        try expectEqual(notes().count, 400)
    }

    @Test func `The writer of a store takes back a failing write and no other of the same commit`() async throws {
        try await add("taken")
        let outcomes = await withTaskGroup { group in
            for number in 0..<60 {
                group.addTask { () -> Bool in
                    do {
                        // Every third job writes a row of its own before it fails: that row must go, too.
                        try await writer.write { db throws(IdentityError) -> Void in
                            try db.run("INSERT INTO note VALUES (?)", [.text("note \(number)")])
                            if number.isMultiple(of: 3) { try db.run("INSERT INTO note VALUES ('taken')") }
                        }
                        return true
                    } catch IdentityError.alreadyExists {
                        return false
                    } catch {
                        Issue.record(error)
                        return false
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        expectEqual(outcomes.filter { $0 }.count, 40)
        try expectEqual(notes().count, 41)
    }

    @Test func `The writer of a store reports a write only after others can read it`() async throws {
        try await add("visible")
        try expectEqual(notes(), ["visible"])
    }

    @Test(.tags(.storeFailure))
    func `The writer of a store reports a full disk, keeps committed data, and continues with room`()
        async throws
    {
        try await add("before")
        let pages = try await writer.write { db throws(IdentityError) in
            let pages = try db.number("PRAGMA page_count")
            try db.run("PRAGMA max_page_count = \(pages + 1)")
            return pages
        }
        await #expect { try await add(String(repeating: "x", count: 100_000)) } throws: { error in
            if case IdentityError.storeFull = error { true } else { false }
        }
        try expectEqual(notes(), ["before"])
        try await writer.write { db throws(IdentityError) -> Void in
            try db.run("PRAGMA max_page_count = \(pages + 1000)")
        }
        try await add("after")
        try expectEqual(notes(), ["after", "before"])
    }

    @Test(.tags(.storeFailure))
    func `The writer of a store gives the writes that wait behind a full disk their own chance`() async throws {
        try await writer.write { db throws(IdentityError) -> Void in
            let pages = try db.number("PRAGMA page_count")
            try db.run("PRAGMA max_page_count = \(pages + 2)")
        }
        let results = await withTaskGroup { group in
            for number in 0..<20 {
                let text = number == 10 ? String(repeating: "x", count: 1_000_000) : "small \(number)"
                group.addTask { () -> Bool in
                    do {
                        try await add(text)
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        // Those before the large one in its own commit share its fate; every answer tells the truth about the file.
        try expectEqual(notes().count, results)
        #expect(results < 20)
    }

    @Test(.tags(.storeFailure))
    func `The writer of a store reports another process that holds the file, and changes nothing`() async throws {
        let other = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try other.run("BEGIN IMMEDIATE")
        await #expect { try await add("blocked") } throws: { error in
            if case IdentityError.storeBusy = error { true } else { false }
        }
        try other.run("ROLLBACK")
        try await add("free")
        try expectEqual(notes(), ["free"])
    }

    @Test func `The writer of a store refuses more waiting writes than its bound`() async throws {
        let narrow = SQLiteWriter(connection, maximumWaiting: 4)
        let gate = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        async let holding = attempt(narrow) {
            start.finish()
            gate.wait()
        }
        for await _ in started {}
        // The writer's thread is held now and its queue is empty: four more fit, and the others must be told so.
        let results = await withTaskGroup { group in
            for _ in 0..<30 { group.addTask { await attempt(narrow) {} } }
            var results: [String] = []
            while let next = await group.next() {
                results.append(next)
                if results.count == 26 { gate.signal() }
            }
            return results
        }
        expectEqual(results, Array(repeating: "overloaded", count: 26) + Array(repeating: "done", count: 4))
        await expectEqual(holding, "done")
    }

    private func attempt(_ writer: SQLiteWriter, _ body: @escaping @Sendable () -> Void) async -> String {
        do throws(IdentityError) {
            try await writer.write { _ throws(IdentityError) in body() }
            return "done"
        } catch {
            return error.code
        }
    }

    @Test func `The writer of a store finishes accepted writes, folds its log and then refuses`() async throws {
        async let first: Void = add("one")
        try await first
        await writer.close()
        await #expect { try await add("late") } throws: { error in
            if case IdentityError.storeClosed = error { true } else { false }
        }
        try expectEqual(folder.names(), ["store.sqlite"])
        try expectEqual(notes(), ["one"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `The writer of a store closes without waiting for a reader, who delays no other writer`()
        async throws
    {
        let patient = try SQLiteConnection(path: folder.file(), access: .readWrite, busyTimeout: .seconds(3600))
        let closing = SQLiteWriter(patient)
        try await add("one")
        let reader = try SQLiteConnection(path: folder.file(), access: .readOnly)
        try reader.run("BEGIN")
        try expectEqual(reader.number("SELECT count(*) FROM note"), 1)
        try await add("two")
        await closing.close()
        try await add("three")
        try expectEqual(reader.number("SELECT count(*) FROM note"), 1)
        try reader.run("COMMIT")
        try expectEqual(notes(), ["one", "three", "two"])
    }
}
