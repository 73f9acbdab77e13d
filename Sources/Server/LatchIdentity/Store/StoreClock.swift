// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation
import Synchronization

/// A clock with the date of the database that several nodes share, so that all of them compare with one.
///
/// Between two readings it continues by this machine's monotonic time: a machine whose date is wrong, or is set while the
/// server runs, decides as the others do.
final class StoreClock: Sendable {
    private struct Reading {
        let date: Date
        let uptime: Duration
    }

    /// The longest round trip of a reading that takes the place of another; half of it is the greatest error.
    private static let longestRoundTrip = Duration.milliseconds(500)

    private let local: WallClock
    private let reading: Mutex<Reading?>

    /// Reads the date of a store for the first time; nil if the store has no date of its own.
    ///
    /// - Throws: A store's error.
    init?(of store: any IdentityStore, local: WallClock) async throws(IdentityError) {
        self.local = local
        reading = Mutex(nil)
        try await read(from: store)
        guard reading.withLock({ $0 != nil }) else { return nil }
    }

    /// The clock as the server's services take it.
    var clock: WallClock {
        WallClock(
            now: { self.now }, sleep: { [local] in try await local.sleep(for: $0) },
            uptime: { [local] in local.uptime },
            dateChanges: { [local] in local.dateChanges() })
    }

    /// The date of the database, as far as this machine's monotonic time can tell.
    var now: Date {
        guard let reading = reading.withLock({ $0 }) else { return local.now }
        return reading.date.addingTimeInterval((local.uptime - reading.uptime).inSeconds)
    }

    /// Reads the date of the store again, which may be that of another database server since a failover.
    ///
    /// - Throws: A store's error, after which the clock continues with the earlier reading.
    func read(from store: any IdentityStore) async throws(IdentityError) {
        let start = local.uptime
        guard let date = try await store.date() else { return }
        let trip = local.uptime - start
        reading.withLock { reading in
            guard reading == nil || trip <= Self.longestRoundTrip else { return }
            reading = Reading(date: date, uptime: start + trip / 2)
        }
    }
}
