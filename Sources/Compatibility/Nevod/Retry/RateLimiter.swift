// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP

/// Lets so many requests begin within any interval, and the others wait in the order in which they came.
public actor RateLimiter: RateLimiting {
    private nonisolated let limiter: LatchHTTP.RateLimiter

    /// A limiter.
    public init(configuration: RateLimitConfiguration) { self.init(configuration: configuration, clock: .system) }

    /// The same with a clock.
    package init(configuration: RateLimitConfiguration, clock: WallClock) {
        limiter = LatchHTTP.RateLimiter(
            requests: configuration.requests, per: .seconds(configuration.perInterval), clock: clock)
    }

    /// Returns as soon as one more request may begin, and counts it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile; its place is then the next one's.
    public nonisolated func acquirePermit() async throws {
        do {
            try await limiter.acquire()
        } catch HTTPError.cancelled {
            throw CancellationError()
        }
    }
}
