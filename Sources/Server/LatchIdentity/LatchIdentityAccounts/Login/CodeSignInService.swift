// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
package import LatchIdentityStorage

/// A service for users who sign in on the server's pages, or in an app, with a code that was mailed to them.
///
/// An account whose owner has not proved the address gets a link for a new password instead: its credentials may be
/// those of a stranger (attack E8). On a server without passwords, the code is that proof and ends them.
package struct CodeSignInService: Sendable {
    package let codes: MailedCodes
    package let signIns: SignInService
    private let redemption: CodeRedemption

    package init(codes: MailedCodes, signIns: SignInService) {
        (self.codes, self.signIns) = (codes, signIns)
        redemption = CodeRedemption(codes: codes, tokens: signIns.tokens)
    }

    private var ways: SignInWayRule { signIns.admission.ways }

    /// Emails a code to the owner of an address, if it has an account.
    ///
    /// - Parameters:
    ///   - earlier: The challenge whose code is sent again while it can be entered; nil for a new code.
    ///   - language: The language of the email; nil for the server's default language.
    /// - Returns: The ID of the challenge.
    /// - Throws: `IdentityError.signInWayOff` if users cannot sign in with codes, `.tooManyAttempts`, `.overloaded` or a
    ///   store's error.
    package func begin(
        _ email: EmailAddress, by form: CodeForm, again earlier: String?, in language: String?,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        try ways.require(.code)
        return try await codes.send(.signInCode, to: email, by: form, again: earlier, in: language, from: origin)
    }

    /// Checks a mailed code, and returns the proof, or a challenge for the second factor.
    ///
    /// - Throws: `IdentityError.invalidMailedCode`, `.tooManyAttempts`, `.codeEnded`, also if the address has no account any longer;
    ///   `.accountSuspended`, `.accountClosed`, `.accountChanged`, `.doubtfulDate`, or a store's error.
    package func finish(
        _ code: String, of challengeID: String, sentTo email: EmailAddress, from origin: RequestOrigin
    ) async throws(IdentityError) -> SignInResult<AdmittedProof> {
        let now = try await codes.check(code, of: challengeID, for: .signInCode, sentTo: email, from: origin)
        let proof = try await proof(of: email, at: now, from: origin)
        return try await signIns.counting(proof, from: origin, isComplete: \.isSuccess) { () throws(IdentityError) in
            try await signIns.admission.admitOrChallenge(proof, on: .page)
        }
    }

    /// Signs in a new device of an app by a mailed code, and by a code of the second factor if the account has one.
    ///
    /// Only the session uses the mailed code up. So an app that learns of the second factor sends both codes.
    ///
    /// - Parameters:
    ///   - factor: A code of the second factor, or a recovery code.
    ///   - key: The Idempotency-Key of the request; a repetition gets the same session.
    /// - Throws: `IdentityError.signInWayOff`, `.invalidMailedCode`, `.codeEnded`, `.tooManyAttempts`,
    ///   `.accountSuspended`, `.accountClosed`, `.secondFactorRequired`, `.invalidCode`, `.doubtfulDate`, or a store's
    ///   error.
    package func signIn(
        _ code: String, of challenge: MailedCodeChallenge, factor: String?, key: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        try ways.require(.code)
        return try await redemption.session(
            for: code, of: challenge, key: key, from: origin
        ) { now, email, device throws(IdentityError) in
            let proof = try await proof(of: email, at: now, from: origin)
            return try await signIns.counting(proof, from: origin) { () throws(IdentityError) in
                let tokens = signIns.tokens
                let (admitted, plan) = try await signIns.admission.admit(
                    proof, code: factor, from: origin
                ) { () throws(IdentityError) in
                    try await tokens.plan(for: proof.account, grant: proof.grantType)
                }
                return try await tokens.startSession(
                    admitted, plan, from: origin, as: device.id, inserting: device.insert)
            }
        }
    }

    /// Returns the proof of the owner of an address.
    ///
    /// - Throws: `IdentityError.codeEnded` if the address has no account any longer, or one without a proved owner.
    private func proof(
        of email: EmailAddress, at now: Date, from origin: RequestOrigin
    ) async throws(IdentityError) -> SignInProof {
        guard let account = try await owner(of: email, at: now, from: origin) else { throw .codeEnded }
        return SignInProof(account: account, grantType: .password, authenticatedAt: now, by: .code, method: "otp")
    }

    /// Returns the account whose owner has read a code; nil if the address has none, or if it needs another proof.
    private func owner(
        of email: EmailAddress, at now: Date, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account? {
        guard let account = try await signIns.store.account(emailKey: email.key) else { return nil }
        guard !account.isOwnersAddress else { return account }
        guard ways.permits(.code), !ways.permits(.password) else { return nil }
        return try await signIns.store.proveAddress(of: account, causedBy: origin.mailCause, at: now)
    }
}
