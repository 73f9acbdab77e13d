// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc
import LatchCore
import Synchronization

/// The listening socket and the loops that serve it.
final class Engine: Sendable {
    /// The shared configuration; its listener is closed by `stop`, after the last loop has drained.
    private let configuration: EngineConfiguration
    /// The loops, at least one; a connection stays with the loop that accepted it.
    private let loops: [EventLoop]

    private init(_ configuration: EngineConfiguration, _ loops: [EventLoop]) {
        self.configuration = configuration
        self.loops = loops
    }

    /// Listens and starts the loops.
    static func start(
        _ handler: any Handler, _ configuration: Server.Configuration
    ) throws(ServerError) -> (Engine, Server.Address) {
        let shared = try EngineConfiguration(handler, configuration)
        var loops: [EventLoop] = []
        for _ in 0..<max(1, configuration.loops) {
            guard let loop = EventLoop(shared), loop.start() else {
                abandon(loops, shared.listener)
                throw .outOfResources
            }
            loops.append(loop)
        }
        return (Engine(shared, loops), shared.address)
    }

    /// Ends the loops of a server that could not start all of them.
    ///
    /// Each may accept until it drains, so the last one closes the listener.
    private static func abandon(_ loops: [EventLoop], _ listener: ListeningSocket) {
        guard !loops.isEmpty else { return _ = close(listener.descriptor) }
        let remaining = Mutex(loops.count)
        for loop in loops {
            loop.drain(until: 0) {
                let isLast = remaining.withLock { remaining in
                    remaining -= 1
                    return remaining == 0
                }
                if isLast { _ = close(listener.descriptor) }
            }
        }
    }

    /// The number of open connections of all loops, including those that linger after their last response.
    var connectionCount: Int { configuration.limiter.total }

    /// Drains all loops at once, and returns when no connection is left.
    func stop(grace: Duration) async {
        let deadline = configuration.uptime() &+ grace.nanoseconds
        await withTaskGroup { group in
            for loop in loops {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        loop.drain(until: deadline) { continuation.resume() }
                    }
                }
            }
        }
        close(configuration.listener.descriptor)
    }
}

#endif
