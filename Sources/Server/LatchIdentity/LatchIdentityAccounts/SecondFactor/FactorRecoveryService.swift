// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage

/// A service for owners who have lost their authenticator app and their recovery codes.
///
/// Such an owner proves the password and the mailbox. Then the second factor is removed after a waiting time, in which
/// each proof of it, and each change of the credentials, keeps it. Accounts with a role need an administrator.
package struct FactorRecoveryService: Sendable {
    /// The account of a sign-in that lacks its second factor, as it was when its first factor was proved.
    package struct Claim: Codable, Sendable {
        package let accountID: String
        package let credentialVersion: Int
    }

    /// The next step of an owner.
    package enum Step: Sendable {
        /// A code was mailed; the challenge is needed to check it.
        case mailed(Claim, challengeID: String)
        /// The waiting time has begun.
        case waiting(until: Date)
    }

    /// The waiting time; nil if only administrators remove factors.
    package let delay: Duration?
    package let store: IdentityStore
    package let clock: WallClock
    package let codes: MailedCodes
    package let mails: MailQueue
    package let admission: SignInAdmission

    package init(
        delay: Duration?, store: IdentityStore, clock: WallClock, codes: MailedCodes, mails: MailQueue,
        admission: SignInAdmission
    ) {
        (self.delay, self.store, self.clock) = (delay, store, clock)
        (self.codes, self.mails, self.admission) = (codes, mails, admission)
    }

    package var isEnabled: Bool { delay != nil }

    /// Mails a code to the owner of a sign-in that waits for its second factor.
    ///
    /// - Parameters:
    ///   - text: The challenge of a page.
    ///   - way: The first factor, which must be a password: the reader of a mailbox would have proved nothing else.
    /// - Throws: `IdentityError.factorIsKept` if only an administrator can remove the factor, `.loginEnded`,
    ///   `.tooManyAttempts`, `.overloaded` or a store's error.
    package func begin(
        _ text: String, after way: SignInWay?, by form: CodeForm, in language: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> Step {
        guard isEnabled, way == .password else { throw .factorIsKept }
        let challenge = try await admission.challenges.find(text, on: .page)
        guard let account = try await store.account(id: challenge.accountID), challenge.isOpen(to: account),
            admission.refusal(of: account) == nil
        else { throw .loginEnded }
        if let recovery = try await store.factorRecovery(of: account.id), recovery.isFor(account) {
            return .waiting(until: recovery.dueAt)
        }
        let claim = Claim(accountID: account.id, credentialVersion: account.credentialVersion)
        return try await send(claim, again: nil, by: form, in: language, from: origin)
    }

    /// Mails the code of a claim again.
    ///
    /// - Throws: The errors of ``begin(_:by:in:from:)``.
    package func send(
        _ claim: Claim, again challengeID: String?, by form: CodeForm, in language: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> Step {
        let (_, email) = try await account(of: claim)
        let sent = try await codes.send(
            .factorRecoveryCode, to: email, by: form, again: challengeID, in: language, from: origin)
        return .mailed(claim, challengeID: sent)
    }

    /// Checks a mailed code, and begins the waiting time.
    ///
    /// - Returns: The time of the removal.
    /// - Throws: `IdentityError.factorIsKept`, `.loginEnded`, `.noSecondFactor`; `.invalidMailedCode`,
    ///   `.tooManyAttempts`, `.codeEnded`, `.doubtfulDate`; or a store's error.
    package func finish(
        _ code: String, of challengeID: String, for claim: Claim, from origin: RequestOrigin
    ) async throws(IdentityError) -> Date {
        let (account, email) = try await account(of: claim)
        guard let delay else { throw .factorIsKept }
        let now = try await codes.check(
            code, of: challengeID, for: .factorRecoveryCode, sentTo: email, from: origin)
        let dueAt = now.addingTimeInterval(delay.inSeconds)
        let recovery = FactorRecovery(
            accountID: account.id, credentialVersion: account.credentialVersion, requestedAt: now,
            remindAt: dueAt.addingTimeInterval(-FactorRecovery.reminder), dueAt: dueAt)
        let waiting = try await store.begin(recovery, for: account, causedBy: origin.mailCause)
        mails.wake()
        return waiting.dueAt
    }

    /// Keeps the factor of a session's account.
    package func cancel(for session: AuthenticatedSession) async throws(IdentityError) {
        try session.requireFirstParty()
        try await store.cancelFactorRecovery(of: session.accountID, at: clock.now)
    }

    /// Returns the account of a claim whose factor can be removed.
    private func account(of claim: Claim) async throws(IdentityError) -> (Account, EmailAddress) {
        guard let account = try await store.account(id: claim.accountID),
            account.credentialVersion == claim.credentialVersion, admission.refusal(of: account) == nil
        else { throw .loginEnded }
        // The mailbox of an address that was never proved, and the credentials beside it, may be those of a stranger.
        guard isEnabled, account.isOwnersAddress, account.role == .user, let email = account.email else {
            throw .factorIsKept
        }
        return (account, email)
    }
}
