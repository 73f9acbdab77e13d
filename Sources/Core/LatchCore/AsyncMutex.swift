// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A fair mutex that may be held across an `await`.
///
/// Unlike a `Mutex` it suspends tasks instead of blocking threads. Waiters get the lock in their order, and a canceled
/// waiter leaves the queue. Each operation takes constant time, regardless of the queue's length.
package final class AsyncMutex: Sendable {
    /// The state of a task in the queue.
    private enum Waiter {
        /// A task that has a ticket and is about to wait.
        case arriving
        case waiting(CheckedContinuation<Bool, Never>)
        /// A task that received the lock while it was arriving.
        case acquired
        /// A task that was canceled while it was arriving.
        case cancelled
    }

    /// The queue: tickets from `first` on; finished tasks have no entry.
    private struct State {
        var isLocked = false
        var first = 0
        var next = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state = Mutex(State())

    /// Creates an unlocked mutex.
    package init() {}

    /// Whether a task holds the lock.
    package var isLocked: Bool { state.withLock { $0.isLocked } }

    /// The number of waiting tasks.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Runs `body` while holding the lock.
    ///
    /// - Throws: `CancellationError` if the task is canceled first, and the error of `body`.
    package func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await acquire()
        defer { release() }
        return try await body()
    }

    /// Waits for the lock.
    private func acquire() async throws {
        try Task.checkCancellation()
        guard let ticket = enqueue() else { return }
        let isAcquired = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(ticket, $0) }
        } onCancel: {
            cancel(ticket)
        }
        guard isAcquired else { throw CancellationError() }
    }

    /// Takes the free lock and returns nil, or returns a ticket of the queue.
    private func enqueue() -> Int? {
        state.withLock { state in
            guard state.isLocked else {
                state.isLocked = true
                return nil
            }
            defer { state.next += 1 }
            state.waiters[state.next] = .arriving
            return state.next
        }
    }

    /// Begins to wait, unless the task has been canceled or has received the lock.
    private func wait(_ ticket: Int, _ continuation: CheckedContinuation<Bool, Never>) {
        let isAcquired: Bool? = state.withLock { state in
            switch state.waiters[ticket] {
            case .acquired: state.waiters[ticket] = nil
            case .cancelled:
                state.waiters[ticket] = nil
                return false
            case .arriving, .waiting, nil:
                state.waiters[ticket] = .waiting(continuation)
                return nil
            }
            return true
        }
        if let isAcquired { continuation.resume(returning: isAcquired) }
    }

    /// Removes a waiter from the queue; a task that already holds the lock keeps it.
    private func cancel(_ ticket: Int) {
        let continuation: CheckedContinuation<Bool, Never>? = state.withLock { state in
            switch state.waiters[ticket] {
            case .waiting(let continuation):
                state.waiters[ticket] = nil
                return continuation
            case .arriving: state.waiters[ticket] = .cancelled
            case .acquired, .cancelled, nil: break
            }
            return nil
        }
        continuation?.resume(returning: false)
    }

    /// Passes the lock to the first waiter.
    private func release() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            while state.first < state.next {
                let ticket = state.first
                state.first += 1
                switch state.waiters[ticket] {
                case .waiting(let continuation):
                    state.waiters[ticket] = nil
                    return continuation
                case .arriving:
                    state.waiters[ticket] = .acquired
                    return nil
                case .acquired, .cancelled, nil: continue
                }
            }
            state.isLocked = false
            return nil
        }
        next?.resume(returning: true)
    }
}
