// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Records that an assertion of a client was used.
    ///
    /// It is one statement, whose primary key decides. A serializable transaction could be rolled back, and each
    /// request of such a client would wait for its repetition.
    ///
    /// - Parameters:
    ///   - digest: The digest of its client and its ID.
    ///   - end: The time from which the assertion is invalid anyway.
    /// - Returns: False if it was used before.
    package func spend(assertion digest: [UInt8], until end: Date) async throws(IdentityError) -> Bool {
        let inserted = try await update(
            """
            INSERT INTO spent_sign_in (digest, expires_at) VALUES ($1, $2)
            ON CONFLICT (digest) DO NOTHING RETURNING expires_at
            """, [.blob(digest), .date(end)]
        ) { row throws(IdentityError) in try row.date(0) }
        return inserted != nil
    }
}
