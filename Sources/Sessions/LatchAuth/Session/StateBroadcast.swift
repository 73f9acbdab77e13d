// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A current state, and any number of streams that deliver it and each later change once, in order.
package final class StateBroadcast<State: Sendable & Equatable>: Sendable {
    /// The state and its streams under one lock, so that no stream begins between a change and its delivery.
    private struct Subscribers {
        var state: State
        /// Whether no further change will come; the last state stays readable.
        var isFinished = false
        /// The number of the last stream; streams are numbered in order of creation, which is the order of delivery.
        var nextID = 0
        /// The streams; each removes itself when its consumer stops.
        var streams: [Int: AsyncStream<State>.Continuation] = [:]
    }

    /// The state and its streams.
    private let subscribers: Mutex<Subscribers>
    /// The lock of a delivery, so that all streams see all changes in one order.
    ///
    /// Yielding waits for the lock of the consumer's task. A cancellation of that task holds the same lock while it
    /// waits for `subscribers`. Therefore `subscribers` is never held while a state is yielded.
    private let delivery = Mutex(())

    /// Creates a broadcast with a first state.
    package init(_ state: State) { subscribers = Mutex(Subscribers(state: state)) }

    package var current: State { subscribers.withLock { $0.state } }

    /// The number of active streams.
    package var watcherCount: Int { subscribers.withLock { $0.streams.count } }

    /// Returns a stream that begins with the current state.
    package func stream() -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .unbounded)
        let id: Int? = subscribers.withLock { subscribers in
            continuation.yield(subscribers.state)
            guard !subscribers.isFinished else { return nil }
            subscribers.nextID += 1
            subscribers.streams[subscribers.nextID] = continuation
            return subscribers.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.subscribers.withLock { $0.streams[id] = nil }
        }
        return stream
    }

    /// Makes `state` current; an equal state is not sent.
    package func send(_ state: State) {
        delivery.withLock { _ in
            let streams = subscribers.withLock { subscribers -> [Int: AsyncStream<State>.Continuation] in
                guard !subscribers.isFinished, subscribers.state != state else { return [:] }
                subscribers.state = state
                return subscribers.streams
            }
            for id in streams.keys.sorted() { streams[id]?.yield(state) }
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
