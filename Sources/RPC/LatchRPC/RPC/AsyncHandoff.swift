// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A channel without a buffer from several writers to one reader: each side waits for the other.
final class AsyncHandoff<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// The result of the writers; nil while more values may come.
        var outcome: Result<Void, any Error>?
        /// Whether the reader has stopped reading.
        var isClosed = false
        var reader: CheckedContinuation<Void, Never>?
        var writer: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    /// A mutex that admits one writer at a time.
    private let turn = AsyncMutex()

    /// Passes a value to the reader, once the previous one was taken.
    func send(_ value: Value) async throws {
        try await turn.withLock { [self] in
            try await wait(\.writer) { $0.isClosed || $0.outcome != nil || $0.value == nil }
            let reader = try state.withLock { state throws(CancellationError) in
                guard !state.isClosed, state.outcome == nil else { throw CancellationError() }
                state.value = value
                return state.reader.take()
            }
            reader?.resume()
        }
    }

    /// Ends the channel; the first result counts.
    func finish(_ outcome: Result<Void, any Error>) {
        let waiters = state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
            return [state.reader.take(), state.writer.take()]
        }
        for waiter in waiters { waiter?.resume() }
    }

    /// Closes the reading side.
    func close() {
        let writer = state.withLock { state in
            (state.isClosed, state.value) = (true, nil)
            return state.writer.take()
        }
        writer?.resume()
    }

    /// Waits for the next value; returns nil at the end.
    func next() async throws -> Value? {
        try await wait(\.reader) { $0.value != nil || $0.outcome != nil }
        let (value, outcome, writer) = state.withLock { ($0.value.take(), $0.outcome, $0.writer.take()) }
        writer?.resume()
        if value == nil { try outcome?.get() }
        return value
    }

    /// Waits until a condition holds.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    private func wait(
        _ waiter: any WritableKeyPath<State, CheckedContinuation<Void, Never>?> & Sendable,
        until condition: @Sendable (borrowing State) -> Bool
    ) async throws {
        while !state.withLock({ condition($0) }) {
            try Task.checkCancellation()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        // If the task is cancelled after this check, the handler resumes the waiter.
                        guard !condition(state), !Task.isCancelled else { return true }
                        state[keyPath: waiter] = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                let continuation = state.withLock { $0[keyPath: waiter].take() }
                continuation?.resume()
            }
        }
    }
}
