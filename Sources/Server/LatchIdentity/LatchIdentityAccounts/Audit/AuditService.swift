// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage

/// The audit log, for the operator's commands and the server's housekeeping.
package struct AuditService: Sendable {
    /// The maximum number of entries that are kept, so that failed logins cannot fill the disk.
    package static let maximumCount = 1_000_000
    /// The maximum number of entries that one transaction removes, so that no login waits long for it.
    package static let pruningBatch = 10_000

    /// The time for which entries are kept.
    package let retention: Duration
    package let store: IdentityStore
    package let clock: WallClock
    package let auditKey: [UInt8]

    package init(retention: Duration, store: IdentityStore, clock: WallClock, auditKey: [UInt8]) {
        self.retention = retention
        self.store = store
        self.clock = clock
        self.auditKey = auditKey
    }

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

    /// Returns one page of the entries that a query selects and whose event contains a text, the newest first.
    ///
    /// - Parameter count: The number of entries that the page looks through.
    package func page(
        _ query: AuditQuery, containing text: String, among count: Int
    ) async throws(IdentityError) -> AuditPage {
        try await store.auditPage(query, containing: text, among: count)
    }

    /// Checks that the entries were changed, removed or added only by the server.
    package func verify() async throws(IdentityError) -> AuditVerification {
        try await store.verifyAudit(with: auditKey)
    }

    /// Removes the entries that are older than the configured retention, and the oldest beyond the maximum count.
    ///
    /// It removes all of them: a fixed number each hour would be fewer than a flood of failed logins adds.
    ///
    /// - Parameter continues: Called before each transaction; returns whether to continue.
    /// - Returns: Whether all such entries were removed.
    @discardableResult
    package func prune(
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
