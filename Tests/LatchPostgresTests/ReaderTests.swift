// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import TestSupport
import Testing

@testable import LatchPostgres

@Suite(needsServer, .timeLimit(.minutes(1))) struct ReaderTests {
    @Test
    func `A reader that shares round trips reads all waiting queries at once, and fails only the failing ones`()
        async throws
    {
        let database = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { database.close() }
        let reader = PostgresReader(database, maximumFlights: 1)
        let read = { @Sendable (divisor: Int64) async throws -> Int64? in
            let statement = PostgresStatement("SELECT txid_current() + 0 / $1", [.integer(divisor)])
            return try await reader.run(statement).first { row throws(PostgresError) in try row.integer(0) }
        }
        // While the first flight waits for the only connection, the others gather.
        for divisors in [[Int64](repeating: 1, count: 64), [1, 1, 0, 1]] {
            let gate = Gate()
            let holder = try await database.occupy(until: gate)
            let first = Task { try await read(1) }
            try await eventually { database.connections.waiting == 1 }
            let others = divisors.map { divisor in Task { try await read(divisor) } }
            try await eventually { reader.waitingCount == others.count }
            gate.open()
            try await holder.value
            var transactions: Set<Int64?> = []
            var failures = 0
            for task in [first] + others {
                do { transactions.insert(try await task.value) } catch is PostgresError { failures += 1 }
            }
            expectEqual(failures, divisors.count { $0 == 0 })
            if failures == 0 { expectEqual(transactions.count, 2) }
        }
    }

    @Test func `A reader that shares round trips sees earlier commits`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        try await database.run("CREATE TABLE observed (id bigint PRIMARY KEY, number bigint NOT NULL)")
        let reader = PostgresReader(database)
        try await withThrowingTaskGroup { group in
            for id in 0..<16 as Range<Int64> {
                group.addTask {
                    for number in 0..<20 as Range<Int64> {
                        try await database.run(
                            "INSERT INTO observed VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET number = excluded.number",
                            [.integer(id), .integer(number)])
                        let statement = PostgresStatement("SELECT number FROM observed WHERE id = $1", [.integer(id)])
                        let read = try await reader.run(statement)
                        try expectEqual(read.first { row throws(PostgresError) in try row.integer(0) }, number)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
