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

    /// Completes or counts an answer to an address challenge.
    ///
    /// The correct code verifies the address of the identity's account. If the identity has no account, the account is
    /// inserted and linked. A wrong code is counted. All of this is one transaction, so that of any number of
    /// concurrent guesses five are checked.
    ///
    /// - Throws: `IdentityError.alreadyExists` if another account has taken the address in the meantime.
    package func answer(
        _ challengeID: String, isRight: Bool, for account: Account, linkedTo identity: UpstreamIdentity,
        causedBy cause: MailCause = MailCause(), at now: Date
    ) async throws(IdentityError) -> AddressChallenge.Answer {
        try await write { db throws(IdentityError) in
            if let failure = try db.failure(ofAnswer: isRight, to: challengeID, at: now) { return failure }
            guard let found = try db.account(linkedTo: identity) else {
                return .verified(try db.insert(account, linkedTo: identity))
            }
            // The address may have changed since the code was mailed.
            guard found.status == .active, found.email?.key == account.email?.key else { return .ended }
            if found.emailVerifiedAt == nil {
                try db.audit("account.emailVerified", account: found.id, at: now)
                try db.proveAddress(of: found, with: .identity(identity), causedBy: cause, at: now)
            }
            return try db.account(found.id).map { .verified($0) } ?? .ended
        }
    }

    /// Links an identity to an account, and emails its owner.
    ///
    /// The transaction decides, so that only one of two accounts gets the identity.
    ///
    /// An account without an address gets that of the identity, and a guest becomes a user.
    ///
    /// - Parameters:
    ///   - adopts: Whether an account without an address gets that of the identity, as a verified one.
    ///   - device: The signed-in device that links it.
    ///   - end: The time at which the sessions of a guest end from now on; nil keeps them.
    /// - Throws: `IdentityError.linkedElsewhere`. `.addressTaken` if an account without an address would get that of
    ///   another account. `.alreadyLinked` if the account has another identity of the provider.
    ///   `.accountChanged` if the account has changed since it was read. `.invalidToken` if the device was signed out.
    package func link(
        _ identity: UpstreamIdentity, adoptingAddress adopts: Bool = false, to account: Account, on device: [UInt8],
        endingGuestSessionsBy end: Date? = nil, causedBy cause: MailCause = MailCause(), at now: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.isSignedIn(device, of: account.id, at: now) else { throw .invalidToken }
            if let owner = try db.account(linkedTo: identity) {
                guard owner.id != account.id else { return }
                throw .linkedElsewhere(asGuest: account.isGuest)
            }
            guard try db.isUnchanged(account) else { throw .accountChanged }
            let count = try db.number(
                "SELECT count(*) FROM upstream_identity WHERE account_id = $1 AND provider = $2",
                [.text(account.id), .text(identity.provider)])
            guard count == 0 else { throw .alreadyLinked }
            try db.insert(identity, of: account.id, at: now)
            if adopts, let email = identity.email {
                try db.adopt(email, for: account, from: identity.provider, at: now)
            }
            try db.endGuest(account.id, endingSessionsBy: end)
            try db.mail(.signInAdded, to: account.id, causedBy: cause, at: now)
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
        causedBy cause: MailCause = MailCause(), at now: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.isSignedIn(device, of: account.id, at: now) else { throw .invalidToken }
            guard try db.isUnchanged(account), let current = try db.account(account.id) else { throw .accountChanged }
            guard try db.removeLink(to: provider, of: account, except: device, note: nil, causedBy: cause, at: now)
            else {
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
            SELECT \(UpstreamLink.Column.list) FROM upstream_identity WHERE account_id = $1 ORDER BY provider, linked_at
            """, [.text(accountID)], read: UpstreamLink.init)
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
            try db.run("INSERT INTO sign_in_code \(SignInCode.Column.insertion)", SignInCode.Column.values(of: code))
        }
    }

    /// Returns a code without using it up; nil if none exists for the purpose, or it has expired.
    package func signInCode(
        _ digest: [UInt8], for purpose: SignInCode.Purpose, at now: Date
    ) async throws(IdentityError) -> SignInCode? {
        try await read { db throws(IdentityError) in
            try db.first(
                """
                SELECT \(SignInCode.Column.list) FROM sign_in_code
                WHERE digest = $1 AND purpose = $2 AND expires_at > $3
                """, [.blob(digest), .text(purpose.rawValue), .date(now)], read: SignInCode.init)
        }
    }

    /// Uses up a code.
    ///
    /// - Returns: False if it was used up before: only one of two exchanges gets the code.
    package func remove(signInCode digest: [UInt8]) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            try db.run("DELETE FROM sign_in_code WHERE digest = $1", [.blob(digest)]) == 1
        }
    }
}

extension SQLConnection {
    /// Removes the link to a provider, signs out the devices except the given one, and emails the owner.
    ///
    /// - Returns: False if the account has no such link.
    package func removeLink(
        to provider: String, of account: Account, except device: [UInt8]?, note: String?, causedBy cause: MailCause,
        at now: Date
    ) throws(IdentityError) -> Bool {
        guard provider.isStorable else { return false }
        let removed = try run(
            "DELETE FROM upstream_identity WHERE account_id = $1 AND provider = $2",
            [.text(account.id), .text(provider)])
        guard removed > 0 else { return false }
        let detail = note.map { "\(provider) \($0)" } ?? provider
        try audit("account.unlinked", account: account.id, detail: detail, at: now)
        try mail(.signInRemoved, to: account.id, causedBy: cause, at: now)
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
        let link = UpstreamLink(identity: identity, linkedAt: now)
        try run(
            "INSERT INTO upstream_identity \(UpstreamLink.Column.insertion)",
            UpstreamLink.Column.values(of: (link, accountID)))
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

extension UpstreamLink {
    /// The columns of `upstream_identity`.
    enum Column: Int32, TableColumn {
        case issuer, subject, provider, email, accountID, linkedAt

        static let keyCount = 2
        static let (list, insertion) = texts()

        func value(of row: (link: UpstreamLink, accountID: String)?) -> SQLValue {
            switch self {
            case .issuer: .text(row?.link.identity.issuer)
            case .subject: .text(row?.link.identity.subject)
            case .provider: .text(row?.link.identity.provider)
            case .email: .text(row?.link.identity.email?.text)
            case .accountID: .text(row?.accountID)
            case .linkedAt: .date(row?.link.linkedAt)
            }
        }
    }

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            identity: UpstreamIdentity(
                issuer: try row.text(Column.issuer), subject: try row.text(Column.subject),
                provider: try row.text(Column.provider),
                email: try row.optionalText(Column.email).map(EmailAddress.init(reported:))),
            linkedAt: try row.date(Column.linkedAt))
    }
}

extension SignInCode {
    /// The columns of `sign_in_code`.
    enum Column: Int32, TableColumn {
        case digest, purpose, issuer, subject, provider, email, accountID, credentialVersion, codeChallenge
        case factorAt, authenticatedAt, expiresAt, isEmailVerified

        static let (list, insertion) = texts()

        func value(of code: SignInCode?) -> SQLValue {
            switch self {
            case .digest: .blob(code?.digest)
            case .purpose: .text(code?.purpose.rawValue)
            case .issuer: .text(code?.identity.issuer)
            case .subject: .text(code?.identity.subject)
            case .provider: .text(code?.identity.provider)
            case .email: .text(code?.identity.email?.text)
            case .accountID: .text(code?.accountID)
            case .credentialVersion: .integer((code?.credentialVersion).map { Int64($0) })
            case .codeChallenge: .text(code?.codeChallenge)
            case .factorAt: .date(code?.factorAt)
            case .authenticatedAt: .date(code?.authenticatedAt)
            case .expiresAt: .date(code?.expiresAt)
            case .isEmailVerified: .integer((code?.isEmailVerified).map { $0 ? 1 : 0 })
            }
        }
    }

    /// Creates a code from a row; an unknown purpose is damage.
    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        guard let purpose = Purpose(rawValue: try row.text(Column.purpose)) else {
            throw .corruptStore("a sign-in code has an unknown purpose")
        }
        self.init(
            digest: try row.blob(Column.digest), purpose: purpose,
            identity: UpstreamIdentity(
                issuer: try row.text(Column.issuer), subject: try row.text(Column.subject),
                provider: try row.text(Column.provider),
                email: try row.optionalText(Column.email).map(EmailAddress.init(reported:))),
            accountID: try row.optionalText(Column.accountID),
            credentialVersion: Int(try row.integer(Column.credentialVersion)),
            codeChallenge: try row.text(Column.codeChallenge), factorAt: try row.optionalDate(Column.factorAt),
            authenticatedAt: try row.date(Column.authenticatedAt), expiresAt: try row.date(Column.expiresAt),
            isEmailVerified: try row.integer(Column.isEmailVerified) == 1)
    }
}

extension EmailAddress {
    /// Creates the stored address that a provider has reported, which has no column for its key.
    fileprivate init(reported text: String) { self.init(text: text, key: text.lowercasedASCII()) }
}
