// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The current state, with any number of streams of it and of each different state that follows.
///
/// A stream buffers a limited number of states: if its reader falls behind, the oldest are dropped and the newest is
/// always available.
package final class StateStore<State: Sendable & Equatable>: Sendable {
    private struct Content {
        var state: State
        var isFinished = false
        var nextID = 0
        var streams: [Int: AsyncStream<State>.Continuation] = [:]
        var published = 0
    }

    private let content: Mutex<Content>
    /// Held by one publication at a time, so that all streams see all states in one order.
    ///
    /// Yielding waits for the lock of the consumer's task, under which its cancellation waits for `content`: that one is
    /// never held while something is yielded to a consumer.
    private let delivery = Mutex(())
    private let depth: Int

    /// Creates a store with an initial state.
    ///
    /// - Parameter depth: The number of states that a stream buffers for its reader.
    package init(_ state: State, depth: Int = 64) {
        content = Mutex(Content(state: state))
        self.depth = max(1, depth)
    }

    deinit { finish() }

    /// The current state.
    package var current: State { content.withLock { $0.state } }

    /// The number of open streams.
    package var subscriberCount: Int { content.withLock { $0.streams.count } }

    /// The number of states published to streams.
    package var publishedCount: Int { content.withLock { $0.published } }

    /// Whether the store is finished.
    package var isFinished: Bool { content.withLock { $0.isFinished } }

    /// Returns a stream that begins with the current state.
    package func stream() -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(depth))
        // Yield and registration are one step, so that no state is missed between them.
        let id: Int? = content.withLock { content in
            continuation.yield(content.state)
            guard !content.isFinished else { return nil }
            content.nextID += 1
            content.streams[content.nextID] = continuation
            return content.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.content.withLock { $0.streams[id] = nil }
        }
        return stream
    }

    /// Makes a state current, and publishes it unless it equals the previous one.
    ///
    /// An equal state also becomes current: it may differ in properties that `==` ignores.
    package func publish(_ state: State) {
        delivery.withLock { _ in
            let streams = content.withLock { content -> [Int: AsyncStream<State>.Continuation] in
                guard !content.isFinished else { return [:] }
                let isNew = content.state != state
                content.state = state
                guard isNew else { return [:] }
                content.published += 1
                return content.streams
            }
            for continuation in streams.values { continuation.yield(state) }
        }
    }

    /// Ends all streams; later ones end after their first state.
    package func finish() {
        let streams = content.withLock { content in
            content.isFinished = true
            defer { content.streams = [:] }
            return content.streams
        }
        for stream in streams.values { stream.finish() }
    }
}
