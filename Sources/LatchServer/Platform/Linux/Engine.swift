// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc
import LatchHTTP

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
                loops.forEach { $0.drain(until: 0) {} }
                close(terms.listener.descriptor)
                throw .outOfResources
            }
            loops.append(loop)
        }
        return (Engine(terms, loops), terms.address)
    }

    /// Of all loops, also those that linger after their last answer.
    var connectionCount: Int { terms.census.total }

    /// Drains every loop, all at once, and returns when no connection is left.
    func stop(grace: Duration) async {
        let deadline = EventLoop.monotonicNow() &+ grace.nanoseconds
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
