// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
package import LatchIdentityStorage

/// A service for users who sign in on the server's pages with a code that was mailed to them.
///
/// An account whose owner has not proved the address gets a link for a new password instead: its credentials may be
/// those of a stranger (attack E8). On a server without passwords, the code is that proof and ends them.
package struct CodeSignInService: Sendable {
    package let codes: MailedCodes
    package let signIns: SignInService

    package init(codes: MailedCodes, signIns: SignInService) {
        (self.codes, self.signIns) = (codes, signIns)
    }

    private var ways: SignInWayRule { signIns.admission.ways }
    package var isEnabled: Bool { ways.permits(.code) }

    /// Emails a code to the owner of an address, if it has an account.
    ///
    /// - Parameter earlier: The challenge whose code is sent again while it can be entered; nil for a new code.
    /// - Returns: The ID of the challenge.
    /// - Throws: `IdentityError.loginEnded` if users cannot sign in with codes, `.tooManyAttempts`, `.overloaded` or a
    ///   store's error.
    package func begin(
        _ email: EmailAddress, by form: CodeForm, again earlier: String?, in language: String,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        guard isEnabled else { throw .loginEnded }
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
        guard let account = try await owner(of: email, at: now, from: origin) else { throw .codeEnded }
        let proof = SignInProof(
            account: account, grantType: .password, authenticatedAt: now, by: .code, method: "otp")
        return try await signIns.counting(proof, from: origin, isComplete: \.isSuccess) { () throws(IdentityError) in
            try await signIns.admission.admitOrChallenge(proof, on: .page)
        }
    }

    /// Returns the account whose owner has read a code; nil if the address has none, or if it needs another proof.
    private func owner(
        of email: EmailAddress, at now: Date, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account? {
        guard let account = try await signIns.store.account(emailKey: email.key) else { return nil }
        guard !account.isOwnersAddress else { return account }
        guard isEnabled, !ways.permits(.password) else { return nil }
        return try await signIns.store.proveAddress(of: account, causedBy: origin.mailCause, at: now)
    }
}
