// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import TestSupport
import Testing

@testable import LatchPostgres

@Suite(needsServer, .timeLimit(.minutes(1))) struct PoolTests {
    private func database(_ change: (inout PostgresConfiguration) -> Void = { _ in }) async throws -> PostgresDatabase {
        try await PostgresCluster.shared().database {
            $0.maximumConnections = 1
            change(&$0)
        }
    }

    @Test func `A pool of connections serves its callers in their order`() async throws {
        let database = try await database()
        defer { database.close() }
        let gate = Gate()
        let holder = try await database.occupy(until: gate)
        let order = Journal()
        try await withThrowingTaskGroup { group in
            for number in 0..<5 as Range<Int> {
                group.addTask { try await database.withConnection { _ in order.append(number) } }
                try await eventually { database.connections.waiting == number + 1 }
            }
            gate.open()
            try await group.waitForAll()
        }
        try await holder.value
        expectEqual(order.entries, [0, 1, 2, 3, 4])
        #expect(database.connections == (open: 1, idle: 1, waiting: 0))
    }

    @Test func `A pool of connections opens no more connections than allowed`() async throws {
        let database = try await database { $0.maximumConnections = 3 }
        defer { database.close() }
        let counts = Journal()
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    try await database.read { connection in
                        counts.append(database.connections.open)
                        return try connection.run("SELECT 1")
                    }
                }
            }
            for try await rows in group { expectEqual(rows, 1) }
        }
        #expect(counts.entries.max() ?? 0 <= 3)
        expectEqual(database.connections.waiting, 0)
    }

    @Test func `A pool of connections ends a wait after its time limit, or with its task`() async throws {
        let database = try await database { $0.acquireTimeout = .milliseconds(20) }
        defer { database.close() }
        // Connecting may take longer; from then on a free connection is given immediately.
        while await failure({ try await database.number("SELECT 1") }) == .poolTimeout {}
        let gate = Gate()
        let holder = try await database.occupy(until: gate)
        await expectEqual(failure { try await database.number("SELECT 1") }, .poolTimeout)
        let cancelled = Task { try await database.withConnection { _ in Issue.record("it ran") } }
        cancelled.cancel()
        await #expect(throws: (any Error).self) { try await cancelled.value }
        expectEqual(database.connections.waiting, 0)
        gate.open()
        try await holder.value
        try await expectEqual(database.number("SELECT 2"), 2)
    }

    @Test func `A pool of connections rejects calls beyond its queue`() async throws {
        let database = try await database { $0.maximumWaiting = 1 }
        defer { database.close() }
        let gate = Gate()
        let holder = try await database.occupy(until: gate)
        let waiting = Task { try await database.number("SELECT 3") }
        try await eventually { database.connections.waiting == 1 }
        await expectEqual(failure { try await database.number("SELECT 1") }, .overloaded)
        gate.open()
        try await expectEqual(waiting.value, 3)
        try await holder.value
    }

    @Test func `A pool of connections closes unused connections`() async throws {
        let database = try await database { $0.idleTimeout = .milliseconds(1) }
        defer { database.close() }
        try await expectEqual(database.number("SELECT 1"), 1)
        try await eventually { database.connections.open == 0 }
        try await expectEqual(database.number("SELECT 1"), 1)
    }

    @Test
    func `A pool of connections does not reuse a connection with an open transaction, or a closed one`() async throws {
        let database = try await database()
        let observer = try await PostgresCluster.shared().database()
        defer {
            database.close()
            observer.close()
        }
        let open = try await database.withConnection { connection in
            try connection.run("BEGIN")
            return connection.processID
        }
        expectEqual(database.connections.open, 0)
        let idle = try await database.withConnection { $0.processID }
        expectNotEqual(idle, open)
        _ = try await observer.number("SELECT pg_terminate_backend($1::bigint::int, 10000)", [.integer(Int64(idle))])
        // A single statement is not repeated, so a stale connection would show.
        try await expectNotEqual(database.withConnection { $0.processID }, idle)
    }

    @Test func `A pool of connections lets all callers through once the server is back`() async throws {
        let first = try await PostgresCluster()
        let database = first.database {
            $0.retryTimeout = .seconds(40)
            $0.maximumConnections = 4
        }
        defer { database.close() }
        let writer = PostgresWriter(database)
        _ = try await database.withConnection { try $0.run("CHECKPOINT") }
        await first.stop()
        let reads = (0..<64 as Range<Int64>).map { number in
            Task { try await database.number("SELECT $1::bigint", [.integer(number)]) }
        }
        let writes = (0..<64 as Range<Int64>).map { number in
            Task { try await writer.run([PostgresStatement("SELECT $1::bigint", [.integer(number)])], key: []).count }
        }
        try await eventually { database.outage == .connectionFailed && database.connections.waiting > 0 }
        let second = try await first.restarted()
        for (number, read) in reads.enumerated() { try await expectEqual(read.value, Int64(number)) }
        for write in writes { try await expectEqual(write.value, 1) }
        #expect(database.outage == nil && database.connections.waiting == 0)
        try await second.remove()
    }

    @Test func `A pool of connections fails at once while waiting does not help`() async throws {
        let cluster = try await PostgresCluster.shared()
        var configuration = PostgresConfiguration(cluster.address(database: "none"))
        configuration.retryTimeout = .seconds(3600)
        let database = PostgresDatabase(configuration)
        defer { database.close() }
        await withTaskGroup { group in
            for _ in 0..<32 as Range<Int> {
                group.addTask {
                    await expectEqual(failure { try await database.number("SELECT 1") }, .connectionRejected)
                }
            }
        }
        let observer = cluster.database()
        defer { observer.close() }
        _ = try await observer.withConnection { try $0.run("CREATE DATABASE none") }
        // A call that has begun before the database was there may have taken the last failure along.
        while await failure({ try await database.number("SELECT 1") }) == .connectionRejected {}
        // So may an attempt to connect that was made before; the next call ends the outage then.
        repeat { try await expectEqual(database.number("SELECT 2"), 2) } while database.outage != nil
    }

    @Test func `A pool of connections that is closed rejects its callers and ends with the last use`() async throws {
        let database = try await database()
        let gate = Gate()
        let holder = try await database.occupy(until: gate)
        let waiting = Task { await failure { try await database.number("SELECT 1") } }
        try await eventually { database.connections.waiting == 1 }
        database.close()
        await expectEqual(waiting.value, .poolClosed)
        await expectEqual(failure { try await database.number("SELECT 1") }, .poolClosed)
        gate.open()
        try await holder.value
        expectEqual(database.connections.open, 0)
    }
}
