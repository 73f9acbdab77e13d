// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// When a stream of events is connected again after it broke.
public struct Reconnection: Sendable {
    /// The wait after a connection that has brought something; the server's own wish takes its place.
    public var delay: Duration
    /// The longest wait: each failure in a row doubles it up to here, and no server can wish for more.
    public var maximumDelay: Duration
    /// How many connections in a row may fail before the stream ends with the last failure; nil for any number.
    public var attempts: Int?
    /// How long a connection may bring nothing at all, not even a comment, before it counts as broken; nil for any time.
    ///
    /// A server that sends a comment each quarter of a minute, as HTML §9.2.7 advises, shows that it is still there.
    public var silence: Duration?

    /// Waits for three seconds, twice as long after each failure, a minute at most.
    public init(
        delay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60), attempts: Int? = nil,
        silence: Duration? = nil
    ) {
        self.delay = delay
        self.maximumDelay = maximumDelay
        self.attempts = attempts
        self.silence = silence
    }

    /// Never connects again: the stream ends when the connection does.
    public static let never = Reconnection(attempts: 0)

    /// The wait before the next connection, half of it by chance, so that clients do not come back all at once.
    ///
    /// - Parameters:
    ///   - failures: How many connections in a row have failed.
    ///   - wish: What the server asked for.
    func wait(after failures: Int, wish: Duration?, random: RandomSource) -> Duration {
        let first = min(wish ?? delay, maximumDelay)
        guard failures > 0 else { return first }
        let longest = min(first * Double(1 << min(failures, 20)), maximumDelay)
        return longest * (0.5 + random.unit() / 2)
    }
}
