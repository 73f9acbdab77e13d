// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
import LatchOAuth

/// The credential that an app receives from the device's own Sign in with Apple, and sends to this server.
package struct AppleCredential: Sendable {
    /// The identity token, a JWT for the app.
    package let identityToken: String
    /// The nonce of the app's request.
    ///
    /// The token contains its hash, so an attacker who has only seen the token does not know it.
    package let nonce: String
    /// The code that Apple exchanges within five minutes; nil if the app sends none.
    package let authorizationCode: String?
    /// The name, which Apple sends to the app and not to this server.
    package let name: String?

    package init(identityToken: String, nonce: String, authorizationCode: String?, name: String?) {
        self.identityToken = identityToken
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.name = name
    }
}

extension AppleCredential: Redacting {}

extension UpstreamSignInService {
    /// Signs a user in with the credential of an app.
    ///
    /// The token is accepted once. No page is shown, so an unverified address that Apple cannot verify needs a sign-in
    /// in a browser first.
    ///
    /// - Parameter otp: A code of the second factor, or a recovery code.
    /// - Throws: `IdentityError.invalidSignInCode`, `.accountExists`, `.accountSuspended`, `.accountClosed`,
    ///   `.emailMissing`, `.emailUnverified`, `.upstreamUnavailable`, or a store's error. The same credential may be
    ///   sent again after `.secondFactorRequired`, `.invalidCode` and `.hookUnavailable`.
    package func signIn(
        with credential: AppleCredential, otp: String?, at client: UpstreamClient, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        try dates.require()
        let user: UpstreamUser
        let expiry: Date
        do {
            (user, expiry) = try await client.user(of: credential)
        } catch {
            throw await refusal(error, in: .idToken, at: client, from: origin)
        }
        guard let account = try await account(of: user, at: client.provider, from: origin) else {
            throw .emailUnverified
        }
        let (admitted, plan): (AdmittedProof, SessionPlan)
        do throws(IdentityError) {
            let proof = proof(of: account, at: min(user.authenticatedAt ?? clock.now, clock.now))
            (admitted, plan) = try await admission.admit(
                proof, code: otp, from: origin
            ) { () throws(IdentityError) in try await self.plan(for: account) }
        } catch {
            throw error == .addressUnverified ? .emailUnverified : error
        }
        // Only the signed part is recorded, since an ECDSA signature has two valid texts. It is kept for a minute
        // longer than the token is valid, since clocks may differ.
        let signed = credential.identityToken.signedPart
        guard try await store.spend(attempt: signed.digest, until: expiry.addingTimeInterval(60))
        else { throw .invalidSignInCode }
        if let code = credential.authorizationCode {
            try await redeem(code, of: user, for: credential.identityToken, at: client, from: origin)
        }
        let issued = try await tokens.startSession(admitted, plan, from: origin)
        metrics.count(.upstreamSignIns, "success")
        return issued
    }

    /// Returns the error for an app that has sent an invalid credential.
    private func refusal(
        _ error: any Error, in part: UpstreamPart, at client: UpstreamClient, from origin: RequestOrigin
    ) async -> IdentityError {
        let failure = await failure(error, in: part, at: client.provider, from: origin)
        guard failure == .upstreamFailed else { return failure }
        var refusal = IdentityError.invalidSignInCode
        refusal.upstreamFailure = failure.upstreamFailure
        return refusal
    }

    /// Exchanges the code at Apple.
    ///
    /// The response must be for the same user, which proves that the credential is recent.
    private func redeem(
        _ code: String, of user: UpstreamUser, for token: String, at client: UpstreamClient,
        from origin: RequestOrigin
    ) async throws(IdentityError) {
        let subject: String?
        do { subject = try await client.subject(ofAppleCode: code, with: token) } catch {
            throw await refusal(error, in: .token, at: client, from: origin)
        }
        guard let subject, subject.utf8.elementsEqual(user.identity.subject.utf8) else { throw .invalidSignInCode }
    }
}

extension UpstreamClient {
    /// Returns the verified user of a credential, and the expiry of its token.
    ///
    /// - Throws: `OAuthError`, `AuthError.keysUnavailable`, and `HTTPError` if Apple's keys cannot be fetched.
    fileprivate func user(of credential: AppleCredential) async throws -> (UpstreamUser, Date) {
        guard (16...200).contains(credential.nonce.utf8.count) else { throw OAuthError.invalidIDToken }
        let expectations = IDTokenExpectations(
            nonce: Hex.encode(credential.nonce.digest), code: credential.authorizationCode)
        let claims = try await app(of: credential.identityToken)
            .verifiedToken(credential.identityToken, expectations).claims
        guard let expiry = claims.expiry else { throw OAuthError.invalidIDToken }
        var user = try user(claims)
        user.name = user.name ?? Self.name(credential.name)
        return (user, expiry)
    }

    /// Exchanges a code at Apple, and returns the subject of the response.
    fileprivate func subject(ofAppleCode code: String, with token: String) async throws -> String? {
        try await app(of: token).tokens(for: AppleCodeGrant(code: code)).idTokenClaims?.subject
    }

    /// Returns the client of the configured app that a token is for.
    ///
    /// The token's verification checks the audience again.
    private func app(of token: String) throws -> AuthorizationClient {
        let audience = try JWT(unverified: token).claims.audience
        guard audience.count == 1, let app = apps.first(where: { $0.key.utf8.elementsEqual(audience[0].utf8) }) else {
            throw OAuthError.invalidIDToken
        }
        return app.value
    }
}

/// The grant for a code of the device's own dialog, which has neither a redirect nor a verifier.
private struct AppleCodeGrant: Grant {
    let code: String
    var type: String { "authorization_code" }
    var parameters: [(String, String)] { [("code", code)] }
}

extension AppleCodeGrant: Redacting {}

extension String {
    /// The header and the claims of a JWS in its compact form, which the signature covers (RFC 7515 §5.1).
    package var signedPart: String {
        guard let end = utf8.lastIndex(of: UInt8(ascii: ".")) else { return self }
        return String(Substring(utf8[..<end]))
    }
}
