// SPDX-License-Identifier: Apache-2.0

/// A time in which no connection could be made.
///
/// Its attempts are one at a time, for all calls of a pool together: many nodes with many calls each would otherwise keep a
/// server from starting.
struct PostgresOutage: Sendable {
    /// The bounds of the pause between two attempts.
    private static let (shortest, longest) = (Duration.milliseconds(100), Duration.seconds(2))

    /// The reason of the latest failure.
    private(set) var error: PostgresError
    /// The time of the first failure.
    let start: ContinuousClock.Instant
    /// The time of the next attempt.
    private(set) var nextAttempt: ContinuousClock.Instant
    /// Whether the loss of the database has been reported; not while connections of the pool remain.
    var isReported = false
    private var pause = Self.shortest

    /// Creates the outage that a failure begins.
    init(_ error: PostgresError, at now: ContinuousClock.Instant) {
        self.error = error
        start = now
        nextAttempt = now
        schedule(at: now)
    }

    /// Continues after another failure.
    ///
    /// - Parameter isLast: Whether no other attempt is under way; those that began before the outage fail together, and count as
    ///   one.
    mutating func `continue`(after error: PostgresError, at now: ContinuousClock.Instant, isLast: Bool) {
        self.error = error
        guard isLast else { return }
        pause = min(pause * 2, Self.longest)
        schedule(at: now)
    }

    /// Chooses the next time at random, so that nodes which have lost the same server come back one after the other.
    private mutating func schedule(at now: ContinuousClock.Instant) {
        nextAttempt = now + pause * Double.random(in: 0.5...1)
    }
}
