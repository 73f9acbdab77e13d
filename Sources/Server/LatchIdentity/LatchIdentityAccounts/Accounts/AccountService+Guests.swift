// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
package import LatchIdentityStorage

extension AccountService {
    /// Gives the account of a session an address and a password, and emails a link that verifies the address.
    ///
    /// The account keeps its ID, its attributes and its sessions. The rules are those of
    /// ``signUp(email:password:name:username:roles:permissions:isVerified:details:registration:by:from:)``, and so is
    /// what an error tells about other accounts. Two accounts are never merged.
    ///
    /// - Returns: The account after the registration.
    /// - Throws: `IdentityError.notGuest` for an account with an address; `.addressTaken`; `.signInAgain` for a user who
    ///   has another way to sign in; `.forbidden` for another client's token; `.accountChanged` or `.invalidToken` if
    ///   account or device have changed in the meantime; and the errors of a sign-up.
    package func register(
        _ session: AuthenticatedSession, email text: String, password: String, name: String?, username: String?,
        registration: Registration, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        try session.requireFirstParty()
        var account = session.account
        guard account.email == nil else { throw .notGuest }
        // A password that never works would be all that the user has.
        try signIns.admission.ways.require(.password)
        try recentAuthentication.require(session)
        let email = try EmailAddress(text)
        account.name = try Self.validated(name: name) ?? account.name
        account.username = try Self.validated(username: username, of: email) ?? account.username
        try SignUpRule(configuration).require(email)
        try await passwords.check(password, for: email)
        try registration.check(configuration)
        try limits.take([limits.signUp(emailKey: email.key)])
        let now = clock.now
        (account.email, account.guestUntil) = (email, nil)
        account.attributes = account.attributes(changedBy: registration.attributes)
        account.acceptedTerms = registration.acceptedTerms.map { AcceptedTerms(version: $0, acceptedAt: now) }
        account = try await hooks.admit(account, by: .app, isVerified: false, from: origin)
        account.passwordHash = try await passwords.hash(password, for: .signUp, from: origin.address)
        // Changes, since the attributes may change in the meantime.
        let read = session.account.attributes
        let changes = Set(account.attributes.keys).union(read.keys)
            .filter { account.attributes[$0] != read[$0] }
            .map { ($0, account.attributes[$0] ?? .null) }
        let mail = outboxMail(.verifyEmail, to: email, of: account, causedBy: origin.mailCause)
        do throws(IdentityError) {
            try await store.register(
                guest: account, changing: Dictionary(uniqueKeysWithValues: changes), mail: mail,
                on: session.device.id,
                endingSessionsBy: now.addingTimeInterval(configuration.refreshTokenLifetime.inSeconds), at: clock.now)
        } catch IdentityError.alreadyExists {
            throw account.username == nil ? .addressTaken.at("email") : .addressTaken
        }
        // This email was promised, as at a sign-up.
        _ = limits.rejection(taking: [limits.mail(.verifyEmail, emailKey: email.key)])
        metrics.count(.accountsCreated)
        mails.wake()
        guard let registered = try await store.account(id: account.id) else { throw .invalidToken }
        return registered
    }
}
