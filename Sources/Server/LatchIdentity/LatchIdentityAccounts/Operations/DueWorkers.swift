// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import Synchronization

/// Work that waits in the store, and that several workers take and do until none is due.
package protocol DueWork: Sendable {
    /// What a worker takes at once.
    associatedtype Rows: Sendable

    /// The state of the workers.
    var workers: DueWorkers { get }
    var clock: WallClock { get }

    /// Takes rows that are due; nil if none is, or if the store fails.
    func take() async -> Rows?

    /// Does the work of rows.
    func process(_ rows: Rows) async
}

/// The state of the workers of one kind of work.
package final class DueWorkers: Sendable {
    private struct State {
        var running = 0
        /// The number of workers that look for rows; one is enough, since a second one would find the same.
        var looking = 0
        /// The number of times that rows may have become due; a worker that is about to end then looks again.
        var wakes = 0
        /// Whether no worker takes more rows.
        var isClosed = false
        /// The callers that wait until all workers have ended.
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    /// The maximum number of workers, so that one slow receiver does not delay the others.
    private let maximum: Int
    private let state = Mutex(State())

    /// Creates the state without a worker.
    package init(atMost maximum: Int) { self.maximum = maximum }

    /// Whether no worker takes more rows.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Notes that rows may be due, and returns whether a worker starts.
    fileprivate func wake() -> Bool {
        state.withLock { state in
            state.wakes += 1
            guard state.running < maximum, state.looking == 0, !state.isClosed else { return false }
            state.running += 1
            state.looking += 1
            return true
        }
    }

    /// The number of wakes so far.
    fileprivate var wakes: Int { state.withLock { $0.wakes } }

    fileprivate func beginLooking() { state.withLock { $0.looking += 1 } }
    fileprivate func endLooking() { state.withLock { $0.looking -= 1 } }

    /// Ends a worker that has found nothing; returns false if it has to look again.
    fileprivate func end(afterWakes seen: Int) -> Bool {
        let idle = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            guard state.wakes == seen || state.isClosed else { return nil }
            state.looking -= 1
            state.running -= 1
            guard state.running == 0 else { return [] }
            defer { state.idle = [] }
            return state.idle
        }
        for continuation in idle ?? [] { continuation.resume() }
        return idle != nil
    }

    /// Returns when no worker is running.
    fileprivate func whenIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state -> Bool in
                guard state.running > 0 else { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Lets the workers end after the rows that they have.
    package func stop() { state.withLock { $0.isClosed = true } }

    /// Lets the workers end after the rows that they have, and returns when they have ended.
    package func close() async {
        stop()
        await whenIdle()
    }
}

extension DueWork {
    /// Does the work that is due, regularly, until the task is canceled.
    package func run(every interval: Duration) async {
        while !Task.isCancelled {
            wake()
            do { try await clock.sleep(for: interval) } catch { return }
        }
    }

    /// Does the work that is due, in the background.
    package func wake() {
        if workers.wake() { Task { await work() } }
    }

    /// Returns when all work that is due has been done or postponed.
    package func flush() async {
        wake()
        await workers.whenIdle()
    }

    private func work() async {
        while true {
            let seen = workers.wakes
            if !workers.isClosed, let rows = await take() {
                workers.endLooking()
                // More may be due than one worker can do.
                wake()
                await process(rows)
                workers.beginLooking()
            } else if workers.end(afterWakes: seen) {
                return
            }
        }
    }
}
