// SPDX-License-Identifier: Apache-2.0

/// The audit log, for the operator's commands.
package struct AuditService: Sendable {
    /// The number of entries that are kept at most, so that failed logins cannot fill the disk.
    static let maximumCount = 1_000_000

    let dependencies: Dependencies

    /// Returns entries, the newest first.
    ///
    /// - Parameter id: The entry before which to begin; nil for the newest.
    package func records(before id: Int64? = nil, limit: Int) async throws(IdentityError) -> [AuditRecord] {
        try await dependencies.store.auditRecords(before: id, limit: limit)
    }

    /// Checks that no entry was changed, removed or added behind the server's back.
    package func verify() async throws(IdentityError) -> AuditVerification {
        try await dependencies.store.verifyAudit(with: dependencies.auditKey)
    }
}
