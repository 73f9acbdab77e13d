// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// One current state and any number of streams that see it first and then each change, in order, once.
package final class StateBroadcast<State: Sendable & Equatable>: Sendable {
    /// The state and its watchers under one lock, so that no stream begins between a change and its sending.
    private struct Audience {
        var state: State
        /// Whether no further change will come; the last state stays readable.
        var isFinished = false
        /// Numbers the streams in order of their making, which is the order in which they are told.
        var nextID = 0
        /// Who watches; a stream takes itself out when its consumer stops.
        var streams: [Int: AsyncStream<State>.Continuation] = [:]
    }

    /// See `Audience`.
    private let audience: Mutex<Audience>

    /// A broadcast whose first state is `state`, which nobody has seen yet.
    package init(_ state: State) { audience = Mutex(Audience(state: state)) }

    /// The current state.
    package var current: State { audience.withLock { $0.state } }

    /// How many streams are being watched.
    package var watcherCount: Int { audience.withLock { $0.streams.count } }

    /// A stream that begins with the current state.
    package func stream() -> AsyncStream<State> { begin { $1.yield($0) }.stream }

    /// The current state, and a stream of what comes after it: between the two nothing is lost and nothing doubled.
    package func currentAndChanges() -> (current: State, changes: AsyncStream<State>) {
        let (state, stream) = begin { _, _ in }
        return (state, stream)
    }

    /// Adds a stream.
    ///
    /// - Parameter open: Told the state at which the stream begins.
    private func begin(
        _ open: (State, AsyncStream<State>.Continuation) -> Void
    ) -> (state: State, stream: AsyncStream<State>) {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .unbounded)
        let (state, id): (State, Int?) = audience.withLock { audience in
            open(audience.state, continuation)
            guard !audience.isFinished else { return (audience.state, nil) }
            audience.nextID += 1
            audience.streams[audience.nextID] = continuation
            return (audience.state, audience.nextID)
        }
        guard let id else {
            continuation.finish()
            return (state, stream)
        }
        continuation.onTermination = { [weak self] _ in
            self?.audience.withLock { $0.streams[id] = nil }
        }
        return (state, stream)
    }

    /// Makes `state` current; an equal state is no change and is not sent.
    package func send(_ state: State) {
        // Under the lock, so that all streams see all changes in one order. Yielding runs no foreign code.
        audience.withLock { audience in
            guard !audience.isFinished, audience.state != state else { return }
            audience.state = state
            for id in audience.streams.keys.sorted() { audience.streams[id]?.yield(state) }
        }
    }

    /// Ends all streams, and those that begin later after their first state.
    package func finish() {
        let streams = audience.withLock { audience in
            audience.isFinished = true
            defer { audience.streams = [:] }
            return audience.streams
        }
        for stream in streams.values { stream.finish() }
    }
}
