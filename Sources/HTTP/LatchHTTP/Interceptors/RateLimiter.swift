// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import Synchronization

/// A limiter for the number of requests that begin within any interval; it delays the others in their order of arrival.
///
/// ```swift
/// let limiter = RateLimiter(requests: 10, per: .seconds(1))
/// try await limiter.acquire()
/// ```
///
/// The window slides, so twice as many requests can never begin at the same time. It is measured on a clock that is
/// unaffected by changes of the date. Only the first waiting task sleeps, until exactly its turn. A canceled task
/// leaves the queue without using a slot. The cost of a call does not depend on the number of waiting tasks.
package final class RateLimiter: Sendable {
    /// The start times of the last requests, up to the window's capacity, and the end of a pause.
    private struct Window {
        /// The start times; when full, it is a ring buffer, and `oldest` is overwritten next.
        var starts: [Duration] = []
        var oldest = 0
        /// The time until which the server accepts no requests.
        var pausedUntil: Duration?
    }

    private let capacity: Int
    private let interval: Duration
    private let clock: WallClock
    private let window = Mutex(Window())
    /// The mutex held by the task that takes the next slot.
    private let queue = AsyncMutex()

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - requests: The number of requests that may begin within the interval; at least 1.
    ///   - interval: The duration of the window; at least a millisecond.
    package init(requests: Int, per interval: Duration, clock: WallClock = .system) {
        capacity = max(requests, 1)
        self.interval = max(interval, .milliseconds(1))
        self.clock = clock
    }

    /// Waits until the next request may begin, and counts it.
    ///
    /// - Throws: `HTTPError.cancelled` if the task is canceled first; then the request is not counted.
    package func acquire() async throws {
        guard !Task.isCancelled else { throw HTTPError.cancelled }
        if !queue.isLocked, takeSlot() == nil { return }
        do {
            try await queue.withLock {
                while let wait = takeSlot() {
                    try await clock.sleep(for: wait)
                    try Task.checkCancellation()
                }
            }
        } catch is CancellationError {
            throw HTTPError.cancelled
        }
    }

    /// Delays all requests for a while because the server required it; a longer pause that is already set is kept.
    package func pause(for duration: Duration) {
        let end = clock.uptime + duration
        window.withLock { $0.pausedUntil = max($0.pausedUntil ?? end, end) }
    }

    /// The number of waiting tasks.
    package var waiting: Int { queue.waiterCount + (queue.isLocked ? 1 : 0) }

    /// Whether no request is delayed, and no start time is within the period.
    var isIdle: Bool {
        let now = clock.uptime
        return !queue.isLocked
            && window.withLock { window in
                let newest = window.starts.max()
                return (newest.map { now - $0 >= interval } ?? true) && (window.pausedUntil.map { $0 <= now } ?? true)
            }
    }

    /// Takes a slot of the window, or returns the time to wait for one.
    private func takeSlot() -> Duration? {
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
