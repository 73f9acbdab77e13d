// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// The statistics of flights.
package struct FlightStatistics: Sendable {
    /// The number of flights.
    package var flights = 0
    /// The number of calls in them.
    package var calls = 0
    /// The number of calls in the largest flight.
    package var largestFlight = 0
}

/// A queue that collects calls while earlier ones run, so that concurrent calls share round trips.
///
/// A call that finds no running flight starts one immediately. Other calls wait for the end of that flight, because in
/// a large flight each call costs far less than in a small one. They do not wait if the flight takes long. Consecutive
/// flights keep their connection.
final class FlightQueue: Sendable {
    /// The results of a call's statements, or their error.
    typealias Outcome = Result<[PostgresResult], any Error>

    /// Statements that wait for a flight.
    private struct Call: Sendable {
        let statements: [PostgresStatement]
        /// The key of the row that the statements change.
        let key: [UInt8]
        let since = ContinuousClock.now
        let continuation: CheckedContinuation<Outcome, Never>
    }

    /// A flight that is running or waits for a connection.
    private struct Flight: Sendable {
        let start: ContinuousClock.Instant
        let hasConnection: Bool

        func isShort(at now: ContinuousClock.Instant) -> Bool { now - start < FlightQueue.patience }
    }

    private struct State {
        var waiting: [Call] = []
        /// The current flight of each series; the flights of a series follow one another.
        var flights: [Int: Flight] = [:]
        /// The number of series so far.
        var series = 0
        /// Whether a check of the waiting calls is scheduled.
        var isWatched = false
        var statistics = FlightStatistics()
    }

    /// The time that calls wait for a running flight before they start another one in parallel.
    ///
    /// It is longer than most flights, and much shorter than a wait for a row that another transaction has locked.
    private static let patience = Duration.milliseconds(10)
    /// The maximum number of times that a flight yields to other threads while each yield brings more calls.
    private static let maximumYields = 8
    private static let timers = DispatchQueue(label: "latch.postgres.flights")

    private let database: PostgresDatabase
    /// The maximum number of calls in a flight.
    private let maximumBatch: Int
    /// The maximum number of concurrent flights; each uses a separate connection.
    private let maximumFlights: Int
    /// The maximum number of waiting calls.
    private let maximumWaiting: Int
    /// Handles the calls of a failed flight; runs each call separately if it must not fail the others.
    private let recover: @Sendable ([[PostgresStatement]], any Error) async -> [Outcome]
    private let state = Mutex(State())

    init(
        _ database: PostgresDatabase, maximumBatch: Int, maximumFlights: Int, maximumWaiting: Int,
        recover: @escaping @Sendable ([[PostgresStatement]], any Error) async -> [Outcome]
    ) {
        self.database = database
        self.maximumBatch = maximumBatch
        self.maximumFlights = maximumFlights
        self.maximumWaiting = maximumWaiting
        self.recover = recover
    }

    /// The number of waiting calls.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The statistics of the flights so far, including failed ones.
    var statistics: FlightStatistics { state.withLock { $0.statistics } }

    /// Runs statements in the next flight and returns their results.
    ///
    /// - Parameter key: The key of the row that the statements change. A flight orders its calls by their keys.
    /// - Throws: The error of a statement or of the connection. `PostgresError.overloaded` if too many calls wait,
    ///   `.poolTimeout` if no flight took this call within the time limit, or `.poolClosed`.
    func run(_ statements: [PostgresStatement], key: [UInt8] = []) async throws -> [PostgresResult] {
        // The pool rejects a call that asks for a connection, but a running series already has one.
        guard !database.isClosed else { throw PostgresError.poolClosed }
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            add(Call(statements: statements, key: key, continuation: continuation))
        }
        return try outcome.get()
    }

    private func add(_ call: Call) {
        let (isAccepted, series) = state.withLock { state -> (Bool, Int?) in
            guard state.waiting.count < maximumWaiting else { return (false, nil) }
            state.waiting.append(call)
            return (true, beginSeries(&state))
        }
        guard isAccepted else { return call.continuation.resume(returning: .failure(PostgresError.overloaded)) }
        if let series { Task { await fly(series) } }
    }

    /// Begins a series for the waiting calls; nil if none is needed, or not yet.
    private func beginSeries(_ state: inout State) -> Int? {
        guard !state.waiting.isEmpty, state.flights.count < maximumFlights else { return nil }
        let now = ContinuousClock.now
        guard !state.flights.values.contains(where: { $0.isShort(at: now) }) else {
            watch(&state)
            return nil
        }
        state.series += 1
        state.flights[state.series] = Flight(start: now, hasConnection: false)
        return state.series
    }

    /// Schedules a check of the waiting calls: there may be no further call that would notice a slow flight.
    private func watch(_ state: inout State) {
        guard !state.isWatched else { return }
        state.isWatched = true
        Self.timers.asyncAfter(deadline: .now() + .milliseconds(Int(Self.patience.wholeMilliseconds))) { [self] in
            let series = self.state.withLock { state in
                state.isWatched = false
                return beginSeries(&state)
            }
            if let series { Task { await fly(series) } }
        }
    }

    /// Runs flights until no call waits, or another flight takes the waiting calls.
    private func fly(_ series: Int) async {
        var next = nextBatch(of: series)
        while let batch = next {
            do {
                next = try await database.withConnection { [self] in fly(series, batch, on: $0) }
            } catch let error as PostgresError where error.endsWait {
                fail(error.endsAllWaits ? batch + takeWaiting() : batch, because: error)
                next = nextBatch(of: series)
            } catch {
                await finish(batch, after: error)
                next = nextBatch(of: series)
            }
        }
    }

    /// Runs flights on one connection, and returns the first batch for the next connection; nil at the end of the
    /// series.
    private func fly(_ series: Int, _ first: [Call], on connection: PostgresConnection) -> [Call]? {
        state.withLock { $0.flights[series] = Flight(start: .now, hasConnection: true) }
        var next: [Call]? = first
        while let batch = next {
            do {
                let results = try connection.pipeline(groups: batch.map(\.statements))
                count(batch)
                for (call, result) in zip(batch, results) { call.continuation.resume(returning: .success(result)) }
            } catch {
                // The next flights of the series do not wait for this.
                Task { await finish(batch, after: error) }
            }
            gather()
            next = nextBatch(of: series, on: connection)
            if !connection.isReusable { return next }
        }
        return nil
    }

    /// Yields to threads that are about to make calls, such as the callers that the last flight has served.
    ///
    /// Without it, several nodes on one machine would run flights with few calls each. On an idle machine it does not
    /// wait.
    private func gather() {
        var last = -1
        for _ in 0..<Self.maximumYields {
            let count = waitingCount
            guard count > last, count < maximumBatch else { return }
            last = count
            Processor.yield()
        }
    }

    /// Takes the waiting calls, because the pool has waited in vain: no connection is open, and none can be made.
    private func takeWaiting() -> [Call] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func fail(_ calls: [Call], because error: PostgresError) {
        count(calls)
        for call in calls { call.continuation.resume(returning: .failure(error)) }
    }

    private func finish(_ batch: [Call], after error: any Error) async {
        let outcomes = await recover(batch.map(\.statements), error)
        count(batch)
        for (call, outcome) in zip(batch, outcomes) { call.continuation.resume(returning: outcome) }
    }

    /// Counts a flight before its callers receive their results.
    private func count(_ batch: [Call]) {
        state.withLock { state in
            state.statistics.flights += 1
            state.statistics.calls += batch.count
            state.statistics.largestFlight = max(state.statistics.largestFlight, batch.count)
        }
    }

    /// Returns the calls of the next flight of a series; nil ends the series, if no call waits or another flight will
    /// take them.
    private func nextBatch(of series: Int, on connection: PostgresConnection? = nil) -> [Call]? {
        let (batch, late) = state.withLock { state -> ([Call], [Call]) in
            let now = ContinuousClock.now
            state.flights[series] = nil
            // If each flight waits for a lock, thousands of calls would wait for minutes, after their callers have
            // gone.
            let late = Array(state.waiting.prefix { now - $0.since > database.longestWait })
            state.waiting.removeFirst(late.count)
            guard !state.waiting.isEmpty else { return ([], late) }
            // Calls are not left to a flight that still waits for a connection, because other callers may get one
            // before it.
            guard !state.flights.values.contains(where: { $0.hasConnection && $0.isShort(at: now) }) else {
                watch(&state)
                return ([], late)
            }
            state.flights[series] = Flight(start: now, hasConnection: connection?.isReusable ?? false)
            let batch = Array(state.waiting.prefix(maximumBatch))
            state.waiting.removeFirst(batch.count)
            return (batch, late)
        }
        for call in late { call.continuation.resume(returning: .failure(PostgresError.poolTimeout)) }
        return batch.isEmpty ? nil : batch.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
}
