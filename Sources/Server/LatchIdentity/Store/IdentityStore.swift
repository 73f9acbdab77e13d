// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import PortableFoundation

/// The durable storage of the auth server: one protocol per aggregate, declared next to its feature.
///
/// Each change is one transaction and durable when the call returns. Conditions of a change (the token is unused, the
/// password is still the same) are decided within the call; no caller reads first and writes later.
package protocol IdentityStore: AccountStore, AccountDirectory, DeviceStore, SecondFactorStore, MailedTokenStore,
    MailOutbox, AuditLog, KeyStore, UpstreamStore, PasskeyStore, AuthorizationStore, SharedTaskStore,
    BelievedDateStore, StoreMaintenance
{}

/// The operations on a store as a whole.
package protocol StoreMaintenance: Sendable {
    /// Commits a no-op write, which proves that the store can commit.
    func checkHealth(at now: Date) async throws(IdentityError)

    /// Removes devices, challenges, codes, device authorizations, mailed tokens and answered attempts that ended before `date`.
    func prune(endedBefore date: Date) async throws(IdentityError)

    /// Returns the date of the database that several nodes share; nil for a file, whose date is this machine's.
    func date(by local: WallClock) async throws(IdentityError) -> StoreDate?

    /// Requires that each connection to a shared database has a session to itself, as behind a pooler of sessions.
    func requireOwnSessions() async throws(IdentityError)

    /// A number that grows with each write of this process, before its caller gets the result; not with a health check.
    var version: Int { get }

    /// The commits since the store was opened, for the metrics.
    var writeStatistics: WriteStatistics { get }

    /// The reason why the store's database cannot be reached at present; nil if it can.
    var outage: IdentityError? { get }

    /// The watch over calls that fail for the store's own reasons.
    var failures: StoreFailures { get }

    /// The durations of the calls since the store was opened, for the metrics.
    var callSamples: [MetricSample] { get }

    /// Commits waiting writes and closes the store; later calls throw `IdentityError.storeClosed`.
    func close() async
}

/// The statistics of a store's writes; with group commit there are more jobs than commits.
package struct WriteStatistics: Sendable, Hashable {
    /// The number of transactions, each of them one fsync.
    package var commits = 0
    /// The number of committed writes, including those that failed for reasons of their own.
    package var jobs = 0
    /// The number of jobs in the largest commit.
    package var largestCommit = 0
    /// The number of transactions that were undone, since they conflicted with concurrent ones.
    package var conflicts = 0
}
