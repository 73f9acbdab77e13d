// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP

/// A rate limiter for any interval; waiting requests proceed in order.
public actor RateLimiter: RateLimiting {
    private nonisolated let limiter: LatchHTTP.RateLimiter

    /// Creates a limiter.
    public init(configuration: RateLimitConfiguration) { self.init(configuration: configuration, clock: .system) }

    /// Creates a limiter with a clock.
    package init(configuration: RateLimitConfiguration, clock: WallClock) {
        limiter = LatchHTTP.RateLimiter(
            requests: configuration.requests, per: .seconds(configuration.perInterval), clock: clock)
    }

    /// Waits until a request is permitted, and counts it.
    ///
    /// - Throws: `CancellationError` if the task is canceled while it waits.
    public nonisolated func acquirePermit() async throws {
        do {
            try await limiter.acquire()
        } catch HTTPError.cancelled {
            throw CancellationError()
        }
    }
}

/// A maximum number of requests per interval.
public struct RateLimitConfiguration: Sendable, Hashable {
    /// The maximum number of requests; at least 1.
    public let requests: Int
    /// The interval in seconds; at least a millisecond.
    public let perInterval: TimeInterval

    /// Creates a limit; values out of range are clamped.
    public init(requests: Int, perInterval: TimeInterval) {
        self.requests = max(1, requests)
        self.perInterval = perInterval.isNaN ? 0.001 : min(max(0.001, perInterval), 86_400)
    }
}

/// A rate limiter.
public protocol RateLimiting: Sendable {
    /// Waits until a request is permitted.
    ///
    /// - Throws: `CancellationError` if the task is canceled while it waits; other callers can then use the permit.
    func acquirePermit() async throws
}

/// An interceptor that acquires a permit before each attempt.
struct PermitInterceptor: Interceptor {
    let limiter: any RateLimiting

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await limiter.acquirePermit()
        return try await next.respond(to: request)
    }
}
