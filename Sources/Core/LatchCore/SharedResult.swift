// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A result that many tasks wait for; canceling one task does not affect the others.
package final class SharedResult<Value: Sendable>: Sendable {
    /// The mutable state; a continuation is removed before it is resumed, so it is resumed once.
    private struct Waiting {
        /// The result, which is set once; no task waits after that.
        var result: Result<Value, any Error>?
        /// The last ticket; tickets number the waiters in order of arrival.
        var nextTicket = 0
        /// The waiters by ticket; empty once there is a result.
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    }

    /// The state; it is never locked while a waiter is resumed, since that may run foreign code.
    private let waiting = Mutex(Waiting())

    /// Creates a pending result.
    ///
    /// Its creator must call `finish(_:)` on every path.
    package init() {}

    /// Waits for the result.
    ///
    /// - Throws: The shared failure, or `CancellationError` when the calling task is canceled.
    package func value() async throws -> Value {
        let ticket = waiting.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let immediate = waiting.withLock { state -> Result<Value, any Error>? in
                    if let result = state.result { return result }
                    // Cancellation may come before the continuation, and has then found no waiter to remove.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[ticket] = continuation
                    return nil
                }
                if let immediate { continuation.resume(with: immediate) }
            }
        } onCancel: {
            // Called at any time and on any thread.
            let waiter = waiting.withLock { $0.waiters.removeValue(forKey: ticket) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Passes the result to all present and future waiters.
    ///
    /// Only the first call counts.
    package func finish(_ result: Result<Value, any Error>) {
        let waiters = waiting.withLock { state -> [CheckedContinuation<Value, any Error>] in
            guard state.result == nil else { return [] }
            state.result = result
            // In order of arrival, so that runs with the same seed are the same.
            let waiters = state.waiters.sorted { $0.key < $1.key }.map(\.value)
            state.waiters = [:]
            return waiters
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
