// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The number of open connections of a server, and what became of others since its start.
package struct ConnectionStatistics: Sendable, Hashable {
    /// The open connections, including those that linger after their last response.
    package let open: Int
    /// The connections over a limit, which were closed.
    package let refused: Int
    /// The attempts to accept a connection that failed, since the process had no descriptor or memory left.
    package let exhaustions: Int
}

/// Limits the number of open connections of all loops and the memory of their requests, in total and per address.
final class ConnectionLimiter: Sendable {
    private struct Counts {
        var total = 0, refused = 0, exhaustions = 0
        /// The time of the last exhaustion that was reported; nil if none was.
        var reported: UInt64?
        var byAddress: [UInt64: (count: Int, memory: MemoryBudget)] = [:]
    }

    /// The open connections; locked once for each connection and not for each request.
    private let counts = Mutex(Counts())
    /// The maximum for the process, since each connection is a descriptor.
    private let limit: Int
    /// The maximum for one address, so that one client cannot take all of them.
    private let limitPerAddress: Int
    /// The proxies, to which the limits per address do not apply: their connections are those of many clients.
    private let proxies: TrustedProxies
    /// The memory of all requests, of which an address has a share.
    let memory: MemoryBudget

    init(limit: Int, perAddress: Int, memory: MemoryBudget, except proxies: TrustedProxies = TrustedProxies()) {
        self.limit = limit
        limitPerAddress = perAddress
        self.memory = memory
        self.proxies = proxies
    }

    /// Creates a limiter with the limits of a server.
    convenience init(_ configuration: Server.Configuration) {
        self.init(
            limit: configuration.maximumConnections, perAddress: configuration.maximumConnectionsPerAddress,
            memory: MemoryBudget(limit: configuration.maximumContentBytes), except: configuration.trustedProxies)
    }

    /// The number of open connections.
    var total: Int { counts.withLock { $0.total } }

    /// The connections that are open, and what became of others.
    var statistics: ConnectionStatistics {
        counts.withLock {
            ConnectionStatistics(open: $0.total, refused: $0.refused, exhaustions: $0.exhaustions)
        }
    }

    /// Counts an attempt to accept a connection that failed, since the process has no descriptor or memory left.
    ///
    /// - Returns: Whether to report it: it is the first within a minute, of all loops.
    func noteExhaustion(at now: UInt64) -> Bool {
        counts.withLock { counts in
            counts.exhaustions += 1
            // The loops do not read the time at one moment.
            if let last = counts.reported, now < last &+ 60_000_000_000 { return false }
            counts.reported = now
            return true
        }
    }

    /// Counts a connection and returns the memory for its requests; nil if it would exceed a limit.
    func acquire(_ peer: PeerAddress) -> MemoryBudget? {
        let isProxy = proxies.contains(peer.text)
        return counts.withLock { counts in
            guard counts.total < limit else {
                counts.refused += 1
                return nil
            }
            guard !isProxy else {
                counts.total += 1
                return memory
            }
            if counts.byAddress.count > 2 * counts.total + 64 {
                counts.byAddress = counts.byAddress.filter { $1.count > 0 || $1.memory.heldBytes > 0 }
            }
            let address = counts.byAddress[peer.key] ?? (0, memory.share())
            guard address.count < limitPerAddress else {
                counts.refused += 1
                return nil
            }
            counts.total += 1
            counts.byAddress[peer.key] = (address.count + 1, address.memory)
            return address.memory
        }
    }

    /// Releases a connection that `acquire(_:)` counted.
    ///
    /// A handler may go on without its connection; what it holds still counts for the address.
    func release(_ peer: PeerAddress) {
        let isProxy = proxies.contains(peer.text)
        counts.withLock { counts in
            counts.total -= 1
            guard !isProxy, let address = counts.byAddress[peer.key] else { return }
            counts.byAddress[peer.key] =
                address.count > 1 || address.memory.heldBytes > 0 ? (address.count - 1, address.memory) : nil
        }
    }
}
