// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore: MailedTokenStore {
    /// Ends earlier tokens of the account and purpose, so that only the newest mail works (attack E4).
    package func insert(_ token: OneTimeToken) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) in try db.insert(token) }
    }

    package func account(
        forToken digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) throws(IdentityError) -> Account? {
        try readers.read { db throws(IdentityError) in
            try db.account(forToken: digest, purpose: purpose, at: now)
        }
    }

    /// Keeps the time of the first verification.
    package func verifyEmail(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account? {
        try await writer.write { db throws(IdentityError) in
            guard let account = try db.use(digest, purpose: .verifyEmail, at: now) else { return nil }
            try db.run(
                "UPDATE account SET email_verified_at = coalesce(email_verified_at, ?) WHERE id = ?",
                [.date(now), .text(account.id)])
            try db.audit("account.emailVerified", account: account.id, at: now)
            return try db.account(account.id)
        }
    }

    /// Uses up the token, sets the hash, and ends all other mailed tokens and all devices in one transaction.
    ///
    /// The time of the password change always moves forward, by a millisecond if the clock was set back, so that concurrent
    /// logins with the old password are detected.
    package func resetPassword(
        byToken digest: [UInt8], hash: String, at now: Date
    ) async throws(IdentityError) -> PasswordChange? {
        try await writer.write { db throws(IdentityError) in
            guard let account = try db.use(digest, purpose: .resetPassword, at: now) else { return nil }
            // Access to the mail verifies the address as well.
            try db.run(
                """
                UPDATE account SET password_hash = ?, password_changed_at = ?2,
                    email_verified_at = coalesce(email_verified_at, ?2) WHERE id = ?3
                """,
                [.text(hash), .date(max(now, account.passwordChangedAt.addingTimeInterval(0.001))), .text(account.id)])
            try db.endMailedTokens(of: account.id)
            let signedOut = try db.revokeDevices(of: account.id, because: .passwordChange, at: now)
            try db.audit("account.passwordReset", account: account.id, at: now)
            return PasswordChange(accountID: account.id, signedOut: signedOut)
        }
    }
}

extension SQLiteConnection {
    /// Inserts a token in place of the earlier ones of its account and purpose.
    func insert(_ token: OneTimeToken) throws(IdentityError) {
        try run(
            "DELETE FROM one_time_token WHERE account_id = ? AND purpose = ?",
            [.text(token.accountID), .text(token.purpose.rawValue)])
        try run(
            """
            INSERT INTO one_time_token (digest, account_id, purpose, email_key, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .blob(token.digest), .text(token.accountID), .text(token.purpose.rawValue), .text(token.emailKey),
                .date(token.createdAt), .date(token.expiresAt),
            ])
    }

    /// Returns the account of a valid token: known, not expired, and mailed to the account's current address.
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

    /// Deletes a valid token and returns its account.
    ///
    /// Waiting mails of the same purpose have become superfluous; sent again, one would make the used token valid anew.
    fileprivate func use(
        _ digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) throws(IdentityError) -> Account? {
        let account = try account(forToken: digest, purpose: purpose, at: now)
        guard let account else { return nil }
        try run("DELETE FROM one_time_token WHERE digest = ?", [.blob(digest)])
        try run(
            "DELETE FROM mail WHERE purpose = ? AND email_key = ?",
            [.text(purpose.rawValue), .text(account.email.key)])
        return account
    }
}

extension SQLiteIdentityStore {
    package func insert(_ change: EmailChange, mails: [OutboxMail]) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            for mail in mails { try db.insert(mail) }
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

    /// Completes the change in the transaction of the last confirmation.
    ///
    /// Tokens that were mailed to the old address end with it (attack E4).
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
            return try db.account(id)
        }
    }
}

extension SQLiteConnection {
    /// Changes the address once both ends are confirmed.
    ///
    /// - Throws: `IdentityError.alreadyExists` if another account took the address meanwhile.
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
        try endMailedTokens(of: id)
        try audit("account.emailChanged", account: id, at: now)
    }

    /// Ends all mailed tokens of an account, and a pending change of its address.
    func endMailedTokens(of accountID: String) throws(IdentityError) {
        for table in ["one_time_token", "email_change"] {
            try run("DELETE FROM \(table) WHERE account_id = ?", [.text(accountID)])
        }
    }
}
