// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE

/// The steps of a sign-in through a provider that the user takes on a page of this server.
///
/// Each page is for the browser that signed in. That browser's cookie has the page's state, and a form answers it.
extension UpstreamSignInService {
    // MARK: The address

    /// Emails a code to the address of a user, and returns the attempt that waits for it.
    ///
    /// The steps are the same for an address of another account, and only the email reveals that (attacks E2 and I2).
    ///
    /// - Parameter account: The account, if the identity has one. The email is then sent to the account's address.
    /// - Throws: `IdentityError.emailMissing`, `.tooManyAttempts`, `.overloaded` or a store's error.
    func addressChallenge(
        for account: Account?, _ record: UpstreamIdentityRecord, _ attempt: SignInAttempt, from origin: RequestOrigin
    ) async throws(IdentityError) -> SignInAttempt {
        guard let email = account?.email ?? record.identity(at: attempt.provider).email else { throw .emailMissing }
        try limits.take(
            limits.attempts(of: .mail, from: origin.address) + [limits.mail(.addressCode, emailKey: email.key)])
        let now = clock.now
        let mail = OutboxMail(
            .addressCode, to: email, accountID: account?.id, id: random.identifier(), at: now,
            causedBy: origin.mailCause
        )
        let end = now.addingTimeInterval(AddressChallenge.lifetime)
        try await store.insert(AddressChallenge(id: mail.id, accountID: account?.id, expiresAt: end), mail: mail)
        mails.wake()
        return attempt.waiting(for: .address(mailID: mail.id, sentTo: email.text, record), until: end)
    }

    /// Continues a sign-in with the mailed code, which verifies the address.
    ///
    /// The user's account is created if there is none.
    ///
    /// - Throws: `IdentityError.invalidCode`, after which the user can try again; `.signInEnded`; `.accountExists` if
    ///   another account got the address in the meantime; and the errors of the next step.
    package func finish(
        mailID: String, sentTo address: String, _ record: UpstreamIdentityRecord, code: String,
        of attempt: SignInAttempt, at provider: UpstreamProvider, from origin: RequestOrigin
    ) async throws(IdentityError) -> Next {
        try dates.require()
        let identity = record.identity(at: attempt.provider)
        let now = clock.now
        // The code proves the address that it was mailed to, which may not be the account's current address.
        let email = try EmailAddress(address)
        let known = try await store.account(linkedTo: identity)
        var account =
            known
            ?? Account(
                id: random.newID(at: now), email: email, name: record.name, passwordChangedAt: now,
                emailVerifiedAt: now, ownerProvedAt: now, createdAt: now)
        account.email = email
        let isRight = MailedTokens(pepper: pepper).isCode(code, of: mailID)
        let verify = { (account: Account) async throws(IdentityError) -> Account in
            let answer = try await store.answer(
                mailID, isRight: isRight, for: account, linkedTo: identity, causedBy: origin.mailCause, at: now)
            if case .verified(let account) = answer { return account }
            try await store.audit(
                "address.failed", account: known?.id,
                detail: "\(provider.name) from \(origin.address)".sanitized(200), at: now)
            throw answer == .wrong ? .invalidMailedCode : .signInEnded
        }
        // A user who reads the email of an address may learn that it has an account.
        let verified =
            isRight && known == nil
            ? try await signingUp(account, isVerified: true, at: provider, from: origin, verify)
            : try await verify(account)
        // The page has named the app.
        return try await next(of: verified, record, attempt, isConfirmed: true, from: origin)
    }

    // MARK: The second factor

    /// Finishes a sign-in by a code of the second factor.
    ///
    /// - Throws: `IdentityError.invalidCode` and `.tooManyAttempts`, after which the user can try again;
    ///   `.signInEnded`; or a store's error.
    package func finish(
        challenge text: String, _ record: UpstreamIdentityRecord, code: String, of attempt: SignInAttempt,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> Next {
        let identity = record.identity(at: attempt.provider)
        let (proof, plan) = try await admission.answerChallenge(
            challenge: text, on: .provider, code: code, grantType: .authorizationCode, by: .provider,
            authenticatedAt: record.authenticatedAt, from: origin
        ) { _ throws(IdentityError) in
            // The link may have been removed meanwhile.
            try await store.account(linkedTo: identity)
        } preparing: { account, _ throws(IdentityError) in
            try await self.plan(for: account, of: attempt)
        }
        return try await result(of: proof, as: plan, record, attempt, from: origin)
    }

    // MARK: The confirmation

    /// Returns the attempt that waits for the user's confirmation of the app.
    ///
    /// A provider that knows the browser responds without a page. So the user has not seen which app began the sign-in,
    /// and another app may have taken its scheme (RFC 8252 §8.6).
    ///
    /// - Parameter account: The account; nil for a link.
    package func confirmation(
        of account: Account?, _ record: UpstreamIdentityRecord, _ attempt: SignInAttempt
    ) async throws(IdentityError) -> SignInAttempt {
        guard let account else {
            let end = clock.now.addingTimeInterval(SignInChallenges.lifetime)
            return attempt.waiting(for: .confirmation(challenge: nil, record), until: end)
        }
        // A different step may be required by now, for example after a second factor was confirmed.
        guard let issued = try await challenges.issue(for: account, on: .confirmation) else { throw .signInEnded }
        return attempt.waiting(
            for: .confirmation(challenge: issued.text, record), until: issued.challenge.expiresAt)
    }

    /// Finishes a sign-in that the user has confirmed.
    ///
    /// - Parameter id: The identifier of the attempt, which a link uses up.
    /// - Throws: `IdentityError.signInEnded`, or a store's error.
    package func finish(
        confirmed challenge: String?, _ record: UpstreamIdentityRecord, of attempt: SignInAttempt, id: String,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> Next {
        try dates.require()
        guard let challenge else {
            try await spend(id)
            return .app(url: try await linkCode(record, attempt))
        }
        let now = clock.now
        // The account is read first. A factor that is confirmed before the challenge is taken ends the challenge. A
        // factor that is confirmed later invalidates the decision on the account.
        let pending = try await challenges.find(challenge, on: .confirmation)
        guard let account = try await store.account(linkedTo: record.identity(at: attempt.provider)),
            pending.isOpen(to: account),
            let admitted = admission.readmit(
                account, redeeming: account.credentialVersion, grantType: .authorizationCode,
                authenticatedAt: record.authenticatedAt, by: .provider, factorAt: nil)
        else { throw .signInEnded }
        let plan = try await plan(for: account, of: attempt)
        guard try await store.takeChallenge(challenge.digest, at: now) != nil else { throw .signInEnded }
        return try await result(of: admitted, as: plan, record, attempt, from: origin)
    }
}
