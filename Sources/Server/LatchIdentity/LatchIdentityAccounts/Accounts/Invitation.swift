// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchIdentityStorage

extension AccountService {
    /// Creates an account without a password for another person, and emails a link that sets one.
    ///
    /// On a server without passwords, the link proves the address, and the owner signs in with a mailed code.
    ///
    /// Administrators can give only roles below their own, as with changes of a role. Other role words must be their own or in
    /// `invitation_roles`. A super administrator can give any role. So can the
    /// operator, also if `signup` closes invitations.
    ///
    /// - Throws: `IdentityError.signInWayOff` if the owner could not sign in; `.signUpClosed`; `.forbidden`, also if the administrator's roles change in the meantime;
    ///   `.alreadyExists`, `.invalidEmail`, `.invalidInput`, `.tooManyAttempts`, `.overloaded` or a store's error.
    package func invite(
        email: String, name: String?, roles: [String], by administrator: Administrator, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        try require(roles, givenBy: administrator)
        return try await insert(
            invited: email, name: name, roles: roles, by: administrator, causedBy: origin.mailCause)
    }

    /// Invites in a session, whose user must have authenticated recently.
    ///
    /// - Throws: `IdentityError.signInAgain`, and the errors of an invitation by an ``Administrator``.
    package func invite(
        email: String, name: String?, roles: [String], by session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        try session.requireFirstParty()
        guard session.account.isAdministrator else { throw .forbidden }
        try recentAuthentication.require(session)
        return try await invite(
            email: email, name: name, roles: roles, by: Administrator(session), from: origin)
    }

    /// Creates an account with a password, as an administrator.
    ///
    /// - Parameters:
    ///   - roles: As for an invitation.
    ///   - isVerified: Whether the administrator knows that the address is the owner's. Otherwise the owner gets a link
    ///     that verifies it.
    /// - Throws: `IdentityError.signUpClosed`, `.forbidden`, `.alreadyExists`, `.invalidEmail`, `.weakPassword`,
    ///   `.invalidInput`, `.tooManyAttempts`, `.overloaded` or a store's error.
    package func create(
        email: String, password: String, name: String?, roles: [String], isVerified: Bool,
        by administrator: Administrator, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        try require(roles, givenBy: administrator)
        // The deletion of an account must not make room for another email.
        if !isVerified { try limits.take([limits.mail(.verifyEmail, emailKey: EmailAddress(email).key)]) }
        return try await signUp(
            email: email, password: password, name: name, roles: Self.completed(roles), isVerified: isVerified,
            by: administrator, from: origin)
    }

    /// Requires that an administrator may give these roles to another person; the operator may give any.
    ///
    /// - Throws: `IdentityError.forbidden`, also for a program, which makes no administrators; `.signUpClosed`.
    func require(_ roles: [String], givenBy administrator: Administrator) throws(IdentityError) {
        guard let actor = administrator.account else { return }
        let role = Self.role(in: roles)
        guard actor.isAdministrator else { throw .forbidden }
        guard administrator.actor?.key == nil || role < .admin else { throw .programForbidden }
        if actor.role < .superAdmin {
            let given = configuration.invitationRoles + actor.roles
            guard role < actor.role, roles.allSatisfy({ Role.isWord($0) || given.contains($0) }) else {
                throw .forbidden
            }
        }
        try SignUpRule(configuration).requireInvitations()
    }

    private func insert(
        invited email: String, name: String?, roles: [String], by administrator: Administrator,
        causedBy cause: MailCause
    ) async throws(IdentityError) -> Account {
        let ways = signIns.admission.ways
        if !ways.permits(.code) { try ways.require(.password) }
        let purpose: OutboxMail.Purpose = ways.permits(.password) ? .invitation : .verifyEmail
        let email = try EmailAddress(email)
        let now = clock.now
        var account = Account(id: random.newID(at: now), email: email, createdAt: now)
        account.name = try Self.validated(name: name)
        try Self.requireWords(roles)
        account.roles = Self.completed(roles)
        try limits.take([limits.mail(.invitation, emailKey: email.key)])
        do throws(IdentityError) {
            try await store.insert(
                account, details: nil,
                mail: outboxMail(purpose, to: email, of: account, causedBy: cause),
                by: administrator.account, with: administrator.actor, note: "invited by \(administrator.name)")
        } catch {
            throw error == .alreadyExists ? error.at("email") : error
        }
        metrics.count(.accountsCreated)
        mails.wake()
        return account
    }

    /// Returns the role words of a new account: those of the highest named role, and the other words.
    package static func completed(_ words: [String]) -> [String] { role(in: words).replacing(in: words) }

    /// Returns the highest named role; `super_admin` counts even without `admin`.
    private static func role(in words: [String]) -> Role {
        Role.allCases.last { $0.words.last.map(words.contains) ?? true } ?? .user
    }
}
