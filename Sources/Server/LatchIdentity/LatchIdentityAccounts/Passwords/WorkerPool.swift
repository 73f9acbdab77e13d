// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
package import LatchIdentityStorage
import Synchronization

/// A thread pool for long computations, with a bounded queue for each purpose.
///
/// Work beyond the bound is rejected immediately, so that a flood costs neither memory nor waiting time. A canceled
/// caller leaves the queue and makes room. The queues take turns, so that a flood of one purpose delays another purpose
/// by at most one job. The networks within each queue also take turns (``FairQueue``).
package final class WorkerPool: Sendable {
    /// The purpose of a job, with its own queue.
    package enum Purpose: Int, Sendable, CaseIterable {
        case login, signUp, change
    }

    /// A job in the queue; exactly one of its two closures is called, once, and resumes a continuation.
    private struct Job: Sendable {
        let id: Int
        let purpose: Purpose
        let network: NetworkPrefix
        let run: @Sendable () -> Void
        let reject: @Sendable (IdentityError) -> Void
    }

    /// The state of the pool; `running` counts starting and working threads, and never exceeds the number of workers.
    private struct State {
        var waiting: [FairQueue<Job>]
        /// The queue that is served next.
        var turn = 0
        var running = 0
        var lastID = 0

        /// Removes the first job of the next queue that has one.
        mutating func next() -> Job? {
            for offset in waiting.indices {
                let index = (turn + offset) % waiting.count
                guard let job = waiting[index].popFirst() else { continue }
                turn = index + 1
                return job
            }
            return nil
        }
    }

    private let workers: Int
    private let label: String
    private let state: Mutex<State>

    /// Creates a pool; threads start with the first job and end when the queues are empty.
    ///
    /// - Parameter maximumWaiting: The maximum number of waiting jobs of each purpose.
    package init(label: String, workers: Int, maximumWaiting: Int) {
        self.workers = max(workers, 1)
        self.label = label
        let queue = FairQueue<Job>(maximumCount: maximumWaiting)
        state = Mutex(State(waiting: Array(repeating: queue, count: Purpose.allCases.count)))
    }

    /// The numbers of running and of waiting jobs.
    package var load: (running: Int, waiting: Int) {
        state.withLock { ($0.running, $0.waiting.reduce(0) { $0 + $1.count }) }
    }

    /// Runs `body` on one of the pool's threads.
    ///
    /// - Parameter network: The network of the client that the job is for.
    /// - Throws: `IdentityError.overloaded` if the purpose's queue is full. `.cancelled` if the task is canceled while
    ///   it waits.
    package func run<Result: Sendable>(
        for purpose: Purpose, from network: NetworkPrefix,
        _ body: @escaping @Sendable () throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Swift.Result<Result, IdentityError>, Never>) in
                submit(
                    Job(
                        id: id, purpose: purpose, network: network,
                        run: {
                            continuation.resume(returning: Swift.Result(catching: body))
                        },
                        reject: { continuation.resume(returning: .failure($0)) }))
                // A cancellation before the job was queued found no job to remove.
                if Task.isCancelled { cancel(id, purpose) }
            }
        } onCancel: {
            cancel(id, purpose)
        }
        return try result.get()
    }

    /// Starts a thread for the job, or queues it if all threads are busy; a full queue rejects this job or another one.
    private func submit(_ job: Job) {
        enum Admission { case started, queued(rejected: Job?) }
        let admission = state.withLock { state -> Admission in
            // Threads end only when the queues are empty, so this job overtakes no waiting job.
            if state.running < workers {
                state.running += 1
                return .started
            }
            return .queued(rejected: state.waiting[job.purpose.rawValue].append(job, from: job.network))
        }
        switch admission {
        // A serial queue has its own thread; concurrent queues share the threads of all tasks.
        case .started: DispatchQueue(label: label).async { self.work(from: job) }
        case .queued(let rejected): rejected?.reject(.overloaded)
        }
    }

    /// Runs one job after another until the queues are empty.
    private func work(from first: Job) {
        first.run()
        while true {
            let job = state.withLock { state -> Job? in
                if let job = state.next() { return job }
                state.running -= 1
                return nil
            }
            guard let job else { return }
            job.run()
        }
    }

    /// Removes a waiting job; a running job completes, since argon2 cannot be interrupted.
    private func cancel(_ id: Int, _ purpose: Purpose) {
        let job = state.withLock { state -> Job? in
            state.waiting[purpose.rawValue].removeFirst { $0.id == id }
        }
        job?.reject(.cancelled)
    }
}
