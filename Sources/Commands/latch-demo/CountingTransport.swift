// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// The live transport with counters.
final class CountingTransport: Handler {
    /// The counts so far.
    struct Counts: Sendable {
        /// The number of refresh requests.
        var refreshes = 0
        /// The number of other requests.
        var others = 0
        /// The number of responses with status 401.
        var refusals = 0
        /// The current and the maximum number of requests in flight.
        var (open, peak) = (0, 0)
        /// The duration of the last refresh request.
        var lastRefresh = Duration.zero
    }

    private let counted = Mutex(Counts())
    private let live = Transport.live

    /// A consistent snapshot of all counts.
    var counts: Counts { counted.withLock { $0 } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let isRefresh = request.path.hasSuffix("/refresh-token")
        counted.withLock { counts in
            if isRefresh { counts.refreshes += 1 } else { counts.others += 1 }
            counts.open += 1
            counts.peak = max(counts.peak, counts.open)
        }
        defer { counted.withLock { $0.open -= 1 } }
        let begin = ContinuousClock.now
        let response = try await live.respond(to: request)
        counted.withLock { counts in
            if response.status == .unauthorized { counts.refusals += 1 }
            if isRefresh { counts.lastRefresh = ContinuousClock.now - begin }
        }
        return response
    }
}
