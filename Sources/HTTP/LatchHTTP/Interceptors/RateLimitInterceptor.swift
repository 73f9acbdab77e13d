// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import LatchCore

/// Holds requests back so that no more begin than a server allows.
///
/// ```swift
/// RateLimitInterceptor(requests: 10, per: .seconds(1))     // for each origin by itself
/// ```
///
/// Inside of `RetryInterceptor` each attempt counts, which is what a server counts.
public struct RateLimitInterceptor: Interceptor {
    private let limiter: @Sendable (HTTPRequest) -> RateLimiter
    private let clock: WallClock
    private let longestPause: Duration

    /// An interceptor with one limit for each key.
    ///
    /// - Parameters:
    ///   - requests: How many may begin within the interval.
    ///   - interval: The window that slides.
    ///   - longestPause: For how long at most a server's `Retry-After` (with 429 or 503) holds back all requests of the
    ///     same key; zero to leave that to the one request that was refused.
    ///   - key: What is counted together; by default each origin.
    public init(
        requests: Int, per interval: Duration, pausingUpTo longestPause: Duration = .seconds(60),
        clock: WallClock = .system, by key: @escaping @Sendable (HTTPRequest) -> String = { $0.origin.description }
    ) {
        let limiters = RateLimiters { RateLimiter(requests: requests, per: interval, clock: clock) }
        limiter = { limiters[key($0)] }
        self.clock = clock
        self.longestPause = longestPause
    }

    /// An interceptor with a limiter that others may share.
    public init(
        _ limiter: RateLimiter, pausingUpTo longestPause: Duration = .seconds(60), clock: WallClock = .system
    ) {
        self.limiter = { _ in limiter }
        self.clock = clock
        self.longestPause = longestPause
    }

    /// Asks `next` when it is the request's turn.
    ///
    /// - Throws: `HTTPError.cancelled` where the task is cancelled before, `HTTPError.timeout` where its deadline passes
    ///   before, and what `next` throws.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let limiter = limiter(request)
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

/// One limiter for each key that is in use.
private final class RateLimiters: Sendable {
    private let limiters = Mutex<(byKey: [String: RateLimiter], sweep: Int)>(([:], 256))
    private let make: @Sendable () -> RateLimiter

    init(_ make: @escaping @Sendable () -> RateLimiter) { self.make = make }

    /// The limiter of a key; now and then those that hold nothing back are forgotten, since keys may come from others.
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
