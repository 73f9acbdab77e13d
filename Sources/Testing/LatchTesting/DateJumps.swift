// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The listeners for jumps of a manual clock's date.
package final class DateJumps: Sendable {
    private struct Audience {
        var nextID = 0
        var streams: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let audience = Mutex(Audience())

    package init() {}

    /// The number of listeners.
    package var listenerCount: Int { audience.withLock { $0.streams.count } }

    /// Returns a stream with one element for each jump from now on; jumps that were not read yet are merged.
    package func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = audience.withLock { audience in
            audience.nextID += 1
            audience.streams[audience.nextID] = continuation
            return audience.nextID
        }
        continuation.onTermination = { [weak self] _ in self?.audience.withLock { $0.streams[id] = nil } }
        return stream
    }

    /// Notifies all listeners, in the order in which they began to listen.
    package func announce() {
        let streams = audience.withLock { $0.streams }
        for (_, stream) in streams.sorted(by: { $0.key < $1.key }) { stream.yield() }
    }
}
