// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LatchCore
import Synchronization

/// Counts the connections of all loops, altogether and by address.
final class ConnectionCensus: Sendable {
    /// Guarded by one lock, which is taken once for each connection and not for each request.
    private struct Count {
        /// Of all loops at this moment.
        var total = 0
        var byAddress: [UInt64: Int] = [:]
    }

    private let count = Mutex(Count())
    /// Of the process, since each connection is a descriptor.
    private let limit: Int
    /// So that one client cannot take all of them.
    private let limitPerAddress: Int

    /// Of whose connections any number may be there: each is one of another client.
    private let proxies: TrustedProxies

    init(limit: Int, perAddress: Int, besides proxies: TrustedProxies = TrustedProxies()) {
        self.limit = limit
        limitPerAddress = perAddress
        self.proxies = proxies
    }

    var total: Int { count.withLock { $0.total } }

    /// Counts a connection in, unless there is no room for it.
    func admits(_ peer: PeerAddress) -> Bool {
        let isBounded = !proxies.contain(peer.text)
        return count.withLock { count in
            guard count.total < limit else { return false }
            if isBounded, count.byAddress[peer.key, default: 0] >= limitPerAddress { return false }
            count.total += 1
            count.byAddress[peer.key, default: 0] += 1
            return true
        }
    }

    /// Counts a connection out.
    func leaves(_ peer: PeerAddress) {
        count.withLock { count in
            count.total -= 1
            let left = count.byAddress[peer.key, default: 1] - 1
            count.byAddress[peer.key] = left > 0 ? left : nil
        }
    }
}

#endif
