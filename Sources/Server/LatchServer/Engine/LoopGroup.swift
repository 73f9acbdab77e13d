// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The loops of a server that take connections.
///
/// All of them wait for the same listening socket, and the kernel wakes one. That loop accepts all waiting connections,
/// possibly all connections of a client. Since connections never move, it passes some of them to less busy loops.
final class LoopGroup: Sendable {
    private let loops = Mutex<[EventLoop]>([])

    /// Adds a loop that takes connections.
    func add(_ loop: EventLoop) { loops.withLock { $0.append(loop) } }

    /// Removes a loop that takes no more connections.
    func remove(_ loop: EventLoop) { loops.withLock { $0.removeAll { $0 === loop } } }

    /// Returns the loop with the fewest connections, `acceptor` if no other has fewer.
    func leastBusy(for acceptor: EventLoop) -> EventLoop {
        loops.withLock { loops in
            var (best, count) = (acceptor, acceptor.connectionCount)
            for loop in loops where loop.connectionCount < count { (best, count) = (loop, loop.connectionCount) }
            return best
        }
    }
}
