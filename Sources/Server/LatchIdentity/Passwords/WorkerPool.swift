// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import Synchronization

/// A few threads for work that takes long, and a bounded line in front of them.
///
/// Work beyond the bound is refused at once, so that a flood costs neither memory nor the patience of those in the
/// line; a caller that is cancelled leaves the line and makes room.
final class WorkerPool: Sendable {
    /// Work that stands in the line.
    ///
    /// Exactly one of its two closures is called, once: a continuation hangs on it.
    private struct Job: Sendable {
        let id: Int
        let run: @Sendable () -> Void
        let refuse: @Sendable (IdentityError) -> Void
    }

    /// `running` counts threads that are on their way or at work, and never exceeds the number of workers.
    private struct State {
        var waiting: [Job] = []
        var running = 0
        var lastID = 0
    }

    private let workers: Int
    private let maximumWaiting: Int
    private let label: String
    private let state = Mutex(State())

    /// A pool without threads: they come with the first job, and go when the line is empty.
    ///
    /// - Parameter maximumWaiting: How many may wait beside those that run.
    init(label: String, workers: Int, maximumWaiting: Int) {
        self.workers = max(workers, 1)
        self.maximumWaiting = maximumWaiting
        self.label = label
    }

    /// How many jobs run and how many wait.
    var load: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiting.count) } }

    /// Runs `body` on one of the pool's threads.
    ///
    /// - Throws: `IdentityError.overloaded` when the line is full, `.cancelled` when the task is cancelled in it.
    func run<Result: Sendable>(
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
                        id: id,
                        run: {
                            continuation.resume(returning: Swift.Result(catching: body))
                        },
                        refuse: { continuation.resume(returning: .failure($0)) }))
                // A cancellation that came before the job stood in the line found nothing to remove.
                if Task.isCancelled { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
        return try result.get()
    }

    /// Starts a thread for the job, or puts it into the line where all are busy; refuses it where the line is full.
    private func submit(_ job: Job) {
        enum Place { case thread, line, nowhere }
        let place = state.withLock { state -> Place in
            // Threads go only when the line is empty, so nobody is overtaken here.
            if state.running < workers {
                state.running += 1
                return .thread
            }
            guard state.waiting.count < maximumWaiting else { return .nowhere }
            state.waiting.append(job)
            return .line
        }
        switch place {
        // A queue of its own is a thread of its own: those of concurrent queues are the ones that all tasks share.
        case .thread: DispatchQueue(label: label).async { self.work(from: job) }
        case .line: return
        case .nowhere: job.refuse(.overloaded)
        }
    }

    /// On a thread of its own: one job after another, until the line is empty.
    private func work(from first: Job) {
        first.run()
        while true {
            let job = state.withLock { state -> Job? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.running -= 1
                return nil
            }
            guard let job else { return }
            job.run()
        }
    }

    /// Takes a job out of the line; one that runs already is left to its end, for argon2 cannot be stopped midway.
    private func leave(_ id: Int) {
        let job = state.withLock { state -> Job? in
            guard let place = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting.remove(at: place)
        }
        job?.refuse(.cancelled)
    }
}

extension IdentityError {
    /// More work waits than the server takes on.
    public static let overloaded = IdentityError(
        code: "overloaded", message: "The server has too much to do.", hint: "Try again in a moment.",
        retryAfter: .seconds(2))

    /// Nobody waits for the answer any more.
    static let cancelled = IdentityError(code: "cancelled", message: "The request was cancelled.")
}
