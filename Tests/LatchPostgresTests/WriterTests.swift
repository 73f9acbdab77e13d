// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import TestSupport
import Testing

@testable import LatchPostgres

@Suite(needsServer, .timeLimit(.minutes(1))) struct WriterTests {
    @Test func `A writer with group commit gives a conditional update to exactly one of equal attempts`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        try await database.run("CREATE TABLE family (id bytea PRIMARY KEY, counter bigint NOT NULL)")
        for id in 0..<20 as Range<UInt8> {
            try await database.run("INSERT INTO family VALUES ($1, 0)", [.blob([id])])
        }
        // Two writers are two nodes.
        let writers = [PostgresWriter(database, maximumBatch: 16), PostgresWriter(database, maximumBatch: 16)]
        let rotations = try await withThrowingTaskGroup { group in
            for attempt in 0..<200 as Range<Int> {
                let id = UInt8(attempt % 20)
                group.addTask {
                    let statement = PostgresStatement(
                        "UPDATE family SET counter = counter + 1 WHERE id = $1 AND counter = $2 RETURNING counter",
                        [.blob([id]), .integer(0)])
                    return try await writers[attempt / 20 % 2].run([statement], key: [id])[0].count
                }
            }
            return try await group.reduce(0, +)
        }
        expectEqual(rotations, 20)
        try await expectEqual(database.number("SELECT count(*) FROM family WHERE counter = 1"), 20)
    }

    @Test
    func `A writer with group commit commits waiting writes at once, and fails only the failing ones`() async throws {
        let database = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { database.close() }
        try await database.run("CREATE TABLE gathered (id bigint PRIMARY KEY)")
        let writer = PostgresWriter(database, maximumFlights: 1)
        let insert = { @Sendable (id: Int64) async throws -> Int64? in
            let statement = PostgresStatement(
                "INSERT INTO gathered VALUES ($1) RETURNING txid_current()", [.integer(id)])
            return try await writer.run([statement], key: [])[0].first { row throws(PostgresError) in try row.integer(0)
            }
        }
        // While the first flight waits for the only connection, the others gather.
        for (range, isDuplicate) in [(0..<64 as Range<Int64>, false), (64..<70, true)] {
            let gate = Gate()
            let holder = try await database.occupy(until: gate)
            let first = Task { try await insert(range.lowerBound) }
            try await eventually { database.connections.waiting == 1 }
            let others = range.dropFirst().map { id in Task { try await insert(isDuplicate && id > 67 ? 0 : id) } }
            try await eventually { writer.waitingCount == others.count }
            gate.open()
            try await holder.value
            var transactions: Set<Int64?> = []
            var failures = 0
            for task in [first] + others {
                do { transactions.insert(try await task.value) } catch PostgresError.uniqueViolation { failures += 1 }
            }
            expectEqual(failures, isDuplicate ? 2 : 0)
            if !isDuplicate { expectEqual(transactions.count, 2) }
        }
        try await expectEqual(database.number("SELECT count(*) FROM gathered"), 68)
        // Each call counts, also those of a flight in which others have failed.
        #expect(writer.statistics.calls == 70 && writer.statistics.flights == 4)
        expectEqual(writer.statistics.largestFlight, 63)
    }

    /// Runs `body` with a writer whose updates of the row 1 wait for a lock until the gate is opened.
    private func withLockedRow(
        _ table: String, connections: Int, flights: Int = 2, sum: Int64 = 4, limit: Duration = .seconds(60),
        _ body: (PostgresDatabase, PostgresWriter, Gate) async throws -> Void
    ) async throws {
        let database = try await PostgresCluster.shared().database {
            $0.maximumConnections = connections
            ($0.acquireTimeout, $0.retryTimeout) = (limit, limit)
        }
        let other = try await PostgresCluster.shared().database()
        defer {
            database.close()
            other.close()
        }
        try await database.run("CREATE TABLE \(table) (id bigint PRIMARY KEY, value bigint)")
        try await database.run("INSERT INTO \(table) VALUES (1, 0), (2, 0), (3, 0)")
        let gate = Gate()
        defer { gate.open() }
        let holder = try await other.occupy(with: "UPDATE \(table) SET value = 1 WHERE id = 1", until: gate)
        let writer = PostgresWriter(database, maximumFlights: flights)
        let waiting = Task { try await add(to: 1, of: table, writer) }
        try await other.wait(
            for: "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\(table) SET%'")
        try await body(database, writer, gate)
        gate.open()
        try await holder.value
        try await waiting.value
        try await expectEqual(other.number("SELECT sum(value)::bigint FROM \(table)"), sum)
    }

    private func add(to id: Int64, of table: String, _ writer: PostgresWriter) async throws {
        let statement = PostgresStatement("UPDATE \(table) SET value = value + 1 WHERE id = $1", [.integer(id)])
        _ = try await writer.run([statement], key: [])
    }

    @Test func `A writer with group commit lets a call pass a flight that waits for a locked row`() async throws {
        try await withLockedRow("passed", connections: 4) { _, writer, _ in
            // No other call comes that could notice how long the first flight takes.
            try await add(to: 2, of: "passed", writer)
            try await add(to: 3, of: "passed", writer)
        }
    }

    @Test
    func `A writer with group commit does not let a call wait longer than an outage is allowed to last`() async throws {
        let limit = Duration.seconds(3)
        try await withLockedRow("late", connections: 1, flights: 1, sum: 2, limit: limit) { _, writer, gate in
            let waiting = Task { await failure { try await add(to: 2, of: "late", writer) } }
            try await eventually { writer.waitingCount == 1 }
            let begin = ContinuousClock.now
            try await eventually { ContinuousClock.now - begin > limit }
            gate.open()
            await expectEqual(waiting.value, .poolTimeout)
        }
    }

    @Test
    func `A writer with group commit rejects calls once the database is closed, also beside a flight`() async throws {
        try await withLockedRow("closed", connections: 1, flights: 1, sum: 2) { database, writer, _ in
            database.close()
            await expectEqual(failure { try await add(to: 2, of: "closed", writer) }, .poolClosed)
        }
    }

    @Test func `A writer with group commit leaves no call to a flight that has no connection`() async throws {
        try await withLockedRow("yielded", connections: 2) { database, writer, gate in
            let held = Gate()
            defer { held.open() }
            let holder = try await database.occupy(until: held)
            let second = Task { try await add(to: 2, of: "yielded", writer) }
            try await eventually { database.connections.waiting == 1 }
            let third = Task { try await add(to: 3, of: "yielded", writer) }
            try await eventually { writer.waitingCount == 1 }
            gate.open()
            try await third.value
            try await second.value
            held.open()
            try await holder.value
        }
    }

    /// Without limits of their own the sixty-four would take a statement's time limit each.
    @Test func `A writer with group commit does not wait for a locked table once for each call`() async throws {
        let database = try await PostgresCluster.shared().database {
            $0.statementTimeout = .milliseconds(500)
            $0.repetitionTimeout = .milliseconds(400)
            $0.retryTimeout = .seconds(4)
        }
        let other = try await PostgresCluster.shared().database { $0.statementTimeout = .seconds(60) }
        defer {
            database.close()
            other.close()
        }
        try await database.run("CREATE TABLE locked (id bigint PRIMARY KEY)")
        try await database.run("CREATE TABLE free (id bigint PRIMARY KEY)")
        let gate = Gate()
        let holder = try await other.occupy(with: "LOCK TABLE locked", until: gate)
        for reads in [false, true] {
            let writer = PostgresWriter(database, maximumFlights: 1)
            let reader = PostgresReader(database, maximumFlights: 1)
            let outcomes = await withTaskGroup { group in
                for id in 0..<64 as Range<Int64> {
                    let table = id < 4 ? "free" : "locked"
                    let insertion = PostgresStatement("INSERT INTO \(table) VALUES ($1)", [.integer(id)])
                    let query = PostgresStatement("SELECT count(*) FROM \(table) WHERE id = $1", [.integer(id)])
                    // Started in the order of their numbers: a flight of reads runs in the order of its calls, and those
                    // behind too many locked ones would not run.
                    group.addImmediateTask {
                        await failure {
                            reads
                                ? try await reader.run(query)
                                : try await writer.run([insertion], key: [UInt8(id)])[0]
                        }
                    }
                }
                return await group.reduce(into: [PostgresError?]()) { $0.append($1) }
            }
            expectEqual(outcomes.count { $0 == nil }, 4)
            // Statements that were to use what another one of the flight could not prepare can be repeated.
            #expect(outcomes.compactMap(\.self).allSatisfy { $0 == .statementTimeout || $0.isRepeatable })
        }
        try await expectEqual(database.number("SELECT count(*) FROM free"), 4)
        gate.open()
        try await holder.value
    }
}
