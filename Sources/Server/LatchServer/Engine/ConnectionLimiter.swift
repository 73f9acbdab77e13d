// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Limits the number of open connections of all loops and the memory of their requests, in total and per address.
final class ConnectionLimiter: Sendable {
    private struct Counts {
        var total = 0
        var byAddress: [UInt64: (count: Int, memory: MemoryBudget)] = [:]
    }

    /// The open connections; locked once for each connection and not for each request.
    private let counts = Mutex(Counts())
    /// The maximum for the process, since each connection is a descriptor.
    private let limit: Int
    /// The maximum for one address, so that one client cannot take all of them.
    private let limitPerAddress: Int
    /// The proxies, to which the limit per address does not apply: their connections are those of many clients.
    private let proxies: TrustedProxies
    /// The memory of all requests, of which an address has a share.
    private let memory: MemoryBudget

    init(limit: Int, perAddress: Int, memory: MemoryBudget, except proxies: TrustedProxies = TrustedProxies()) {
        self.limit = limit
        limitPerAddress = perAddress
        self.memory = memory
        self.proxies = proxies
    }

    var total: Int { counts.withLock { $0.total } }

    /// Counts a connection and returns the memory for its requests; nil if it would exceed a limit.
    func acquire(_ peer: PeerAddress) -> MemoryBudget? {
        let isLimited = !proxies.contains(peer.text)
        return counts.withLock { counts in
            guard counts.total < limit else { return nil }
            if counts.byAddress.count > 2 * counts.total + 64 {
                counts.byAddress = counts.byAddress.filter { $1.count > 0 || $1.memory.heldBytes > 0 }
            }
            let address = counts.byAddress[peer.key] ?? (0, isLimited ? memory.share() : memory)
            if isLimited, address.count >= limitPerAddress { return nil }
            counts.total += 1
            counts.byAddress[peer.key] = (address.count + 1, address.memory)
            return address.memory
        }
    }

    /// Releases a connection that `acquire(_:)` counted.
    ///
    /// A handler may go on without its connection; what it holds still counts for the address.
    func release(_ peer: PeerAddress) {
        counts.withLock { counts in
            counts.total -= 1
            guard let address = counts.byAddress[peer.key] else { return }
            let isHolding = address.memory !== memory && address.memory.heldBytes > 0
            counts.byAddress[peer.key] =
                address.count > 1 || isHolding ? (address.count - 1, address.memory) : nil
        }
    }
}
