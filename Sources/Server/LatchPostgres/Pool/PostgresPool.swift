// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A bounded pool of connections to one database.
///
/// Calls get connections in the order of their requests. A connection proves its health in use: one that is lost or
/// left in a transaction is closed and replaced. After a failover the new connection leads to another server.
///
/// While no connection can be made, the pool makes one attempt at a time for all waiting calls. The first success lets
/// them all through. After `retryTimeout`, each failure ends all of them.
final class PostgresPool: Sendable {
    /// A call that waits for a connection.
    fileprivate struct Waiter {
        /// The time of the call, or of the end of the outage that delayed it.
        var since: ContinuousClock.Instant
        let continuation: CheckedContinuation<PooledConnection, any Error>
    }

    fileprivate struct State {
        /// The unused connections with the time since which they are idle; the last one is taken first, so that others
        /// expire.
        var idle: [(connection: PooledConnection, since: ContinuousClock.Instant)] = []
        /// The waiting calls by ticket; `first..<next` contains the tickets in order.
        var waiters: [Int: Waiter] = [:]
        var first = 0
        var next = 0
        /// The number of connections that are open or being opened.
        var open = 0
        /// The number of connections that are being opened.
        var connecting = 0
        /// The time of the next check of the time limits; nil if no check is scheduled.
        var nextCheck: ContinuousClock.Instant?
        var isClosed = false
        /// The current outage; nil if the last connection attempt succeeded.
        var outage: PostgresOutage?
    }

    private let configuration: PostgresConfiguration
    private let state = Mutex(State())
    private let timers = DispatchQueue(label: "latch.postgres.timers")

    /// Creates a pool without connections.
    init(_ configuration: PostgresConfiguration) { self.configuration = configuration }

    /// The numbers of open and of unused connections, and of waiting calls.
    var counts: (open: Int, idle: Int, waiting: Int) {
        state.withLock { ($0.open, $0.idle.count, $0.waiters.count) }
    }

    /// The reason why the last connection attempt failed; nil if it succeeded.
    var outage: PostgresError? { state.withLock { $0.outage?.error } }

    /// Whether all calls are rejected.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Closes unused connections now, closes the others after their use, and rejects all further calls.
    func close() {
        let (waiters, _) = state.withLock { state in
            state.isClosed = true
            state.open -= state.idle.count
            defer {
                state.idle.removeAll()
                state.waiters.removeAll()
            }
            return (state.waiters.values.map(\.continuation), state.idle.map(\.connection))
        }
        for waiter in waiters { waiter.resume(throwing: PostgresError.poolClosed) }
    }

    /// Runs `body` once, with a separate connection.
    ///
    /// - Throws: `PostgresError.poolTimeout`, `.overloaded`, `.poolClosed`, a connection error, `CancellationError`
    ///   before `body` has begun, or the error of `body`.
    func withConnection<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let connection = try await acquire()
        let result = await connection.run(body)
        release(connection)
        return try result.get()
    }
}

extension PostgresPool {
    /// Waits for a connection, for at most `acquireTimeout`, or `retryTimeout` in an outage.
    private func acquire() async throws -> PooledConnection {
        let ticket = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(ticket, continuation)
                // A cancellation before the call was queued did not find it there.
                if Task.isCancelled { reject(ticket, because: CancellationError()) }
            }
        } onCancel: {
            reject(ticket, because: CancellationError())
        }
    }

    private func enqueue(_ ticket: Int, _ continuation: CheckedContinuation<PooledConnection, any Error>) {
        let rejection = state.withLock { state -> PostgresError? in
            guard !state.isClosed else { return .poolClosed }
            guard state.waiters.count < configuration.maximumWaiting else { return .overloaded }
            state.waiters[ticket] = Waiter(since: .now, continuation: continuation)
            // A later ticket may have been served before this one was queued.
            state.first = min(state.first, ticket)
            return nil
        }
        if let rejection { return continuation.resume(throwing: rejection) }
        serve()
    }

    /// Ends a call's wait with an error, unless the wait has already ended.
    private func reject(_ ticket: Int, because error: any Error) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
        waiter?.continuation.resume(throwing: error)
    }

    /// Gives connections to waiting calls, and opens those that are missing.
    private func serve() {
        // Connections that have ended are closed outside the lock.
        let (served, missing, _) = state.withLock { state in
            var served: [(Waiter, PooledConnection)] = []
            var ended: [PooledConnection] = []
            while !state.waiters.isEmpty, let idle = state.idle.popLast() {
                guard !idle.connection.hasEnded else {
                    ended.append(idle.connection)
                    state.open -= 1
                    continue
                }
                if let waiter = state.takeFirst() { served.append((waiter, idle.connection)) }
            }
            let missing = state.missing(within: configuration.maximumConnections, at: .now)
            state.open += missing
            state.connecting += missing
            return (served, missing, ended)
        }
        for (waiter, connection) in served { waiter.continuation.resume(returning: connection) }
        for _ in 0..<missing { PooledConnection.connect(configuration) { self.finishConnecting($0) } }
        schedule()
    }

    /// Accepts a new connection, or reports to the waiting calls that none can be made.
    private func finishConnecting(_ result: Result<PooledConnection, PostgresError>) {
        let now = ContinuousClock.now
        let (rejected, isNews) = state.withLock { state -> ([Waiter], Bool) in
            state.connecting -= 1
            switch result {
            case .success(let connection):
                if state.isClosed { state.open -= 1 } else { state.idle.append((connection, now)) }
                return ([], state.endOutage(at: now))
            case .failure(let error):
                state.open -= 1
                return state.fail(error, at: now, waitingFor: configuration.retryTimeout)
            }
        }
        switch result {
        case .success: if isNews { configuration.reportOutage?(nil) }
        case .failure(let error):
            if isNews { configuration.reportOutage?(error) }
            for waiter in rejected { waiter.continuation.resume(throwing: error.concluding(forAll: true)) }
        }
        serve()
    }

    /// Takes back a connection, or closes it.
    private func release(_ connection: PooledConnection) {
        let isReusable = connection.isReusable
        state.withLock { state in
            if isReusable, !state.isClosed {
                state.idle.append((connection, .now))
            } else {
                state.open -= 1
            }
        }
        serve()
    }

    /// Schedules a check at the next time limit of a waiting call or an unused connection, or at the next attempt.
    private func schedule() {
        let next = state.withLock { state -> ContinuousClock.Instant? in
            guard !state.isClosed else { return nil }
            // Both lists are sorted by their limits.
            let waiting = state.firstWaiter.map { state.deadline(of: $0, configuration) }
            let idle = state.idle.first.map { $0.since + configuration.idleTimeout }
            let attempt = state.nextAttempt(within: configuration.maximumConnections)
            guard let next = [waiting, idle, attempt].compactMap(\.self).min() else { return nil }
            if let check = state.nextCheck, check <= next { return nil }
            state.nextCheck = next
            return next
        }
        guard let next else { return }
        let rest = ContinuousClock.now.duration(to: next)
        let delay = DispatchTimeInterval.milliseconds(Int(clamping: rest.wholeMilliseconds + 1))
        timers.asyncAfter(deadline: .now() + delay) { [weak self] in self?.expire(at: next) }
    }

    /// Rejects calls that have waited too long, closes connections unused for too long, and makes an attempt that is
    /// due.
    private func expire(at check: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let (late, failure, _) = state.withLock { state in
            var late: [Waiter] = []
            let failure = state.outage?.error.concluding(forAll: state.open == state.connecting)
            // An earlier check has replaced this one.
            guard state.nextCheck == check else { return (late, failure, [PooledConnection]()) }
            state.nextCheck = nil
            while let waiter = state.firstWaiter, state.deadline(of: waiter, configuration) <= now {
                if let waiter = state.takeFirst() { late.append(waiter) }
            }
            let unused = state.idle.prefix { $0.since + configuration.idleTimeout <= now }
            state.idle.removeFirst(unused.count)
            state.open -= unused.count
            return (late, failure, unused.map(\.connection))
        }
        let error = failure ?? .poolTimeout
        for waiter in late { waiter.continuation.resume(throwing: error) }
        serve()
    }
}

extension PostgresPool.State {
    /// The call that has waited longest; skips the tickets of calls that have ended.
    fileprivate var firstWaiter: PostgresPool.Waiter? {
        mutating get {
            while first < next, waiters[first] == nil, !waiters.isEmpty { first += 1 }
            return waiters[first]
        }
    }

    fileprivate mutating func takeFirst() -> PostgresPool.Waiter? {
        guard firstWaiter != nil else { return nil }
        return waiters.removeValue(forKey: first)
    }

    /// Returns the time at which a call has waited too long; in an outage, calls wait as long as a failover may take.
    fileprivate func deadline(
        of waiter: PostgresPool.Waiter, _ configuration: PostgresConfiguration
    ) -> ContinuousClock.Instant {
        let deadline = waiter.since + configuration.acquireTimeout
        return outage.map { max(deadline, $0.start + configuration.retryTimeout) } ?? deadline
    }

    /// Returns the number of connections to open now: one for each waiting call, but only one at a time in an outage.
    fileprivate func missing(within maximum: Int, at now: ContinuousClock.Instant) -> Int {
        let missing = max(0, min(waiters.count - connecting, maximum - open))
        guard let outage else { return missing }
        return connecting == 0 && outage.nextAttempt <= now ? min(missing, 1) : 0
    }

    /// Returns the time of the next attempt that a call waits for; nil if no attempt is needed.
    fileprivate func nextAttempt(within maximum: Int) -> ContinuousClock.Instant? {
        waiters.isEmpty || connecting > 0 || open >= maximum ? nil : outage?.nextAttempt
    }

    /// Records that no connection could be made.
    ///
    /// - Parameter limit: The duration of an outage after which no call waits for its end.
    /// - Returns: The calls that fail with it, and whether to report the loss of the database. No call fails while
    ///   other connections may serve it, or the server may come back in time.
    fileprivate mutating func fail(
        _ error: PostgresError, at now: ContinuousClock.Instant, waitingFor limit: Duration
    ) -> (rejected: [PostgresPool.Waiter], isNews: Bool) {
        var current = outage ?? PostgresOutage(error, at: now)
        if outage != nil { current.continue(after: error, at: now, isLast: connecting == 0) }
        defer { outage = current }
        guard open == connecting else { return ([], false) }
        defer { current.isReported = true }
        let isNews = !current.isReported
        guard error.recovery == .none || now - current.start >= limit else { return ([], isNews) }
        defer { waiters.removeAll() }
        return (Array(waiters.values), isNews)
    }

    /// Ends an outage, and returns whether to report its end.
    ///
    /// The calls that have waited for it get their full time again.
    fileprivate mutating func endOutage(at now: ContinuousClock.Instant) -> Bool {
        guard let ended = outage else { return false }
        outage = nil
        for ticket in waiters.keys { waiters[ticket]?.since = now }
        return ended.isReported
    }
}
