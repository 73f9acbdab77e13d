// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// The time of day and the means to wait, as a value that tests replace.
///
/// Expiry is about dates that a server wrote, so `now` is wall time; waiting is about durations, so `sleep` runs on
/// a monotonic clock and does not jump with the date.
public struct WallClock: Sendable {
    /// Two closures and not a protocol: a fake is then a value made where it is used.
    private let readNow: @Sendable () -> Date
    private let wait: @Sendable (Duration) async throws -> Void
    private let readUptime: @Sendable () -> Duration
    private let watchDate: @Sendable () -> AsyncStream<Void>

    /// A clock made of a way to read the date, a way to wait, a way to measure and a way to hear of jumps.
    ///
    /// - Parameters:
    ///   - sleep: Returns after the duration, or throws `CancellationError` as soon as the task is cancelled.
    ///   - uptime: The time since some moment that never changes; by default this machine's monotonic clock.
    ///   - dateChanges: One element each time the date was set; by default none, and an end at once.
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

    /// The current date, which people and time servers may set back: do not measure with it.
    public var now: Date { readNow() }

    /// The time since a moment that never changes: the one to measure with, since no date setting moves it.
    public var uptime: Duration { readUptime() }

    /// One element each time somebody has set the date, a person or a time server: who waits for a date has to look
    /// again then.
    ///
    /// Jumps that come together may be one element. Where the system does not tell, the stream ends at once.
    public func dateChanges() -> AsyncStream<Void> { watchDate() }

    /// Waits for `duration`; one that is over already returns at once.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    public func sleep(for duration: Duration) async throws {
        try await wait(duration)
    }
}

/// What `WallClock.uptime` counts from, unless it is given.
@usableFromInline let monotonicStart = ContinuousClock.now
