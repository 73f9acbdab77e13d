// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import LatchCore

/// Lets so many requests begin within any interval, and the others wait in the order in which they came.
///
/// ```swift
/// let limiter = RateLimiter(requests: 10, per: .seconds(1))
/// try await limiter.acquire()
/// ```
///
/// The window slides: there is no moment at which twice as many may begin. It is measured on a clock that no change of
/// the date moves. Of those who wait only the first one sleeps, until the very moment of its turn; one who is cancelled
/// leaves the line, and its place is the next one's. Each call costs the same, however many wait.
public final class RateLimiter: Sendable {
    /// When the last requests began, up to as many as the window holds, and from when on any may begin again.
    private struct Window {
        /// A ring once it is full: `oldest` is then overwritten next.
        var starts: [Duration] = []
        var oldest = 0
        /// Until then the server wants nothing.
        var pausedUntil: Duration?
    }

    private let capacity: Int
    private let interval: Duration
    private let clock: WallClock
    private let window = Mutex(Window())
    /// Whose turn it is to take the next place.
    private let turn = AsyncMutex()

    /// A limiter.
    ///
    /// - Parameters:
    ///   - requests: How many may begin within the interval; at least 1.
    ///   - interval: At least a millisecond.
    public init(requests: Int, per interval: Duration, clock: WallClock = .system) {
        capacity = max(requests, 1)
        self.interval = max(interval, .milliseconds(1))
        self.clock = clock
    }

    /// Waits until the next request may begin, and counts it.
    ///
    /// - Throws: `HTTPError.cancelled` where the task is cancelled before; nothing is counted then.
    public func acquire() async throws {
        guard !Task.isCancelled else { throw HTTPError.cancelled }
        if !turn.isTaken, place() == nil { return }
        do {
            try await turn.take {
                while let wait = place() {
                    try await clock.sleep(for: wait)
                    try Task.checkCancellation()
                }
            }
        } catch is CancellationError {
            throw HTTPError.cancelled
        }
    }

    /// Lets no request begin for a while, because the server asked for it; a longer pause that is set already stays.
    public func pause(for duration: Duration) {
        let end = clock.uptime + duration
        window.withLock { $0.pausedUntil = max($0.pausedUntil ?? end, end) }
    }

    /// How many wait.
    public var waiting: Int { turn.waiting + (turn.isTaken ? 1 : 0) }

    /// Whether it holds nothing back and remembers nothing that still counts.
    var isIdle: Bool {
        let now = clock.uptime
        return !turn.isTaken
            && window.withLock { window in
                let newest = window.starts.max()
                return (newest.map { now - $0 >= interval } ?? true) && (window.pausedUntil.map { $0 <= now } ?? true)
            }
    }

    /// Takes a place in the window; otherwise says after what time to come back.
    private func place() -> Duration? {
        let now = clock.uptime
        return window.withLock { window in
            if let end = window.pausedUntil {
                guard end <= now else { return end - now }
                window.pausedUntil = nil
            }
            guard window.starts.count == capacity else {
                window.starts.append(now)
                return nil
            }
            let age = now - window.starts[window.oldest]
            guard age >= interval else { return interval - age }
            window.starts[window.oldest] = now
            window.oldest = (window.oldest + 1) % capacity
            return nil
        }
    }
}
