// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The current state, with any number of streams of it and of each different state that follows.
///
/// A stream buffers a limited number of states. If its reader falls behind, the oldest states are dropped, and the
/// newest is always available.
package final class StateStore<State: Sendable & Equatable>: Sendable {
    private struct Content {
        var state: State
        var isFinished = false
        var nextID = 0
        var readers: [Int: WeakReader] = [:]
        var published = 0
    }

    /// A reader that ends once its sequence and its iterators are released.
    private struct WeakReader {
        weak var reader: StateReader<State>?
    }

    private let content: Mutex<Content>
    /// The lock that one publication holds at a time, so that all streams see all states in the same order.
    ///
    /// Resuming a reader waits for its task's lock. A cancellation holds that lock while it waits for `content`. So
    /// `content` is never held while a reader is resumed.
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

    package var current: State { content.withLock { $0.state } }

    /// The number of open streams.
    package var subscriberCount: Int { content.withLock { $0.readers.count } }

    /// The number of states published to streams.
    package var publishedCount: Int { content.withLock { $0.published } }

    /// Whether the store is finished.
    package var isFinished: Bool { content.withLock { $0.isFinished } }

    /// Returns a sequence that begins with the current state.
    package func stream() -> StateStream<State> {
        // The first state and the registration are one step, so that no state is missed between them.
        content.withLock { content in
            content.nextID += 1
            let id = content.nextID
            let reader = StateReader(content.state, depth: depth, isFinished: content.isFinished) { [weak self] in
                self?.content.withLock { $0.readers[id] = nil }
            }
            if !content.isFinished { content.readers[id] = WeakReader(reader: reader) }
            return StateStream(reader: reader)
        }
    }

    /// Makes a state the current one, and publishes it unless it equals the previous one.
    ///
    /// An equal state also becomes the current one, because it may differ in properties that `==` ignores.
    package func publish(_ state: State) {
        delivery.withLock { _ in
            let readers = content.withLock { content -> [StateReader<State>] in
                guard !content.isFinished else { return [] }
                let isNew = content.state != state
                content.state = state
                guard isNew else { return [] }
                content.published += 1
                return content.readers.values.compactMap(\.reader)
            }
            for reader in readers { reader.add(state) }
        }
    }

    /// Waits until readers that wait on an actor have received the published states.
    func waitForDeliveries() async {
        let readers = content.withLock { $0.readers.values.compactMap(\.reader) }
        for reader in readers { await reader.waitForDeliveries() }
    }

    /// Ends all streams; streams created later end after their first state.
    package func finish() {
        let readers = content.withLock { content in
            content.isFinished = true
            defer { content.readers = [:] }
            return content.readers.values.compactMap(\.reader)
        }
        for reader in readers { reader.finish() }
    }
}
