// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation

/// A service for accounts: sign-up, verification, passwords, addresses, and administration.
///
/// An `actor` is the id of the account that makes a change; nil means the server's operator.
package struct AccountService: Sendable {
    let dependencies: Dependencies

    // MARK: Sign-up

    /// Creates an account and mails a link that verifies its address.
    ///
    /// Roles and permissions come from the caller's code and never from a request. The store's unique indexes alone decide
    /// whether address and username are free: work, response time and response are the same for both, and do not depend
    /// on what is taken.
    ///
    /// - Parameters:
    ///   - registration: The fields of the app and the accepted terms; nil for the operator's code, which needs no terms.
    ///   - address: The address of the client, whose attempts are limited; nil for the operator's code.
    /// - Throws: `IdentityError.alreadyExists`, `.invalidEmail`, `.invalidInput`, `.weakPassword`, `.termsRequired`,
    ///   `.tooManyAttempts`, `.overloaded` or a store's error.
    package func signUp(
        email: String, password: String, name: String? = nil, username: String? = nil, roles: [String] = [],
        permissions: [String] = [], isVerified: Bool = false, details: AccountDetails? = nil,
        registration: Registration? = nil, from address: String? = nil
    ) async throws(IdentityError) -> Account {
        let email = try EmailAddress(email)
        let name = try Self.validated(name: name)
        let username = try Self.validated(username: username, of: email)
        try PasswordPolicy.check(password, for: email)
        try Self.requireWords(roles + permissions)
        if let details { try AccountDetailsValidator.check(details, at: dependencies.now) }
        try registration?.check(dependencies.configuration)
        // Only a request that could succeed counts: the others must not use up the attempts of the address's owner.
        if address != nil { try dependencies.take([dependencies.limits.signUp(emailKey: email.key)]) }
        let hash = try await dependencies.passwords.hash(password, for: .signUp, from: address)
        let now = dependencies.now
        let account = Account(
            id: dependencies.newID(at: now), email: email, username: username, name: name, passwordHash: hash,
            passwordChangedAt: now, emailVerifiedAt: isVerified ? now : nil, roles: roles, permissions: permissions,
            ownerProvedAt: isVerified ? now : nil, createdAt: now, attributes: registration?.attributes ?? [:],
            acceptedTerms: registration?.acceptedTerms.map { AcceptedTerms(version: $0, acceptedAt: now) })
        let mail = isVerified ? nil : outboxMail(.verifyEmail, to: email, of: account)
        do throws(IdentityError) {
            try await dependencies.store.insert(account, details: details, mail: mail)
        } catch IdentityError.alreadyExists {
            throw username == nil ? .alreadyExists.at("email") : .emailOrUsernameTaken
        }
        // Counts for later mails; this one is promised, and an address signs up once.
        if mail != nil {
            _ = dependencies.limiter.take([dependencies.limits.mail(.verifyEmail, emailKey: email.key)], at: now)
        }
        dependencies.metrics.count(.accountsCreated)
        dependencies.mails.wake()
        return account
    }

    /// Makes the account of the setting `first_administrator` the first administrator at a login, once its owner has proved
    /// both the address and the password.
    ///
    /// Neither a session from before that proof nor a verified address alone suffices: anybody may have signed up with the
    /// address (attack E8). Does nothing if an account can administer the server already, and can sign in: the setting is for
    /// the first start, and does not reinstate a dismissed administrator.
    ///
    /// - Returns: The account with its role.
    func promotingFirstAdministrator(_ account: Account) async throws(IdentityError) -> Account {
        guard let text = dependencies.configuration.firstAdministrator, account.role < .superAdmin,
            account.ownerProvedAt != nil
        else { return account }
        let key = try EmailAddress(text).key
        guard account.email.key == key else { return account }
        // Decided in the transaction, so that of two logins one promotes.
        let promoted = try await perform(
            .setRole(.superAdmin), on: account.id, by: nil, because: "the setting first_administrator"
        ) { context in
            guard !context.hasOtherAdministrator, let target = context.target, !target.isAdministrator else {
                return false
            }
            return target.email.key == key && target.credentialVersion == account.credentialVersion
                && target.ownerProvedAt != nil && target.status == .active
        }
        guard promoted != nil else { return account }
        return try await dependencies.store.account(id: account.id) ?? account
    }

    /// Returns the trimmed name; nil if it is empty.
    ///
    /// Control characters are refused and not dropped.
    static func validated(name: String?) throws(IdentityError) -> String? {
        guard let name = name?.trimmingSpace(), !name.isEmpty else { return nil }
        guard name.utf8.count <= 200, name.isPlain else {
            throw .invalid("name", "is longer than 200 bytes or holds control characters")
        }
        return String(name)
    }

    /// Returns the username; nil if there is none, or it is the address, as Lazi clients send it.
    private static func validated(username: String?, of email: EmailAddress) throws(IdentityError) -> Username? {
        guard let username = username?.trimmingSpace(), !username.isEmpty, username.lowercased() != email.key else {
            return nil
        }
        return try Username(String(username))
    }

    /// Requires that roles and permissions are words, as scope tokens are (RFC 6749 §3.3).
    static func requireWords(_ words: [String]) throws(IdentityError) {
        guard words.allSatisfy(isWord) else { throw .invalidInput("a role or permission is not one word of ASCII") }
    }

    /// Returns whether a text can be a role or permission: visible ASCII without quotes and backslashes.
    static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    // MARK: Mailed links

    /// Mails a link that verifies the address or resets the password, if the address has an account that needs it.
    ///
    /// The mail is durable when the call returns. One is stored for every address alike, and the account is looked up after
    /// the response, whose time and content must not reveal whether the address has one. A request beyond the limit of an
    /// address stores no mail; the user has the mails of the last hour, unless strangers have requested them.
    ///
    /// - Parameter address: The address of the client.
    /// - Throws: `IdentityError.overloaded` if too many mails wait, or a store's error.
    func mail(
        _ token: OneTimeToken.Purpose, to email: EmailAddress, from address: String
    ) async throws(IdentityError) {
        let purpose: OutboxMail.Purpose = token == .resetPassword ? .resetPassword : .verifyEmail
        let now = dependencies.now
        var attempt = dependencies.limits.mail(purpose, emailKey: email.key)
        if dependencies.limiter.take([attempt], at: now) != nil {
            attempt = dependencies.limits.mail(purpose, emailKey: email.key, fromKnown: address)
            guard try await dependencies.store.isSignedIn(emailKey: email.key, from: address, at: now),
                dependencies.limiter.take([attempt], at: now) == nil
            else { return dependencies.metrics.count(.mails, "limited") }
        }
        do throws(IdentityError) {
            try await dependencies.store.insert(outboxMail(purpose, to: email))
        } catch {
            // A mail that was not stored must not count: the next request would promise one that nobody sends.
            dependencies.limiter.refund([attempt])
            throw error
        }
        dependencies.mails.wake()
    }

    func outboxMail(
        _ purpose: OutboxMail.Purpose, to email: EmailAddress, of account: Account? = nil
    ) -> OutboxMail {
        OutboxMail(
            purpose, to: email, accountID: account?.id, id: dependencies.random.identifier(), at: dependencies.now)
    }

    /// Uses up a mailed token, and marks its address as verified or one end of a change of address as confirmed.
    ///
    /// Lookup, use and update are one transaction, so that of two concurrent requests one succeeds. The first verification
    /// ends what was set on the account before, except for the session that makes it (attack E8).
    ///
    /// - Parameter session: The session of the request, if it has one.
    /// - Returns: The account after the change.
    /// - Throws: `IdentityError.invalidLink`, `.ownerProofRequired` if the configuration requires more than the link, or a
    ///   store's error; the token then still works.
    @discardableResult
    func verifyEmail(
        _ token: String, in session: AuthenticatedSession? = nil
    ) async throws(IdentityError) -> VerifiedAddress {
        guard dependencies.configuration.requireOwnerProof else {
            return try await verifyEmail(token, with: session.map { .device($0.device.id, isRequired: false) } ?? .none)
        }
        let account = try await dependencies.store.account(forVerificationToken: token.digest, at: dependencies.now)
        guard let account else { throw .invalidLink }
        guard let session, session.accountID == account.id else { throw .ownerProofRequired }
        return try await verifyEmail(token, with: .device(session.device.id, isRequired: true))
    }

    /// Uses up a mailed token for a user who knows the password of its account; a wrong one leaves the token unused, and
    /// counts as one of a login.
    ///
    /// - Throws: The errors of ``verifyEmail(_:in:)``, `IdentityError.invalidCredentials`, `.tooManyAttempts`,
    ///   `.overloaded`.
    @discardableResult
    func verifyEmail(
        _ token: String, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> VerifiedAddress {
        let account = try await dependencies.store.account(forVerificationToken: token.digest, at: dependencies.now)
        return try await verifyEmail(token, of: account, password: password, from: origin)
    }

    /// Confirms the old end of a change of address for a user who knows the account's password.
    ///
    /// - Throws: The errors of ``verifyEmail(_:password:from:)``.
    func confirmEmailChange(
        _ token: String, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) {
        let account = try await dependencies.store.account(forOldAddressToken: token.digest, at: dependencies.now)
        try await verifyEmail(token, of: account, password: password, from: origin)
    }

    /// Uses up the token of an account, nil if it is not valid, whose password the user knows.
    @discardableResult
    private func verifyEmail(
        _ token: String, of account: Account?, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> VerifiedAddress {
        guard let account else { throw .invalidLink }
        let verified = try await dependencies.logins.verify(password, of: account, from: origin, for: .addressProof)
        return try await verifyEmail(token, with: .password(verified))
    }

    /// Ends a change of address that the owner did not request, by the token of its old end, and signs out all devices.
    ///
    /// - Throws: `IdentityError.invalidLink` or a store's error.
    func refuseEmailChange(_ token: String) async throws(IdentityError) {
        guard try await dependencies.store.refuseEmailChange(byToken: token.digest, at: dependencies.now) else {
            throw .invalidLink
        }
    }

    /// Uses up a mailed token for a user who did not choose the account's password, and replaces it.
    ///
    /// - Throws: The errors of ``resetPassword(_:password:from:)``; a link that confirms a change of address is not valid here.
    func verifyEmail(
        _ token: String, settingPassword password: String, from origin: RequestOrigin
    ) async throws(IdentityError) {
        let account = try await dependencies.store.account(
            forToken: token.digest, purpose: .verifyEmail, at: dependencies.now)
        guard let account else { throw .invalidLink }
        try PasswordPolicy.check(password, for: account.email)
        let hash = try await dependencies.passwords.hash(password, for: .change, from: origin.address)
        try await verifyEmail(token, with: .newPassword(hash: hash))
        dependencies.logins.forgetFailures(of: account, from: origin.address)
    }

    @discardableResult
    private func verifyEmail(_ token: String, with proof: OwnerProof) async throws(IdentityError) -> VerifiedAddress {
        let (digest, store) = (token.digest, dependencies.store)
        if let account = try await store.verifyEmail(byToken: digest, with: proof, at: dependencies.now) {
            return VerifiedAddress(account: account, email: account.email)
        }
        let isNewEnd = try await store.account(forVerificationToken: digest, at: dependencies.now) != nil
        do throws(IdentityError) {
            if let account = try await store.confirmEmail(byToken: digest, with: proof, at: dependencies.now) {
                let requested = try await store.requestedAddress(of: account.id)
                return VerifiedAddress(
                    account: account, email: isNewEnd ? requested ?? account.email : account.email,
                    isChangePending: requested != nil)
            }
        } catch IdentityError.alreadyExists {
            // Another account took the address while its mail was on its way.
        }
        throw .invalidLink
    }

    /// Uses up a mailed token, sets the password, and signs out all devices.
    ///
    /// - Returns: The account as it was before.
    /// - Throws: `IdentityError.invalidLink`, `.weakPassword`, `.overloaded` or a store's error; the token then still
    ///   works.
    @discardableResult
    func resetPassword(
        _ token: String, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        let digest = token.digest
        let account = try await dependencies.store.account(
            forToken: digest, purpose: .resetPassword, at: dependencies.now)
        guard let account else { throw .invalidLink }
        try PasswordPolicy.check(password, for: account.email)
        let hash = try await dependencies.passwords.hash(password, for: .change, from: origin.address)
        // A concurrent request may have used the token meanwhile: the transaction decides.
        guard try await dependencies.store.resetPassword(byToken: digest, hash: hash, at: dependencies.now) else {
            throw .invalidLink
        }
        dependencies.logins.forgetFailures(of: account, from: origin.address)
        dependencies.mails.wake()
        return account
    }

    // MARK: Credentials

    /// Sets a new password for a signed-in user who knows the old one.
    ///
    /// The old password is an authentication of its own. An account with a second factor needs a recent one of the session
    /// as well, which has proved the factor. A wrong old password counts as one of a login, so that an unattended session
    /// cannot be used to guess it.
    ///
    /// - Throws: `IdentityError.invalidCredentials`, `.weakPassword`, also if both are the same, `.signInAgain`,
    ///   `.invalidToken` if account or device have changed meanwhile, `.tooManyAttempts`, `.overloaded` or a store's error.
    func changePassword(
        of session: AuthenticatedSession, from current: String, to new: String, signingOutOthers: Bool,
        from origin: RequestOrigin
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        guard current != new else { throw .weakPassword("it is the one that you have") }
        try PasswordPolicy.check(new, for: session.account.email)
        if try await dependencies.secondFactors.isConfirmed(of: session.accountID) {
            try dependencies.requireRecentAuthentication(session)
        }
        let account = try await dependencies.logins.verify(
            current, of: session.account, from: origin, for: .passwordChange)
        // Each mails the owner, who may be a stranger if nobody has proved the address.
        try dependencies.take([dependencies.limits.mail(.passwordChanged, emailKey: account.email.key)])
        let hash = try await dependencies.passwords.hash(new, for: .change, from: origin.address)
        let changed = try await dependencies.store.changePassword(
            of: account, to: hash, on: session.device.id, signingOutOthers: signingOutOthers, at: dependencies.now)
        // A concurrent change came first: the verified password is no longer the account's, or the device is signed out.
        guard changed else { throw .invalidToken }
        dependencies.mails.wake()
    }

    /// Begins a change of address: both addresses receive a mail, and nothing changes before both are confirmed.
    ///
    /// An old address that was never verified need not confirm: it proves nothing about the account's owner, and may be
    /// the very typo that the change corrects. So the session must have authenticated recently, whatever the state of
    /// verification: a stolen access token does not take the account over (attack E9).
    ///
    /// An address that another account has is not disclosed: the change begins as any other, and no mail completes it.
    ///
    /// - Throws: `IdentityError.invalidEmail`, `.signInAgain`, `.tooManyAttempts`, `.forbidden`, `.invalidToken` if the
    ///   account has changed meanwhile, or a store's error.
    func changeEmail(of session: AuthenticatedSession, to text: String) async throws(IdentityError) {
        let (account, email) = (session.account, try EmailAddress(text))
        try session.requireFirstParty()
        guard email.key != account.email.key else { return }
        try dependencies.requireRecentAuthentication(session)
        let now = dependencies.now
        let limits = dependencies.limits
        try dependencies.take([
            limits.mail(.newAddress, emailKey: email.key), limits.mail(.oldAddress, emailKey: account.email.key),
        ])
        let oldConfirms = account.emailVerifiedAt != nil
        let old = outboxMail(oldConfirms ? .oldAddress : .addressChanging, to: account.email, of: account)
        let new = outboxMail(.newAddress, to: email, of: account)
        let tokens = MailedTokens(pepper: dependencies.pepper)
        let isBegun = try await dependencies.store.insert(
            EmailChange(
                accountID: account.id, email: email, oldEmailKey: account.email.key,
                oldDigest: oldConfirms ? tokens.digest(of: old.id) : nil, newDigest: tokens.digest(of: new.id),
                expiresAt: now.addingTimeInterval(dependencies.configuration.verificationLifetime.inSeconds)),
            for: account, by: session.device, mails: [new, old], at: now)
        guard isBegun else { throw .invalidToken }
        dependencies.mails.wake()
    }

    // MARK: Administration

    /// Replaces all roles and permissions of an account; its devices receive them with their next refresh.
    ///
    /// Issued access tokens keep their claims until they expire.
    ///
    /// - Returns: False if there is no such account.
    package func setRoles(of id: String, roles: [String], permissions: [String]) async throws(IdentityError) -> Bool {
        try Self.requireWords(roles + permissions)
        return try await dependencies.store.setRoles(
            of: id, roles: roles, permissions: permissions, at: dependencies.now)
    }

    /// Sets the administrative role of an account.
    ///
    /// Issued access tokens keep their claims until they expire; this server reads the roles from the store, and other
    /// processes do so within a second for what only reads.
    ///
    /// - Returns: False if there is no such account.
    /// - Throws: `IdentityError.forbidden`, `.lastAdministrator`, or a store's error.
    package func setRole(of id: String, to role: Role, by actor: AccountActor? = nil) async throws(IdentityError)
        -> Bool
    {
        try await perform(.setRole(role), on: id, by: actor) != nil
    }

    /// Sets the status of an account; every status except `active` signs out its devices.
    ///
    /// - Parameter reason: A note for the audit log.
    /// - Returns: False if there is no such account.
    package func setStatus(
        of id: String, to status: Account.Status, by actor: AccountActor? = nil, because reason: String = ""
    ) async throws(IdentityError) -> Bool {
        // Deletion has a function of its own.
        guard status != .deleted else { throw .invalidInput("an account is not deleted by its status") }
        return try await perform(.setStatus(status), on: id, by: actor, because: reason) != nil
    }

    /// Signs out all devices of another account and returns their number; nil if there is no such account.
    package func endSessions(of id: String, by actor: AccountActor?) async throws(IdentityError) -> Int? {
        try await perform(.endSessions, on: id, by: actor)?.signedOut
    }

    /// Deletes an account.
    ///
    /// - Parameters:
    ///   - isFinal: Whether nothing is kept, and the address may sign up again. Otherwise the operator can restore the
    ///     account, and until then its address stays taken, unless users delete their own whose address nobody has proved.
    ///   - reason: A note for the audit log.
    package func delete(
        _ id: String, isFinal: Bool, by actor: AccountActor?, because reason: String
    ) async throws(IdentityError) -> Bool {
        try await perform(.delete(isFinal: isFinal), on: id, by: actor, because: reason) != nil
    }

    /// Performs an action in the store, under its own rule unless another one is given; the reason becomes one bounded
    /// line.
    func perform(
        _ action: AccountAction, on id: String, by actor: AccountActor?, because reason: String = "",
        if rule: AccountRule? = nil
    ) async throws(IdentityError) -> AccountActionResult? {
        try await dependencies.store.perform(
            action, on: id, by: actor, because: reason.sanitized(500), at: dependencies.now,
            if: rule ?? action.rule(for: actor?.accountID))
    }

    // MARK: Lookup

    /// Returns one page of the list of accounts.
    ///
    /// - Parameter actor: The requesting administrator, as the store has the account now; nil for the operator.
    /// - Throws: `IdentityError.forbidden`, `.invalidInput`, or a store's error.
    package func list(_ query: AccountQuery, for actor: Account?) async throws(IdentityError) -> AccountPage {
        try Self.requireAdministrator(actor)
        guard (1...500).contains(query.limit) else {
            throw .invalidInput("'limit' must be a whole number from 1 to 500")
        }
        guard query.search.utf8.count <= 200, query.search.isPlain else {
            throw .invalidInput("'search_query' is longer than 200 bytes or holds control characters")
        }
        return try await dependencies.store.accounts(query)
    }

    /// Returns statistics of all accounts, for an administrator.
    package func statistics(for actor: Account?) async throws(IdentityError) -> AccountStatistics {
        try Self.requireAdministrator(actor)
        let day = (dependencies.now.timeIntervalSince1970 / 86_400).rounded(.down)
        return try await dependencies.store.statistics(since: Date(timeIntervalSince1970: day * 86_400))
    }

    /// Returns an account that `actor` may see.
    ///
    /// - Throws: `IdentityError.forbidden`, also for a missing account unless the actor may see others;
    ///   `.noSuchAccount`; or a store's error.
    package func account(_ id: String, for actor: Account) async throws(IdentityError) -> FullAccount {
        guard let found = try await dependencies.store.fullAccount(id: id) else {
            throw actor.role >= .moderator ? .noSuchAccount : .forbidden
        }
        try AccountAction.read.authorize(actor, on: found.account)
        return found
    }

    /// Returns the account of an address, an id or a username, for the operator; nil if there is none.
    ///
    /// - Throws: `IdentityError.invalidEmail` if the text has an @ and is not an address, or a store's error.
    package func find(_ name: String) async throws(IdentityError) -> FullAccount? {
        if let full = try await dependencies.store.fullAccount(id: name) { return full }
        let found: Account?
        if name.utf8.contains(UInt8(ascii: "@")) {
            found = try await account(email: name)
        } else {
            found = try await dependencies.store.account(usernameKey: name.lowercased())
        }
        guard let found else { return nil }
        return try await dependencies.store.fullAccount(id: found.id)
    }

    /// Returns the account of an address.
    ///
    /// - Throws: `IdentityError.invalidEmail` if the text is not an address, or a store's error.
    package func account(email: String) async throws(IdentityError) -> Account? {
        try await dependencies.store.account(emailKey: EmailAddress(email).key)
    }

    /// Changes details of an account.
    ///
    /// Other usernames are tried within a limit, whether they are taken or not.
    ///
    /// - Throws: `IdentityError.invalidInput`, which names the detail; `.forbidden`, `.usernameTaken`, `.tooManyAttempts`,
    ///   `.noSuchAccount`, or a store's error.
    package func change(
        _ change: AccountDetailsChange, of id: String, by actor: AccountActor
    ) async throws(IdentityError) -> FullAccount {
        var change = change
        change.firstName = change.firstName.map { String($0.trimmingSpace()) }
        change.lastName = change.lastName.map { String($0.trimmingSpace()) }
        change.displayName = change.displayName.map { String($0.trimmingSpace()) }
        try AccountDetailsValidator.check(change.applied(to: AccountDetails()), at: dependencies.now)
        if let text = change.username, !text.isEmpty {
            let username = try Username(text)
            if try await dependencies.store.account(id: id)?.username != username {
                try dependencies.take([dependencies.limits.username(of: actor.accountID)])
            }
        }
        guard try await perform(.update(change), on: id, by: actor) != nil,
            let full = try await dependencies.store.fullAccount(id: id)
        else { throw .noSuchAccount }
        return full
    }

    private static func requireAdministrator(_ actor: Account?) throws(IdentityError) {
        guard actor?.isAdministrator ?? true else { throw .forbidden }
    }
}
