// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Inserts an email without another change.
    ///
    /// - Throws: `IdentityError.overloaded` if the outbox is full, unless the email is a notice.
    package func insert(_ mail: OutboxMail) async throws(IdentityError) {
        try await write { db throws(IdentityError) in try db.insert(mail) }
    }

    /// Takes the next due email, and stores its token; returns nil if none is due.
    ///
    /// One statement takes the email, and a separate transaction stores its token. Workers of many nodes look for an
    /// email at the same time. In a serializable transaction each would read rows that the others change. An email
    /// whose token is not stored is sent after its lease.
    package func claimMail(_ claim: MailClaim) async throws(IdentityError) -> ClaimedMail? {
        guard let leased = try await leaseMail(claim) else { return nil }
        return try await write { db throws(IdentityError) in
            let mail = try db.decided(leased, claim)
            var claimed = ClaimedMail(mail: mail, recipient: try db.prepare(mail, claim))
            if mail.purpose == .passwordChanged, let id = mail.accountID {
                claimed.providers = try db.linkedProviders(of: id)
            }
            return claimed
        }
    }

    /// Leases the first due email; reads before it writes, so that an idle worker costs no commit.
    private func leaseMail(_ claim: MailClaim) async throws(IdentityError) -> OutboxMail? {
        let isDue = try await first(
            "SELECT 1 FROM mail WHERE \(OutboxMail.isDue(at: "$1")) LIMIT 1", [.date(claim.now)]
        ) { _ in true }
        guard isDue != nil else { return nil }
        // PostgreSQL skips an email that another worker is taking. SQLite has one writer, so it needs no lock.
        let lock = backend.dialect == .postgres ? "FOR UPDATE SKIP LOCKED" : ""
        return try await update(
            """
            UPDATE mail SET attempts = attempts + 1, leased_until = $1
            WHERE id = (SELECT id FROM mail WHERE \(OutboxMail.isDue(at: "$2")) ORDER BY due_at, id LIMIT 1 \(lock))
            RETURNING \(OutboxMail.Column.list)
            """, [.date(claim.leaseEnd), .date(claim.now)], read: OutboxMail.init)
    }

    /// Removes an email that the mail server has accepted, or that is no longer needed.
    package func remove(mail id: String) async throws(IdentityError) {
        _ = try await update("DELETE FROM mail WHERE id = $1", [.text(id)]) { _ in }
    }

    /// Extends the lease of the worker that sends an email, unless another worker has taken it in the meantime.
    package func extendLease(of mail: OutboxMail, to end: Date) async throws(IdentityError) {
        _ = try await update(
            "UPDATE mail SET leased_until = $1 WHERE id = $2 AND attempts = $3",
            [.date(end), .text(mail.id), .integer(Int64(mail.attempts))]
        ) { _ in }
    }

    /// Sets the time of the next attempt, unless another worker has taken the email in the meantime.
    ///
    /// It compares the number of attempts, which another worker's claim after the end of the lease has increased.
    package func postpone(_ mail: OutboxMail, until date: Date) async throws(IdentityError) {
        _ = try await update(
            "UPDATE mail SET due_at = $1, leased_until = NULL WHERE id = $2 AND attempts = $3",
            [.date(date), .text(mail.id), .integer(Int64(mail.attempts))]
        ) { _ in }
    }

    /// Removes an email that was not accepted for too long, and records it in the audit log.
    package func abandon(_ mail: OutboxMail, at now: Date) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.run("DELETE FROM mail WHERE id = $1", [.text(mail.id)]) == 1 else { return }
            let account: String? =
                if let id = mail.accountID { id } else { try db.accountID(emailKey: mail.recipient.key) }
            try db.audit("mail.abandoned", account: account, detail: mail.purpose.rawValue, at: now)
        }
    }

    /// Returns the emails of the outbox, those with the next attempt first.
    ///
    /// - Parameters:
    ///   - date: The earliest date of the next attempt; nil for any.
    ///   - count: The number of emails from that date on to pass over. An ID would be a position, but it is secret.
    package func waitingMails(
        from date: Date? = nil, passingOver count: Int = 0, limit: Int
    ) async throws(IdentityError) -> [WaitingMail] {
        try await all(
            """
            SELECT purpose, email, created_at, due_at, attempts FROM mail WHERE $1 IS NULL OR due_at >= $1
            ORDER BY due_at, id LIMIT $2 OFFSET $3
            """, [.date(date), .integer(Int64(limit)), .integer(Int64(count))]
        ) { row throws(IdentityError) in
            WaitingMail(
                purpose: try row.text(0), recipient: try row.text(1), createdAt: try row.date(2),
                nextAttemptAt: try row.date(3), attempts: Int(try row.integer(4)))
        }
    }

    /// Makes every waiting email due, with an entry in the audit log.
    ///
    /// - Parameter actor: The account of the administrator.
    package func retryMails(by actor: String, at now: Date) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            let count = try db.run(
                "UPDATE mail SET due_at = $1 WHERE due_at > $1 AND (leased_until IS NULL OR leased_until <= $1)",
                [.date(now)])
            try db.audit("mail.retried", account: nil, detail: "\(count) by \(actor)", at: now)
        }
    }

    /// Returns the length of the outbox.
    package func mailCount() async throws(IdentityError) -> Int {
        try await read { db throws(IdentityError) in try db.number("SELECT count(*) FROM mail") }
    }

    /// Returns the length and the age of the outbox.
    ///
    /// - Parameter date: Emails with a due date from this time on do not count for the age. Refused emails wait for
    ///   hours, and one wrong address must not look like an outage.
    package func mailBacklog(dueBefore date: Date) async throws(IdentityError) -> MailBacklog {
        let found = try await first(
            "SELECT count(*), min(CASE WHEN due_at < $1 THEN created_at END) FROM mail", [.date(date)]
        ) { row throws(IdentityError) in
            MailBacklog(count: Int(try row.integer(0)), oldest: try row.optionalDate(1))
        }
        return found ?? MailBacklog(count: 0, oldest: nil)
    }
}

extension SQLConnection {
    /// The number of emails from which new requests are rejected, since an accepted email is never dropped.
    package static var maximumMails: Int { 100_000 }

    /// Adds an email to the outbox, in the transaction of its change.
    ///
    /// - Throws: `IdentityError.overloaded` if the outbox is full, unless the email is a notice.
    package func insert(_ mail: OutboxMail) throws(IdentityError) {
        if !mail.purpose.isNotice {
            guard try hasRoomForMail else { throw .overloaded }
        }
        try run("INSERT INTO mail \(OutboxMail.Column.insertion)", OutboxMail.Column.values(of: mail))
    }

    /// Returns an email with its final purpose, which is decided when the email is sent.
    ///
    /// A request must not reveal whether its address has an account (attack E2).
    fileprivate func decided(_ mail: OutboxMail, _ claim: MailClaim) throws(IdentityError) -> OutboxMail {
        guard mail.accountID == nil, let purpose = try decidedPurpose(of: mail, claim) else { return mail }
        return OutboxMail(
            purpose, to: mail.recipient, id: mail.id, at: mail.createdAt, attempts: mail.attempts,
            causedBy: mail.cause)
    }

    private func decidedPurpose(of mail: OutboxMail, _ claim: MailClaim) throws(IdentityError) -> OutboxMail.Purpose? {
        switch mail.purpose {
        case .addressCode: try accountID(emailKey: mail.recipient.key).map { _ in .addressTaken }
        case .signUpCode: try accountID(emailKey: mail.recipient.key).map { _ in .signUpTaken }
        // Without passwords, the code itself is the proof that ends such credentials.
        case .signInCode where claim.hasPasswords:
            // The credentials may be those of a stranger who signed up with the address. A new password ends them.
            try activeAccount(emailKey: mail.recipient.key).flatMap { $0.isOwnersAddress ? nil : .resetPassword }
        default: nil
        }
    }

    /// Stores the token of an email, and returns its recipient; nil if no account still needs the email.
    fileprivate func prepare(_ mail: OutboxMail, _ claim: MailClaim) throws(IdentityError) -> EmailAddress? {
        switch mail.purpose {
        case .addressChanging, .factorAdded, .factorRemoved, .signInAdded, .signInRemoved, .passkeyAdded,
            .passkeyRemoved, .signedUp, .passwordChanged, .deletionRequested, .newDevice, .apiKeyAdded, .addressChanged,
            .factorRecoveryBegun, .factorRecoverySoon:
            return mail.recipient
        case .addressCode, .addressTaken, .signUpCode, .signUpTaken, .signInCode, .factorRecoveryCode:
            // A late code would only confuse its recipient.
            let isWaiting = try number(
                "SELECT count(*) FROM address_challenge WHERE id = $1 AND expires_at > $2",
                [.text(mail.challengeID), .date(claim.now)])
            guard isWaiting == 1 else { return nil }
            let needsAccount = [.signInCode, .factorRecoveryCode].contains(mail.purpose)
            return needsAccount ? try activeAccount(emailKey: mail.recipient.key)?.email : mail.recipient
        case .newAddress, .oldAddress:
            let column = mail.purpose == .newAddress ? "new_digest" : "old_digest"
            // The owner of another account did not request the change, which cannot be completed.
            if mail.purpose == .newAddress, try accountID(emailKey: mail.recipient.key) != nil { return nil }
            let changed = try run(
                """
                UPDATE email_change SET expires_at = CASE WHEN $1 > expires_at THEN $1 ELSE expires_at END
                WHERE \(column) = $2
                """,
                [.date(claim.verificationEnd), .blob(claim.digest(mail.id))])
            return changed == 1 ? mail.recipient : nil
        case .verifyEmail, .resetPassword, .invitation:
            guard let purpose = mail.purpose.token, claim.hasPasswords || purpose != .resetPassword,
                let account = try activeAccount(emailKey: mail.recipient.key), let email = account.email,
                purpose == .resetPassword || account.emailVerifiedAt == nil,
                mail.purpose != .invitation || account.passwordHash == nil
            else { return nil }
            let digest = claim.digest(mail.id)
            // The link of a newer email must not end when an older email is sent later.
            if try hasToken(of: account.id, purpose, after: mail.createdAt, besides: digest) { return nil }
            try insert(
                OneTimeToken(
                    digest: digest, accountID: account.id, purpose: purpose,
                    emailKey: email.key, createdAt: mail.createdAt,
                    expiresAt: mail.purpose == .resetPassword ? claim.resetEnd : claim.verificationEnd))
            return email
        }
    }

    private func hasToken(
        of accountID: String, _ purpose: OneTimeToken.Purpose, after date: Date, besides digest: [UInt8]
    ) throws(IdentityError) -> Bool {
        try number(
            """
            SELECT count(*) FROM one_time_token
            WHERE account_id = $1 AND purpose = $2 AND created_at > $3 AND digest <> $4
            """, [.text(accountID), .text(purpose.rawValue), .date(date), .blob(digest)]) > 0
    }

    func activeAccount(emailKey: String) throws(IdentityError) -> Account? {
        try first(
            "SELECT \(Account.Column.list) FROM account WHERE email_key = $1 AND status = 'active'", [.text(emailKey)],
            read: Account.init)
    }

    fileprivate func accountID(emailKey: String) throws(IdentityError) -> String? {
        try first("SELECT id FROM account WHERE email_key = $1", [.text(emailKey)]) { row throws(IdentityError) in
            try row.text(0)
        }
    }
}

extension OutboxMail {
    /// Returns the condition of an email that a worker can take.
    ///
    /// It names the purposes that this version knows. An email of a later version waits for that version and blocks no
    /// other email.
    fileprivate static func isDue(at now: String) -> String {
        let purposes = Purpose.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return "due_at <= \(now) AND (leased_until IS NULL OR leased_until <= \(now)) AND purpose IN (\(purposes))"
    }

    /// The columns of `mail`.
    enum Column: Int32, TableColumn {
        case id, purpose, email, emailKey, accountID, createdAt, dueAt, leasedUntil, attempts, language, address,
            userAgent

        static let (list, insertion) = texts()

        func value(of mail: OutboxMail?) -> SQLValue {
            switch self {
            case .id: .text(mail?.id)
            case .purpose: .text(mail?.purpose.rawValue)
            case .email: .text(mail?.recipient.text)
            case .emailKey: .text(mail?.recipient.key)
            case .accountID: .text(mail?.accountID)
            // A failed attempt postpones the next one.
            case .createdAt, .dueAt: .date(mail?.createdAt)
            // Set by the worker that sends the email.
            case .leasedUntil: .date(nil)
            case .attempts: .integer((mail?.attempts).map { Int64($0) })
            case .language: .text(mail?.cause.language)
            case .address: .text(mail?.cause.address)
            case .userAgent: .text(mail?.cause.userAgent)
            }
        }
    }

    /// Creates an email from a row; an unknown purpose is damage.
    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        guard let purpose = Purpose(rawValue: try row.text(Column.purpose)) else {
            throw .corruptStore("an email has an unknown purpose")
        }
        self.init(
            purpose, to: EmailAddress(text: try row.text(Column.email), key: try row.text(Column.emailKey)),
            accountID: try row.optionalText(Column.accountID), id: try row.text(Column.id),
            at: try row.date(Column.createdAt), attempts: Int(try row.integer(Column.attempts)),
            causedBy: MailCause(
                language: try row.optionalText(Column.language), address: try row.optionalText(Column.address),
                userAgent: try row.optionalText(Column.userAgent)))
    }
}
