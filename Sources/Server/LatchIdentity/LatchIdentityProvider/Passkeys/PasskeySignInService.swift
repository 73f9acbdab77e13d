// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchWebAuthn

/// A service that signs users in with passkeys.
///
/// A passkey is both factors in one: a device that only its verified user unlocks.
package struct PasskeySignInService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource
    package let pepper: SymmetricKey
    package let limits: RateLimits
    package let metrics: Metrics
    package let admission: SignInAdmission
    package let permitted: PermittedSignIns
    package let pageSessions: PageSessionService
    package let tokens: TokenService

    private var challenges: PasskeyChallenges { PasskeyChallenges(pepper: pepper) }

    /// A verified response, and its proof of both factors.
    package struct Verified: Sendable {
        package let proof: AdmittedProof
        fileprivate let use: PasskeyUse
        fileprivate let attempts: [AttemptLimiter.Attempt]
    }

    /// Returns `PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3 §5.1.10), the same for every user.
    ///
    /// The credential identifies its user, so the options reveal no accounts.
    ///
    /// - Throws: `IdentityError.passkeysUnavailable` or `.notReady`.
    package func requestOptions() throws(IdentityError) -> JSONObject {
        let party = try permitted.relyingParty()
        let challenge = challenges.issue(for: .authentication, at: clock.now, random: random)
        return [
            "challenge": .base64URL(challenge), "timeout": PasskeyService.timeout, "rpId": .string(party.id),
            "allowCredentials": [], "userVerification": "required",
        ]
    }

    /// Signs in a new device.
    ///
    /// - Throws: `IdentityError.invalidPasskey`, the same for every cause; `.passkeyChallengeExpired`,
    ///   `.tooManyAttempts`, `.passkeysUnavailable`, or a store's error. After a valid passkey: `.accountSuspended`,
    ///   `.accountClosed` and `.addressUnverified`.
    package func signIn(_ credential: JSONObject, from origin: RequestOrigin) async throws(IdentityError)
        -> IssuedTokens
    {
        let verified = try await verify(credential, from: origin)
        let proof = verified.proof
        let plan: SessionPlan
        do throws(IdentityError) { plan = try await tokens.plan(for: proof.account, grant: proof.grantType) } catch {
            // The passkey was right.
            limits.refund(verified.attempts)
            throw error
        }
        return try await tokens.startSession(proof, plan, from: origin) { device, account throws(IdentityError) in
            try await use(verified, of: account, for: .session(device), from: origin)
        }
    }

    /// Signs in a browser on the server's own pages.
    ///
    /// - Parameter text: The JSON of the response from the page's script.
    /// - Throws: The errors of ``signIn(_:from:)``.
    package func beginOnPage(
        _ text: String, in request: HTTPRequest
    ) async throws(IdentityError) -> (session: ActivePageSession, cookie: String) {
        let origin = request.requestOrigin
        let verified = try await verify(Self.credential(parsing: text), from: origin)
        return try await pageSessions.begin(verified.proof, in: request) {
            device, account throws(IdentityError) in
            try await use(verified, of: account, for: .session(device), from: origin)
        }
    }

    /// Returns the response that a page's script has put into its form; empty for a malformed one.
    package static func credential(parsing text: String) -> JSONObject {
        let limits = JSONLimits(depth: 16, bytes: 64 << 10, values: 1000)
        return (try? JSONValue(parsing: text, limits: limits))?.objectValue ?? [:]
    }

    /// Authenticates the user of a session again, and updates the session's authentication time (RFC 9470).
    ///
    /// - Throws: `IdentityError.forbidden` for another client's token, and the errors of ``signIn(_:from:)``, also for
    ///   a passkey of another account.
    package func reauthenticate(
        _ session: AuthenticatedSession, _ credential: JSONObject, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        let verified = try await verify(credential, of: session.accountID, from: origin)
        try await use(
            verified, of: verified.proof.account, for: .reauthentication(device: session.device.id), from: origin)
    }

    /// Verifies a response without changing anything.
    ///
    /// - Parameter accountID: The account that the passkey must belong to; nil for any.
    package func verify(
        _ credential: JSONObject, of accountID: String? = nil, from origin: RequestOrigin
    ) async throws(IdentityError) -> Verified {
        let party = try permitted.relyingParty()
        let attempts = limits.passkey(from: origin.address)
        try limits.take(attempts)
        let response: AuthenticationResponse
        do throws(WebAuthnError) { response = try AuthenticationResponse(credential) } catch {
            throw try await failure(error.rawValue, of: accountID, from: origin)
        }
        let stated = response.clientData.challenge
        let challenge: SpentChallenge
        switch challenges.check(stated, for: .authentication, at: clock.now) {
        case .foreign: throw try await failure(WebAuthnError.wrongChallenge.rawValue, of: accountID, from: origin)
        case .expired: throw .passkeyChallengeExpired
        case .valid(let spent): challenge = spent
        }
        guard let passkey = try await store.passkey(id: response.id) else {
            throw try await failure("unknownCredential", of: accountID, from: origin)
        }
        guard accountID ?? passkey.accountID == passkey.accountID else {
            throw try await failure(WebAuthnError.wrongUser.rawValue, of: accountID, from: origin)
        }
        let assertion: VerifiedAssertion
        do throws(WebAuthnError) {
            assertion = try party.verify(response, challenge: stated, of: passkey.stored)
        } catch {
            throw try await failure(error.rawValue, of: passkey.accountID, from: origin)
        }
        guard let account = try await store.account(id: passkey.accountID), account.status != .deleted
        else {
            throw try await failure("closedAccount", of: passkey.accountID, from: origin)
        }
        let now = clock.now
        let proof = SignInProof(
            account: account, grantType: .passkey, authenticatedAt: now, by: .passkey, factorAt: now)
        let admitted: AdmittedProof
        do throws(IdentityError) { admitted = try await admission.admit(proof, code: nil, from: origin) } catch {
            // The passkey has identified its account, so the owner may learn why it does not sign in.
            let reason = error == .addressUnverified ? "unverifiedAddress" : "closedAccount"
            throw try await failure(reason, error, of: account.id, from: origin)
        }
        return Verified(
            proof: admitted,
            use: PasskeyUse(id: passkey.id, assertion: assertion, challenge: challenge),
            attempts: attempts)
    }

    /// Uses up a verified response, and applies its effect.
    ///
    /// - Parameter account: The account as it was last read.
    package func use(
        _ verified: Verified, of account: Account, for purpose: PasskeyPurpose, from origin: RequestOrigin
    ) async throws(IdentityError) {
        let result = try await store.use(verified.use, of: account, for: purpose, at: clock.now)
        switch result {
        case .accepted:
            limits.refund(verified.attempts)
            metrics.count(.passkeySignIns, "success")
        case .spent:
            _ = try await failure(result.rawValue, of: account.id, from: origin)
            throw .passkeyChallengeExpired
        case .counterNotGrown, .ended:
            throw try await failure(result.rawValue, of: account.id, from: origin)
        }
    }

    /// Records a failure with its cause, and returns its error.
    ///
    /// The client does not learn the cause.
    private func failure(
        _ reason: String, _ error: IdentityError = .invalidPasskey, of accountID: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> IdentityError {
        metrics.count(.passkeySignIns, "failure")
        try await store.audit(
            "passkey.failed", account: accountID, detail: "\(reason) from \(origin.address)".sanitized(200),
            at: clock.now)
        return error
    }
}
