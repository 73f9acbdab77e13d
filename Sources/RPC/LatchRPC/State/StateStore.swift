// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A current state, and any number of streams that see it first and then each distinct one.
///
/// A stream keeps so many states that its reader has not taken yet and no more: where a reader falls behind, the oldest
/// go and the newest is always there.
public final class StateStore<State: Sendable & Equatable>: Sendable {
    private struct Content {
        var state: State
        var isFinished = false
        var nextID = 0
        var streams: [Int: AsyncStream<State>.Continuation] = [:]
        var published = 0
    }

    private let content: Mutex<Content>
    private let depth: Int

    /// A store whose first state nobody has seen yet.
    ///
    /// - Parameter depth: How many states a stream keeps for its reader.
    public init(_ state: State, depth: Int = 64) {
        content = Mutex(Content(state: state))
        self.depth = max(1, depth)
    }

    deinit { finish() }

    /// The current state.
    public var current: State { content.withLock { $0.state } }

    /// How many streams are being read.
    public var subscriberCount: Int { content.withLock { $0.streams.count } }

    /// How many states were sent to streams.
    public var publishedCount: Int { content.withLock { $0.published } }

    /// Whether no further state will come.
    public var isFinished: Bool { content.withLock { $0.isFinished } }

    /// A stream that begins with the current state.
    public func stream() -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(depth))
        // In one step, so that no state comes between the first one and the next.
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

    /// Makes a state current, and sends it unless it equals the one before.
    ///
    /// An equal one is kept all the same: it may differ in what is not compared.
    public func publish(_ state: State) {
        content.withLock { content in
            guard !content.isFinished else { return }
            let isNew = content.state != state
            content.state = state
            guard isNew else { return }
            content.published += 1
            // Under the lock, so that all streams see all states in one order; yielding runs no foreign code.
            for continuation in content.streams.values { continuation.yield(state) }
        }
    }

    /// Ends all streams, and those that begin later after their first state.
    public func finish() {
        let streams = content.withLock { content in
            content.isFinished = true
            defer { content.streams = [:] }
            return content.streams
        }
        for stream in streams.values { stream.finish() }
    }
}
