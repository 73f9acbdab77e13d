// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchIdentityStorage

/// The administration of accounts, by administrators and by the server's operator.
///
/// An `actor` is the account that makes a change; nil means the operator.
package struct AdministrationService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let limits: RateLimits
    package let mails: MailQueue
    package let ways: SignInWayRule
    /// The lifetime of the sessions of users.
    package let sessionLifetime: Duration

    package init(
        _ configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, limits: RateLimits,
        mails: MailQueue
    ) {
        (ways, sessionLifetime) = (SignInWayRule(configuration), configuration.refreshTokenLifetime)
        self.store = store
        self.clock = clock
        self.limits = limits
        self.mails = mails
    }

    // MARK: Roles and status

    /// Replaces all roles and permissions of an account; its devices receive them with their next refresh.
    ///
    /// Issued access tokens keep their claims until they expire.
    ///
    /// - Returns: False if the account does not exist.
    package func setRoles(of id: String, roles: [String], permissions: [String]) async throws(IdentityError) -> Bool {
        try AccountService.requireWords(roles + permissions)
        return try await store.setRoles(
            of: id, roles: roles, permissions: permissions, at: clock.now)
    }

    /// Sets the administrative role of an account.
    ///
    /// Issued access tokens keep their claims until they expire. This server reads the roles from the store. Other
    /// processes do so within a second for requests that only read.
    ///
    /// - Returns: False if the account does not exist.
    /// - Throws: `IdentityError.forbidden`, `.lastAdministrator`, or a store's error.
    package func setRole(
        of id: String, to role: Role, by actor: AccountActor? = nil, because reason: String = ""
    ) async throws(IdentityError) -> Bool {
        try await perform(.setRole(role), on: id, by: actor, because: reason) != nil
    }

    /// Replaces all role words of an account; permissions stay.
    ///
    /// - Parameter given: The words that every administrator may give.
    /// - Returns: False if the account does not exist.
    /// - Throws: `IdentityError.invalidInput`, `.forbidden`, `.lastAdministrator`, or a store's error.
    package func setRoles(
        of id: String, to words: [String], given: [String], by actor: AccountActor?, because reason: String = ""
    ) async throws(IdentityError) -> Bool {
        try AccountService.requireWords(words)
        let words = words.reduce(into: [String]()) { words, word in if !words.contains(word) { words.append(word) } }
        let action = AccountAction.setRoles(AccountService.completed(words), given: given)
        return try await perform(action, on: id, by: actor, because: reason) != nil
    }

    /// Replaces the address of an account, which is verified or not.
    ///
    /// Mailed links of the account end, and the earlier address gets a notice. An address that is not verified gets a
    /// link that verifies it, which ends the earlier credentials, as after a sign-up.
    ///
    /// - Parameter isVerified: Whether the administrator knows that the address is the owner's.
    /// - Returns: False if the account does not exist.
    /// - Throws: `IdentityError.invalidEmail`, `.alreadyExists`, `.forbidden`, `.tooManyAttempts`, `.overloaded`, or a
    ///   store's error.
    package func setEmail(
        of id: String, to text: String, isVerified: Bool, by actor: AccountActor?, because reason: String = ""
    ) async throws(IdentityError) -> Bool {
        let email = try EmailAddress(text)
        var attempts = isVerified ? [] : [limits.mail(.verifyEmail, emailKey: email.key)]
        // The earlier address gets a notice, and two changes in turn must not fill its mailbox.
        if let current = try await store.account(id: id)?.email {
            attempts.append(limits.mail(.addressChanged, emailKey: current.key))
        }
        try limits.take(attempts)
        do throws(IdentityError) {
            let action = AccountAction.setEmail(
                email, isVerified: isVerified,
                endingGuestSessionsBy: clock.now.addingTimeInterval(sessionLifetime.inSeconds))
            guard try await perform(action, on: id, by: actor, because: reason) != nil else {
                limits.refund(attempts)
                return false
            }
        } catch {
            // An email that was not stored does not count.
            limits.refund(attempts)
            throw error
        }
        mails.wake()
        return true
    }

    /// Sets the status of an account; every status except `active` signs out its devices.
    ///
    /// - Parameter reason: A note for the audit log.
    /// - Returns: False if the account does not exist.
    package func setStatus(
        of id: String, to status: Account.Status, by actor: AccountActor? = nil, because reason: String = ""
    ) async throws(IdentityError) -> Bool {
        // Deletion has a separate function.
        guard status != .deleted else { throw .invalidInput("an account cannot be deleted by setting its status") }
        return try await perform(.setStatus(status), on: id, by: actor, because: reason) != nil
    }

    /// Signs out all devices of another account and returns their number; nil if the account does not exist.
    package func endSessions(of id: String, by actor: AccountActor?) async throws(IdentityError) -> Int? {
        try await perform(.endSessions, on: id, by: actor)?.signedOut
    }

    /// Deletes an account.
    ///
    /// - Parameters:
    ///   - isFinal: Whether all data is removed, and the address may sign up again. Otherwise the operator can restore
    ///     the account, and its address stays taken. If users delete their own account, and its address was never
    ///     proved, the deletion is always final.
    ///   - reason: A note for the audit log.
    package func delete(
        _ id: String, isFinal: Bool, by actor: AccountActor?, because reason: String
    ) async throws(IdentityError) -> Bool {
        try await perform(.delete(isFinal: isFinal), on: id, by: actor, because: reason) != nil
    }

    /// Performs an action in the store, under its own rule unless another one is given.
    ///
    /// The reason becomes one line of bounded length.
    package func perform(
        _ action: AccountAction, on id: String, by actor: AccountActor?, because reason: String = "",
        if rule: AccountRule? = nil
    ) async throws(IdentityError) -> AccountActionResult? {
        try await store.perform(
            action, on: id, by: actor, because: reason.sanitized(500), at: clock.now,
            if: rule ?? action.rule(for: actor))
    }

    // MARK: Credentials and devices

    /// Removes the second factor of another account, and signs out its devices.
    ///
    /// The account's owner has proved their identity by other means.
    ///
    /// - Parameter actor: The account that makes the change; nil for the server's operator.
    /// - Returns: Whether there was a factor; nil if the account does not exist.
    /// - Throws: `IdentityError.forbidden` or a store's error.
    package func removeFactor(
        of id: String, by actor: AccountActor? = nil
    ) async throws(IdentityError) -> Bool? {
        let found = try await perform(.removeFactor, on: id, by: actor)?.hadFactor
        mails.wake()
        return found
    }

    /// Removes the link of an account to a provider, signs out its devices, and emails its owner.
    ///
    /// The link may be the only means to sign in. The owner then sets a password by email; for an account without an
    /// address, it throws `IdentityError.lastSignIn`.
    ///
    /// - Parameter reason: A note for the audit log.
    /// - Returns: Whether there was a link; nil if the account does not exist.
    package func removeLink(
        to provider: String, of id: String, by actor: AccountActor? = nil, because reason: String = ""
    ) async throws(IdentityError) -> Bool? {
        let result = try await perform(.removeLink(provider: provider), on: id, by: actor, because: reason)
        mails.wake()
        return result?.hadLink
    }

    /// Removes all passkeys of an account, signs out its devices, and emails its owner.
    ///
    /// They may be the only means to sign in. The owner then sets a password by email; for an account without an
    /// address, it throws `IdentityError.lastSignIn`.
    ///
    /// - Parameter reason: A note for the audit log.
    /// - Returns: Whether there was a passkey; nil if the account does not exist.
    package func removePasskeys(
        of id: String, by actor: AccountActor? = nil, because reason: String = ""
    ) async throws(IdentityError) -> Bool? {
        let result = try await perform(.removePasskeys, on: id, by: actor, because: reason)
        mails.wake()
        return result?.hadPasskeys
    }

    /// Removes one passkey of an account, signs out its devices, and emails its owner.
    ///
    /// - Parameter passkey: The public ID.
    /// - Returns: Whether there was such a passkey; nil if the account does not exist.
    package func removePasskey(
        _ passkey: String, of id: String, by actor: AccountActor? = nil, because reason: String = ""
    ) async throws(IdentityError) -> Bool? {
        // No passkey has an empty ID.
        let bytes = Passkey.id(fromPublicID: passkey) ?? []
        let result = try await perform(.removePasskey(bytes), on: id, by: actor, because: reason)
        mails.wake()
        return result?.hadPasskeys
    }

    /// Emails a link that sets a new password to the owner of another account, in the owner's language.
    ///
    /// - Returns: False if the account does not exist.
    /// - Throws: `IdentityError.signInWayOff` on a server without passwords, `.forbidden`, `.accountSuspended` unless it
    ///   is active, `.tooManyAttempts`, `.overloaded`,
    ///   or a store's error.
    package func mailReset(of id: String, by actor: AccountActor?) async throws(IdentityError) -> Bool {
        try ways.require(.password)
        guard let account = try await store.account(id: id) else { return false }
        let attempt = limits.mail(.resetPassword, emailKey: account.ownerKey)
        try limits.take([attempt])
        do throws(IdentityError) {
            guard try await perform(.mailReset, on: id, by: actor) != nil else { return false }
        } catch {
            // An email that was not stored does not count.
            limits.refund([attempt])
            throw error
        }
        mails.wake()
        return true
    }

    /// Ends the wait after wrong passwords and wrong codes of another account.
    ///
    /// The limits of the networks that the attempts came from stay. Each process counts wrong passwords separately, so
    /// other nodes still wait for at most a minute.
    ///
    /// - Returns: False if the account does not exist.
    package func unlock(_ id: String, by actor: AccountActor?) async throws(IdentityError) -> Bool {
        guard let account = try await store.account(id: id),
            try await perform(.unlock, on: id, by: actor) != nil
        else { return false }
        limits.forget(account.loginKeys.map(limits.loginFromAnywhere))
        return true
    }

    /// Returns the passkeys of an account, the oldest first.
    package func passkeys(of id: String) async throws(IdentityError) -> [Passkey] {
        try await store.passkeys(of: id)
    }

    /// Returns the links of an account, by provider.
    package func links(of id: String) async throws(IdentityError) -> [UpstreamLink] {
        try await store.links(of: id)
    }

    /// Returns the devices on which an account is signed in, the most recently used first.
    package func devices(of id: String) async throws(IdentityError) -> [Device] {
        try await store.devices(of: id, at: clock.now)
    }

    /// Signs out one device of another account.
    ///
    /// - Parameter device: The public id.
    /// - Returns: False if the account is not signed in on such a device.
    package func endSession(
        ofDevice device: String, of id: String, by actor: AccountActor? = nil
    ) async throws(IdentityError) -> Bool {
        guard let bytes = Device.id(fromPublicID: device) else { return false }
        return try await perform(.endSession(device: bytes), on: id, by: actor)?.hadDevice == true
    }

    // MARK: Lookup

    /// Returns one page of the list of accounts.
    ///
    /// - Parameters:
    ///   - actor: The requesting administrator, as currently stored; nil for the operator.
    ///   - withDetails: Whether the details of the accounts are read; otherwise they are empty.
    /// - Throws: `IdentityError.forbidden`, `.invalidInput`, or a store's error.
    package func list(
        _ query: AccountQuery, for actor: Account?, withDetails: Bool = true
    ) async throws(IdentityError) -> AccountPage {
        try Self.requireAdministrator(actor)
        guard (1...500).contains(query.limit) else {
            throw .invalidInput("'limit' must be a whole number from 1 to 500")
        }
        guard query.search.utf8.count <= 200, query.search.isPlain else {
            throw .invalidInput("'search_query' is longer than 200 bytes or contains control characters")
        }
        return try await store.accounts(query, withDetails: withDetails)
    }

    /// Returns statistics of all accounts, for an administrator.
    package func statistics(for actor: Account?) async throws(IdentityError) -> AccountStatistics {
        try Self.requireAdministrator(actor)
        let day = (clock.now.timeIntervalSince1970 / 86_400).rounded(.down)
        return try await store.statistics(since: Date(timeIntervalSince1970: day * 86_400))
    }

    /// Returns an account that `actor` may see; nil is the operator.
    ///
    /// - Throws: `IdentityError.forbidden`, also for a missing account unless the actor may see others;
    ///   `.noSuchAccount`; or a store's error.
    package func account(_ id: String, for actor: Account?) async throws(IdentityError) -> FullAccount {
        guard let found = try await store.fullAccount(id: id) else {
            throw actor?.role ?? .superAdmin >= .moderator ? .noSuchAccount : .forbidden
        }
        if let actor { try AccountAction.read.authorize(actor, on: found.account) }
        return found
    }

    /// Returns the account of an address or a user name, for an administrator; nil if there is none.
    ///
    /// - Throws: `IdentityError.invalidEmail` if the text has an @ and is not an address, `.forbidden`, or a store's
    ///   error.
    package func account(named name: String, for actor: Account?) async throws(IdentityError) -> FullAccount? {
        try Self.requireAdministrator(actor)
        let found: Account?
        if name.utf8.contains(UInt8(ascii: "@")) {
            found = try await account(email: name)
        } else {
            found = try await store.account(usernameKey: name.lowercased())
        }
        guard let found else { return nil }
        return try await store.fullAccount(id: found.id)
    }

    /// Returns the account of an address, an id or a user name, for the operator; nil if there is none.
    ///
    /// - Throws: `IdentityError.invalidEmail` if the text has an @ and is not an address, or a store's error.
    package func find(_ name: String) async throws(IdentityError) -> FullAccount? {
        if let full = try await store.fullAccount(id: name) { return full }
        return try await account(named: name, for: nil)
    }

    /// Returns the account of an address.
    ///
    /// - Throws: `IdentityError.invalidEmail` if the text is not an address, or a store's error.
    package func account(email: String) async throws(IdentityError) -> Account? {
        try await store.account(emailKey: EmailAddress(email).key)
    }

    /// Changes details of an account.
    ///
    /// Attempts to take another user name are limited, whether the name is taken or not.
    ///
    /// - Parameter actor: Nil for the operator.
    /// - Throws: `IdentityError.invalidInput`, which names the detail; `.forbidden`, `.usernameTaken`,
    ///   `.tooManyAttempts`, `.noSuchAccount`, or a store's error.
    package func change(
        _ change: AccountDetailsChange, of id: String, by actor: AccountActor?
    ) async throws(IdentityError) -> FullAccount {
        var change = change
        if let name = change.name { change.name = try AccountService.validated(name: name) ?? "" }
        change.firstName = change.firstName.map { String($0.trimmingSpace()) }
        change.lastName = change.lastName.map { String($0.trimmingSpace()) }
        change.displayName = change.displayName.map { String($0.trimmingSpace()) }
        try AccountDetailsValidator.check(change.applied(to: AccountDetails()), at: clock.now)
        if let actor, let text = change.username, !text.isEmpty {
            let current = try await store.account(id: id)?.username
            if try Username(choosing: text, insteadOf: current) != current {
                try limits.take([limits.username(of: actor.accountID)])
            }
        }
        guard try await perform(.update(change), on: id, by: actor) != nil,
            let full = try await store.fullAccount(id: id)
        else { throw .noSuchAccount }
        return full
    }

    private static func requireAdministrator(_ actor: Account?) throws(IdentityError) {
        guard actor?.isAdministrator ?? true else { throw .forbidden }
    }
}
