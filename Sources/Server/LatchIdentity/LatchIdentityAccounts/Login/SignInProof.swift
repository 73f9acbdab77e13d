// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage

/// The proof of a user's identity: the account, and the means and time of the authentication.
///
/// Every sign-in has three steps:
///
/// - A proof comes from a password, a passkey, a provider's response, a mailed code, or a code that an earlier proof
///   was stored for.
/// - ``SignInAdmission`` decides whether the account may sign in, and checks the second factor.
/// - ``SessionService/start(_:for:scope:lifetime:from:as:inserting:issuing:)`` starts the session.
package struct SignInProof: Sendable {
    /// The account as it was read for the proof.
    package let account: Account
    /// The label of the metric of issued tokens.
    package let grantType: OAuthClient.GrantType
    package let authenticatedAt: Date
    /// The way in which the user signed in; nil for a stored code, which does not keep it.
    package let way: SignInWay?
    /// The time at which a second factor was verified, or a passkey, which is both factors; nil without one.
    package var factorAt: Date?
    /// The value of `amr` (RFC 8176 §2); nil for a password.
    package let method: String?

    package init(
        account: Account, grantType: OAuthClient.GrantType, authenticatedAt: Date, by way: SignInWay?,
        factorAt: Date? = nil, method: String? = nil
    ) {
        self.account = account
        self.grantType = grantType
        self.authenticatedAt = authenticatedAt
        self.way = way
        self.factorAt = factorAt
        self.method = method
    }
}

/// A proof that may start a session: its account may sign in, and its second factor was checked if it has one.
///
/// Only ``SignInAdmission`` makes one, so no surface can leave out a step.
package struct AdmittedProof: Sendable {
    private let proof: SignInProof

    fileprivate init(_ proof: SignInProof) { self.proof = proof }

    package var account: Account { proof.account }
    package var grantType: OAuthClient.GrantType { proof.grantType }
    package var authenticatedAt: Date { proof.authenticatedAt }
    package var factorAt: Date? { proof.factorAt }
    package var method: String? { proof.method }
    package var way: SignInWay? { proof.way }
}

/// The result of a proof that may lack a second factor.
package enum SignInResult<Success: Sendable>: Sendable {
    case success(Success)
    /// The account has a second factor.
    ///
    /// The challenge is valid only for proving it.
    case challenged(text: String, LoginChallenge)
}

/// The second step of every sign-in: the rules about which accounts may sign in, and which need a second factor.
package struct SignInAdmission: Sendable {
    /// Whether the address must be verified.
    package let requiresVerifiedEmail: Bool
    package let ways: SignInWayRule
    package let store: IdentityStore
    package let clock: WallClock
    package let dates: DateCheck
    package let secondFactors: SecondFactorService
    package let challenges: SignInChallenges

    package init(
        _ configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, dates: DateCheck,
        secondFactors: SecondFactorService, challenges: SignInChallenges
    ) {
        requiresVerifiedEmail = configuration.signInNeedsVerifiedEmail
        ways = SignInWayRule(configuration)
        self.store = store
        self.clock = clock
        self.dates = dates
        self.secondFactors = secondFactors
        self.challenges = challenges
    }

    /// Returns the reason why an account may not sign in, for its proven owner; nil if it may sign in.
    package func refusal(of account: Account) -> IdentityError? {
        if let closure = account.closure { return closure }
        // Without an address, there is nothing to verify: a guest, or a user with a passkey or a provider only.
        return account.email == nil || account.emailVerifiedAt != nil || !requiresVerifiedEmail
            ? nil : .addressUnverified
    }

    /// Requires that an account may sign in, before anything else about its sign-in is decided.
    ///
    /// - Throws: `IdentityError.accountSuspended`, `.accountClosed` or `.addressUnverified`.
    package func require(_ account: Account) throws(IdentityError) {
        if let refusal = refusal(of: account) { throw refusal }
    }

    /// Admits a proof, and checks and uses up a code if the account has a second factor.
    ///
    /// - Parameter prepare: What the session needs and may fail, so that it comes before a code is used up.
    /// - Throws: `IdentityError.accountSuspended`, `.accountClosed`, `.addressUnverified`; `.secondFactorRequired`
    ///   without a code, `.invalidCode`, `.tooManyAttempts`, `.doubtfulDate`, a store's error, or an error of `prepare`.
    package func admit<Prepared>(
        _ proof: SignInProof, code: String?, from origin: RequestOrigin,
        preparing prepare: () async throws(IdentityError) -> Prepared
    ) async throws(IdentityError) -> (AdmittedProof, Prepared) {
        guard try await needsFactor(proof) else { return (AdmittedProof(proof), try await prepare()) }
        guard let code else { throw .secondFactorRequired }
        // A code is right for a time only, and a recovery code would be used up for nothing.
        try dates.require()
        let prepared = try await secondFactors.verify(
            code, of: proof.account.id, for: .login(challenge: nil), from: origin, preparing: prepare)
        var proof = proof
        proof.factorAt = clock.now
        return (AdmittedProof(proof), prepared)
    }

    /// Admits a proof for which nothing has to be prepared.
    ///
    /// - Throws: The errors of ``admit(_:code:from:preparing:)``.
    package func admit(
        _ proof: SignInProof, code: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> AdmittedProof {
        try await admit(proof, code: code, from: origin) {}.0
    }

    /// Admits a proof, or returns a challenge for the second factor.
    ///
    /// - Throws: `IdentityError.accountSuspended`, `.accountClosed`, `.addressUnverified`, `.accountChanged` if the
    ///   credentials have changed since the proof, or a store's error.
    package func admitOrChallenge(
        _ proof: SignInProof, on surface: SignInChallenges.Surface, scopes: String = "", isRemembered: Bool = true
    ) async throws(IdentityError) -> SignInResult<AdmittedProof> {
        guard try await needsFactor(proof) else { return .success(AdmittedProof(proof)) }
        let issued = try await challenges.issue(
            for: proof.account, on: surface, scopes: scopes, isRemembered: isRemembered)
        guard let issued else { throw .accountChanged }
        return .challenged(text: issued.text, issued.challenge)
    }

    /// Checks and uses up a code for a challenge, and admits the proof that it was issued for.
    ///
    /// - Parameters:
    ///   - grantType: The label of the metric.
    ///   - way: The way of the proof.
    ///   - authenticatedAt: The time of the proof; nil for now.
    ///   - find: Returns the account as the surface knows it; by default by its id.
    ///   - prepare: What the session needs and may fail, so that it comes before the code is used up.
    /// - Returns: The proof, and what `prepare` returns.
    /// - Throws: The surface's error for an ended challenge; `IdentityError.invalidCode`, `.tooManyAttempts`,
    ///   `.doubtfulDate`, a store's error, or an error of `prepare`.
    package func answerChallenge<Prepared>(
        challenge text: String, on surface: SignInChallenges.Surface, code: String,
        grantType: OAuthClient.GrantType, by way: SignInWay?, authenticatedAt: Date? = nil, from origin: RequestOrigin,
        account find: ((LoginChallenge) async throws(IdentityError) -> Account?)? = nil,
        preparing prepare: (Account, LoginChallenge) async throws(IdentityError) -> Prepared
    ) async throws(IdentityError) -> (AdmittedProof, Prepared) {
        try dates.require()
        if let way { try ways.require(way) }
        let now = clock.now
        let challenge = try await challenges.find(text, on: surface)
        let found = if let find { try await find(challenge) } else { try await store.account(id: challenge.accountID) }
        guard let account = found, challenge.isOpen(to: account), refusal(of: account) == nil else {
            throw surface.ended
        }
        let prepared = try await secondFactors.verify(
            code, of: account.id, for: .login(challenge: challenge.digest), from: origin
        ) { () throws(IdentityError) in try await prepare(account, challenge) }
        let proof = SignInProof(
            account: account, grantType: grantType, authenticatedAt: authenticatedAt ?? now, by: way, factorAt: now)
        return (AdmittedProof(proof), prepared)
    }

    /// Admits the proof that a code was stored for; nil if the account may no longer sign in, or its credentials have
    /// changed since then (decision 0051).
    ///
    /// The factor was checked before the code was stored.
    package func readmit(
        _ account: Account?, redeeming version: Int, grantType: OAuthClient.GrantType, authenticatedAt: Date,
        by way: SignInWay? = nil, factorAt: Date?
    ) -> AdmittedProof? {
        guard let account, refusal(of: account) == nil, account.credentialVersion == version else { return nil }
        return AdmittedProof(
            SignInProof(
                account: account, grantType: grantType, authenticatedAt: authenticatedAt, by: way, factorAt: factorAt))
    }

    /// Returns whether an account can sign in with two factors: a code beside the password, or a passkey of the relying
    /// party.
    package func hasFactor(_ account: Account, at relyingPartyID: String?) async throws(IdentityError) -> Bool {
        if try await secondFactors.isConfirmed(of: account.id) { return true }
        guard let relyingPartyID else { return false }
        return try await store.passkeys(of: account.id).contains { $0.isUsable(at: relyingPartyID) }
    }

    /// Returns whether a proof lacks a factor that its account has.
    ///
    /// - Throws: `IdentityError.signInWayOff`, the refusal of the account, or a store's error.
    private func needsFactor(_ proof: SignInProof) async throws(IdentityError) -> Bool {
        if let way = proof.way { try ways.require(way) }
        try require(proof.account)
        guard proof.factorAt == nil else { return false }
        return try await secondFactors.isConfirmed(of: proof.account.id)
    }
}
