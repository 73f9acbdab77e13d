// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchCore
import Synchronization

/// Limits the number of open connections of all loops, in total and per address.
final class ConnectionLimiter: Sendable {
    private struct Counts {
        var total = 0
        var byAddress: [UInt64: Int] = [:]
    }

    /// The open connections; locked once for each connection and not for each request.
    private let counts = Mutex(Counts())
    /// The maximum for the process, since each connection is a descriptor.
    private let limit: Int
    /// The maximum for one address, so that one client cannot take all of them.
    private let limitPerAddress: Int
    /// The proxies, to which the limit per address does not apply: their connections are those of many clients.
    private let proxies: TrustedProxies

    init(limit: Int, perAddress: Int, except proxies: TrustedProxies = TrustedProxies()) {
        self.limit = limit
        limitPerAddress = perAddress
        self.proxies = proxies
    }

    var total: Int { counts.withLock { $0.total } }

    /// Counts a connection and returns true, unless it would exceed a limit.
    func acquire(_ peer: PeerAddress) -> Bool {
        let isLimited = !proxies.contains(peer.text)
        return counts.withLock { counts in
            guard counts.total < limit else { return false }
            if isLimited, counts.byAddress[peer.key, default: 0] >= limitPerAddress { return false }
            counts.total += 1
            counts.byAddress[peer.key, default: 0] += 1
            return true
        }
    }

    /// Releases a connection that `acquire(_:)` counted.
    func release(_ peer: PeerAddress) {
        counts.withLock { counts in
            counts.total -= 1
            let remaining = counts.byAddress[peer.key, default: 1] - 1
            counts.byAddress[peer.key] = remaining > 0 ? remaining : nil
        }
    }
}

#endif
