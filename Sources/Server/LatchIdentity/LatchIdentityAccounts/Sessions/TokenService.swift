// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE

/// The tokens issued to a device for its session.
package struct IssuedTokens: Sendable {
    /// A JWT access token (RFC 9068), valid for `lifetime`.
    package let accessToken: String
    /// An opaque refresh token, valid for one use and its repetitions within the replay window.
    package let refreshToken: String
    /// The lifetime of the access token.
    ///
    /// The refresh token is valid as long as its device.
    package let lifetime: Duration
    /// The granted scopes, which may be fewer than requested.
    package let scopes: Scopes
    /// The device and its account: as they were before a sign-in, or as they are after a rotation.
    package let device: Device
    package let account: Account
    /// The type of the access token: whether it is bound to a key (RFC 9449 §5).
    package let tokenType: String
    /// The rights of the access token besides its scopes (RFC 9396).
    package let authorization: AuthorizationDetails

    package var accountID: String { device.accountID }
}

/// The lifetimes of refresh tokens.
package struct TokenLifetimes: Sendable {
    /// The lifetime of a session, and so of its refresh tokens.
    package let session: Duration
    /// The time for which a rotated token may be repeated, without and with an idempotency key.
    package let replayWindow, keyedReplayWindow: Duration

    package init(_ configuration: IdentityConfiguration) {
        session = configuration.refreshTokenLifetime
        replayWindow = configuration.replayWindow
        keyedReplayWindow = configuration.keyedReplayWindow
    }
}

/// A service that issues, refreshes, revokes and verifies tokens.
package struct TokenService: Sendable {
    package let lifetimes: TokenLifetimes
    package let store: IdentityStore
    package let clock: WallClock
    package let dates: DateCheck
    package let pepper: SymmetricKey
    package let accessTokens: AccessTokenIssuer
    package let families: TokenFamilyCache
    package let limits: RateLimits
    package let clients: OAuthClients
    package let scopePolicy: ScopePolicy
    package let resources: ResourcePolicy
    package let metrics: Metrics
    package let sessions: SessionService
    package let proofs: SenderProofs
    package let hooks: Hooks

    package init(
        lifetimes: TokenLifetimes, store: IdentityStore, clock: WallClock, dates: DateCheck, pepper: SymmetricKey,
        accessTokens: AccessTokenIssuer, families: TokenFamilyCache, limits: RateLimits, clients: OAuthClients,
        scopePolicy: ScopePolicy, resources: ResourcePolicy, metrics: Metrics, sessions: SessionService,
        proofs: SenderProofs, hooks: Hooks
    ) {
        self.lifetimes = lifetimes
        self.store = store
        self.clock = clock
        self.dates = dates
        self.pepper = pepper
        self.accessTokens = accessTokens
        self.families = families
        self.limits = limits
        self.clients = clients
        self.scopePolicy = scopePolicy
        self.resources = resources
        self.metrics = metrics
        self.sessions = sessions
        self.proofs = proofs
        self.hooks = hooks
    }

    /// Returns an access token for a confidential client that acts for itself (RFC 6749 §4.4), and counts it.
    ///
    /// - Parameters:
    ///   - requested: The requested scopes; nil for the default ones.
    ///   - conditions: What the request adds to the conditions of the grant.
    /// - Throws: `IdentityError.unauthorizedClient` for a public client, `.invalidScope`, `.invalidTarget`,
    ///   `.hookUnavailable`, `.notReady` or `.signingFailed`.
    package func issue(
        to client: OAuthClient, requesting requested: Scopes?, on conditions: TokenConditions,
        grantType: OAuthClient.GrantType
    ) async throws(IdentityError) -> TokenResponse {
        guard client.isConfidential else { throw .unauthorizedClient }
        try dates.require()
        var target = try resources.target(
            conditions, of: nil, with: try scopePolicy.granted(requested, to: nil, by: client), for: client)
        let scopes = target.scopes
        // A third-party client gets a token for the operator's API only for a scope of it.
        guard client.belongsToOperator || !scopes.isEmpty || target.audience != nil else { throw .invalidScope }
        target = try await adding(to: target, for: nil, by: client, grant: grantType)
        let access = try accessTokens.issue(
            to: client.id, client, target, for: nil, on: nil)
        count(grantType)
        return TokenResponse(
            accessToken: access, expiresIn: accessTokens.lifetime(for: client).components.seconds,
            tokenType: TokenResponse.type(boundTo: target.binding), scope: scopes.isEmpty ? nil : scopes.text)
    }

    /// Returns the scopes of a new session.
    ///
    /// - Parameters:
    ///   - requested: The requested scopes; nil for the default ones.
    ///   - client: The requesting client; nil for the server's own.
    /// - Throws: `IdentityError.invalidScope`.
    package func granted(
        _ requested: Scopes?, to account: Account, by client: OAuthClient?
    ) throws(IdentityError) -> Scopes {
        try scopePolicy.granted(requested, to: account, by: client ?? clients.firstParty)
    }

    /// Returns the scopes that the server's own client may still have for an account.
    package func allowed(_ scopes: Scopes, to account: Account) -> Scopes {
        scopePolicy.allowed(scopes, to: account, by: clients.firstParty)
    }

    /// Signs in a new device and returns its first tokens.
    ///
    /// - Parameters:
    ///   - plan: The plan of ``plan(for:grant:by:scopes:details:on:)`` for the account of the proof.
    ///   - isRemembered: Whether the session lasts for more than a day.
    ///   - lifetime: The time in seconds after which the session ends; nil for that of the configuration.
    ///   - browser: The first device of the browser's session in which the client signs in; nil without one.
    ///   - deviceID: The ID of the device; nil for a random one.
    ///   - insert: Inserts the device together with the record that it is exchanged for; nil for only the device.
    /// - Throws: `IdentityError.unmetAuthentication`, and the errors of
    ///   ``SessionService/start(_:for:scope:details:in:notifying:lifetime:from:as:inserting:issuing:)``.
    package func startSession(
        _ proof: AdmittedProof, _ plan: SessionPlan, from origin: RequestOrigin, isRemembered: Bool = true,
        lasting lifetime: TimeInterval? = nil, in browser: [UInt8]? = nil, as deviceID: [UInt8]? = nil,
        inserting insert: SessionService.DeviceInsertion? = nil
    ) async throws(IdentityError) -> IssuedTokens {
        let client = plan.client
        let longest = min(lifetimes.session.inSeconds, client.sessionLifetime.map { Double(max($0, 1)) } ?? .infinity)
        guard client.accepts(factorAt: proof.factorAt) else { throw .unmetAuthentication }
        try await clients.noteUse(of: client)
        let issued = try await sessions.start(
            proof, for: client.id == clients.firstParty.id ? nil : client.id, scope: plan.scopes.text,
            details: plan.details, in: browser, notifying: client.backchannelLogoutURI != nil,
            lifetime: lifetime ?? (isRemembered ? longest : min(longest, 86_400)), from: origin,
            as: deviceID, inserting: insert
        ) { device, account throws(IdentityError) in
            let key = RefreshTokenKey(of: device, pepper: pepper)
            return try self.issued(
                to: device, of: account, by: client, refresh: key.token(counter: 0), plan.target)
        }
        count(proof.grantType)
        return issued
    }

    /// Returns the tokens of one generation of a device.
    ///
    /// The refresh token is computed instead of stored, so that a repetition returns the same text.
    func issued(
        to device: Device, of account: Account, by client: OAuthClient, refresh token: RefreshToken,
        _ target: ResourcePolicy.Target
    ) throws(IdentityError) -> IssuedTokens {
        let issuer = accessTokens
        let rest = Duration.seconds(max(device.expiresAt.timeIntervalSince(clock.now), 0).rounded(.down))
        return IssuedTokens(
            accessToken: try issuer.issue(
                to: client.id, client, target, for: account, on: device, until: device.expiresAt.timeIntervalSince1970),
            refreshToken: token.text, lifetime: min(issuer.lifetime(for: client), rest), scopes: target.scopes,
            device: device,
            account: account, tokenType: TokenResponse.type(boundTo: target.binding),
            authorization: target.authorization)
    }

    /// Returns the ID token of a session; nil unless it has the scope `openid`.
    ///
    /// - Parameters:
    ///   - client: The client that gets it.
    ///   - nonce: The nonce of the authorization request.
    ///   - code: The authorization code.
    package func idToken(
        for issued: IssuedTokens, by client: OAuthClient, nonce: String? = nil, code: String? = nil
    ) throws(IdentityError) -> String? {
        guard issued.scopes.contains("openid"), issued.device.clientID == client.id else { return nil }
        return try accessTokens.issueIDToken(
            of: issued, to: client, nonce: nonce, code: code,
            sessionID: ClientSessionID(pepper: pepper).text(of: issued.device, for: client.id))
    }

    private func count(_ grantType: OAuthClient.GrantType) {
        metrics.count(.tokensIssued, grantType.rawValue)
    }

    // MARK: Refreshing

    /// Rotates a refresh token and returns the next tokens of its device.
    ///
    /// The new generation is durable before the response is sent. A repetition within the replay window returns the
    /// same successor. A later one means that the token was copied, and signs out the device (RFC 9700 §4.14.2). A
    /// token of another client, or a request for more scopes than were granted, is rejected before anything changes
    /// (attacks C7 and C8).
    ///
    /// - Parameters:
    ///   - client: The requesting client; nil for the server's own.
    ///   - requested: A subset of the granted scopes; nil for all of them.
    ///   - conditions: What the request adds to the conditions of the grant.
    /// - Throws: `IdentityError.invalidGrant`, the same for every cause; `.invalidScope`, `.invalidTarget`,
    ///   `.scopelessTarget`, `.hookUnavailable`, `.tooManyAttempts`, `.doubtfulDate`, or a store's error.
    package func refresh(
        _ text: String, idempotencyKey: String?, by client: OAuthClient? = nil, requesting requested: Scopes? = nil,
        on conditions: TokenConditions = TokenConditions()
    ) async throws(IdentityError) -> IssuedTokens {
        try dates.require()
        let client = client ?? clients.firstParty
        let (token, family, device) = try await presented(text, by: client, requesting: requested, on: conditions)
        let attempt = RotationAttempt(
            deviceID: token.deviceID, counter: token.counter,
            key: idempotencyKey.flatMap { $0.isEmpty ? nil : $0.digest }, now: clock.now,
            replayWindow: client.replayWindow(lifetimes.replayWindow).inSeconds,
            keyedReplayWindow: lifetimes.keyedReplayWindow.inSeconds)
        let expected = device.map { Rotation(judging: attempt, against: $0) }
        let taken = try await takeLimits(
            limits.refresh(device: token.deviceID, accountID: family.accountID, clientID: client.id),
            of: attempt, expecting: expected)
        let (rotation, session): RotationOutcome
        let added: JSONObject
        do throws(IdentityError) {
            added = try await claims(
                addedOn: device, if: expected, by: client, requesting: requested, on: conditions)
            // The time of the hook must not count to the replay window.
            (rotation, session) = try await rotate(attempt.at(clock.now), expecting: expected)
        } catch {
            // Requests that their sender abandons must not use up the limits either.
            limits.refund(taken)
            throw error
        }
        switch rotation {
        case .rotated(let counter):
            families.keep(family, of: token.deviceID, counter: counter)
            guard let (device, account) = session else { throw .invalidGrant }
            return try refreshed(
                device, of: account, family.key.token(counter: counter), by: client, requesting: requested,
                on: conditions, adding: added)
        case .repeated(let counter):
            metrics.count(.tokenReplays, "repeated")
            families.keep(family, of: token.deviceID, counter: counter)
            var row = device
            if row == nil { row = try await store.device(id: token.deviceID) }
            guard let device = row else { throw .invalidGrant }
            let account = try await store.account(id: family.accountID)
            return try refreshed(
                device, of: account, family.key.token(counter: counter), by: client, requesting: requested,
                on: conditions, adding: added)
        case .reused:
            metrics.count(.tokenReplays, "revoked")
        case .rejected: break
        }
        // Attempts with an invalid token must not use up the limits of the device and of the account.
        limits.refund(taken)
        throw .invalidGrant
    }

    /// Returns the authentic refresh token of a request that may have what it asks for, its family, and its device if
    /// the row was read.
    private func presented(
        _ text: String, by client: OAuthClient, requesting requested: Scopes?, on conditions: TokenConditions
    ) async throws(IdentityError) -> (token: RefreshToken, family: TokenFamily, device: Device?) {
        let isNarrower = requested != nil || !conditions.resources.isEmpty || conditions.authorization != nil
        guard let token = RefreshToken(text),
            case (let family, var device)? = try await authenticated(token, needsRow: isNarrower),
            family.clientID ?? OAuthClient.firstPartyID == client.id, client.owns(sessionOf: family.signedInAt),
            // Attack J6: a copied token is useless without the key.
            family.details.binding.isSatisfied(by: conditions.binding)
        else { throw .invalidGrant }
        // A resource server may have left the configuration.
        let needsCheck =
            isNarrower || !family.details.resources.isEmpty || client.resources != nil || client.requiresFactor
            || hooks.changesTokens
        if needsCheck, device == nil { device = try await store.device(id: token.deviceID) }
        // Checked before the rotation, since a request for too many scopes must not cost the client its token. Only the
        // newest token is checked here: detecting the reuse of an older one takes precedence over the requested scopes.
        if needsCheck, let device, token.counter == device.counter, device.revokedAt == nil {
            let account = try await store.account(id: device.accountID)
            _ = try activeAccountAndTarget(account, on: device, by: client, requesting: requested, on: conditions)
        }
        return (token, family, device)
    }

    /// Counts the refresh of an authentic token against its limits, and returns the attempts.
    ///
    /// A copy is not counted.
    ///
    /// A copy must be detected whatever the limits are. Otherwise its thief could delay that by constant refreshes.
    private func takeLimits(
        _ attempts: [AttemptLimiter.Attempt], of attempt: RotationAttempt, expecting expected: Rotation?
    ) async throws(IdentityError) -> [AttemptLimiter.Attempt] {
        guard expected != .reused else { return [] }
        do throws(IdentityError) {
            try limits.take(attempts)
            return attempts
        } catch {
            // Without the device's row, only the node that rotated the token recognizes a reuse.
            guard expected == nil, let device = try await store.device(id: attempt.deviceID),
                Rotation(judging: attempt, against: device) == .reused
            else { throw error }
            return []
        }
    }

    /// Answers repetitions, which change nothing, and leaves everything else to the store's transaction.
    private func rotate(
        _ attempt: RotationAttempt, expecting expected: Rotation?
    ) async throws(IdentityError) -> RotationOutcome {
        if case .repeated? = expected, let expected { return (expected, nil) }
        return try await store.rotate(attempt)
    }

    /// Returns the tokens of a rotation, with the account as it is since then, so that they do not contain a removed
    /// role.
    private func refreshed(
        _ device: Device, of account: Account?, _ token: RefreshToken, by client: OAuthClient,
        requesting requested: Scopes?, on conditions: TokenConditions, adding added: JSONObject
    ) throws(IdentityError) -> IssuedTokens {
        var (account, target) = try activeAccountAndTarget(
            account, on: device, by: client, requesting: requested, on: conditions)
        target.added = added
        let tokens = try issued(to: device, of: account, by: client, refresh: token, target)
        count(.refreshToken)
        return tokens
    }

    /// Returns the account of a device if it is active, and the resource server and scopes of its next access token.
    func activeAccountAndTarget(
        _ account: Account?, on device: Device, by client: OAuthClient, requesting requested: Scopes?,
        on conditions: TokenConditions
    ) throws(IdentityError) -> (Account, ResourcePolicy.Target) {
        guard let account, account.status == .active else { throw .invalidGrant }
        guard client.accepts(factorAt: device.factorAt) else { throw .invalidGrant }
        let scopes = try scopePolicy.refreshed(requested, of: device, to: account, by: client)
        return (account, try resources.target(conditions, of: device.details, with: scopes, for: client))
    }

    /// Returns the family of an authentic refresh token of any generation; nil for anything else.
    ///
    /// The device is included if its row was read.
    ///
    /// - Parameter needsRow: Whether the device is read even if its family is known.
    func authenticated(
        _ token: RefreshToken, needsRow: Bool
    ) async throws(IdentityError) -> (family: TokenFamily, device: Device?)? {
        let known = families.family(of: token.deviceID)
        if let known {
            // Checked before anything depends on the token, or the time would reveal the device's generation to a
            // stranger.
            guard known.family.key.isAuthentic(token) else { return nil }
            // For an older token, only the row can tell whether it is a repetition or a copy.
            if !needsRow, token.counter >= known.counter { return (known.family, nil) }
        }
        guard let device = try await store.device(id: token.deviceID) else { return nil }
        let family =
            known?.family
            ?? TokenFamily(
                accountID: device.accountID, clientID: device.clientID, signedInAt: device.createdAt,
                key: RefreshTokenKey(of: device, pepper: pepper), details: device.details)
        return family.key.isAuthentic(token) ? (family, device) : nil
    }

    // MARK: Revoking

    /// Signs out the device of an authentic token of either kind, and ignores anything else.
    ///
    /// An old generation of a refresh token and an expired access token are accepted too. A client that has nothing
    /// newer must be able to log out. An attacker with an old refresh token could cause a sign-out anyway by using it.
    package func signOut(token text: String?) async throws(IdentityError) {
        if let text, let device = try await device(of: text, ofClient: false) { try await signOut(device.id) }
    }

    /// Returns the signed-in device of an authentic access token of any age, or refresh token of any generation.
    private func device(of text: String, ofClient: Bool) async throws(IdentityError) -> Device? {
        var device: Device?
        if let token = RefreshToken(text) {
            device = try await authenticated(token, needsRow: true)?.device
        } else if let id = accessTokens.device(of: text, ofClient: ofClient) {
            device = try await store.device(id: id)
        }
        // A repetition writes nothing.
        return device?.revokedAt == nil ? device : nil
    }

    /// Signs out all devices of the access token's account and returns their number.
    ///
    /// - Throws: `IdentityError.invalidToken`; or `.forbidden` for a token of another client than the server's own,
    ///   which has no authority over the account's other devices.
    package func signOutEverywhere(accessToken text: String?) async throws(IdentityError) -> Int {
        let session = try await authenticate(accessToken: text)
        try session.requireFirstParty()
        return try await store.revokeDevices(
            of: session.accountID, because: .logout, at: clock.now)
    }

    /// Revokes a token of either kind (RFC 7009 §2.1) if it was issued to that client.
    ///
    /// Anything else is ignored, so that a client cannot learn whether another client's token is valid (attack H6).
    ///
    /// - Parameter accountID: The account that must own the token; nil for any.
    /// - Throws: `IdentityError.unsupportedTokenType` for a valid token that the client got for itself: no row ends it
    ///   (RFC 7009 §2.2.1). Also a store's error.
    package func revoke(_ text: String, by client: OAuthClient, of accountID: String? = nil) async throws(IdentityError)
    {
        guard let device = try await device(of: text, ofClient: true) else {
            guard accountID == nil, let claims = accessTokens.verify(text)?.claims else { return }
            var owner = claims.actors.first
            if owner == nil { owner = try await actingClient(of: claims)?.id }
            guard owner == client.id else { return }
            throw .unsupportedTokenType
        }
        guard device.clientID ?? OAuthClient.firstPartyID == client.id, client.owns(sessionOf: device.createdAt),
            accountID ?? device.accountID == device.accountID
        else { return }
        // A client that ends its own session needs no notice of it.
        _ = try await store.revoke(
            device: device.id, ownedBy: nil, because: .logout, isByClient: true, at: clock.now)
    }

    /// Signs out a device.
    ///
    /// Returns false if it was signed out already, or belongs to another account than the given one.
    @discardableResult
    private func signOut(_ deviceID: [UInt8], of accountID: String? = nil) async throws(IdentityError) -> Bool {
        try await store.revoke(
            device: deviceID, ownedBy: accountID, because: .logout, at: clock.now)
    }

    // MARK: Devices

    /// Returns the signed-in devices of an account, the most recently used first.
    package func devices(of accountID: String) async throws(IdentityError) -> [Device] {
        try await store.devices(of: accountID, at: clock.now)
    }

    /// Signs out one device of an account, by its public id.
    ///
    /// - Returns: False if the account has no such device. Another account's device does not count (attack G4).
    package func signOut(device id: String, of accountID: String) async throws(IdentityError) -> Bool {
        guard let bytes = Device.id(fromPublicID: id) else { return false }
        return try await signOut(bytes, of: accountID)
    }

    /// Signs out all devices of a device's account except itself.
    package func signOutOthers(than device: Device) async throws(IdentityError) {
        _ = try await store.revokeDevices(
            of: device.accountID, except: device.id, because: .logout, at: clock.now)
    }
}
