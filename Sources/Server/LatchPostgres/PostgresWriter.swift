// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A writer with group commit: the statements of concurrent calls share a round trip and a commit.
///
/// While a flight is under way, further statements gather for the next one; so a single caller waits for nobody, and sixty-four
/// share one flush of the server's log. Each statement must decide by itself what it changes
/// (`UPDATE … WHERE … RETURNING …`), since it does not see the others' results.
package final class PostgresWriter: Sendable {
    /// A statement that waits for a flight.
    private struct Job: Sendable {
        let statement: PostgresStatement
        let key: [UInt8]
        let continuation: CheckedContinuation<Result<PostgresResult, any Error>, Never>
    }

    /// The statistics of the commits.
    package struct Statistics: Sendable {
        /// The number of flights.
        package var flights = 0
        /// The number of statements in them.
        package var statements = 0
        /// The number of statements in the largest flight.
        package var largestFlight = 0
    }

    private let database: PostgresDatabase
    private let queue: FlightQueue<Job>
    private let committed = Mutex(Statistics())

    /// Creates a writer that uses the connections of a database.
    package init(
        _ database: PostgresDatabase, maximumBatch: Int = 256, maximumFlights: Int = 2, maximumWaiting: Int = 8192
    ) {
        self.database = database
        queue = FlightQueue(
            maximumBatch: maximumBatch, maximumFlights: maximumFlights, maximumWaiting: maximumWaiting)
    }

    /// The number of statements that wait for a flight, for the metrics.
    package var waitingCount: Int { queue.waitingCount }

    /// The statistics of the flights so far, without failed ones.
    package var statistics: Statistics { committed.withLock { $0 } }

    /// Runs a statement in the next flight and returns its result once that is durable.
    ///
    /// - Parameter key: The key of the row that it changes. A flight changes rows in the order of their keys, so that flights
    ///   of several nodes wait for one another and never in a circle.
    /// - Throws: The error of the statement; `PostgresError.outcomeUnknown`, `.overloaded`, or an error of the pool.
    package func run(_ statement: PostgresStatement, key: [UInt8]) async throws -> PostgresResult {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<PostgresResult, any Error>, Never>) in
            let job = Job(statement: statement, key: key, continuation: continuation)
            guard queue.add(job, fly: { await self.commit($0) }) else {
                return continuation.resume(returning: .failure(PostgresError.overloaded))
            }
        }
        return try result.get()
    }

    /// Commits a batch in one round trip.
    private func commit(_ batch: [Job]) async {
        let batch = batch.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let statements = batch.map(\.statement)
        let results: [Result<PostgresResult, any Error>]
        do {
            results = try await database.pipeline(statements).map { .success($0) }
            committed.withLock { statistics in
                statistics.flights += 1
                statistics.statements += batch.count
                statistics.largestFlight = max(statistics.largestFlight, batch.count)
            }
        } catch let error as PostgresError
            where error.sqlState != nil && error != .outcomeUnknown && batch.count > 1
        {
            // Nothing of the batch has remained, and the failure of one statement must not fail the others.
            results = await separately(statements)
        } catch {
            results = statements.map { _ in .failure(error) }
        }
        for (job, result) in zip(batch, results) { job.continuation.resume(returning: result) }
    }

    /// Commits statements in one round trip, each by itself, and repeats those that were certainly undone.
    private func separately(_ statements: [PostgresStatement]) async -> [Result<PostgresResult, any Error>] {
        let results: [Result<[PostgresResult], PostgresError>]
        do {
            results = try await database.withConnection { try $0.independently(statements.map { [$0] }) }
        } catch {
            return statements.map { _ in .failure(error) }
        }
        var repeated: [Result<PostgresResult, any Error>] = []
        for (statement, result) in zip(statements, results) {
            if case .failure(let error) = result, error.isRepeatable {
                repeated.append(await alone(statement))
            } else {
                repeated.append(Result { try result.get()[0] })
            }
        }
        return repeated
    }

    /// Commits a statement in a round trip of its own.
    private func alone(_ statement: PostgresStatement) async -> Result<PostgresResult, any Error> {
        do { return .success(try await database.pipeline([statement])[0]) } catch { return .failure(error) }
    }
}
