// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage

/// The hourly removal of expired rows and unused guests, and the hourly anchor of the audit log, by one of the servers of a store.
struct Housekeeping: Sendable {
    /// The time from one removal to the next, in seconds.
    static let interval = 3600.0
    /// The time in seconds after which another server takes over the task.
    static let lease = 300.0
    /// The time between two checks whether it is this server's turn.
    static let pause = Duration.seconds(300)

    let accessTokenLifetime, guestLifetime: Duration
    /// Whether second factors that were lost are removed after a waiting time.
    let recoversFactors: Bool
    let store: IdentityStore
    let clock: WallClock
    let dates: DateCheck
    let metrics: Metrics
    let audit: AuditService
    private let machineDate: @Sendable () -> Date
    /// The name of this server in the lease.
    let holder: String

    /// - Parameter machineDate: The date of this machine, if the services use the date of a database.
    init(_ services: IdentityServices, machineDate: (@Sendable () -> Date)? = nil) {
        accessTokenLifetime = services.configuration.accessTokenLifetime
        recoversFactors = services.configuration.factorRecoveryDelay != nil
        guestLifetime = services.configuration.guestLifetime
        store = services.store
        clock = services.clock
        dates = services.dates
        metrics = services.metrics
        audit = services.audit
        self.machineDate = machineDate ?? { services.clock.now }
        holder = services.random.newID(at: services.clock.now)
    }

    /// Checks regularly whether it is this server's turn, until the task is canceled.
    ///
    /// A failure of the store does not end the loop; the health check reports it.
    func run() async {
        while !Task.isCancelled {
            do {
                _ = try await prune()
            } catch {
                metrics.count(.housekeepingFailures)
                store.failures.note(error, in: "prune")
            }
            do { try await clock.sleep(for: Self.pause) } catch { return }
        }
    }

    /// Prunes the store, unless a server is doing it or has done it within the hour.
    ///
    /// - Returns: Whether this server has done it.
    func prune() async throws(IdentityError) -> Bool {
        guard dates.isBelieved else { return false }
        let (store, start) = (store, clock.now)
        // Reads before it writes, so that an idle server costs no commit.
        guard try await store.isFree(.pruning, at: start), try await keep(Self.lease, after: start) else {
            return false
        }
        // Removed rows do not come back, so a database whose date has jumped ahead does not decide by itself.
        let date = min(start, machineDate())
        // An access token can outlive its device by the token's lifetime, and is verified against the device's row.
        let lifetime = accessTokenLifetime.inSeconds
        try await store.prune(endedBefore: date.addingTimeInterval(-lifetime))
        while try await store.deleteDueAccounts(at: date) {
            guard try await keep(Self.lease, after: clock.now) else { return false }
        }
        while try await store.recoverDueFactors(isEnabled: recoversFactors, at: date) {
            guard try await keep(Self.lease, after: clock.now) else { return false }
        }
        let isDone = try await audit.prune(at: date) { () throws(IdentityError) in
            try await keep(Self.lease, after: clock.now)
        }
        guard isDone else { return false }
        try await store.anchorAudit(at: date)
        while try await store.removeGuests(unusedFor: guestLifetime.inSeconds, at: date) {
            guard try await keep(Self.lease, after: clock.now) else { return false }
        }
        return try await keep(Self.interval, after: start)
    }

    private func keep(_ seconds: Double, after date: Date) async throws(IdentityError) -> Bool {
        try await store.take(
            .pruning, as: holder, at: clock.now, until: date.addingTimeInterval(seconds))
    }
}
