// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

extension IdentityStore {
    /// Returns the account that an identity is linked to, of any status; nil without a link.
    package func account(linkedTo identity: UpstreamIdentity) async throws(IdentityError) -> Account? {
        try await read { db throws(IdentityError) in try db.account(linkedTo: identity) }
    }

    /// Inserts an account that was signed up through a provider, and links it, in one transaction.
    ///
    /// - Parameter mail: An email to its address, if the account is new.
    /// - Returns: The account of the identity: the given one, or that of a faster request.
    /// - Throws: `IdentityError.alreadyExists` if the address is taken.
    package func insert(
        _ account: Account, linkedTo identity: UpstreamIdentity, mail: OutboxMail?
    ) async throws(IdentityError) -> Account {
        try await write { db throws(IdentityError) in
            // Two responses for one new user may arrive at the same time.
            if let found = try db.account(linkedTo: identity) { return found }
            if let mail { try db.insert(mail) }
            return try db.insert(account, linkedTo: identity)
        }
    }

    /// Inserts a challenge, and the email with its code.
    ///
    /// - Throws: `IdentityError.overloaded` if too many emails wait.
    package func insert(_ challenge: AddressChallenge, mail: OutboxMail) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            try db.insert(mail)
            try db.run(
                "INSERT INTO address_challenge (id, account_id, failures, expires_at) VALUES ($1, $2, 0, $3)",
                [.text(challenge.id), .text(challenge.accountID), .date(challenge.expiresAt)])
        }
    }

    /// Completes or counts an answer to an address challenge.
    ///
    /// The correct code verifies the address of the identity's account. If the identity has no account, the account is
    /// inserted and linked. A wrong code is counted. All of this is one transaction, so that of any number of
    /// concurrent guesses five are checked.
    ///
    /// - Throws: `IdentityError.alreadyExists` if another account has taken the address in the meantime.
    package func answer(
        _ challengeID: String, isRight: Bool, for account: Account, linkedTo identity: UpstreamIdentity,
        in language: String? = nil, at now: Date
    ) async throws(IdentityError) -> AddressChallenge.Answer {
        try await write { db throws(IdentityError) in
            let left = try db.number(
                "SELECT \(AddressChallenge.maximumFailures) - failures FROM address_challenge WHERE id = $1 AND expires_at > $2",
                [.text(challengeID), .date(now)])
            guard left > 0 else { return .ended }
            guard isRight else {
                try db.run("UPDATE address_challenge SET failures = failures + 1 WHERE id = $1", [.text(challengeID)])
                return left > 1 ? .wrong : .ended
            }
            try db.run("DELETE FROM address_challenge WHERE id = $1", [.text(challengeID)])
            guard let found = try db.account(linkedTo: identity) else {
                return .verified(try db.insert(account, linkedTo: identity))
            }
            // The address may have changed since the code was mailed.
            guard found.status == .active, found.email.key == account.email.key else { return .ended }
            if found.emailVerifiedAt == nil {
                try db.audit("account.emailVerified", account: found.id, at: now)
                try db.proveAddress(of: found, with: .identity(identity), in: language, at: now)
            }
            return try db.account(found.id).map { .verified($0) } ?? .ended
        }
    }

    /// Links an identity to an account, and emails its owner.
    ///
    /// The transaction decides, so that only one of two accounts gets the identity.
    ///
    /// - Parameter device: The signed-in device that links it.
    /// - Throws: `IdentityError.linkedElsewhere`. `.alreadyLinked` if the account has another identity of the provider.
    ///   `.accountChanged` if the account has changed since it was read. `.invalidToken` if the device was signed out.
    package func link(
        _ identity: UpstreamIdentity, to account: Account, on device: [UInt8], in language: String? = nil, at now: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.isSignedIn(device, of: account.id, at: now) else { throw .invalidToken }
            if let owner = try db.account(linkedTo: identity) {
                guard owner.id != account.id else { return }
                throw .linkedElsewhere
            }
            guard try db.isUnchanged(account) else { throw .accountChanged }
            let count = try db.number(
                "SELECT count(*) FROM upstream_identity WHERE account_id = $1 AND provider = $2",
                [.text(account.id), .text(identity.provider)])
            guard count == 0 else { throw .alreadyLinked }
            try db.insert(identity, of: account.id, at: now)
            try db.mail(.signInAdded, to: account.id, in: language, at: now)
        }
    }

    /// Removes the link of an account to a provider, and emails its owner.
    ///
    /// - Parameters:
    ///   - device: The signed-in device that removes it, and stays signed in.
    ///   - ways: The ways to sign in that the configuration permits.
    /// - Throws: `IdentityError.notLinked`. `.lastSignIn` if the account has no password and no other way to sign in.
    ///   `.accountChanged` if the account has changed since it was read. `.invalidToken` if the device was signed out.
    package func unlink(
        _ provider: String, from account: Account, on device: [UInt8], among ways: SignInWays,
        in language: String? = nil, at now: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.isSignedIn(device, of: account.id, at: now) else { throw .invalidToken }
            guard try db.isUnchanged(account), let current = try db.account(account.id) else { throw .accountChanged }
            guard try db.removeLink(to: provider, of: account, except: device, note: nil, in: language, at: now) else {
                throw .notLinked
            }
            // The error rolls the removal back.
            guard try db.canSignIn(current, by: ways) else { throw .lastSignIn }
        }
    }

    /// Returns the links of an account, by provider.
    package func links(of accountID: String) async throws(IdentityError) -> [UpstreamLink] {
        try await all(
            """
            SELECT issuer, subject, provider, email, linked_at FROM upstream_identity
            WHERE account_id = $1 ORDER BY provider, linked_at
            """, [.text(accountID)]
        ) { row throws(IdentityError) in
            UpstreamLink(identity: try UpstreamIdentity(row, from: 0), linkedAt: try row.date(4))
        }
    }

    /// Records that an attempt was used.
    ///
    /// The primary key decides between concurrent responses.
    ///
    /// - Parameters:
    ///   - digest: The digest of its state.
    ///   - end: The time from which the attempt is invalid anyway.
    /// - Returns: False if it was used before.
    package func spend(attempt digest: [UInt8], until end: Date) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            try db.run(
                "INSERT INTO spent_sign_in (digest, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [.blob(digest), .date(end)]) == 1
        }
    }

    package func insert(_ code: SignInCode) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            try db.run(
                """
                INSERT INTO sign_in_code (digest, purpose, issuer, subject, provider, email, account_id,
                    credential_version, code_challenge, factor_at, authenticated_at, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                """,
                [
                    .blob(code.digest), .text(code.purpose.rawValue), .text(code.identity.issuer),
                    .text(code.identity.subject), .text(code.identity.provider), .text(code.identity.email?.text),
                    .text(code.accountID), .integer(Int64(code.credentialVersion)), .text(code.codeChallenge),
                    .date(code.factorAt), .date(code.authenticatedAt), .date(code.expiresAt),
                ])
        }
    }

    /// Removes and returns a code; nil if none exists for the purpose, or it has expired.
    ///
    /// It reads and removes in one transaction, so that only one of two exchanges gets the code.
    package func takeSignInCode(
        _ digest: [UInt8], for purpose: SignInCode.Purpose, at now: Date
    ) async throws(IdentityError) -> SignInCode? {
        try await write { db throws(IdentityError) in
            let code = try db.first(
                """
                SELECT issuer, subject, provider, email, account_id, credential_version, code_challenge, factor_at,
                    authenticated_at, expires_at FROM sign_in_code WHERE digest = $1 AND purpose = $2 AND expires_at > $3
                """, [.blob(digest), .text(purpose.rawValue), .date(now)]
            ) { row throws(IdentityError) in
                SignInCode(
                    digest: digest, purpose: purpose, identity: try UpstreamIdentity(row, from: 0),
                    accountID: try row.optionalText(4), credentialVersion: Int(try row.integer(5)),
                    codeChallenge: try row.text(6), factorAt: try row.optionalDate(7),
                    authenticatedAt: try row.date(8), expiresAt: try row.date(9))
            }
            try db.run("DELETE FROM sign_in_code WHERE digest = $1", [.blob(digest)])
            return code
        }
    }
}

extension UpstreamIdentity {
    /// Creates an identity from the columns issuer, subject, provider and email.
    fileprivate init(_ row: borrowing SQLRow, from column: Int32) throws(IdentityError) {
        let email = try row.optionalText(column + 3)
        self.init(
            issuer: try row.text(column), subject: try row.text(column + 1), provider: try row.text(column + 2),
            email: email.map { EmailAddress(text: $0, key: $0.lowercasedASCII()) })
    }
}

extension SQLConnection {
    /// Removes the link to a provider, signs out the devices except the given one, and emails the owner.
    ///
    /// - Returns: False if the account has no such link.
    package func removeLink(
        to provider: String, of account: Account, except device: [UInt8]?, note: String?, in language: String?,
        at now: Date
    ) throws(IdentityError) -> Bool {
        guard provider.isStorable else { return false }
        let removed = try run(
            "DELETE FROM upstream_identity WHERE account_id = $1 AND provider = $2",
            [.text(account.id), .text(provider)])
        guard removed > 0 else { return false }
        let detail = note.map { "\(provider) \($0)" } ?? provider
        try audit("account.unlinked", account: account.id, detail: detail, at: now)
        try mail(.signInRemoved, to: account.id, in: language, at: now)
        // Signs out the devices that signed in through the link.
        try revokeDevices(of: account.id, except: device, because: .signInRemoved, at: now)
        return true
    }

    func linkedProviders(of accountID: String) throws(IdentityError) -> [String] {
        try all("SELECT provider FROM upstream_identity WHERE account_id = $1 ORDER BY provider", [.text(accountID)]) {
            row throws(IdentityError) in try row.text(0)
        }
    }

    /// Inserts an account that was signed up through a provider, and links it.
    fileprivate func insert(
        _ account: Account, linkedTo identity: UpstreamIdentity
    ) throws(IdentityError) -> Account {
        try insert(account)
        try audit("account.created", account: account.id, detail: identity.provider, at: account.createdAt)
        try insert(identity, of: account.id, at: account.createdAt)
        return try self.account(account.id) ?? account
    }

    fileprivate func account(linkedTo identity: UpstreamIdentity) throws(IdentityError) -> Account? {
        try first(
            """
            SELECT \(Account.Column.list) FROM account
            WHERE id = (SELECT account_id FROM upstream_identity WHERE issuer = $1 AND subject = $2)
            """, [.text(identity.issuer), .text(identity.subject)], read: Account.init)
    }

    fileprivate func insert(
        _ identity: UpstreamIdentity, of accountID: String, at now: Date
    ) throws(IdentityError) {
        try run(
            """
            INSERT INTO upstream_identity (issuer, subject, provider, email, account_id, linked_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .text(identity.issuer), .text(identity.subject), .text(identity.provider),
                .text(identity.email?.text), .text(accountID), .date(now),
            ])
        try audit("account.linked", account: accountID, detail: identity.provider, at: now)
    }

    /// Ends the links from before the first proof of an account's address.
    ///
    /// An account without a password keeps its only link if one of its sessions makes the proof: no other user had
    /// access to it. An identity that makes the proof stays linked.
    func endUnprovedLinks(
        of account: Account, keeping identity: UpstreamIdentity?, device: [UInt8]?, at now: Date
    ) throws(IdentityError) {
        let count = try number("SELECT count(*) FROM upstream_identity WHERE account_id = $1", [.text(account.id)])
        guard count > 0, !(count == 1 && account.passwordHash == nil && device != nil) else { return }
        let removed = try run(
            "DELETE FROM upstream_identity WHERE account_id = $1 AND (issuer IS DISTINCT FROM $2 OR subject IS DISTINCT FROM $3)",
            [.text(account.id), .text(identity?.issuer), .text(identity?.subject)])
        guard removed > 0 else { return }
        try audit("account.unlinked", account: account.id, detail: "set before the address was proved", at: now)
    }
}
