// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchIdentityStorage

extension AccountService {
    /// Creates an account without a password for another person, and emails a link that sets one.
    ///
    /// The administrator must have authenticated recently. They can give only roles below their own, as with changes of
    /// a role. Other role words must be their own or in `invitation_roles`. A super administrator can give any role.
    ///
    /// - Throws: `IdentityError.signUpClosed`; `.forbidden`, also if the administrator's roles change in the meantime; `.signInAgain`,
    ///   `.alreadyExists`, `.invalidEmail`, `.invalidInput`, `.tooManyAttempts`, `.overloaded` or a store's error.
    package func invite(
        email: String, name: String?, roles: [String], by session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        try session.requireFirstParty()
        let actor = session.account
        let role = Self.role(in: roles)
        guard actor.isAdministrator else { throw .forbidden }
        if actor.role < .superAdmin {
            let given = configuration.invitationRoles + actor.roles
            guard role < actor.role, roles.allSatisfy({ Role.isWord($0) || given.contains($0) }) else {
                throw .forbidden
            }
        }
        try SignUpRule(configuration).requireInvitations()
        try recentAuthentication.require(session)
        return try await insert(invited: email, name: name, roles: roles, by: session, causedBy: origin.mailCause)
    }

    /// Invites as the operator: with any role, and also if `signup` closes invitations.
    ///
    /// - Throws: `IdentityError.alreadyExists`, `.invalidEmail`, `.invalidInput`, `.tooManyAttempts`, `.overloaded` or a
    ///   store's error.
    package func invite(email: String, name: String?, roles: [String]) async throws(IdentityError) -> Account {
        try await insert(invited: email, name: name, roles: roles, by: nil, causedBy: MailCause())
    }

    /// - Parameter session: The session of the administrator; nil for the operator.
    private func insert(
        invited email: String, name: String?, roles: [String], by session: AuthenticatedSession?,
        causedBy cause: MailCause
    ) async throws(IdentityError) -> Account {
        let email = try EmailAddress(email)
        let now = clock.now
        var account = Account(id: random.newID(at: now), email: email, createdAt: now)
        account.name = try Self.validated(name: name)
        try Self.requireWords(roles)
        account.roles = Self.role(in: roles).replacing(in: roles)
        try limits.take([limits.mail(.invitation, emailKey: email.key)])
        do throws(IdentityError) {
            try await store.insert(
                account, details: nil,
                mail: outboxMail(.invitation, to: email, of: account, causedBy: cause), by: session?.account,
                on: session?.device.id, note: "invited by \(session?.account.id ?? "the operator")")
        } catch {
            throw error == .alreadyExists ? error.at("email") : error
        }
        metrics.count(.accountsCreated)
        mails.wake()
        return account
    }

    /// Returns the highest named role; `super_admin` counts even without `admin`.
    private static func role(in words: [String]) -> Role {
        Role.allCases.last { $0.words.last.map(words.contains) ?? true } ?? .user
    }
}
