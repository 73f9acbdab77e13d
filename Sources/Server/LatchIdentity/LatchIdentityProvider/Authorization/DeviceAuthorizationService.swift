// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE

/// A service that signs in devices whose users sign in elsewhere (RFC 8628).
package struct DeviceAuthorizationService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource
    package let pepper: SymmetricKey
    package let limits: RateLimits
    package let clients: OAuthClients
    package let scopePolicy: ScopePolicy
    package let resources: ResourcePolicy
    package let admission: SignInAdmission
    package let permitted: PermittedSignIns
    package let tokens: TokenService

    /// The time within which a user must sign in.
    package static let lifetime: TimeInterval = 600
    /// The seconds between two polls.
    package static let interval = 5

    /// The codes of a device.
    package struct Codes: Sendable {
        package let device: String
        package let user: UserCode
    }

    /// Begins an authorization of a client (RFC 8628 §3.1).
    ///
    /// - Parameter named: The resource servers that the request names.
    /// - Throws: `IdentityError.invalidScope` if a scope is unknown to the server, `.invalidTarget`, `.scopelessTarget`,
    ///   `.tooManyAttempts`, or a store's error.
    package func begin(
        for client: OAuthClient, requesting scopes: Scopes?, at named: [String] = [], from origin: RequestOrigin
    ) async throws(IdentityError) -> Codes {
        let details = GrantDetails(resources: try resources.granted(named, requesting: scopes, by: client))
        // Users are shown the stored scopes, so they must not contain text that the client chose.
        guard scopes.map(scopePolicy.knows) ?? true else { throw .invalidScope }
        try limits.take(limits.deviceAuthorization(from: origin.address))
        let text = "dc1." + Base64URL.encode(random.bytes(32))
        let now = clock.now
        for _ in 0..<8 {
            let code = UserCode(random)
            let record = DeviceAuthorizationRecord(
                digest: text.digest, userDigest: code.digest(pepper), clientID: client.id,
                scope: scopes?.text, address: origin.address, userAgent: origin.userAgent?.sanitized(200),
                createdAt: now, expiresAt: now.addingTimeInterval(Self.lifetime), interval: Self.interval,
                details: details)
            if try await store.insert(record) { return Codes(device: text, user: code) }
        }
        throw .overloaded
    }

    /// Returns the undecided authorization of a code that a signed-in user has typed, and its client.
    ///
    /// Guesses count only against the user's own account, so other users cannot use up its attempts.
    ///
    /// - Throws: `IdentityError.invalidUserCode`, the same for every cause; `.tooManyAttempts` (attack J8), or a
    ///   store's error.
    package func pending(
        _ code: UserCode, in session: ActivePageSession
    ) async throws(IdentityError) -> (record: DeviceAuthorizationRecord, client: OAuthClient) {
        let attempts = [limits.userCode(accountID: session.account.id)]
        try limits.take(attempts)
        guard
            let record = try await store.deviceAuthorization(
                userDigest: code.digest(pepper), at: clock.now),
            let client = try await clients.client(record.clientID), client.grants.contains(.deviceCode)
        else { throw .invalidUserCode }
        limits.refund(attempts)
        return (record, client)
    }

    /// Returns whether the user must sign in again, since the client requires a second factor or another way.
    ///
    /// - Throws: `IdentityError.unmetAuthentication` or `.signInWayMissing` for a user who has none, or a store's error.
    package func mustStepUp(
        _ session: ActivePageSession, for client: OAuthClient
    ) async throws(IdentityError) -> Bool {
        if !client.accepts(session.way) {
            try await permitted.requireWay(of: session.account, takenBy: client, in: store)
            return true
        }
        guard !client.accepts(factorAt: session.device.factorAt) else { return false }
        guard try await admission.hasFactor(session.account, at: permitted.relyingPartyID(for: client)) else {
            throw .unmetAuthentication
        }
        return true
    }

    /// Returns the scopes that an approval would grant.
    package func scopes(
        _ record: DeviceAuthorizationRecord, _ client: OAuthClient, to account: Account
    ) throws(IdentityError) -> Scopes {
        try scopePolicy.granted(
            record.scope.map(Scopes.init(parsing:)), to: account, by: client)
    }

    /// Records a user's decision, with its session and origin.
    ///
    /// - Parameter scopes: The scopes that the user was shown; nil denies the request.
    /// - Throws: `IdentityError.invalidUserCode` if it was decided before, or has ended; `.invalidScope` if client and
    ///   account may no longer have any of the scopes.
    package func decide(
        _ record: DeviceAuthorizationRecord, of client: OAuthClient, granting scopes: Scopes?,
        in session: ActivePageSession, from origin: RequestOrigin
    ) async throws(IdentityError) {
        guard scopes == nil || client.accepts(factorAt: session.device.factorAt) else { throw .unmetAuthentication }
        guard scopes == nil || client.accepts(session.way) else { throw .signInWayRefused }
        let scopes = try scopePolicy.agreed(scopes, to: session.account, by: client)
        let approval = scopes.map { scopes in
            DeviceApproval(
                accountID: session.account.id, credentialVersion: session.account.credentialVersion,
                browserDevice: session.device.id, scope: scopes.text, authenticatedAt: session.authenticatedAt,
                factorAt: session.device.factorAt)
        }
        let isDecided = try await store.decide(
            userDigest: record.userDigest, approval, by: session.account.id,
            detail: AuthorizationService.auditDetail(client.id, scopes, from: origin), at: clock.now)
        guard isDecided else { throw .invalidUserCode }
    }

    /// Returns the tokens of an approved authorization (RFC 8628 §3.4).
    ///
    /// - Throws: `IdentityError.authorizationPending`, `.slowDown`, `.deviceDenied`, `.deviceCodeExpired`,
    ///   `.invalidDeviceCode`, `.tooManyAttempts`, or a store's error.
    package func redeem(
        _ text: String, by client: OAuthClient, on conditions: TokenConditions = TokenConditions(),
        from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        guard text.utf8.count <= 100 else { throw .invalidDeviceCode }
        let digest = text.digest
        let approval: DeviceApproval
        switch try await store.poll(digest, by: client.id, at: clock.now) {
        case .pending: throw .authorizationPending
        case .slowDown: throw .slowDown
        case .denied: throw .deviceDenied
        case .expired: throw .deviceCodeExpired
        case .unknown: throw .invalidDeviceCode
        case .approved(let approved): approval = approved
        }
        let admitted = admission.readmit(
            try await store.account(id: approval.accountID), redeeming: approval.credentialVersion,
            grantType: .deviceCode, authenticatedAt: approval.authenticatedAt, factorAt: approval.factorAt)
        guard let proof = admitted else { throw .invalidDeviceCode }
        let scopes = scopePolicy.allowed(Scopes(parsing: approval.scope), to: proof.account, by: client)
        guard !scopes.isEmpty || approval.scope.isEmpty else { throw .invalidScope }
        let plan = try await tokens.plan(
            for: proof.account, grant: proof.grantType, by: client, scopes: scopes, details: approval.details,
            on: conditions)
        return try await tokens.startSession(proof, plan, from: origin) { device, account throws(IdentityError) in
            guard try await store.redeem(deviceCode: digest, approval, on: device, for: account) else {
                throw .invalidDeviceCode
            }
        }
    }
}
