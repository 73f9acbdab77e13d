// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A bounded pool of connections to one database.
///
/// Calls get connections in the order in which they asked for them. A connection proves its health by its use: one that is
/// lost or left in a transaction is closed and replaced, after a failover by one to another server.
final class PostgresPool: Sendable {
    /// A call that waits for a connection.
    fileprivate struct Waiter {
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<PooledConnection, any Error>
    }

    fileprivate struct State {
        /// The unused connections with the start of their idleness; the last one is taken first, so that others can end.
        var idle: [(connection: PooledConnection, since: ContinuousClock.Instant)] = []
        /// The waiting calls by their tickets, which `first..<next` contains in their order.
        var waiters: [Int: Waiter] = [:]
        var first = 0
        var next = 0
        /// The number of connections that are open or being opened.
        var open = 0
        /// The number of those that are being opened.
        var connecting = 0
        /// The time of the next check of the time limits; nil if none is scheduled.
        var nextCheck: ContinuousClock.Instant?
        var isClosed = false
        /// The reason why the last connection could not be made.
        var outage: PostgresError?
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

    /// The reason why the last connection could not be made; nil if it could.
    var outage: PostgresError? { state.withLock { $0.outage } }

    /// Closes unused connections now and used ones after their use, and rejects all other calls.
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

    /// Runs `body` once, with a connection of its own.
    ///
    /// - Throws: `PostgresError.poolTimeout`, `.overloaded`, `.poolClosed`, an error of connecting, `CancellationError` before
    ///   `body` has begun, or the error of `body`.
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
    /// Waits for a connection, for at most `acquireTimeout`.
    private func acquire() async throws -> PooledConnection {
        let ticket = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(ticket, continuation)
                // A cancellation before the call was in the queue has not found it there.
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
            let deadline = ContinuousClock.now + configuration.acquireTimeout
            state.waiters[ticket] = Waiter(deadline: deadline, continuation: continuation)
            // A later ticket may have been served before this one was in the queue.
            state.first = min(state.first, ticket)
            return nil
        }
        if let rejection { return continuation.resume(throwing: rejection) }
        serve()
    }

    /// Ends a call's wait with an error, unless it has ended already.
    private func reject(_ ticket: Int, because error: any Error) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
        waiter?.continuation.resume(throwing: error)
    }

    /// Gives connections to waiting calls, and opens as many as are missing.
    private func serve() {
        // What has ended is closed outside of the lock.
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
            let wanted = state.waiters.count - state.connecting
            let missing = max(0, min(wanted, configuration.maximumConnections - state.open))
            state.open += missing
            state.connecting += missing
            return (served, missing, ended)
        }
        for (waiter, connection) in served { waiter.continuation.resume(returning: connection) }
        for _ in 0..<missing { PooledConnection.connect(configuration) { self.finishConnecting($0) } }
        schedule()
    }

    /// Takes a new connection; a failure to connect is reported to the first call that waits.
    private func finishConnecting(_ result: Result<PooledConnection, PostgresError>) {
        let (waiter, isNews) = state.withLock { state -> (Waiter?, Bool) in
            state.connecting -= 1
            switch result {
            case .success(let connection):
                defer { state.outage = nil }
                if state.isClosed { state.open -= 1 } else { state.idle.append((connection, .now)) }
                return (nil, state.outage != nil)
            case .failure(let error):
                defer { state.outage = error }
                state.open -= 1
                return (state.takeFirst(), state.outage == nil)
            }
        }
        switch result {
        case .success: if isNews { configuration.reportOutage?(nil) }
        case .failure(let error):
            if isNews { configuration.reportOutage?(error) }
            waiter?.continuation.resume(throwing: error)
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

    /// Schedules a check at the next time limit, of a waiting call or of an unused connection.
    private func schedule() {
        let next = state.withLock { state -> ContinuousClock.Instant? in
            guard !state.isClosed else { return nil }
            // Both are in the order of their limits.
            let waiting = state.firstWaiter?.deadline
            let idle = state.idle.first.map { $0.since + configuration.idleTimeout }
            guard let next = [waiting, idle].compactMap(\.self).min() else { return nil }
            if let check = state.nextCheck, check <= next { return nil }
            state.nextCheck = next
            return next
        }
        guard let next else { return }
        let rest = ContinuousClock.now.duration(to: next)
        let delay = DispatchTimeInterval.milliseconds(Int(clamping: rest.wholeMilliseconds + 1))
        timers.asyncAfter(deadline: .now() + delay) { [weak self] in self?.expire(at: next) }
    }

    /// Rejects calls that have waited too long, and closes connections that nobody has used for long.
    private func expire(at check: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let (late, _) = state.withLock { state in
            var late: [Waiter] = []
            // An earlier check has taken its place.
            guard state.nextCheck == check else { return (late, [PooledConnection]()) }
            state.nextCheck = nil
            while let waiter = state.firstWaiter, waiter.deadline <= now {
                if let waiter = state.takeFirst() { late.append(waiter) }
            }
            let unused = state.idle.prefix { $0.since + configuration.idleTimeout <= now }
            state.idle.removeFirst(unused.count)
            state.open -= unused.count
            return (late, unused.map(\.connection))
        }
        for waiter in late { waiter.continuation.resume(throwing: PostgresError.poolTimeout) }
        schedule()
    }
}

extension PostgresPool.State {
    /// The call that waits for longest; tickets of calls that have ended are passed over.
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
}
