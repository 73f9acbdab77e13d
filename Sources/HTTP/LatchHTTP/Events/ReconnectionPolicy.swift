// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The rules of reconnecting a broken event stream.
public struct ReconnectionPolicy: Sendable {
    /// The delay after a connection that delivered data; the server's reconnection time takes precedence.
    public var delay: Duration
    /// The maximum delay, also for the server's value; each consecutive failure doubles the delay up to it.
    public var maximumDelay: Duration
    /// The maximum number of consecutive failures, after which the stream throws the last one; nil for no limit.
    public var maximumAttempts: Int?
    /// The duration without any data, including comments, after which a connection counts as broken; nil for no limit.
    ///
    /// A server that sends a comment every 15 seconds, as HTML §9.2.7 advises, shows that the connection works.
    public var idleTimeout: Duration?

    /// Creates a policy; the default delay is three seconds, doubled after each failure up to a minute.
    public init(
        delay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60), maximumAttempts: Int? = nil,
        idleTimeout: Duration? = nil
    ) {
        self.delay = delay
        self.maximumDelay = maximumDelay
        self.maximumAttempts = maximumAttempts
        self.idleTimeout = idleTimeout
    }

    /// A policy without reconnection: the stream ends when the connection does.
    public static let never = ReconnectionPolicy(maximumAttempts: 0)

    /// The shortest reconnection time that a server can request; with 0 its clients would reconnect in a loop.
    private static let shortestWish = Duration.milliseconds(500)

    /// Returns the delay before the next connection, partly random, so that clients do not reconnect at the same time.
    ///
    /// - Parameters:
    ///   - failures: The number of consecutive failures.
    ///   - wish: The reconnection time that the server requested.
    func wait(after failures: Int, wish: Duration?, random: RandomSource) -> Duration {
        let first = min(wish.map { max($0, min(delay, Self.shortestWish)) } ?? delay, maximumDelay)
        guard failures > 0 else {
            // Never earlier than the server requests, and not at the same time as its other clients.
            return min(.seconds(first.inSeconds * (1 + random.unit() / 2)), maximumDelay)
        }
        let policy = RetryPolicy(baseDelay: first, maximumDelay: maximumDelay, jitter: RetryPolicy.Jitter(0.5...1))
        return policy.delay(afterAttempt: failures + 1, random: random)
    }
}
