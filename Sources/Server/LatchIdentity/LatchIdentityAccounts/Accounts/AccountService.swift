// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

/// A service for accounts: sign-up, verification, passwords, addresses, and administration.
///
/// An `actor` is the id of the account that makes a change; nil means the server's operator.
package struct AccountService: Sendable {
    package let configuration: IdentityConfiguration
    package let attributes: AttributeRules
    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource
    package let pepper: SymmetricKey
    package let passwords: PasswordHasher
    package let limits: RateLimits
    package let mails: MailQueue
    package let metrics: Metrics
    package let hooks: Hooks
    package let recentAuthentication: RecentAuthenticationRule
    package let signIns: SignInService
    package let secondFactors: SecondFactorService

    package init(
        configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, random: RandomSource,
        pepper: SymmetricKey, passwords: PasswordHasher, limits: RateLimits, mails: MailQueue, metrics: Metrics,
        hooks: Hooks, recentAuthentication: RecentAuthenticationRule, signIns: SignInService,
        secondFactors: SecondFactorService
    ) {
        self.configuration = configuration
        attributes = AttributeRules(configuration)
        self.store = store
        self.clock = clock
        self.random = random
        self.pepper = pepper
        self.passwords = passwords
        self.limits = limits
        self.mails = mails
        self.metrics = metrics
        self.hooks = hooks
        self.recentAuthentication = recentAuthentication
        self.signIns = signIns
        self.secondFactors = secondFactors
    }

    // MARK: Sign-up

    /// Creates an account and emails a link that verifies its address.
    ///
    /// Roles and permissions come from the caller's code and never from a request. Only the store's unique indexes
    /// decide whether address and user name are free. So work, response time and response do not reveal which one is
    /// taken.
    ///
    /// - Parameters:
    ///   - registration: The app's fields and the accepted terms; nil for the operator's code, which needs no terms.
    ///   - administrator: Who creates the account for another person; nil for the owner.
    ///   - origin: The origin of the request, whose attempts are limited; nil for the operator's code.
    /// - Throws: `IdentityError.signInWayOff` if the owner can have no password; `.signUpClosed`, `.signUpDomain`,
    ///   `.signUpDenied`, `.hookUnavailable`, `.alreadyExists`, `.invalidEmail`, `.invalidInput`, `.weakPassword`, `.termsRequired`, `.tooManyAttempts`, `.overloaded` or a
    ///   store's error.
    package func signUp(
        email: String, password: String, name: String? = nil, username: String? = nil, roles: [String] = [],
        permissions: [String] = [], isVerified: Bool = false, details: AccountDetails? = nil,
        registration: Registration? = nil, by administrator: Administrator? = nil, from origin: RequestOrigin? = nil
    ) async throws(IdentityError) -> Account {
        let email = try EmailAddress(email)
        let name = try Self.validated(name: name)
        let username = try Self.validated(username: username, of: email)
        let isOwners = origin != nil && administrator == nil
        if isOwners {
            try signIns.admission.ways.require(.password)
            try SignUpRule(configuration).require(email)
        }
        try await passwords.check(password, for: email)
        try Self.requireWords(roles + permissions)
        if let details { try AccountDetailsValidator.check(details, at: clock.now) }
        try registration?.check(configuration)
        // Only a request that could succeed counts. The others must not use up the attempts of the address's owner.
        if isOwners { try limits.take([limits.signUp(emailKey: email.key)]) }
        let now = clock.now
        var account = Account(
            id: random.newID(at: now), email: email, username: username, name: name, passwordChangedAt: now,
            emailVerifiedAt: isVerified ? now : nil, roles: roles, permissions: permissions,
            ownerProvedAt: isVerified ? now : nil, createdAt: now, attributes: registration?.attributes ?? [:],
            acceptedTerms: registration?.acceptedTerms.map { AcceptedTerms(version: $0, acceptedAt: now) })
        if let origin, isOwners {
            account = try await hooks.admit(account, by: .app, isVerified: isVerified, from: origin)
        }
        account.passwordHash = try await passwords.hash(password, for: .signUp, from: origin?.address)
        let mail =
            isVerified
            ? nil : outboxMail(.verifyEmail, to: email, of: account, causedBy: origin?.mailCause ?? MailCause())
        do throws(IdentityError) {
            try await store.insert(
                account, details: details, mail: mail, by: administrator?.account, with: administrator?.actor,
                note: administrator.map { "created by \($0.name)" })
        } catch IdentityError.alreadyExists {
            throw username == nil ? .alreadyExists.at("email") : .emailOrUsernameTaken
        }
        // This email was promised, so it is sent beyond the limit too. It counts for later ones, and an address signs
        // up once.
        if mail != nil {
            _ = limits.rejection(taking: [limits.mail(.verifyEmail, emailKey: email.key)])
        }
        metrics.count(.accountsCreated)
        mails.wake()
        return account
    }

    /// Returns the trimmed name; nil if it is empty.
    ///
    /// Control characters are an error. They are not removed.
    package static func validated(name: String?) throws(IdentityError) -> String? {
        guard let name = name?.trimmingSpace(), !name.isEmpty else { return nil }
        guard name.utf8.count <= 200, name.isPlain else {
            throw .invalid("name", "is longer than 200 bytes or contains control characters")
        }
        return String(name)
    }

    /// Returns the user name; nil if it is empty, or equals the address, as Lazi clients send it.
    static func validated(username: String?, of email: EmailAddress) throws(IdentityError) -> Username? {
        guard let username = username?.trimmingSpace(), !username.isEmpty, username.lowercased() != email.key else {
            return nil
        }
        return try Username(choosing: String(username))
    }

    /// Requires that roles and permissions are words, as scope tokens are (RFC 6749 §3.3).
    static func requireWords(_ words: [String]) throws(IdentityError) {
        guard words.allSatisfy(isWord) else {
            throw .invalidInput(
                "roles and permissions must be single ASCII words",
                hint: "Write each one without spaces, quotes and backslashes.")
        }
    }

    /// Returns whether a text can be a role or permission: visible ASCII without quotes and backslashes.
    package static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    // MARK: Mailed links

    /// Emails a link that verifies the address or resets the password, if the address has an account that needs it.
    ///
    /// The email is durable when the call returns. An email is stored for every address, and the account is looked up
    /// after the response. So neither time nor content of the response reveals whether the address has an account. A
    /// request beyond the limit of an address stores no email. The user then has the emails of the last hour, unless
    /// strangers requested them.
    ///
    /// - Throws: `IdentityError.signInWayOff` for a new password on a server without passwords, `.overloaded` if too many
    ///   emails wait, or a store's error.
    package func mail(
        _ token: OneTimeToken.Purpose, to email: EmailAddress, from origin: RequestOrigin
    ) async throws(IdentityError) {
        if token == .resetPassword { try signIns.admission.ways.require(.password) }
        let purpose: OutboxMail.Purpose = token == .resetPassword ? .resetPassword : .verifyEmail
        let now = clock.now
        var attempt = limits.mail(purpose, emailKey: email.key)
        if limits.rejection(taking: [attempt]) != nil {
            attempt = limits.mail(purpose, emailKey: email.key, fromKnown: origin.address)
            guard try await store.isSignedIn(emailKey: email.key, from: origin.address, at: now),
                limits.rejection(taking: [attempt]) == nil
            else { return metrics.count(.mails, "limited") }
        }
        do throws(IdentityError) {
            try await store.insert(outboxMail(purpose, to: email, causedBy: origin.mailCause))
        } catch {
            // An email that was not stored must not count, or the next request would promise an email that is never
            // sent.
            limits.refund([attempt])
            throw error
        }
        mails.wake()
    }

    func outboxMail(
        _ purpose: OutboxMail.Purpose, to email: EmailAddress, of account: Account? = nil, causedBy cause: MailCause
    ) -> OutboxMail {
        OutboxMail(
            purpose, to: email, accountID: account?.id, id: random.identifier(), at: clock.now, causedBy: cause)
    }

    /// Returns the digest of the token that verifies an address, for a user who typed the code beside its link.
    ///
    /// The token stays unused, as after the visit of its link. All failures look the same, also those of addresses
    /// without an account (attack E2). Five wrong codes end the code, and not the link.
    ///
    /// - Throws: `IdentityError.invalidMailedCode`, `.tooManyAttempts` or a store's error.
    package func verificationToken(
        _ code: String, sentTo email: EmailAddress, from origin: RequestOrigin
    ) async throws(IdentityError) -> [UInt8] {
        let attempt = limits.mailedCode(.verifyEmail, emailKey: email.key)
        try limits.take([attempt])
        let (tokens, now) = (MailedTokens(pepper: pepper), clock.now)
        let digest = try await store.verificationToken(of: email, at: now) {
            tokens.isCode(code, of: AddressChallenge.id(ofToken: $0))
        }
        guard let digest else {
            try await store.audit(
                "address.failed", account: nil, detail: "verification from \(origin.address)".sanitized(200), at: now)
            throw .invalidMailedCode
        }
        limits.refund([attempt])
        return digest
    }

    /// Uses up a mailed token, and marks its address as verified or one end of a change of address as confirmed.
    ///
    /// Lookup, use and update are one transaction, so only one of two concurrent requests succeeds. The first
    /// verification ends everything that was set on the account before, except for the session that makes it (attack
    /// E8).
    ///
    /// - Parameters:
    ///   - token: The digest of the token.
    ///   - session: The session of the request, if it has one.
    /// - Returns: The account after the change.
    /// - Throws: `IdentityError.invalidLink`, `.ownerProofRequired` if the configuration requires more than the link,
    ///   or a store's error. The token then remains valid.
    @discardableResult
    package func verifyEmail(
        _ token: [UInt8], in session: AuthenticatedSession? = nil, from origin: RequestOrigin? = nil
    ) async throws(IdentityError) -> VerifiedAddress {
        guard configuration.requireOwnerProof else {
            return try await verifyEmail(
                token, with: session.map { .device($0.device.id, isRequired: false) } ?? .none, from: origin)
        }
        let account = try await store.account(forVerificationToken: token, at: clock.now)
        guard let account else { throw .invalidLink }
        guard let session, session.accountID == account.id else { throw .ownerProofRequired }
        return try await verifyEmail(token, with: .device(session.device.id, isRequired: true), from: origin)
    }

    /// Uses up a mailed token for a user who knows the password of its account.
    ///
    /// A wrong password leaves the token unused, and counts like a wrong password at a login.
    ///
    /// - Throws: The errors of ``verifyEmail(_:in:from:)``, `IdentityError.invalidCredentials`, `.tooManyAttempts`,
    ///   `.overloaded`.
    @discardableResult
    package func verifyEmail(
        _ token: [UInt8], password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> VerifiedAddress {
        let account = try await store.account(forVerificationToken: token, at: clock.now)
        return try await verifyEmail(token, of: account, password: password, from: origin)
    }

    /// Confirms the old end of a change of address for a user who knows the account's password.
    ///
    /// - Throws: The errors of ``verifyEmail(_:password:from:)``.
    @discardableResult
    package func confirmEmailChange(
        _ token: String, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> VerifiedAddress {
        let account = try await store.account(forOldAddressToken: token.digest, at: clock.now)
        return try await verifyEmail(token.digest, of: account, password: password, from: origin)
    }

    /// Uses up the token of an account whose password the user knows; the account is nil if the token is not valid.
    @discardableResult
    private func verifyEmail(
        _ token: [UInt8], of account: Account?, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> VerifiedAddress {
        guard let account else { throw .invalidLink }
        let verified = try await signIns.confirmPassword(password, of: account, from: origin, for: .addressProof)
        return try await verifyEmail(token, with: .password(verified), from: origin)
    }

    /// Ends a change of address that the owner did not request, by the token for its old end, and signs out all
    /// devices.
    ///
    /// - Throws: `IdentityError.invalidLink` or a store's error.
    package func refuseEmailChange(_ token: String) async throws(IdentityError) {
        guard try await store.refuseEmailChange(byToken: token.digest, at: clock.now) else {
            throw .invalidLink
        }
    }

    /// Uses up a mailed token on a server without passwords, where the email proves the owner and ends what was set
    /// before.
    ///
    /// - Throws: `IdentityError.invalidLink`, also for a change of address; `.ownerProofRequired` on a server with
    ///   passwords; or a store's error.
    package func verifyEmail(byEmail token: [UInt8], from origin: RequestOrigin) async throws(IdentityError) {
        let ways = signIns.admission.ways
        // Without codes, the owner would be left without a way to sign in.
        guard !ways.permits(.password), ways.permits(.code) else { throw .ownerProofRequired }
        let account = try await store.account(forToken: token, purpose: .verifyEmail, at: clock.now)
        guard account != nil else { throw .invalidLink }
        try await verifyEmail(token, with: .email, from: origin)
    }

    /// Uses up a mailed token for a user who did not choose the account's password, and replaces the password.
    ///
    /// - Throws: The errors of ``resetPassword(_:password:from:)``, also for a link that confirms a change of address.
    package func verifyEmail(
        _ token: [UInt8], settingPassword password: String, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try signIns.admission.ways.require(.password)
        let account = try await store.account(forToken: token, purpose: .verifyEmail, at: clock.now)
        guard let account else { throw .invalidLink }
        try await passwords.check(password, for: account.requireAddress())
        let hash = try await passwords.hash(password, for: .change, from: origin.address)
        try await verifyEmail(token, with: .newPassword(hash: hash), from: origin)
        signIns.forgetFailures(of: account, from: origin.address)
    }

    @discardableResult
    private func verifyEmail(
        _ digest: [UInt8], with proof: OwnerProof, from origin: RequestOrigin?
    ) async throws(IdentityError) -> VerifiedAddress {
        if let account = try await store.verifyEmail(
            byToken: digest, with: proof, causedBy: origin?.mailCause ?? MailCause(), at: clock.now)
        {
            return VerifiedAddress(account: account, email: try account.requireAddress())
        }
        let isNewEnd = try await store.account(forVerificationToken: digest, at: clock.now) != nil
        do throws(IdentityError) {
            if let account = try await store.confirmEmail(
                byToken: digest, with: proof, causedBy: origin?.mailCause ?? MailCause(), at: clock.now)
            {
                let (requested, email) = (
                    try await store.requestedAddress(of: account.id), try account.requireAddress()
                )
                return VerifiedAddress(
                    account: account, email: isNewEnd ? requested ?? email : email, isChangePending: requested != nil)
            }
        } catch IdentityError.alreadyExists {
            // Another account took the address while the email was being delivered.
        }
        throw .invalidLink
    }

    /// Uses up a mailed token, sets the password, and signs out all devices.
    ///
    /// - Returns: The account as it was before.
    /// - Throws: `IdentityError.invalidLink`, `.weakPassword`, `.overloaded` or a store's error. The token then remains
    ///   valid.
    @discardableResult
    package func resetPassword(
        _ token: String, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        try signIns.admission.ways.require(.password)
        let digest = token.digest
        let account = try await store.account(
            forToken: digest, purpose: .resetPassword, at: clock.now)
        guard let account else { throw .invalidLink }
        try await passwords.check(password, for: account.requireAddress())
        let hash = try await passwords.hash(password, for: .change, from: origin.address)
        // A concurrent request may have used the token in the meantime. The transaction decides.
        guard try await store.resetPassword(byToken: digest, hash: hash, causedBy: origin.mailCause, at: clock.now)
        else {
            throw .invalidLink
        }
        signIns.forgetFailures(of: account, from: origin.address)
        mails.wake()
        return account
    }

    // MARK: Credentials

    /// Sets a new password for a signed-in user who knows the old one.
    ///
    /// The old password is itself an authentication. An account with a second factor also needs a recent authentication
    /// of the session, which has proved the factor. A wrong old password counts like one at a login, so that an
    /// unattended session cannot be used to guess it.
    ///
    /// - Throws: `IdentityError.invalidCredentials`, `.weakPassword`, also if both passwords are the same,
    ///   `.signInAgain`, `.tooManyAttempts`, `.overloaded`, or a store's error. If account or device have changed
    ///   in the meantime: `.accountChanged` or `.invalidToken`.
    package func changePassword(
        of session: AuthenticatedSession, from current: String, to new: String, signingOutOthers: Bool,
        from origin: RequestOrigin
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        try signIns.admission.ways.require(.password)
        guard current != new else { throw .weakPassword("it is your current password") }
        try await passwords.check(new, for: session.account.requireAddress())
        if try await secondFactors.isConfirmed(of: session.accountID) {
            try recentAuthentication.require(session)
        }
        let account = try await signIns.confirmPassword(
            current, of: session.account, from: origin, for: .passwordChange)
        // Each change emails the address, which may belong to a stranger if it was never proved.
        try limits.take([limits.mail(.passwordChanged, emailKey: account.ownerKey)])
        let hash = try await passwords.hash(new, for: .change, from: origin.address)
        let changed = try await store.changePassword(
            of: account, to: hash, on: session.device.id, signingOutOthers: signingOutOthers,
            causedBy: origin.mailCause, at: clock.now)
        guard changed else { throw .accountChanged }
        mails.wake()
    }

    /// Requires that a session may change the address of its account.
    ///
    /// - Throws: `IdentityError.forbidden`, `.addressRequired`, `.signInWayOff` or `.signInAgain`.
    package func requireAddressChange(of session: AuthenticatedSession) throws(IdentityError) {
        try session.requireFirstParty()
        _ = try session.account.requireAddress()
        // The pages behind the links ask for the password.
        try signIns.admission.ways.require(.password)
        try recentAuthentication.require(session)
    }

    /// Begins a change of address: both addresses receive an email, and nothing changes until both are confirmed.
    ///
    /// An old address that was never verified need not confirm. It proves nothing about the account's owner, and may be
    /// the very typo that the change corrects. So the session must have authenticated recently, whether the address is
    /// verified or not. A stolen access token therefore cannot take over the account (attack E9).
    ///
    /// The call does not disclose that another account has the address: the change begins as usual, and no email
    /// completes it.
    ///
    /// - Throws: `IdentityError.invalidEmail`, `.signInAgain`, `.tooManyAttempts`, `.forbidden`; `.accountChanged` or
    ///   `.invalidToken` if account or device have changed in the meantime; or a store's error.
    package func changeEmail(
        of session: AuthenticatedSession, to text: String, from origin: RequestOrigin
    ) async throws(IdentityError) {
        let (account, email) = (session.account, try EmailAddress(text))
        let current = try account.requireAddress()
        guard email.key != current.key else { return try session.requireFirstParty() }
        try requireAddressChange(of: session)
        let now = clock.now
        try limits.take([
            limits.mail(.newAddress, emailKey: email.key), limits.mail(.oldAddress, emailKey: current.key),
        ])
        let oldConfirms = account.emailVerifiedAt != nil
        let old = outboxMail(
            oldConfirms ? .oldAddress : .addressChanging, to: current, of: account,
            causedBy: origin.mailCause)
        let new = outboxMail(.newAddress, to: email, of: account, causedBy: origin.mailCause)
        let tokens = MailedTokens(pepper: pepper)
        let isBegun = try await store.insert(
            EmailChange(
                accountID: account.id, email: email, oldEmailKey: current.key,
                oldDigest: oldConfirms ? tokens.digest(of: old.id) : nil, newDigest: tokens.digest(of: new.id),
                expiresAt: now.addingTimeInterval(configuration.verificationLifetime.inSeconds)),
            for: account, by: session.device, mails: [new, old], at: now)
        guard isBegun else { throw .accountChanged }
        mails.wake()
    }
}
