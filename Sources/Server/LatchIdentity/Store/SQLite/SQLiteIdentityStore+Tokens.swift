// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore {
    /// Earlier tokens of the account and purpose end here: only the newest mail works (attack E4).
    package func insert(_ token: OneTimeToken) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) in
            try db.run(
                "DELETE FROM one_time_token WHERE account_id = ? AND purpose = ?",
                [.text(token.accountID), .text(token.purpose.rawValue)])
            try db.run(
                """
                INSERT INTO one_time_token (digest, account_id, purpose, email_key, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .blob(token.digest), .text(token.accountID), .text(token.purpose.rawValue), .text(token.emailKey),
                    .date(token.createdAt), .date(token.expiresAt),
                ])
        }
    }

    /// Looks without using the token up, for the page that asks for the new password.
    ///
    /// An answer here promises nothing: the token may be used, replaced or past its end when the form comes back.
    package func account(
        forToken digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) throws(IdentityError) -> Account? {
        try readers.read { db throws(IdentityError) in
            try db.account(forToken: digest, purpose: purpose, at: now)
        }
    }

    /// The first date stays, whoever presses again with another token later.
    package func verifyEmail(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account? {
        try await writer.write { db throws(IdentityError) in
            guard let account = try db.use(digest, purpose: .verifyEmail, at: now) else { return nil }
            try db.run(
                "UPDATE account SET email_verified_at = coalesce(email_verified_at, ?) WHERE id = ?",
                [.date(now), .text(account.id)])
            try db.audit("account.emailVerified", account: account.id, at: now)
            return try db.first(
                "SELECT \(Account.columns) FROM account WHERE id = ?", [.text(account.id)], read: Account.init)
        }
    }

    /// Uses up the token, sets the hash, ends all other mailed tokens and all devices: all of it or nothing.
    ///
    /// The date of the password always moves forward, by a millisecond where the clock stands still or was set back: a
    /// login that was checked against the old hash is told apart by it.
    package func resetPassword(
        byToken digest: [UInt8], hash: String, at now: Date
    ) async throws(IdentityError) -> PasswordReset? {
        try await writer.write { db throws(IdentityError) in
            guard let account = try db.use(digest, purpose: .resetPassword, at: now) else { return nil }
            // Whoever could read the mail has shown that the address is theirs.
            try db.run(
                """
                UPDATE account SET password_hash = ?, password_changed_at = ?2,
                    email_verified_at = coalesce(email_verified_at, ?2) WHERE id = ?3
                """,
                [.text(hash), .date(max(now, account.passwordChangedAt.addingTimeInterval(0.001))), .text(account.id)])
            try db.run("DELETE FROM one_time_token WHERE account_id = ?", [.text(account.id)])
            try db.run("DELETE FROM email_change WHERE account_id = ?", [.text(account.id)])
            let signedOut = try db.revokeDevices(of: account.id, because: .passwordChange, at: now)
            try db.audit("account.passwordReset", account: account.id, at: now)
            return PasswordReset(accountID: account.id, signedOut: signedOut)
        }
    }

    /// What ended is removed in one transaction; the indexes on the ends keep it short.
    package func prune(endedBefore date: Date) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) in
            try db.run("DELETE FROM device WHERE expires_at < ?", [.date(date)])
            try db.run("DELETE FROM one_time_token WHERE expires_at < ?", [.date(date)])
            try db.run("DELETE FROM sign_in_challenge WHERE expires_at < ?", [.date(date)])
            try db.run("DELETE FROM email_change WHERE expires_at < ?", [.date(date)])
        }
    }
}

extension SQLiteConnection {
    /// The account of a token that is valid now: known, in time, and mailed to the address that the account still has.
    fileprivate func account(
        forToken digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) throws(IdentityError) -> Account? {
        try first(
            """
            SELECT \(Account.columns) FROM account WHERE status = 'active' AND (id, email_key) = (
                SELECT account_id, email_key FROM one_time_token WHERE digest = ? AND purpose = ? AND expires_at > ?)
            """,
            [.blob(digest), .text(purpose.rawValue), .date(now)], read: Account.init)
    }

    /// Deletes the token that it found valid; two at once are two jobs, one after the other.
    fileprivate func use(
        _ digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) throws(IdentityError) -> Account? {
        let account = try account(forToken: digest, purpose: purpose, at: now)
        guard let account else { return nil }
        try run("DELETE FROM one_time_token WHERE digest = ?", [.blob(digest)])
        return account
    }
}
