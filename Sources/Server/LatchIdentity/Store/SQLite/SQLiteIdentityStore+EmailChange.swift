// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore {
    package func insert(_ change: EmailChange) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            try db.run(
                """
                INSERT OR REPLACE INTO email_change (account_id, email, email_key, old_email_key, old_digest, new_digest,
                    expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(change.accountID), .text(change.email.text), .text(change.email.key),
                    .text(change.oldEmailKey), .blob(change.oldDigest), .blob(change.newDigest),
                    .date(change.expiresAt),
                ])
        }
    }

    /// Whichever end comes last carries the change out, in the transaction in which it is confirmed.
    ///
    /// Whatever was mailed to the old address is worth nothing afterwards (attack E4).
    package func confirmEmail(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account? {
        try await writer.write { db throws(IdentityError) in
            let id = try db.first(
                """
                UPDATE email_change SET old_digest = nullif(old_digest, ?1), new_digest = nullif(new_digest, ?1)
                WHERE (old_digest = ?1 OR new_digest = ?1) AND expires_at > ?2 AND EXISTS (SELECT 1 FROM account
                    WHERE id = account_id AND email_key = old_email_key AND status = 'active')
                RETURNING account_id
                """, [.blob(digest), .date(now)]
            ) { row throws(IdentityError) in try row.text(0) }
            guard let id else { return nil }
            try db.completeEmailChange(of: id, at: now)
            return try db.first("SELECT \(Account.columns) FROM account WHERE id = ?", [.text(id)], read: Account.init)
        }
    }
}

extension SQLiteConnection {
    /// Nothing where an end is still missing.
    ///
    /// - Throws: `IdentityError.alreadyExists` where somebody else took the address meanwhile.
    fileprivate func completeEmailChange(of id: String, at now: Date) throws(IdentityError) {
        let change = try first(
            """
            SELECT email, email_key FROM email_change WHERE account_id = ? AND old_digest IS NULL AND new_digest IS NULL
            """, [.text(id)]
        ) { row throws(IdentityError) in (try row.text(0), try row.text(1)) }
        guard let change else { return }
        try run(
            "UPDATE account SET email = ?, email_key = ?, email_verified_at = ?3, updated_at = ?3 WHERE id = ?4",
            [.text(change.0), .text(change.1), .date(now), .text(id)])
        try run("DELETE FROM email_change WHERE account_id = ?", [.text(id)])
        try run("DELETE FROM one_time_token WHERE account_id = ?", [.text(id)])
        try audit("account.emailChanged", account: id, at: now)
    }
}
