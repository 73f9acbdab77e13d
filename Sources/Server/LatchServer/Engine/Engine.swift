// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The listening sockets and the loops that serve them.
final class Engine: Sendable {
    /// The shared configuration; `stop` closes its listeners when no loop accepts connections.
    private let configuration: EngineConfiguration
    /// The loops, at least one; a connection stays with the loop that began to serve it.
    private let loops: [EventLoop]

    private init(_ configuration: EngineConfiguration, _ loops: [EventLoop]) {
        self.configuration = configuration
        self.loops = loops
    }

    /// Listens and starts at least one loop; if the start fails, the sockets are closed.
    static func start(_ shared: EngineConfiguration, loops count: Int) throws(ServerError) -> Engine {
        try shared.startListening()
        var loops: [EventLoop] = []
        for _ in 0..<max(1, count) {
            guard let loop = EventLoop(shared), loop.start() else {
                if loops.isEmpty {
                    shared.stopListening()
                } else {
                    // Running loops may already hold connections; the last loop that ends closes the listeners.
                    let started = Engine(shared, loops)
                    Task { await started.stop(grace: .zero) }
                }
                throw .outOfResources
            }
            loops.append(loop)
            shared.loops.add(loop)
        }
        return Engine(shared, loops)
    }

    /// The number of connections of each loop.
    var connectionCounts: [Int] { loops.map(\.connectionCount) }

    /// The bytes that the requests of all loops hold.
    var memory: MemoryBudget { configuration.memory }

    /// The TLS context of later connections; nil for plain HTTP.
    var tls: CurrentTLSContext? { configuration.tls }

    /// Drains all loops concurrently, and returns when no connection is left.
    ///
    /// The listeners are closed with the last accept. If a connection is refused, a load balancer uses another server.
    /// If the system completes the handshake, the load balancer waits.
    func stop(grace: Duration) async {
        let deadline = configuration.uptime() &+ grace.nanoseconds
        let accepting = Countdown(loops.count)
        await withTaskGroup { group in
            for loop in loops {
                group.addTask { [configuration] in
                    await withCheckedContinuation { continuation in
                        loop.drain(until: deadline) {
                            if accepting.isLast() { configuration.stopListening() }
                        } completion: {
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    /// A count of loops, to find the last one that ends.
    private final class Countdown: Sendable {
        private let count: Atomic<Int>

        init(_ count: Int) { self.count = Atomic(count) }

        func isLast() -> Bool { count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
    }
}
