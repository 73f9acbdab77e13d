// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A writer with group commit: the statements of concurrent calls share a round trip and a commit.
///
/// While a flight runs, further statements gather for the next one. A single caller never waits for others, and
/// sixty-four callers share one flush of the server's log. Each statement must itself determine what it changes
/// (`UPDATE … WHERE … RETURNING …`), because it does not see the results of the others.
package final class PostgresWriter: Sendable {
    private let queue: FlightQueue

    /// Creates a writer that uses the connections of a database.
    package init(
        _ database: PostgresDatabase, maximumBatch: Int = 256, maximumFlights: Int = 2, maximumWaiting: Int = 8192
    ) {
        queue = FlightQueue(
            database, maximumBatch: maximumBatch, maximumFlights: maximumFlights, maximumWaiting: maximumWaiting
        ) { calls, error in
            await Self.commit(calls, after: error, to: database)
        }
    }

    /// The number of calls that wait for a flight, for the metrics.
    package var waitingCount: Int { queue.waitingCount }

    /// The statistics of the flights so far.
    package var statistics: FlightStatistics { queue.statistics }

    /// Runs statements in the next flight and returns their results once those are durable.
    ///
    /// - Parameter key: The key of the row that the statements change. A flight changes rows in the order of their
    ///   keys, so that flights of several nodes wait for one another but never deadlock.
    /// - Throws: The error of a statement, `PostgresError.outcomeUnknown`, `.overloaded`, or an error of the pool.
    package func run(_ statements: [PostgresStatement], key: [UInt8]) async throws -> [PostgresResult] {
        try await queue.run(statements, key: key)
    }

    /// Commits the calls of a failed flight, in one round trip if the flight was certainly undone.
    private static func commit(
        _ calls: [[PostgresStatement]], after error: any Error, to database: PostgresDatabase
    ) async -> [FlightQueue.Outcome] {
        var error = error
        if let lost = error as? PostgresError, lost.isRepeatable {
            do { return try await database.pipeline(groups: calls).map { .success($0) } } catch let failure {
                error = failure
            }
        }
        // No change of the flight has remained, and the failure of one call must not fail the others.
        if let error = error as? PostgresError, error.sqlState != nil, error != .outcomeUnknown, calls.count > 1 {
            return await database.separately(calls)
        }
        return calls.map { _ in .failure(error) }
    }
}
