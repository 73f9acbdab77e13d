// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A reader whose concurrent statements share round trips.
///
/// It is for rows that are found by a key: a statement that takes long would delay the others of its flight.
package final class PostgresReader: Sendable {
    /// A statement that waits for a flight.
    private struct Job: Sendable {
        let statement: PostgresStatement
        let continuation: CheckedContinuation<Result<PostgresResult, any Error>, Never>
    }

    private let database: PostgresDatabase
    private let queue: FlightQueue<Job>

    /// Creates a reader that uses the connections of a database.
    package init(
        _ database: PostgresDatabase, maximumBatch: Int = 256, maximumFlights: Int = 2, maximumWaiting: Int = 8192
    ) {
        self.database = database
        queue = FlightQueue(
            maximumBatch: maximumBatch, maximumFlights: maximumFlights, maximumWaiting: maximumWaiting)
    }

    /// The number of statements that wait for a flight.
    package var waitingCount: Int { queue.waitingCount }

    /// Runs a statement, which must only read, in the next flight and returns its result.
    ///
    /// It sees all that was committed before the call, and is repeated when its connection is lost.
    ///
    /// - Throws: The error of the statement; `PostgresError.overloaded`, or an error of the pool.
    package func run(_ statement: PostgresStatement) async throws -> PostgresResult {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<PostgresResult, any Error>, Never>) in
            let job = Job(statement: statement, continuation: continuation)
            guard queue.add(job, fly: { await self.read($0) }) else {
                return continuation.resume(returning: .failure(PostgresError.overloaded))
            }
        }
        return try result.get()
    }

    /// Reads a batch in one round trip.
    private func read(_ batch: [Job]) async {
        let statements = batch.map(\.statement)
        do {
            let results = try await database.read { try $0.pipeline(statements) }
            for (job, result) in zip(batch, results) { job.continuation.resume(returning: .success(result)) }
        } catch let error as PostgresError where error.sqlState != nil && batch.count > 1 {
            // The failure of one statement must not fail the others.
            await withTaskGroup { group in
                for job in batch { group.addTask { await self.read([job]) } }
            }
        } catch {
            for job in batch { job.continuation.resume(returning: .failure(error)) }
        }
    }
}
