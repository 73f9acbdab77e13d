// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A current state and any number of streams that deliver it and each later change, in order, once.
package final class StateBroadcast<State: Sendable & Equatable>: Sendable {
    /// The state and its streams under one lock, so that no stream begins between a change and its delivery.
    private struct Subscribers {
        var state: State
        /// Whether no further change will come; the last state stays readable.
        var isFinished = false
        /// The last stream's number; streams are numbered in order of creation, which is the order of delivery.
        var nextID = 0
        /// The streams; each removes itself when its consumer stops.
        var streams: [Int: AsyncStream<State>.Continuation] = [:]
    }

    /// The state and its streams.
    private let subscribers: Mutex<Subscribers>

    /// Creates a broadcast with a first state.
    package init(_ state: State) { subscribers = Mutex(Subscribers(state: state)) }

    /// The current state.
    package var current: State { subscribers.withLock { $0.state } }

    /// The number of active streams.
    package var watcherCount: Int { subscribers.withLock { $0.streams.count } }

    /// Returns a stream that begins with the current state.
    package func stream() -> AsyncStream<State> { begin { $1.yield($0) }.stream }

    /// Returns the current state and a stream of the later changes, with none lost or doubled between the two.
    package func currentAndChanges() -> (current: State, changes: AsyncStream<State>) {
        let (state, stream) = begin { _, _ in }
        return (state, stream)
    }

    /// Adds a stream.
    ///
    /// - Parameter open: Receives the state at which the stream begins.
    private func begin(
        _ open: (State, AsyncStream<State>.Continuation) -> Void
    ) -> (state: State, stream: AsyncStream<State>) {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .unbounded)
        let (state, id): (State, Int?) = subscribers.withLock { subscribers in
            open(subscribers.state, continuation)
            guard !subscribers.isFinished else { return (subscribers.state, nil) }
            subscribers.nextID += 1
            subscribers.streams[subscribers.nextID] = continuation
            return (subscribers.state, subscribers.nextID)
        }
        guard let id else {
            continuation.finish()
            return (state, stream)
        }
        continuation.onTermination = { [weak self] _ in
            self?.subscribers.withLock { $0.streams[id] = nil }
        }
        return (state, stream)
    }

    /// Makes `state` current; an equal state is not sent.
    package func send(_ state: State) {
        // Under the lock, so that all streams see all changes in one order. Yielding runs no foreign code.
        subscribers.withLock { subscribers in
            guard !subscribers.isFinished, subscribers.state != state else { return }
            subscribers.state = state
            for id in subscribers.streams.keys.sorted() { subscribers.streams[id]?.yield(state) }
        }
    }

    /// Ends all streams; later ones end after their first state.
    package func finish() {
        let streams = subscribers.withLock { subscribers in
            subscribers.isFinished = true
            defer { subscribers.streams = [:] }
            return subscribers.streams
        }
        for stream in streams.values { stream.finish() }
    }
}
