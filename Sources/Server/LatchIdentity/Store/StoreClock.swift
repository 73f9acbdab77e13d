// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation
import Synchronization

/// The date that a database's server had between two times of this machine's monotonic clock.
package struct StoreDate: Sendable {
    let date: Date
    let start: Duration
    let end: Duration

    /// The time that the server took to tell its date; half of it is the greatest error.
    fileprivate var roundTrip: Duration { end - start }
}

/// A clock with the date of the database that several nodes share, so that all of them compare with one.
///
/// Between two readings it continues by this machine's monotonic time: a machine whose date is wrong, or is set while the
/// server runs, decides as the others do.
final class StoreClock: Sendable {
    /// The longest round trip of a reading that takes the place of a better one.
    private static let longestRoundTrip = Duration.milliseconds(500)

    private let local: WallClock
    private let reading: Mutex<StoreDate?>

    /// Reads the date of a store for the first time; nil if the store has no date of its own.
    ///
    /// - Throws: A store's error.
    init?(of store: IdentityStore, local: WallClock) async throws(IdentityError) {
        self.local = local
        reading = Mutex(nil)
        // A server that answers late once is asked again; one that always does is believed.
        for _ in 0..<3 {
            try await read(from: store)
            guard let first = reading.withLock({ $0 }) else { return nil }
            if first.roundTrip <= Self.longestRoundTrip { break }
        }
    }

    /// The clock as the server's services take it.
    var clock: WallClock {
        WallClock(
            now: { self.now }, sleep: { [local] in try await local.sleep(for: $0) },
            uptime: { [local] in local.uptime },
            dateChanges: { [local] in local.dateChanges() })
    }

    /// The date of this machine.
    var machineDate: @Sendable () -> Date { { [local] in local.now } }

    /// The date of the database, as far as this machine's monotonic time can tell.
    var now: Date {
        guard let reading = reading.withLock({ $0 }) else { return local.now }
        return reading.date.addingTimeInterval((local.uptime - reading.start - reading.roundTrip / 2).inSeconds)
    }

    /// Reads the date of the store again, which may be that of another database server since a failover.
    ///
    /// - Throws: A store's error, after which the clock continues with the earlier reading.
    func read(from store: IdentityStore) async throws(IdentityError) {
        guard let date = try await store.date(by: local) else { return }
        reading.withLock { reading in
            let longest = max(Self.longestRoundTrip, reading?.roundTrip ?? date.roundTrip)
            if date.roundTrip <= longest { reading = date }
        }
    }
}
