// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE

/// The codes of sign-ins through a provider, which only the app that began can use.
extension UpstreamSignInService {
    /// Exchanges a code for tokens.
    ///
    /// - Throws: `IdentityError.invalidSignInCode`, the same for every cause. The code has then ended. After
    ///   `.hookUnavailable` or a store's error, it can be sent again.
    package func exchange(
        _ text: String, verifier: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        let code = try await find(text, verifier: verifier, for: .signIn, from: origin)
        let account = if let id = code.accountID { try await store.account(id: id) } else { nil as Account? }
        let admitted = admission.readmit(
            account, redeeming: code.credentialVersion, grantType: .authorizationCode,
            authenticatedAt: code.authenticatedAt, by: .provider, factorAt: code.factorAt)
        let plan = if let admitted { try await plan(for: admitted.account) } else { nil as SessionPlan? }
        guard try await store.remove(signInCode: code.digest), let admitted, let plan else { throw .invalidSignInCode }
        return try await tokens.startSession(admitted, plan, from: origin)
    }

    /// Links the identity of a code to the account of a session that has authenticated recently.
    ///
    /// - Throws: `IdentityError.invalidSignInCode`, `.signInAgain`, `.forbidden`, `.linkedElsewhere`, `.alreadyLinked`,
    ///   or a store's error.
    package func link(
        _ text: String, verifier: String, to session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) -> UpstreamIdentity {
        try requireRecentLogin(session)
        let code = try await take(text, verifier: verifier, for: .link, from: origin)
        try await link(code.identity, isEmailVerified: code.isEmailVerified, to: session, from: origin)
        return code.identity
    }

    /// Links the identity of an attempt that a page has begun, and uses the attempt up.
    ///
    /// - Parameter id: The identifier of the attempt.
    /// - Throws: `IdentityError.signInEnded`, and the errors of ``link(_:verifier:to:from:)``.
    package func link(
        _ record: UpstreamIdentityRecord, of attempt: SignInAttempt, id: String, to session: AuthenticatedSession,
        from origin: RequestOrigin
    ) async throws(IdentityError) {
        try requireRecentLogin(session)
        try await spend(id)
        try await link(
            record.identity(at: attempt.provider), isEmailVerified: record.isEmailVerified == true, to: session,
            from: origin)
    }

    private func link(
        _ identity: UpstreamIdentity, isEmailVerified: Bool, to session: AuthenticatedSession,
        from origin: RequestOrigin
    ) async throws(IdentityError) {
        // Who has another way to sign in may not be the owner of the address.
        let rule = SignUpRule(configuration)
        var adopts = isEmailVerified && session.account.isGuest
        if adopts, let email = identity.email { adopts = rule.permits(email) }
        if session.account.isGuest {
            let isAdmitted = rule.permitsUsersWithoutAddress(hooks) || adopts && !hooks.decidesSignUps
            guard isAdmitted else { throw .addressRequired }
        }
        try await store.link(
            identity, adoptingAddress: adopts, to: session.account, on: session.device.id,
            endingGuestSessionsBy: clock.now.addingTimeInterval(configuration.refreshTokenLifetime.inSeconds),
            causedBy: origin.mailCause, at: clock.now)
        mails.wake()
    }

    /// Removes the link to a provider.
    ///
    /// - Throws: `IdentityError.signInAgain`, `.forbidden`, `.notLinked`, `.lastSignIn`, or a store's error.
    package func unlink(
        _ provider: String, from session: AuthenticatedSession, by origin: RequestOrigin
    ) async throws(IdentityError) {
        try requireRecentLogin(session)
        try await store.unlink(
            provider, from: session.account, on: session.device.id,
            among: permitted.ways, causedBy: origin.mailCause, at: clock.now)
        mails.wake()
    }

    /// Authenticates the user of a session again, with a code of a sign-in through an identity that the account is
    /// linked to.
    ///
    /// - Parameter otp: A code of the second factor, or a recovery code, for an account that has one.
    /// - Throws: `IdentityError.forbidden` for another client's token; `.secondFactorRequired`, after which the same
    ///   code may be sent again; `.invalidSignInCode`, `.invalidCode`, `.tooManyAttempts`, or a store's error.
    package func reauthenticate(
        _ session: AuthenticatedSession, _ text: String, verifier: String, otp: String?, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        let needsFactor = try await secondFactors.isConfirmed(of: session.accountID)
        guard !needsFactor || otp != nil else { throw .secondFactorRequired }
        let code = try await take(text, verifier: verifier, for: .reauthentication, from: origin)
        guard let account = try await store.account(linkedTo: code.identity), account.id == session.accountID else {
            try await audit("reauthentication.failed", code.identity.provider, account: session.accountID, from: origin)
            throw .invalidSignInCode
        }
        let proof = try await admission.admit(proof(of: account, at: clock.now), code: otp, from: origin)
        let isDone = try await store.authenticate(
            device: session.device.id, of: account, factorAt: proof.factorAt, at: clock.now)
        guard isDone else { throw .invalidSignInCode }
    }

    private func requireRecentLogin(_ session: AuthenticatedSession) throws(IdentityError) {
        try session.requireFirstParty()
        try recentAuthentication.require(session)
    }

    /// Uses up a code for the app that proves its challenge.
    private func take(
        _ text: String, verifier: String, for purpose: SignInCode.Purpose, from origin: RequestOrigin
    ) async throws(IdentityError) -> SignInCode {
        let code = try await find(text, verifier: verifier, for: purpose, from: origin)
        guard try await store.remove(signInCode: code.digest) else { throw .invalidSignInCode }
        return code
    }

    /// Returns a code without using it up, for the app that proves its challenge (RFC 7636 §4.6).
    ///
    /// A code ends with a wrong verifier, and at the wrong route.
    private func find(
        _ text: String, verifier: String, for purpose: SignInCode.Purpose, from origin: RequestOrigin
    ) async throws(IdentityError) -> SignInCode {
        try dates.require()
        guard text.utf8.count <= 100 else { throw .invalidSignInCode }
        let found = try await store.signInCode(text.digest, for: purpose, at: clock.now)
        if let found, verifier.utf8.count >= 43, verifier.isWord(maximum: 128, also: "-._~"),
            Base64URL.encode(verifier.digest).utf8.elementsEqual(found.codeChallenge.utf8)
        {
            return found
        }
        let isEnded = try await store.remove(signInCode: text.digest)
        if let found, isEnded {
            // An attacker has another app's code.
            try await audit("signIn.codeRefused", found.identity.provider, account: found.accountID, from: origin)
        }
        throw .invalidSignInCode
    }
}
