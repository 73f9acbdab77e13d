// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue whose jobs gather while earlier ones are under way, so that concurrent calls share round trips.
///
/// A job that finds no flight under way starts one and waits for nobody.
final class FlightQueue<Job: Sendable>: Sendable {
    private struct State {
        var waiting: [Job] = []
        var flights = 0
    }

    /// The maximum number of jobs in a flight.
    private let maximumBatch: Int
    /// The maximum number of concurrent flights, each on a connection of its own.
    private let maximumFlights: Int
    /// The maximum number of waiting jobs.
    private let maximumWaiting: Int
    private let state = Mutex(State())

    init(maximumBatch: Int, maximumFlights: Int, maximumWaiting: Int) {
        self.maximumBatch = maximumBatch
        self.maximumFlights = maximumFlights
        self.maximumWaiting = maximumWaiting
    }

    /// The number of waiting jobs.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Adds a job and, if fewer flights than the maximum are under way, starts one with `fly`, which ends its jobs.
    ///
    /// - Returns: False if too many jobs wait; the job is then not in the queue.
    func add(_ job: Job, fly: @escaping @Sendable ([Job]) async -> Void) -> Bool {
        let (isAccepted, mustStart) = state.withLock { state in
            guard state.waiting.count < maximumWaiting else { return (false, false) }
            state.waiting.append(job)
            let mustStart = state.flights < maximumFlights
            if mustStart { state.flights += 1 }
            return (true, mustStart)
        }
        if mustStart { Task { while let batch = self.nextBatch() { await fly(batch) } } }
        return isAccepted
    }

    /// Returns the jobs of the next flight; nil if none waits, with which the series of flights ends.
    private func nextBatch() -> [Job]? {
        state.withLock { state in
            let batch = Array(state.waiting.prefix(maximumBatch))
            state.waiting.removeFirst(batch.count)
            if batch.isEmpty { state.flights -= 1 }
            return batch.isEmpty ? nil : batch
        }
    }
}
