// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A reader whose concurrent statements share round trips.
///
/// It is for rows that are found by a key: a slow statement would delay the others in its flight.
package final class PostgresReader: Sendable {
    private let queue: FlightQueue

    /// Creates a reader that uses the connections of a database.
    package init(
        _ database: PostgresDatabase, maximumBatch: Int = 256, maximumFlights: Int = 2, maximumWaiting: Int = 8192
    ) {
        queue = FlightQueue(
            database, maximumBatch: maximumBatch, maximumFlights: maximumFlights, maximumWaiting: maximumWaiting
        ) { calls, _ in
            await Self.read(calls, from: database)
        }
    }

    /// The number of statements that wait for a flight.
    package var waitingCount: Int { queue.waitingCount }

    /// Runs a statement, which must only read, in the next flight and returns its result.
    ///
    /// It sees everything that was committed before the call, and is repeated if its connection is lost.
    ///
    /// - Throws: The error of the statement, `PostgresError.overloaded`, or an error of the pool.
    package func run(_ statement: PostgresStatement) async throws -> PostgresResult {
        try await queue.run([statement])[0]
    }

    /// Reads again after a failed flight; if a statement failed, each call runs separately so that it does not fail the
    /// others.
    private static func read(
        _ calls: [[PostgresStatement]], from database: PostgresDatabase
    ) async -> [FlightQueue.Outcome] {
        do {
            return try await database.read { try $0.pipeline(groups: calls) }.map { .success($0) }
        } catch let error as PostgresError where error.sqlState != nil && calls.count > 1 {
            return await database.separately(calls, reading: true)
        } catch {
            return calls.map { _ in .failure(error) }
        }
    }
}
