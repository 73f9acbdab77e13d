// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation

/// The audit log, for the operator's commands and the server's housekeeping.
package struct AuditService: Sendable {
    /// The number of entries that are kept at most, so that failed logins cannot fill the disk.
    static let maximumCount = 1_000_000
    /// The number of entries that one transaction removes at most, so that no login waits long for it.
    static let pruningBatch = 10_000

    /// The time for which entries are kept.
    let retention: Duration
    let store: IdentityStore
    let clock: WallClock
    let auditKey: [UInt8]

    /// Returns entries, the newest first.
    ///
    /// - Parameter id: The entry before which to begin; nil for the newest.
    package func records(before id: Int64? = nil, limit: Int) async throws(IdentityError) -> [AuditRecord] {
        var query = AuditQuery(limit: limit)
        query.before = id
        return try await records(query)
    }

    /// Returns the entries that a query selects, the newest first.
    package func records(_ query: AuditQuery) async throws(IdentityError) -> [AuditRecord] {
        try await store.auditRecords(query)
    }

    /// Checks that no entry was changed, removed or added behind the server's back.
    package func verify() async throws(IdentityError) -> AuditVerification {
        try await store.verifyAudit(with: auditKey)
    }

    /// Removes the entries that are older than the configuration keeps them, and the oldest beyond the maximum count.
    ///
    /// It removes all of them: a fixed number each hour would be fewer than a flood of failed logins adds.
    ///
    /// - Parameter continues: Returns whether to go on, before each transaction.
    /// - Returns: Whether all were removed.
    @discardableResult
    func prune(
        at date: Date, keeping count: Int = maximumCount, batch: Int = pruningBatch,
        while continues: () async throws(IdentityError) -> Bool = { () throws(IdentityError) in true }
    ) async throws(IdentityError) -> Bool {
        let end = date.addingTimeInterval(-retention.inSeconds)
        while try await continues() {
            let hasMore = try await store.pruneAudit(
                before: end, keeping: count, atMost: batch, at: clock.now)
            guard hasMore else { return true }
        }
        return false
    }
}
