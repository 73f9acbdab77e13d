// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The number of a server's open connections, and of those refused or failed since its start.
package struct ConnectionStatistics: Sendable, Hashable {
    /// The open connections, including those that linger after their last response.
    package let open: Int
    /// The connections that were closed because they exceeded a limit.
    package let refused: Int
    /// The attempts to accept a connection that failed because the process had no descriptor or memory left.
    package let exhaustions: Int
}

/// Limits the number of open connections of all loops and the memory of their requests, in total and per address.
final class ConnectionLimiter: Sendable {
    private struct Counts {
        var total = 0, refused = 0, exhaustions = 0
        /// The time of the last reported exhaustion; nil if there was none.
        var reported: UInt64?
        var byAddress: [UInt64: (count: Int, memory: MemoryBudget)] = [:]
    }

    /// The open connections; locked once for each connection, not for each request.
    private let counts = Mutex(Counts())
    /// The maximum for the process, since each connection is a descriptor.
    private let limit: Int
    /// The maximum for one address, so that one client cannot use all connections.
    private let limitPerAddress: Int
    /// The proxies, to which the limits per address do not apply, since they connect for many clients.
    private let proxies: TrustedProxies
    /// The memory of all requests; each address has a share of it.
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

    /// The numbers of open, refused and failed connections.
    var statistics: ConnectionStatistics {
        counts.withLock {
            ConnectionStatistics(open: $0.total, refused: $0.refused, exhaustions: $0.exhaustions)
        }
    }

    /// Counts a failed attempt to accept a connection, because the process has no descriptor or memory left.
    ///
    /// - Returns: Whether to report it: it is the first one of all loops within a minute.
    func noteExhaustion(at now: UInt64) -> Bool {
        counts.withLock { counts in
            counts.exhaustions += 1
            // The loops do not read the time at the same moment.
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
    /// A handler may continue without its connection; its memory still counts for the address.
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
