// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Inserts the token; earlier tokens of the same account and purpose end.
    ///
    /// So only the newest email works (attack E4).
    package func insert(_ token: OneTimeToken) async throws(IdentityError) {
        try await write { db throws(IdentityError) in try db.insert(token) }
    }

    /// Returns the account of a valid token, without using up the token.
    package func account(
        forToken digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) async throws(IdentityError) -> Account? {
        try await read { db throws(IdentityError) in
            try db.account(forToken: digest, purpose: purpose, at: now)
        }
    }

    /// Returns the account of a valid verification token, or of the new address's token in a change of address.
    ///
    /// It does not use up the token.
    package func account(forVerificationToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account? {
        try await read { db throws(IdentityError) in
            if let account = try db.account(forToken: digest, purpose: .verifyEmail, at: now) { return account }
            return try db.account(changingAddressBy: "new_digest", digest, at: now)
        }
    }

    /// Returns the account of the old address's valid token in a change of address, without using up the token.
    package func account(forOldAddressToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account? {
        try await read { db throws(IdentityError) in
            try db.account(changingAddressBy: "old_digest", digest, at: now)
        }
    }

    /// Returns the requested new address of an account; nil if no change is pending.
    package func requestedAddress(of accountID: String) async throws(IdentityError) -> EmailAddress? {
        try await first("SELECT email, email_key FROM email_change WHERE account_id = $1", [.text(accountID)]) {
            row throws(IdentityError) in
            EmailAddress(text: try row.text(0), key: try row.text(1))
        }
    }

    /// Ends a change by the old address's token, and signs out all devices, including the one that requested it.
    ///
    /// - Returns: False if the token is not valid.
    package func refuseEmailChange(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            guard let account = try db.account(changingAddressBy: "old_digest", digest, at: now) else { return false }
            try db.run("DELETE FROM email_change WHERE account_id = $1", [.text(account.id)])
            try db.audit("account.emailChangeRefused", account: account.id, at: now)
            try db.revokeDevices(of: account.id, because: .changeRefused, at: now)
            return true
        }
    }

    /// Uses up the token and marks its address as verified; the first time, this ends the account's earlier
    /// credentials.
    ///
    /// - Returns: The account after the change; nil if the token or the proof is not valid.
    package func verifyEmail(
        byToken digest: [UInt8], with proof: OwnerProof, causedBy cause: MailCause = MailCause(), at now: Date
    ) async throws(IdentityError) -> Account? {
        try await write { db throws(IdentityError) in
            let account = try db.account(forToken: digest, purpose: .verifyEmail, at: now)
            guard let account, proof.isValid(for: account) else { return nil }
            try db.remove(digest, purpose: .verifyEmail, of: account)
            if case .newPassword(let hash) = proof {
                // Once the address is verified, only a link that was mailed to set a password may set one.
                guard account.emailVerifiedAt == nil else { return nil }
                try db.setPassword(of: account, to: hash, at: now)
            }
            try db.audit("account.emailVerified", account: account.id, at: now)
            try db.proveAddress(of: account, with: proof, causedBy: cause, at: now)
            return try db.account(account.id)
        }
    }

    /// Records that a user has read a code that was mailed to an account's address, on a server without passwords.
    ///
    /// The first time, this ends the account's earlier credentials, as a verification with a new password does.
    ///
    /// - Returns: The account after the change; nil if the address has no such account any longer.
    package func proveAddress(
        of account: Account, causedBy cause: MailCause = MailCause(), at now: Date
    ) async throws(IdentityError) -> Account? {
        try await write { db throws(IdentityError) in
            guard let current = try db.activeAccount(emailKey: account.ownerKey), current.id == account.id else {
                return nil
            }
            guard !current.isOwnersAddress else { return current }
            if current.emailVerifiedAt == nil { try db.audit("account.emailVerified", account: current.id, at: now) }
            try db.proveAddress(of: current, with: .email, causedBy: cause, at: now)
            return try db.account(current.id)
        }
    }

    /// Uses up the token, sets the password and signs out all devices; returns false if the token is invalid.
    ///
    /// On an account whose address was never verified, this ends all earlier credentials, as a verification does. All
    /// other mailed tokens and all devices end in the same transaction. The time of the password change always moves
    /// forward, by a millisecond if the clock was set back. So concurrent logins with the old password are detected.
    package func resetPassword(
        byToken digest: [UInt8], hash: String, causedBy cause: MailCause = MailCause(), at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            guard let account = try db.account(forToken: digest, purpose: .resetPassword, at: now) else { return false }
            try db.remove(digest, purpose: .resetPassword, of: account)
            try db.setPassword(of: account, to: hash, at: now)
            // An invited account has no user yet who needs the notice.
            let other = try db.number(
                """
                SELECT (SELECT count(*) FROM upstream_identity WHERE account_id = $1)
                    + (SELECT count(*) FROM passkey WHERE account_id = $1)
                """, [.text(account.id)])
            if account.passwordHash != nil || other > 0 {
                try db.mail(.passwordChanged, to: account.id, causedBy: cause, at: now)
            }
            // Access to the email also verifies the address.
            try db.proveAddress(of: account, with: .newPassword(hash: hash), causedBy: cause, at: now)
            return true
        }
    }
}

extension SQLConnection {
    /// Inserts a token, which replaces earlier ones of its account and purpose.
    package func insert(_ token: OneTimeToken) throws(IdentityError) {
        try run(
            "DELETE FROM one_time_token WHERE account_id = $1 AND purpose = $2",
            [.text(token.accountID), .text(token.purpose.rawValue)])
        try run("INSERT INTO one_time_token \(OneTimeToken.Column.insertion)", OneTimeToken.Column.values(of: token))
    }

    /// Returns the account of a valid token: known, not expired, and mailed to the account's current address.
    fileprivate func account(
        forToken digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) throws(IdentityError) -> Account? {
        try first(
            """
            SELECT \(Account.Column.list) FROM account WHERE status = 'active' AND (id, email_key) = (
                SELECT account_id, email_key FROM one_time_token WHERE digest = $1 AND purpose = $2 AND expires_at > $3)
            """,
            [.blob(digest), .text(purpose.rawValue), .date(now)], read: Account.init)
    }

    /// Returns the account whose change of address has a valid token in a column.
    fileprivate func account(
        changingAddressBy column: String, _ digest: [UInt8], at now: Date
    ) throws(IdentityError) -> Account? {
        try first(
            """
            SELECT \(Account.Column.list) FROM account WHERE status = 'active' AND (id, email_key) = (
                SELECT account_id, old_email_key FROM email_change WHERE \(column) = $1 AND expires_at > $2)
            """, [.blob(digest), .date(now)], read: Account.init)
    }

    /// Sets the hash, and ends all mailed tokens and all devices.
    fileprivate func setPassword(of account: Account, to hash: String, at now: Date) throws(IdentityError) {
        let changedAt = max(now, account.passwordChangedAt.addingTimeInterval(0.001))
        try run(
            "UPDATE account SET password_hash = $1, password_changed_at = $2 WHERE id = $3",
            [.text(hash), .date(changedAt), .text(account.id)])
        try endMailedTokens(of: account.id)
        try revokeDevices(of: account.id, because: .passwordChange, at: now)
        // Another user may have requested it.
        try cancelDeletion(of: account.id, detail: "password reset", at: now)
        try audit("account.passwordReset", account: account.id, at: now)
    }

    /// Records that the owner of an address answered an email; the first answer ends earlier credentials (attack E8).
    ///
    /// Before that, any user may have signed up with the address. So sessions, second factor, recovery codes, passkeys,
    /// challenges, consents, pending changes of address and a requested deletion end, except for the session that made
    /// the proof. A further kind of credential must also be ended here. A proof with a new password replaces the old
    /// one, and a proof with the password confirms it. A proof by a provider removes the password, which its user does
    /// not need. So does a proof by an email on a server without passwords.
    ///
    /// - Throws: `IdentityError.ownerProofRequired` if the proof is of a device that has been signed out in the
    ///   meantime.
    func proveAddress(
        of account: Account, with proof: OwnerProof, causedBy cause: MailCause, at now: Date
    ) throws(IdentityError) {
        let id = account.id
        var device = proof.deviceID
        if let sent = device, try !isSignedIn(sent, of: id, at: now) {
            guard !proof.requiresDevice else { throw .ownerProofRequired }
            device = nil
        }
        if proof.isOfPassword || proof.endsPassword || device != nil {
            try run(
                "UPDATE account SET owner_proved_at = coalesce(owner_proved_at, $1) WHERE id = $2",
                [.date(now), .text(id)])
        }
        guard account.emailVerifiedAt == nil else {
            // A link without a proof verified this or an earlier address, so another user's credentials may remain.
            // Without a password, the account belongs to who has the links and passkeys that the first proof left.
            if account.ownerProvedAt == nil, proof.endsEverything, !proof.endsPassword || account.passwordHash != nil {
                if proof.endsPassword {
                    try cancelDeletion(of: id, detail: "requested before the address was proved", at: now)
                    _ = try removeFactor(
                        of: id, detail: "set before the address was proved", causedBy: cause, at: now)
                    try removeUnprovedPassword(of: account, at: now)
                    try revokeDevices(of: id, because: .addressProof, at: now)
                }
                try endUnprovedPasskeys(of: id, causedBy: cause, at: now)
                try endUnprovedLinks(of: account, keeping: nil, device: nil, at: now)
                try removeConsents(of: id)
            }
            return
        }
        try run("UPDATE account SET email_verified_at = $1 WHERE id = $2", [.date(now), .text(id)])
        try cancelDeletion(of: id, detail: "requested before the address was proved", at: now)
        _ = try removeFactor(of: id, detail: "set before the address was proved", causedBy: cause, at: now)
        try endUnprovedPasskeys(of: id, causedBy: cause, at: now)
        if proof.endsPassword { try removeUnprovedPassword(of: account, at: now) }
        try endUnprovedLinks(of: account, keeping: proof.identity, device: device, at: now)
        try removeConsents(of: id)
        try revokeDevices(of: id, except: device, because: .addressProof, at: now)
    }

    /// Removes a password that any user may have chosen; the owner sets a new one by email.
    private func removeUnprovedPassword(of account: Account, at now: Date) throws(IdentityError) {
        guard account.passwordHash != nil else { return }
        try run(
            "UPDATE account SET password_hash = NULL, password_changed_at = $1 WHERE id = $2",
            [.date(max(now, account.passwordChangedAt.addingTimeInterval(0.001))), .text(account.id)])
        try audit(
            "account.passwordRemoved", account: account.id, detail: "set before the address was proved", at: now)
    }

    /// Deletes a used token, and the waiting emails of its purpose: sending one again would make the token valid again.
    fileprivate func remove(_ digest: [UInt8], purpose: OneTimeToken.Purpose, of account: Account) throws(IdentityError)
    {
        try run("DELETE FROM one_time_token WHERE digest = $1", [.blob(digest)])
        for mail in OutboxMail.Purpose.allCases where mail.token == purpose {
            try run(
                "DELETE FROM mail WHERE purpose = $1 AND email_key = $2",
                [.text(mail.rawValue), .text(account.email?.key)])
        }
    }
}

extension IdentityStore {
    /// Inserts a pending change of address, which replaces an earlier one, and its emails.
    ///
    /// It checks account and device in the transaction. A change that was requested before the address was proved, or
    /// before a sign-out, must not be stored after it (attack E8).
    ///
    /// - Parameter device: The device that requests the change; nil without a device.
    /// - Returns: False if the account's credentials have changed since `account` was read.
    /// - Throws: `IdentityError.invalidToken` if the device was signed out.
    package func insert(
        _ change: EmailChange, for account: Account, by device: Device?, mails: [OutboxMail], at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            if let device {
                guard try db.isSignedIn(device.id, of: account.id, at: now) else { throw .invalidToken }
            }
            guard try db.isUnchanged(account) else { return false }
            for mail in mails { try db.insert(mail) }
            try db.run(EmailChange.Column.replacement, EmailChange.Column.values(of: change))
            try db.audit(
                "account.emailChangeRequested", account: account.id, detail: device.map { "on device \($0.publicID)" },
                at: now)
            return true
        }
    }

    /// Confirms one address of a change of address, and completes the change when both are confirmed.
    ///
    /// The transaction of the last confirmation completes the change. Tokens that were mailed to the old address end
    /// with it (attack E4).
    ///
    /// - Returns: The account after the change; nil if the token or the proof is not valid.
    package func confirmEmail(
        byToken digest: [UInt8], with proof: OwnerProof, causedBy cause: MailCause = MailCause(), at now: Date
    ) async throws(IdentityError) -> Account? {
        try await write { db throws(IdentityError) in
            let newEnd = try db.account(changingAddressBy: "new_digest", digest, at: now)
            let oldEnd = try db.account(changingAddressBy: "old_digest", digest, at: now)
            guard let account = newEnd ?? oldEnd, proof.isValid(for: account) else { return nil }
            try db.run(
                """
                UPDATE email_change SET old_digest = nullif(old_digest, $1), new_digest = nullif(new_digest, $1)
                WHERE account_id = $2
                """, [.blob(digest), .text(account.id)])
            // A proof with the old address's token says nothing about the reader of the new address's emails.
            try db.completeEmailChange(of: account, with: newEnd != nil ? proof : .none, causedBy: cause, at: now)
            return try db.account(account.id)
        }
    }
}

extension SQLConnection {
    /// Changes the address when both addresses are confirmed.
    ///
    /// The reader of the new address's emails may not own the account; the proof decides.
    ///
    /// - Throws: `IdentityError.alreadyExists` if another account has taken the address in the meantime.
    fileprivate func completeEmailChange(
        of account: Account, with proof: OwnerProof, causedBy cause: MailCause, at now: Date
    ) throws(IdentityError) {
        let id = account.id
        let change = try first(
            """
            SELECT email, email_key FROM email_change WHERE account_id = $1 AND old_digest IS NULL AND new_digest IS NULL
            """, [.text(id)]
        ) { row throws(IdentityError) in (try row.text(0), try row.text(1)) }
        guard let change else { return }
        try run(
            """
            UPDATE account SET email = $1, email_key = $2, updated_at = $3, owner_proved_at = NULL,
                email_verified_at = CASE WHEN email_verified_at IS NULL THEN NULL ELSE $3 END WHERE id = $4
            """, [.text(change.0), .text(change.1), .date(now), .text(id)])
        try endMailedTokens(of: id)
        try audit("account.emailChanged", account: id, at: now)
        try proveAddress(of: account, with: proof, causedBy: cause, at: now)
    }

    /// Ends all mailed tokens of an account, and a pending change of its address.
    func endMailedTokens(of accountID: String) throws(IdentityError) {
        for table in ["one_time_token", "email_change"] {
            try run("DELETE FROM \(table) WHERE account_id = $1", [.text(accountID)])
        }
    }
}

extension OneTimeToken {
    /// The columns of `one_time_token`.
    enum Column: Int32, TableColumn {
        case digest, accountID, purpose, emailKey, createdAt, expiresAt

        static let (list, insertion) = texts()

        func value(of token: OneTimeToken?) -> SQLValue {
            switch self {
            case .digest: .blob(token?.digest)
            case .accountID: .text(token?.accountID)
            case .purpose: .text(token?.purpose.rawValue)
            case .emailKey: .text(token?.emailKey)
            case .createdAt: .date(token?.createdAt)
            case .expiresAt: .date(token?.expiresAt)
            }
        }
    }
}

extension EmailChange {
    /// The columns of `email_change`.
    enum Column: Int32, TableColumn {
        case accountID, email, emailKey, oldEmailKey, oldDigest, newDigest, expiresAt

        static let (list, insertion) = texts()

        /// The statement that inserts a change, or replaces the earlier one of its account.
        fileprivate static let replacement = """
            INSERT INTO email_change \(insertion) ON CONFLICT (\(accountID.name)) DO UPDATE
            SET \(allCases.dropFirst().map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", "))
            """

        func value(of change: EmailChange?) -> SQLValue {
            switch self {
            case .accountID: .text(change?.accountID)
            case .email: .text(change?.email.text)
            case .emailKey: .text(change?.email.key)
            case .oldEmailKey: .text(change?.oldEmailKey)
            case .oldDigest: .blob(change?.oldDigest)
            case .newDigest: .blob(change?.newDigest)
            case .expiresAt: .date(change?.expiresAt)
            }
        }
    }
}
