// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A PostgreSQL database, or one that speaks its protocol, behind a bounded pool of connections.
///
/// A transaction that a failover or a concurrent one has undone is repeated, as long as it is certain that it was undone.
package final class PostgresDatabase: Sendable {
    private let pool: PostgresPool
    private let retryTimeout: Duration
    private let repetitionTimeout: Duration
    /// The time within which a flight takes a call along: in an outage no connection can be made for as long as `retryTimeout`.
    let longestWait: Duration
    /// The turn of transactions that have met others.
    private let conflicts = AsyncMutex()
    private let undone = Atomic(0)

    /// Creates a database without connections; the first call opens one.
    package init(_ configuration: PostgresConfiguration) {
        pool = PostgresPool(configuration)
        retryTimeout = configuration.retryTimeout
        repetitionTimeout = configuration.repetitionTimeout
        longestWait = max(configuration.acquireTimeout, configuration.retryTimeout)
    }

    /// The numbers of open and of unused connections, and of calls that wait for one, for the metrics.
    package var connections: (open: Int, idle: Int, waiting: Int) { pool.counts }

    /// The reason why the last connection could not be made; nil if it could.
    package var outage: PostgresError? { pool.outage }

    /// Whether later calls are rejected.
    var isClosed: Bool { pool.isClosed }

    /// The number of transactions that conflicts have undone, of which most were repeated.
    package var conflictCount: Int { undone.load(ordering: .relaxed) }

    /// Closes the connections, those in use after their use; later calls throw `PostgresError.poolClosed`.
    package func close() { pool.close() }

    /// Runs `body`, which must only read, and repeats it when its connection is lost.
    ///
    /// - Throws: The error of `body` or of the pool.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        try await repeating { connection in
            do {
                return try body(connection)
            } catch let error as PostgresError {
                throw error.ofReading
            }
        }
    }

    /// Runs `body` in a transaction, which is durable when the call returns.
    ///
    /// `body` may run several times: after a conflict, and after a loss of the connection before the commit.
    ///
    /// - Parameter isLimited: Whether the time limit of statements holds.
    /// - Throws: `PostgresError.outcomeUnknown` if the connection was lost after the commit was sent; the error of `body` or
    ///   of the pool, after which nothing remains.
    package func transaction<Value: Sendable>(
        _ isolation: PostgresIsolation = .readCommitted, isLimited: Bool = true,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        try await repeating { try $0.transaction(isolation, isLimited: isLimited, body) }
    }

    /// Runs statements as one transaction in one round trip, which is durable when the call returns.
    ///
    /// - Throws: As ``transaction(_:_:)``.
    package func pipeline(_ statements: [PostgresStatement]) async throws -> [PostgresResult] {
        try await repeating { try $0.pipeline(statements) }
    }

    /// Runs groups of statements as one transaction in one round trip, and returns the results of each.
    func pipeline(groups: [[PostgresStatement]]) async throws -> [[PostgresResult]] {
        try await repeating { try $0.pipeline(groups: groups) }
    }

    /// Runs the groups of a flight that a statement has failed, each as a transaction of its own, a few in a round trip.
    ///
    /// Each statement, repeated or not, has a short time limit, which is shorter where less is left of `retryTimeout`. Groups
    /// that do not fit into that time are not run: those of a flight that waits for a locked table would take a time limit
    /// each. Only waits for a connection are in addition to it.
    ///
    /// - Parameter reading: Whether the groups only read, so that an unknown outcome is none.
    func separately(_ groups: [[PostgresStatement]], reading: Bool = false) async -> [FlightQueue.Outcome] {
        let deadline = ContinuousClock.now + retryTimeout
        var outcomes: [FlightQueue.Outcome] = []
        while outcomes.count < groups.count, ContinuousClock.now < deadline {
            let rest = groups[outcomes.count...].prefix(Self.groupsInRoundTrip)
            let results: [Result<[PostgresResult], PostgresError>]
            do {
                results = try await pool.withConnection { [repetitionTimeout] in
                    try $0.independently(Array(rest), until: deadline, within: repetitionTimeout)
                }
            } catch let error as PostgresError where error.endsWait {
                return outcomes + groups[outcomes.count...].map { _ in .failure(error) }
            } catch {
                outcomes += rest.map { _ in .failure(error) }
                continue
            }
            for (group, result) in zip(rest, results) {
                let result = reading ? result.mapError(\.ofReading) : result
                if case .failure(let error) = result, error.isRepeatable {
                    outcomes.append(await outcome(of: group, until: deadline, after: error, reading: reading))
                } else {
                    outcomes.append(result.mapError { $0 })
                }
            }
        }
        return outcomes + groups[outcomes.count...].map { _ in .failure(PostgresError.statementTimeout) }
    }

    /// Repeats a group that was undone, as ``separately(_:reading:)`` runs it.
    private func outcome(
        of group: [PostgresStatement], until deadline: ContinuousClock.Instant, after error: PostgresError,
        reading: Bool
    ) async -> FlightQueue.Outcome {
        do {
            return .success(
                try await repeating(until: deadline, after: error, takesTurn: false) { [repetitionTimeout] connection in
                    let results = try connection.independently([group], until: deadline, within: repetitionTimeout)
                    guard let result = results.first else { throw PostgresError.statementTimeout }
                    return try (reading ? result.mapError(\.ofReading) : result).get()
                })
        } catch {
            return .failure(error)
        }
    }

    /// The maximum number of groups of a failed flight that share a round trip.
    private static let groupsInRoundTrip = 16

    /// Runs `body` once, with a connection on which no transaction is open.
    package func withConnection<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        try await pool.withConnection(body)
    }

    /// Runs `body`, and again if what it did was certainly undone.
    private func repeating<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let deadline = ContinuousClock.now + retryTimeout
        do {
            return try await counting(body)
        } catch let error as PostgresError where error.recovery != .none {
            return try await repeating(until: deadline, after: error, body)
        }
    }

    /// Runs `body` until it succeeds, fails for good, or would begin again too late.
    ///
    /// After a conflict it waits for its turn: of the transactions that have met others one at a time is repeated, or they
    /// would meet each other again for as long as there are many. Nobody has the turn while it pauses.
    ///
    /// - Parameter takesTurn: Whether it waits for that; groups of one flight hold up one another.
    private func repeating<Value: Sendable>(
        until deadline: ContinuousClock.Instant, after error: PostgresError, takesTurn: Bool = true,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        var (error, delay) = (error, Duration.milliseconds(5))
        while true {
            // Random, so that transactions of two nodes which have met do not meet again.
            let pause = delay * Double.random(in: 0.5...1)
            guard ContinuousClock.now + pause < deadline else { throw error }
            try await Task.sleep(for: pause)
            do {
                guard takesTurn, error.recovery == .repetition else { return try await counting(body) }
                let value = try await conflicts.withLock { [self] () -> Value? in
                    ContinuousClock.now < deadline ? try await counting(body) : nil
                }
                if let value { return value }
            } catch let failure as PostgresError where failure.recovery != .none {
                error = failure
                delay = min(delay * 2, .milliseconds(500))
            }
        }
    }

    /// Runs `body` once, and counts it if a conflict has undone it.
    private func counting<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        do {
            return try await pool.withConnection(body)
        } catch let error as PostgresError where error.recovery == .repetition {
            undone.add(1, ordering: .relaxed)
            throw error
        }
    }
}
