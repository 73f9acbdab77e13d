// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Inserts a challenge, and the email with its code.
    ///
    /// - Throws: `IdentityError.overloaded` if too many emails wait.
    package func insert(_ challenge: AddressChallenge, mail: OutboxMail) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in try db.insert(challenge, mail: mail) }
    }

    /// Returns the challenge whose code a form has mailed; nil if the form was not used.
    package func challengeID(of request: CodeRequest) async throws(IdentityError) -> String? {
        try await read { db throws(IdentityError) in try db.challengeID(of: request) }
    }

    /// Mails the code of the earlier challenge, which then ends later, or that of a new one.
    ///
    /// The transaction uses up the form. So a form causes one email, also if a browser sends it twice at a time.
    ///
    /// - Returns: The challenge, and whether an email was added.
    /// - Throws: `IdentityError.overloaded` if too many emails wait.
    package func mailCode(
        _ request: CodeRequest, at now: Date
    ) async throws(IdentityError) -> (challengeID: String, isMailed: Bool) {
        try await write { db throws(IdentityError) in
            let isFirst = try db.run(
                "INSERT INTO spent_sign_in (digest, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [.blob(request.form), .date(request.formExpiresAt)])
            guard isFirst == 1 else { return (try db.challengeID(of: request) ?? request.mail.id, false) }
            if let earlier = request.earlier, try db.prolong(earlier, until: request.expiresAt, at: now) {
                try db.insert(request.mail.carryingCode(of: earlier))
                return (earlier, true)
            }
            try db.insert(AddressChallenge(id: request.mail.id, expiresAt: request.expiresAt), mail: request.mail)
            return (request.mail.id, true)
        }
    }

    /// Completes or counts an answer to the challenge of an address that has no account.
    ///
    /// - Parameter isUsedUp: Whether the correct code is used up; otherwise ``insert(_:for:usingUp:at:)`` does it.
    /// - Returns: Nil for the correct code, which can be used once; otherwise `.wrong` or `.ended`.
    package func answer(
        _ challengeID: String, isRight: Bool, usingUp isUsedUp: Bool = true, at now: Date
    ) async throws(IdentityError) -> AddressChallenge.Answer? {
        try await write { db throws(IdentityError) in
            try db.failure(ofAnswer: isRight, to: challengeID, usingUp: isUsedUp, at: now)
        }
    }

    /// Uses up a challenge, and inserts the device of the session that its code starts.
    ///
    /// - Parameter date: The time at which the code was checked.
    /// - Throws: `IdentityError.codeEnded` if the code was used in the meantime, or has ended; `.invalidCredentials` if
    ///   the account has changed since it was read, after which the code can still be used.
    package func insert(
        _ device: Device, for account: Account, usingUp challengeID: String, at date: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            let used = try db.run(
                """
                DELETE FROM address_challenge
                WHERE id = $1 AND expires_at > $2 AND failures < \(AddressChallenge.maximumFailures)
                """, [.text(challengeID), .date(date)])
            guard used == 1 else { throw .codeEnded }
            guard try db.signIn(device, of: account) else { throw .invalidCredentials }
        }
    }

    /// Returns the digest of the token that verifies an address, for a user who typed the code beside its link.
    ///
    /// The token stays unused. A wrong code is counted, and the fifth ends the code. An address without such a token
    /// takes the same statements (attack E2).
    ///
    /// - Parameter isRight: Returns whether the typed code is that of a token, by its digest.
    /// - Returns: Nil for a wrong code, or if no code of the address works.
    package func verificationToken(
        of email: EmailAddress, at now: Date, isRight: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(IdentityError) -> [UInt8]? {
        try await write { db throws(IdentityError) in
            let token = try db.first(
                """
                SELECT digest, expires_at FROM one_time_token
                WHERE purpose = $1 AND expires_at > $2 AND (account_id, email_key) IN (
                    SELECT id, email_key FROM account WHERE email_key = $3 AND status = 'active')
                """, [.text(OneTimeToken.Purpose.verifyEmail.rawValue), .date(now), .text(email.key)]
            ) { row throws(IdentityError) in (digest: try row.blob(0), end: try row.date(1)) }
            let digest = token?.digest ?? "verifyEmail \(email.key)".digest
            let (id, matches) = (AddressChallenge.id(ofToken: digest), isRight(digest))
            let failures = try db.number(
                "SELECT coalesce(max(failures), 0) FROM address_challenge WHERE id = $1 AND expires_at > $2",
                [.text(id), .date(now)])
            if token != nil, matches, failures < AddressChallenge.maximumFailures { return digest }
            try db.run(
                """
                INSERT INTO address_challenge (id, failures, expires_at) VALUES ($1, 1, $2)
                ON CONFLICT (id) DO UPDATE SET failures = address_challenge.failures + 1, expires_at = $2
                """, [.text(id), .date(token?.end ?? now.addingTimeInterval(AddressChallenge.lifetime))])
            return nil
        }
    }
}

extension SQLConnection {
    fileprivate func insert(_ challenge: AddressChallenge, mail: OutboxMail) throws(IdentityError) {
        try insert(mail)
        try run(
            "INSERT INTO address_challenge \(AddressChallenge.Column.insertion)",
            AddressChallenge.Column.values(of: challenge))
    }

    /// Returns the challenge whose code a form has mailed; nil if the form was not used.
    fileprivate func challengeID(of request: CodeRequest) throws(IdentityError) -> String? {
        let isUsed = try number("SELECT count(*) FROM spent_sign_in WHERE digest = $1", [.blob(request.form)]) > 0
        guard isUsed else { return nil }
        guard let earlier = request.earlier else { return request.mail.id }
        let isNew = try number("SELECT count(*) FROM address_challenge WHERE id = $1", [.text(request.mail.id)]) > 0
        return isNew ? request.mail.id : earlier
    }

    /// Moves the end of a challenge; returns false if no code of it can be entered any longer.
    fileprivate func prolong(_ challengeID: String, until end: Date, at now: Date) throws(IdentityError) -> Bool {
        try run(
            """
            UPDATE address_challenge SET expires_at = $1
            WHERE id = $2 AND expires_at > $3 AND failures < \(AddressChallenge.maximumFailures)
            """, [.date(end), .text(challengeID), .date(now)]) == 1
    }

    /// Uses up a challenge with the correct code, or counts a wrong one; returns nil for the correct code.
    func failure(
        ofAnswer isRight: Bool, to challengeID: String, usingUp isUsedUp: Bool = true, at now: Date
    ) throws(IdentityError) -> AddressChallenge.Answer? {
        let left = try number(
            "SELECT \(AddressChallenge.maximumFailures) - failures FROM address_challenge WHERE id = $1 AND expires_at > $2",
            [.text(challengeID), .date(now)])
        guard left > 0 else { return .ended }
        guard isRight else {
            try run("UPDATE address_challenge SET failures = failures + 1 WHERE id = $1", [.text(challengeID)])
            return left > 1 ? .wrong : .lastWrong
        }
        if isUsedUp { try run("DELETE FROM address_challenge WHERE id = $1", [.text(challengeID)]) }
        return nil
    }
}

extension AddressChallenge {
    /// The columns of `address_challenge`.
    enum Column: Int32, TableColumn {
        case id, accountID, failures, expiresAt

        static let (list, insertion) = texts()

        func value(of challenge: AddressChallenge?) -> SQLValue {
            switch self {
            case .id: .text(challenge?.id)
            case .accountID: .text(challenge?.accountID)
            // Counted by answers.
            case .failures: .integer(challenge.map { _ in 0 })
            case .expiresAt: .date(challenge?.expiresAt)
            }
        }
    }
}
