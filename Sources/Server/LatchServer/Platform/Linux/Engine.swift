// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Glibc
import LatchCore
import LatchHTTP
import Synchronization

/// The listening socket and the loops that serve it.
final class Engine: Sendable {
    /// Shared by the loops; the listener in it is closed by `stop`, after the last loop has drained.
    private let terms: Terms
    /// At least one; connections stay with the loop that accepted them.
    private let loops: [EventLoop]

    private init(_ terms: Terms, _ loops: [EventLoop]) {
        self.terms = terms
        self.loops = loops
    }

    /// Listens and starts the loops.
    static func start(
        _ handler: any Handler, _ configuration: Server.Configuration
    ) throws(ServerError) -> (Engine, Server.Address) {
        let terms = try Terms(handler, configuration)
        var loops: [EventLoop] = []
        for _ in 0..<max(1, configuration.loops) {
            guard let loop = EventLoop(terms), loop.start() else {
                abandon(loops, terms.listener)
                throw .outOfResources
            }
            loops.append(loop)
        }
        return (Engine(terms, loops), terms.address)
    }

    /// Ends the loops of a server that could not start all of them; the last closes the listener, from which each may
    /// accept until it drains.
    private static func abandon(_ loops: [EventLoop], _ listener: ListeningSocket) {
        guard !loops.isEmpty else { return _ = close(listener.descriptor) }
        let left = Mutex(loops.count)
        for loop in loops {
            loop.drain(until: 0) {
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { _ = close(listener.descriptor) }
            }
        }
    }

    /// Of all loops, also those that linger after their last answer.
    var connectionCount: Int { terms.census.total }

    /// Drains every loop, all at once, and returns when no connection is left.
    func stop(grace: Duration) async {
        let deadline = terms.uptime() &+ grace.nanoseconds
        await withTaskGroup { group in
            for loop in loops {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        loop.drain(until: deadline) { continuation.resume() }
                    }
                }
            }
        }
        close(terms.listener.descriptor)
    }
}

#endif
