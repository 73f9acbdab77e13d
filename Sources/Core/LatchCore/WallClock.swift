// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A clock with the date, a monotonic time and sleep, as a value that tests can replace.
///
/// Expiry compares dates that a server wrote, so `now` is wall time. Waiting concerns durations, so `sleep` runs on a
/// monotonic clock and does not jump with the date.
public struct WallClock: Sendable {
    private let readNow: @Sendable () -> Date
    private let wait: @Sendable (Duration) async throws -> Void
    private let readUptime: @Sendable () -> Duration
    private let watchDate: @Sendable () -> AsyncStream<Void>

    /// Creates a clock of closures.
    ///
    /// - Parameters:
    ///   - now: A function that returns the current date.
    ///   - sleep: A function that returns after the duration, or throws `CancellationError` as soon as the task is
    ///     canceled.
    ///   - uptime: A function that returns a monotonic time; by default that of this machine.
    ///   - dateChanges: A function that returns a stream with one element for each time the date is set; by default an
    ///     empty one.
    public init(
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        uptime: @escaping @Sendable () -> Duration = { monotonicStart.duration(to: .now) },
        dateChanges: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
    ) {
        readNow = now
        wait = sleep
        readUptime = uptime
        watchDate = dateChanges
    }

    /// The clock of this machine.
    public static let system = WallClock(
        now: { Date() },
        sleep: { try await Task.sleep(for: $0, clock: .continuous) },
        dateChanges: { DateWatch.changes() }
    )

    /// The current date, which may be set back; to measure durations, use ``uptime``.
    public var now: Date { readNow() }

    /// The monotonic time, for measuring durations; setting the date does not change it.
    public var uptime: Duration { readUptime() }

    /// Returns a stream with one element for each time the date is set, by a user or a time server.
    ///
    /// Code that waits for a date must then check it again. Jumps in quick succession may be one element. If the system
    /// cannot report jumps, the stream ends immediately.
    public func dateChanges() -> AsyncStream<Void> { watchDate() }

    /// Waits for `duration`; returns immediately if it is not positive.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    public func sleep(for duration: Duration) async throws {
        try await wait(duration)
    }
}

/// The origin of the default `WallClock.uptime`.
@usableFromInline let monotonicStart = ContinuousClock.now

extension Duration {
    /// The duration in seconds, as in Foundation; beyond 104 days nanoseconds are rounded.
    package var inSeconds: Double {
        if let attoseconds = Int64(exactly: attoseconds) { return Double(attoseconds) / 1e18 }
        // Each access divides by 10¹⁸ in 128 bits.
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}

extension WallClock {
    /// Returns the result of `body`, or of `late` after the limit; then `body` continues and its result is ignored.
    package func result<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () async -> Result,
        orLate late: @escaping @Sendable () -> Result
    ) async -> Result {
        // The first result wins. Both run in separate tasks, so that neither delays the response.
        let (results, continuation) = AsyncStream.makeStream(of: Result.self)
        Task { continuation.yield(await body()) }
        let timer = Task {
            try await sleep(for: limit)
            continuation.yield(late())
        }
        defer { timer.cancel() }
        for await result in results { return result }
        return late()
    }
}
