// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
import Synchronization

/// The check of the date before anything expires by it (decision 0105).
///
/// A date that is wrong by months would end every session whose client refreshes in the meantime.
package final class DateCheck: Sendable {
    /// A function that returns this machine's date if a time server keeps it correct; nil otherwise.
    package typealias Synchronized = @Sendable () -> Date?

    /// The accepted leap in seconds, for example of a server that is off from Thursday to the Tuesday after Easter.
    static let believedLeap = 5 * 86_400.0
    /// The maximum difference in seconds from the date of a time server.
    private static let tolerance = 60.0
    /// The time in seconds after which the stored date is replaced.
    private static let interval = 3_600.0

    private struct Belief {
        /// The newest believed date, and the monotonic time then.
        var date: Date
        var uptime: Duration
        var stored: Date?
    }

    private let clock: WallClock
    private let synchronized: Synchronized
    private let belief: Mutex<Belief>

    /// Creates a check that starts with the date in a store; without one, it believes the present date.
    package init(
        of store: IdentityStore, clock: WallClock,
        synchronized: @escaping Synchronized = { WallClock.synchronizedDate }
    ) async throws(IdentityError) {
        self.clock = clock
        self.synchronized = synchronized
        let stored = try await store.believedDate()
        belief = Mutex(Belief(date: stored ?? clock.now, uptime: clock.uptime, stored: stored))
    }

    /// Whether the present date follows from the last believed date, or a time server confirms it.
    ///
    /// A date before the last one is believed, since nothing expires too early by it.
    package var isBelieved: Bool {
        let (now, uptime) = (clock.now, clock.uptime)
        return belief.withLock { belief in
            let leap = now.timeIntervalSince(belief.date) - (uptime - belief.uptime).inSeconds
            guard leap > 0 else { return true }
            guard leap <= Self.believedLeap || isSynchronized(now) else { return false }
            (belief.date, belief.uptime) = (now, uptime)
            return true
        }
    }

    private func isSynchronized(_ now: Date) -> Bool {
        guard let date = synchronized() else { return false }
        return abs(now.timeIntervalSince(date)) <= Self.tolerance
    }

    /// Requires a believed date, before something expires by it.
    ///
    /// - Throws: `IdentityError.doubtfulDate`.
    package func require() throws(IdentityError) { if !isBelieved { throw .doubtfulDate } }

    /// Stores the date once an hour; in doubt, reads the date that an operator or another server has accepted.
    ///
    /// - Throws: `IdentityError.doubtfulDate` with the dates, for the operator, or a store's error.
    package func update(_ store: IdentityStore) async throws(IdentityError) {
        if !isBelieved, let stored = try await store.believedDate() { accept(stored) }
        let now = clock.now
        let (last, stored) = belief.withLock { ($0.date, $0.stored) }
        guard isBelieved else { throw .doubtfulDate(now, after: last) }
        if let stored, now.timeIntervalSince(stored) < Self.interval { return }
        try await store.believe(now, isFinal: false)
        belief.withLock { $0.stored = now }
    }

    private func accept(_ date: Date) {
        belief.withLock { belief in
            belief.stored = date
            if date > belief.date { (belief.date, belief.uptime) = (date, clock.uptime) }
        }
    }
}
