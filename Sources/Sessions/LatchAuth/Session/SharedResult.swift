// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// One result that many tasks wait for, each of which may leave without harm to the others.
package final class SharedResult<Value: Sendable>: Sendable {
    /// All that changes, behind one lock; a continuation is taken out before it is resumed, so it is resumed once.
    private struct Waiting {
        /// Set once; from then on nobody waits.
        var result: Result<Value, any Error>?
        /// Numbers the waiters in order of arrival.
        var nextTicket = 0
        /// Who waits, by ticket; empty once there is a result.
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        /// Tickets that were cancelled before they began to wait: cancellation may overtake the continuation.
        var departed: Set<Int> = []
    }

    /// Never held while a waiter is resumed, which may run foreign code.
    private let waiting = Mutex(Waiting())

    /// A result that is not there yet.
    ///
    /// Whoever makes it must see to it that `finish(_:)` is called on every path.
    package init() {}

    /// The result, as soon as it is there.
    ///
    /// - Throws: The shared failure, or `CancellationError` when this task, and no other, is cancelled.
    package func value() async throws -> Value {
        let ticket = waiting.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(ticket, $0) }
        } onCancel: {
            leave(ticket)
        }
    }

    /// Gives every waiter, present and future, the same result.
    ///
    /// Only the first call counts.
    package func finish(_ result: Result<Value, any Error>) {
        let waiters = waiting.withLock { state -> [CheckedContinuation<Value, any Error>] in
            guard state.result == nil else { return [] }
            state.result = result
            // In order of arrival, so that a run with one seed is the same run each time.
            let waiters = state.waiters.sorted { $0.key < $1.key }.map(\.value)
            state.waiters = [:]
            return waiters
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// Begins to wait, unless the task has left already or the result is there.
    private func enter(_ ticket: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        let immediate = waiting.withLock { state -> Result<Value, any Error>? in
            if state.departed.remove(ticket) != nil { return .failure(CancellationError()) }
            guard let result = state.result else {
                state.waiters[ticket] = continuation
                return nil
            }
            return result
        }
        if let immediate { continuation.resume(with: immediate) }
    }

    /// Lets one waiter go.
    ///
    /// Called by the task's cancellation, at any moment and on any thread.
    private func leave(_ ticket: Int) {
        let waiter = waiting.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard let waiter = state.waiters.removeValue(forKey: ticket) else {
                // Cancelled before it began to wait, or served already: the first must not begin.
                if state.result == nil { state.departed.insert(ticket) }
                return nil
            }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }
}
