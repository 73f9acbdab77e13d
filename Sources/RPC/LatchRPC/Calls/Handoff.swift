// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A place for one value on its way from writers to one reader: who is quicker waits for the other.
final class Handoff<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// How the writers ended; nil while more may come.
        var outcome: Result<Void, any Error>?
        /// Whether nobody reads any more.
        var isClosed = false
        var reader: CheckedContinuation<Void, Never>?
        var writer: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    /// Of several writers one at a time has its turn.
    private let turn = AsyncMutex()

    /// Leaves a value for the reader, once the one before is taken.
    func send(_ value: Value) async throws {
        try await turn.take { [self] in
            try await wait(\.writer) { $0.isClosed || $0.outcome != nil || $0.value == nil }
            let reader = try state.withLock { state throws(CancellationError) in
                guard !state.isClosed, state.outcome == nil else { throw CancellationError() }
                state.value = value
                return state.reader.take()
            }
            reader?.resume()
        }
    }

    /// No more will come; the first outcome counts.
    func finish(_ outcome: Result<Void, any Error>) {
        let waiters = state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
            return [state.reader.take(), state.writer.take()]
        }
        for waiter in waiters { waiter?.resume() }
    }

    /// Nobody reads any more.
    func close() {
        let writer = state.withLock { state in
            (state.isClosed, state.value) = (true, nil)
            return state.writer.take()
        }
        writer?.resume()
    }

    /// The next value as soon as there is one; nil at the end.
    func next() async throws -> Value? {
        try await wait(\.reader) { $0.value != nil || $0.outcome != nil }
        let (value, outcome, writer) = state.withLock { ($0.value.take(), $0.outcome, $0.writer.take()) }
        writer?.resume()
        if value == nil { try outcome?.get() }
        return value
    }

    /// Waits until something is so.
    ///
    /// - Throws: `CancellationError` where the task is cancelled before.
    private func wait(
        _ place: any WritableKeyPath<State, CheckedContinuation<Void, Never>?> & Sendable,
        until isSo: @Sendable (borrowing State) -> Bool
    ) async throws {
        while !state.withLock({ isSo($0) }) {
            try Task.checkCancellation()
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let isDue = state.withLock { state in
                        // Where the task is cancelled after this look, the handler finds the waiter.
                        guard !isSo(state), !Task.isCancelled else { return true }
                        state[keyPath: place] = waiter
                        return false
                    }
                    if isDue { waiter.resume() }
                }
            } onCancel: {
                let waiter = state.withLock { $0[keyPath: place].take() }
                waiter?.resume()
            }
        }
    }
}
