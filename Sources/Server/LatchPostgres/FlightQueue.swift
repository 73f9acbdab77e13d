// SPDX-License-Identifier: Apache-2.0

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

/// A queue whose calls gather while earlier ones are under way, so that concurrent calls share round trips.
///
/// A call that finds no flight under way starts one and waits for nobody. Flights that follow one another keep their connection.
final class FlightQueue: Sendable {
    /// The results of a call's statements, or their error.
    typealias Outcome = Result<[PostgresResult], any Error>

    /// Statements that wait for a flight.
    private struct Call: Sendable {
        let statements: [PostgresStatement]
        /// The key of the row that they change.
        let key: [UInt8]
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var waiting: [Call] = []
        var flights = 0
        var statistics = FlightStatistics()
    }

    private let database: PostgresDatabase
    /// The maximum number of calls in a flight.
    private let maximumBatch: Int
    /// The maximum number of concurrent flights, each on a connection of its own.
    private let maximumFlights: Int
    /// The maximum number of waiting calls.
    private let maximumWaiting: Int
    /// Runs those of a flight that has failed, each call by itself where one must not fail the others.
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

    /// The statistics of the flights so far, failed ones included.
    var statistics: FlightStatistics { state.withLock { $0.statistics } }

    /// Runs statements in the next flight and returns their results.
    ///
    /// - Parameter key: The key of the row that they change. A flight has its calls in the order of their keys.
    /// - Throws: The error of a statement or of the connection; `PostgresError.overloaded` if too many calls wait.
    func run(_ statements: [PostgresStatement], key: [UInt8] = []) async throws -> [PostgresResult] {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            add(Call(statements: statements, key: key, continuation: continuation))
        }
        return try outcome.get()
    }

    private func add(_ call: Call) {
        let (isAccepted, mustStart) = state.withLock { state in
            guard state.waiting.count < maximumWaiting else { return (false, false) }
            state.waiting.append(call)
            let mustStart = state.flights < maximumFlights
            if mustStart { state.flights += 1 }
            return (true, mustStart)
        }
        guard isAccepted else { return call.continuation.resume(returning: .failure(PostgresError.overloaded)) }
        if mustStart { Task { await flySeries() } }
    }

    /// Flies until no call waits.
    private func flySeries() async {
        var next = nextBatch()
        while let batch = next {
            do {
                next = try await database.withConnection { [self] in flySeries($0, batch) }
            } catch let error as PostgresError where error.endsWait {
                fail(error.endsAllWaits ? batch + takeWaiting() : batch, because: error)
                next = nextBatch()
            } catch {
                await finish(batch, after: error)
                next = nextBatch()
            }
        }
    }

    /// Flies on one connection, and returns the first batch of the next one; nil at the end of the series.
    private func flySeries(_ connection: PostgresConnection, _ first: [Call]) -> [Call]? {
        var next: [Call]? = first
        while let batch = next {
            do {
                let results = try connection.pipeline(groups: batch.map(\.statements))
                count(batch)
                for (call, result) in zip(batch, results) { call.continuation.resume(returning: .success(result)) }
            } catch {
                // The other flights of the series do not wait for it.
                Task { await finish(batch, after: error) }
            }
            next = nextBatch()
            if !connection.isReusable { return next }
        }
        return nil
    }

    /// Takes the calls that wait: no connection is open or can be made for them either, and the pool has waited for one.
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

    /// Counts a flight, before its callers know of it.
    private func count(_ batch: [Call]) {
        state.withLock { state in
            state.statistics.flights += 1
            state.statistics.calls += batch.count
            state.statistics.largestFlight = max(state.statistics.largestFlight, batch.count)
        }
    }

    /// Returns the calls of the next flight; nil if none waits, with which the series of flights ends.
    private func nextBatch() -> [Call]? {
        let batch = state.withLock { state in
            let batch = Array(state.waiting.prefix(maximumBatch))
            state.waiting.removeFirst(batch.count)
            if batch.isEmpty { state.flights -= 1 }
            return batch
        }
        return batch.isEmpty ? nil : batch.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
}
