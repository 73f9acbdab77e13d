// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import Synchronization

/// An interceptor that delays requests so that they do not exceed the rate that a server allows.
///
/// ```swift
/// RateLimitInterceptor(requests: 10, per: .seconds(1))     // for each origin by itself
/// ```
///
/// Inside `RetryInterceptor` each attempt counts, as it does on the server.
public struct RateLimitInterceptor: Interceptor {
    private let limiters: RateLimiters
    private let key: @Sendable (HTTPRequest) -> String
    private let clock: WallClock
    private let longestPause: Duration

    /// Creates an interceptor with one limit for each key.
    ///
    /// - Parameters:
    ///   - requests: The number of requests that may begin within the interval; at least 1.
    ///   - interval: The duration of the sliding window; at least a millisecond.
    ///   - longestPause: The maximum duration for which a server's `Retry-After` (with 429 or 503) delays all requests
    ///     with the same key. Zero delays only the rejected request.
    ///   - clock: The clock that measures the window and the delays.
    ///   - key: A function that returns the key of a request; by default its origin.
    public init(
        requests: Int, per interval: Duration, pausingUpTo longestPause: Duration = .seconds(60),
        clock: WallClock = .system, by key: @escaping @Sendable (HTTPRequest) -> String = { $0.origin.description }
    ) {
        limiters = RateLimiters { RateLimiter(requests: requests, per: interval, clock: clock) }
        self.key = key
        self.clock = clock
        self.longestPause = longestPause
    }

    /// Calls `next` as soon as the limit allows it.
    ///
    /// - Throws: `HTTPError.cancelled` if the task is canceled first, `HTTPError.timeout` if the request's deadline
    ///   passes first, and the errors of `next`.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let limiter = limiters[key(request)]
        try await limiter.acquire()
        if let deadline = request.deadline, deadline.hasPassed { throw HTTPError.timeout }
        let response = try await next.respond(to: request)
        if response.status == .tooManyRequests || response.status == .serviceUnavailable, longestPause > .zero,
            let delay = response.retryDelay(now: clock.now)
        {
            limiter.pause(for: min(delay, longestPause))
        }
        return response
    }
}

/// The rate limiters of all keys in use.
private final class RateLimiters: Sendable {
    private let limiters = Mutex<(byKey: [String: RateLimiter], sweep: Int)>(([:], 256))
    private let make: @Sendable () -> RateLimiter

    init(_ make: @escaping @Sendable () -> RateLimiter) { self.make = make }

    /// The limiter of a key; idle limiters are removed regularly, since keys may come from untrusted sources.
    subscript(key: String) -> RateLimiter {
        limiters.withLock { limiters in
            if let limiter = limiters.byKey[key] { return limiter }
            if limiters.byKey.count >= limiters.sweep {
                limiters.byKey = limiters.byKey.filter { !$0.value.isIdle }
                limiters.sweep = max(256, limiters.byKey.count * 2)
            }
            let limiter = make()
            limiters.byKey[key] = limiter
            return limiter
        }
    }
}
