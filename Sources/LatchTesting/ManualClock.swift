// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import LatchCore

/// A clock whose date stands still until a test moves it.
public final class ManualClock: Sendable {
    /// One date for all who took the clock.
    private let date: Lock<Date>

    /// A clock that shows `date`.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_800_000_000)) { self.date = Lock(date) }

    /// The date that it shows.
    public var now: Date { date.withLock { $0 } }

    /// Moves the date.
    public func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }

    /// The clock as others take it.
    ///
    /// Who waits by it waits until the task ends: what is to happen is brought about by the test.
    ///
    /// - Parameter skew: By how many seconds the one who takes it goes wrong.
    public func wallClock(skew: TimeInterval = 0) -> WallClock {
        WallClock(
            now: { self.now.addingTimeInterval(skew) },
            sleep: { _ in try await Task.sleep(for: .seconds(86_400), clock: .continuous) },
            uptime: { .seconds(self.now.timeIntervalSince1970) })
    }
}
