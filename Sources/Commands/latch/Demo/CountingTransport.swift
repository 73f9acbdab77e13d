// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// The real transport, with a count of what went over it.
final class CountingTransport: Handler {
    /// What went over it so far.
    struct Counts: Sendable {
        /// Requests for a renewal.
        var renewals = 0
        /// Requests for anything else.
        var others = 0
        /// Answers that refused the credential.
        var refusals = 0
        /// Requests without an answer, now and at most.
        var (open, peak) = (0, 0)
        /// How long the answer to the last renewal took.
        var lastRenewal = Duration.zero
    }

    private let counted = Mutex(Counts())
    private let live = Transport.live

    /// All counts of one moment.
    var counts: Counts { counted.withLock { $0 } }

    /// Counts before and after; the time of a renewal is that which the kills are spread over.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let isRenewal = request.path.hasSuffix("/refresh-token")
        counted.withLock { counts in
            if isRenewal { counts.renewals += 1 } else { counts.others += 1 }
            counts.open += 1
            counts.peak = max(counts.peak, counts.open)
        }
        defer { counted.withLock { $0.open -= 1 } }
        let begin = ContinuousClock.now
        let response = try await live.respond(to: request)
        counted.withLock { counts in
            if response.status == .unauthorized { counts.refusals += 1 }
            if isRenewal { counts.lastRenewal = ContinuousClock.now - begin }
        }
        return response
    }
}
