// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The time of day and the means to wait, as a value that tests replace.
///
/// Expiry is about dates that a server wrote, so `now` is wall time; waiting is about durations, so `sleep` runs on
/// a monotonic clock and does not jump with the date.
public struct WallClock: Sendable {
    /// Two closures and not a protocol: a fake is then a value made where it is used.
    private let readNow: @Sendable () -> Date
    private let wait: @Sendable (Duration) async throws -> Void
    private let readUptime: @Sendable () -> Duration

    /// A clock made of a way to read the date, a way to wait and a way to measure.
    ///
    /// - Parameters:
    ///   - sleep: Returns after the duration, or throws `CancellationError` as soon as the task is cancelled.
    ///   - uptime: The time since some moment that never changes; by default this machine's monotonic clock.
    public init(
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        uptime: @escaping @Sendable () -> Duration = { monotonicStart.duration(to: .now) }
    ) {
        readNow = now
        wait = sleep
        readUptime = uptime
    }

    /// The clock of this machine.
    public static let system = WallClock(
        now: { Date() },
        sleep: { try await Task.sleep(for: $0, clock: .continuous) }
    )

    /// The current date, which people and time servers may set back: do not measure with it.
    public var now: Date { readNow() }

    /// The time since a moment that never changes: the one to measure with, since no date setting moves it.
    public var uptime: Duration { readUptime() }

    /// Waits for `duration`; one that is over already returns at once.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    public func sleep(for duration: Duration) async throws {
        try await wait(duration)
    }
}

/// What `WallClock.uptime` counts from, unless it is given.
@usableFromInline let monotonicStart = ContinuousClock.now
