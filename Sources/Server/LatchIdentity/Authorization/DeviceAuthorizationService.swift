// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchJOSE
import PortableFoundation

/// A service that signs in devices whose users sign in elsewhere (RFC 8628).
struct DeviceAuthorizationService: Sendable {
    let dependencies: Dependencies

    /// The time within which a user signs in.
    static let lifetime: TimeInterval = 600
    /// The seconds between two polls.
    static let interval = 5

    private var store: IdentityStore { dependencies.store }

    /// The codes of a device.
    struct Codes: Sendable {
        let device: String
        let user: UserCode
    }

    /// Begins an authorization of a client (RFC 8628 §3.1).
    ///
    /// - Throws: `IdentityError.invalidScope` if a scope is not one of the server's, `.tooManyAttempts`, or a store's error.
    func begin(
        for client: OAuthClient, requesting scopes: Scopes?, from origin: RequestOrigin
    ) async throws(IdentityError) -> Codes {
        // What is stored is shown to users: it must not be a text of the client's.
        guard scopes.map(dependencies.scopes.knows) ?? true else { throw .invalidScope }
        try dependencies.take(dependencies.limits.deviceAuthorization(from: origin.address))
        let text = "dc1." + Base64URL.encode(dependencies.random.bytes(32))
        let now = dependencies.now
        for _ in 0..<8 {
            let code = UserCode(dependencies.random)
            let record = DeviceAuthorizationRecord(
                digest: text.digest, userDigest: code.digest(dependencies.pepper), clientID: client.id,
                scope: scopes?.text, address: origin.address, userAgent: origin.userAgent?.sanitized(200),
                createdAt: now, expiresAt: now.addingTimeInterval(Self.lifetime), interval: Self.interval)
            if try await store.insert(record) { return Codes(device: text, user: code) }
        }
        throw .overloaded
    }

    /// Returns the undecided authorization of a code that a signed-in user has typed, and its client.
    ///
    /// Guesses count against the user's account alone: nobody else can use up what is left of it.
    ///
    /// - Throws: `IdentityError.invalidUserCode`, the same for every cause; `.tooManyAttempts` (attack J8), or a store's
    ///   error.
    func pending(
        _ code: UserCode, in session: ActivePageSession
    ) async throws(IdentityError) -> (record: DeviceAuthorizationRecord, client: OAuthClient) {
        let attempts = [dependencies.limits.userCode(accountID: session.account.id)]
        try dependencies.take(attempts)
        guard
            let record = try await store.deviceAuthorization(
                userDigest: code.digest(dependencies.pepper), at: dependencies.now),
            let client = dependencies.clients[record.clientID], client.grants.contains(.deviceCode)
        else { throw .invalidUserCode }
        dependencies.limiter.refund(attempts)
        return (record, client)
    }

    /// Returns the scopes that an approval would grant.
    func scopes(
        _ record: DeviceAuthorizationRecord, _ client: OAuthClient, to account: Account
    ) throws(IdentityError) -> Scopes {
        try dependencies.scopes.granted(
            record.scope.map(Scopes.init(parsing:)), to: account, by: client)
    }

    /// Records the decision of the user of a session, and who has made it from where.
    ///
    /// - Parameter scopes: The scopes that the user was shown; nil denies.
    /// - Throws: `IdentityError.invalidUserCode` if it was decided before, or has ended; `.invalidScope` if client and
    ///   account may have none of them any more.
    func decide(
        _ record: DeviceAuthorizationRecord, of client: OAuthClient, granting scopes: Scopes?,
        in session: ActivePageSession, from origin: RequestOrigin
    ) async throws(IdentityError) {
        let scopes = try dependencies.scopes.agreed(scopes, to: session.account, by: client)
        let approval = scopes.map { scopes in
            DeviceApproval(
                accountID: session.account.id, credentialVersion: session.account.credentialVersion,
                browserDevice: session.device.id, scope: scopes.text, authenticatedAt: session.authenticatedAt,
                factorAt: session.device.factorAt)
        }
        let isDecided = try await store.decide(
            userDigest: record.userDigest, approval, by: session.account.id,
            detail: AuthorizationService.auditDetail(client.id, scopes, from: origin), at: dependencies.now)
        guard isDecided else { throw .invalidUserCode }
    }

    /// Returns the tokens of an approved authorization (RFC 8628 §3.4).
    ///
    /// - Throws: `IdentityError.authorizationPending`, `.slowDown`, `.deviceDenied`, `.deviceCodeExpired`,
    ///   `.invalidDeviceCode`, `.tooManyAttempts`, or a store's error.
    func redeem(
        _ text: String, by client: OAuthClient, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        guard text.utf8.count <= 100 else { throw .invalidDeviceCode }
        let digest = text.digest
        let approval: DeviceApproval
        switch try await store.poll(digest, by: client.id, at: dependencies.now) {
        case .pending: throw .authorizationPending
        case .slowDown: throw .slowDown
        case .denied: throw .deviceDenied
        case .expired: throw .deviceCodeExpired
        case .unknown: throw .invalidDeviceCode
        case .approved(let approved): approval = approved
        }
        guard let account = try await store.account(id: approval.accountID), account.status == .active,
            account.credentialVersion == approval.credentialVersion
        else { throw .invalidDeviceCode }
        let scopes = dependencies.scopes.allowed(Scopes(parsing: approval.scope), to: account, by: client)
        let store = dependencies.store
        return try await dependencies.tokens.startSession(
            for: account, from: origin, by: client, grantType: .deviceCode, scopes: scopes, factorAt: approval.factorAt,
            authenticatedAt: approval.authenticatedAt
        ) { device, account throws(IdentityError) in
            guard try await store.redeem(deviceCode: digest, approval, on: device, for: account) else {
                throw .invalidDeviceCode
            }
        }
    }
}
