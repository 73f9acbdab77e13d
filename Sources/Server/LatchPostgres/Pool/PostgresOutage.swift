// SPDX-License-Identifier: Apache-2.0

/// A period in which no connection can be made.
///
/// A pool makes one attempt at a time for all its calls. Otherwise many nodes with many calls each would keep a server
/// from starting.
struct PostgresOutage: Sendable {
    /// The bounds of the pause between two attempts.
    private static let (shortest, longest) = (Duration.milliseconds(100), Duration.seconds(2))

    /// The reason for the latest failure.
    private(set) var error: PostgresError
    /// The time of the first failure.
    let start: ContinuousClock.Instant
    /// The time of the next attempt.
    private(set) var nextAttempt: ContinuousClock.Instant
    /// Whether the loss of the database was reported; false while the pool still has connections.
    var isReported = false
    private var pause = Self.shortest

    /// Creates the outage that begins with a failure.
    init(_ error: PostgresError, at now: ContinuousClock.Instant) {
        self.error = error
        start = now
        nextAttempt = now
        schedule(at: now)
    }

    /// Continues after another failure.
    ///
    /// - Parameter isLast: Whether no other attempt is running. Attempts that began before the outage fail together,
    ///   and count as one.
    mutating func `continue`(after error: PostgresError, at now: ContinuousClock.Instant, isLast: Bool) {
        self.error = error
        guard isLast else { return }
        pause = min(pause * 2, Self.longest)
        schedule(at: now)
    }

    /// Chooses the next time at random, so that nodes that have lost the same server do not all return at the same
    /// time.
    private mutating func schedule(at now: ContinuousClock.Instant) {
        nextAttempt = now + pause * Double.random(in: 0.5...1)
    }
}
