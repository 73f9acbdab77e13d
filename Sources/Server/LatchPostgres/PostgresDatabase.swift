// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A PostgreSQL database, or one that speaks its protocol, behind a bounded pool of connections.
///
/// If a failover or a concurrent transaction has certainly undone a transaction, it is repeated.
package final class PostgresDatabase: Sendable {
    private let pool: PostgresPool
    private let retryTimeout: Duration
    private let repetitionTimeout: Duration
    /// The longest time that a call waits for a flight: in an outage no connection can be made for as long as
    /// `retryTimeout`.
    let longestWait: Duration
    /// Ensures that transactions that have conflicted are repeated one at a time.
    private let conflicts = AsyncMutex()
    private let undone = Atomic(0)

    /// Creates a database without connections; the first call opens one.
    package init(_ configuration: PostgresConfiguration) {
        pool = PostgresPool(configuration)
        retryTimeout = configuration.retryTimeout
        repetitionTimeout = configuration.repetitionTimeout
        longestWait = max(configuration.acquireTimeout, configuration.retryTimeout)
    }

    /// The numbers of open connections, unused connections and waiting calls, for the metrics.
    package var connections: (open: Int, idle: Int, waiting: Int) { pool.counts }

    /// The reason why the last connection attempt failed; nil if it succeeded.
    package var outage: PostgresError? { pool.outage }

    /// Whether later calls are rejected.
    var isClosed: Bool { pool.isClosed }

    /// The number of transactions that conflicts have undone; most of them were repeated.
    package var conflictCount: Int { undone.load(ordering: .relaxed) }

    /// Closes the unused connections now and the others after their use; later calls throw `PostgresError.poolClosed`.
    package func close() { pool.close() }

    /// Runs `body`, which must only read, and repeats it if its connection is lost.
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
    /// - Parameter isLimited: Whether the time limit of statements applies.
    /// - Throws: `PostgresError.outcomeUnknown` if the connection was lost after the commit was sent. Otherwise the
    ///   error of `body` or of the pool, after which no change remains.
    package func transaction<Value: Sendable>(
        _ isolation: PostgresIsolation = .readCommitted, isLimited: Bool = true,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        try await repeating { try $0.transaction(isolation, isLimited: isLimited, body) }
    }

    /// Runs statements as one transaction in one round trip, which is durable when the call returns.
    ///
    /// - Throws: The errors of ``transaction(_:_:)``.
    package func pipeline(_ statements: [PostgresStatement]) async throws -> [PostgresResult] {
        try await repeating { try $0.pipeline(statements) }
    }

    /// Runs groups of statements as one transaction in one round trip, and returns the results of each group.
    func pipeline(groups: [[PostgresStatement]]) async throws -> [[PostgresResult]] {
        try await repeating { try $0.pipeline(groups: groups) }
    }

    /// Runs the groups of a flight in which a statement failed, each as a separate transaction, a few per round trip.
    ///
    /// Each statement, repeated or not, has a short time limit; it is even shorter if less is left of `retryTimeout`.
    /// Groups that do not fit into that time do not run. Otherwise, if a flight waits for a locked table, each of its
    /// groups would take a full time limit. Waits for a connection are not included.
    ///
    /// - Parameter reading: Whether the groups only read, so that the outcome cannot be unknown.
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

    /// Repeats a group that was undone, with the limits of ``separately(_:reading:)``.
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

    /// Runs `body`, and repeats it if its changes were certainly undone.
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

    /// Runs `body` until it succeeds, fails for good, or would begin too late.
    ///
    /// After a conflict it waits for its turn: only one of the transactions that have conflicted is repeated at a time.
    /// Otherwise many of them would keep conflicting with each other. A transaction that pauses does not hold the turn.
    ///
    /// - Parameter takesTurn: Whether it waits for its turn; the groups of one flight would hold up one another.
    private func repeating<Value: Sendable>(
        until deadline: ContinuousClock.Instant, after error: PostgresError, takesTurn: Bool = true,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        var (error, delay) = (error, Duration.milliseconds(5))
        while true {
            // The pause is random, so that transactions of two nodes that have conflicted do not conflict again.
            let pause = delay * Double.random(in: 0.5...1)
            // What it waited for in the end was the database, and not the conflict before.
            guard ContinuousClock.now + pause < deadline else { throw outage ?? error }
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

    /// Runs `body` once, and counts a conflict that has undone it.
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
