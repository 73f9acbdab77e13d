// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
import Synchronization

/// The date of a database's server between two times of this machine's monotonic clock.
package struct StoreDate: Sendable {
    package let date: Date
    package let start: Duration
    package let end: Duration

    /// The time of the round trip for the date; half of it is the maximum error.
    fileprivate var roundTrip: Duration { end - start }
}

/// A clock with the date of the database that several nodes share, so that all of them compare with the same date.
///
/// Between two readings it advances with this machine's monotonic time. So a machine with a wrong date, or one whose
/// date is set while the server runs, decides like the others.
package final class StoreClock: Sendable {
    /// The longest round trip of a reading that replaces a better one.
    private static let longestRoundTrip = Duration.milliseconds(500)

    private let local: WallClock
    private let reading: Mutex<StoreDate?>

    /// Reads the date of a store for the first time; nil if the store has no separate date.
    ///
    /// - Throws: A store's error.
    package init?(of store: IdentityStore, local: WallClock) async throws(IdentityError) {
        self.local = local
        reading = Mutex(nil)
        // After a slow response the server is asked again; a server that is always slow is believed.
        for _ in 0..<3 {
            try await read(from: store)
            guard let first = reading.withLock({ $0 }) else { return nil }
            if first.roundTrip <= Self.longestRoundTrip { break }
        }
    }

    /// The clock in the form that the server's services use.
    package var clock: WallClock {
        WallClock(
            now: { self.now }, sleep: { [local] in try await local.sleep(for: $0) },
            uptime: { [local] in local.uptime },
            dateChanges: { [local] in local.dateChanges() })
    }

    package var machineDate: @Sendable () -> Date { { [local] in local.now } }

    /// The date of the database, advanced by this machine's monotonic time.
    package var now: Date {
        guard let reading = reading.withLock({ $0 }) else { return local.now }
        return reading.date.addingTimeInterval((local.uptime - reading.start - reading.roundTrip / 2).inSeconds)
    }

    /// Reads the date of the store again, which may come from another database server after a failover.
    ///
    /// - Throws: A store's error, after which the clock continues with the earlier reading.
    package func read(from store: IdentityStore) async throws(IdentityError) {
        guard let date = try await store.date(by: local) else { return }
        reading.withLock { reading in
            let longest = max(Self.longestRoundTrip, reading?.roundTrip ?? date.roundTrip)
            if date.roundTrip <= longest { reading = date }
        }
    }
}
