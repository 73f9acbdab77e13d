// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A channel for a few values from several writers to one reader, in which each side waits for the other.
///
/// A writer may be a few values ahead. A writer that had to wait continues once half of the values were taken:
/// otherwise each value would cost two task switches.
final class BoundedChannel<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        /// The final result of the writers; nil while more values may come.
        var outcome: Result<Void, any Error>?
        /// Whether the reader has stopped reading.
        var isClosed = false
        var reader: CheckedContinuation<Void, Never>?
        var writer: CheckedContinuation<Void, Never>?

        /// The waiting task of a side.
        subscript(side: Side) -> CheckedContinuation<Void, Never>? {
            get { side == .reader ? reader : writer }
            set { if side == .reader { reader = newValue } else { writer = newValue } }
        }
    }

    /// A side of the channel.
    ///
    /// It is not a key path, because a generic type creates a new one for each value, which would dominate the cost.
    private enum Side { case reader, writer }

    /// The maximum number of values that wait for the reader.
    private let capacity = 8
    private let state = Mutex(State())
    /// A mutex that admits one writer at a time.
    private let turn = AsyncMutex()

    /// Passes a value to the reader, once there is room for it.
    func send(_ value: Value) async throws {
        try await turn.withLock { [self] in
            try await wait(.writer) { $0.isClosed || $0.outcome != nil || $0.values.count < capacity }
            let reader = try state.withLock { state throws(CancellationError) in
                guard !state.isClosed, state.outcome == nil else { throw CancellationError() }
                state.values.append(value)
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
            (state.isClosed, state.values) = (true, [])
            return state.writer.take()
        }
        writer?.resume()
    }

    /// Waits for the next value; returns nil at the end.
    func next() async throws -> Value? {
        try await wait(.reader) { !$0.values.isEmpty || $0.outcome != nil }
        let (value, outcome, writer) = state.withLock { state in
            let value = state.values.isEmpty ? nil : state.values.removeFirst()
            return (value, state.outcome, state.values.count > capacity / 2 ? nil : state.writer.take())
        }
        writer?.resume()
        if value == nil { try outcome?.get() }
        return value
    }

    /// Waits until a condition holds.
    ///
    /// - Throws: `CancellationError` if the task is canceled first.
    private func wait(
        _ side: Side, until condition: @Sendable (borrowing State) -> Bool
    ) async throws {
        while !state.withLock({ condition($0) }) {
            try Task.checkCancellation()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        // If the task is canceled after this check, the handler resumes the waiter.
                        guard !condition(state), !Task.isCancelled else { return true }
                        state[side] = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                let continuation = state.withLock { $0[side].take() }
                continuation?.resume()
            }
        }
    }
}
