// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage
package import LatchJOSE
import Synchronization

/// The recipient of an access token, by its audience.
package enum TokenRecipient: Sendable, Hashable {
    /// The operator's API, which includes the routes of accounts.
    case api
    /// The userinfo endpoint only.
    case userInfo
    /// A resource server of the configuration.
    case resourceServer
}

/// An issuer and verifier of access tokens: JWTs as in RFC 9068.
package final class AccessTokenIssuer: Sendable {
    /// The claims of a valid access token.
    package struct VerifiedClaims: Sendable {
        /// The ID of the account, or of the client that acts for itself.
        package let subject: String
        /// The device of the session; nil for a token without one.
        package let deviceID: [UInt8]?
        package let clientID: String?
        package let scopes: Scopes
        package var recipient = TokenRecipient.api
        /// What the sender of the token must prove.
        package var binding = TokenBinding()
        /// The clients that act for the user, the current one first (RFC 8693 §4.1).
        package var actors: [String] = []
        /// The rights besides the scopes (RFC 9396 §9.1).
        package var authorization = AuthorizationDetails()
        /// The claims that only introspection reports.
        package var registered = RegisteredClaims()

        package init(
            subject: String, deviceID: [UInt8]?, clientID: String?, scopes: Scopes,
            recipient: TokenRecipient = .api, binding: TokenBinding = TokenBinding(),
            registered: RegisteredClaims = RegisteredClaims()
        ) {
            self.subject = subject
            self.deviceID = deviceID
            self.clientID = clientID
            self.scopes = scopes
            self.recipient = recipient
            self.binding = binding
            self.registered = registered
        }
    }

    /// The audience, the times in seconds since 1970 and the ID of a valid access token (RFC 7519 §4.1).
    package struct RegisteredClaims: Sendable {
        package var audience: String?
        package var expiresAt, issuedAt, startsAt: Double?
        package var tokenID: String?

        package init() {}

        fileprivate init(_ claims: Claims, audience: String) {
            self.audience = audience
            expiresAt = claims["exp"]?.doubleValue
            issuedAt = claims["iat"]?.doubleValue
            startsAt = claims["nbf"]?.doubleValue
            tokenID = claims.string("jti")
        }
    }

    /// An issuer and the algorithms of its keys.
    package struct Published: Sendable, Hashable {
        package let issuer: String
        package let algorithms: [SignatureAlgorithm]
    }

    /// The values that depend on the issuer and on the keys, created when the issuer is known.
    struct IssuerContext: Sendable {
        let issuer: String
        let audience: String
        /// The audience of tokens for the claims about the user.
        let userInfo: String
        let verifier: JWTVerifier
        /// The recipients and the verifiers of all other audiences.
        let others: [String: (recipient: TokenRecipient, verifier: JWTVerifier)]
        /// The tokens that were verified with these keys.
        let verified: VerifiedTokenCache
    }

    struct State: Sendable {
        /// The keys, the latest `signsAt` first.
        var keys: [SigningKey] {
            didSet {
                keySet = Self.keySet(keys)
                algorithms = SigningKeyService.algorithms(of: keys)
                signer = nil
            }
        }
        /// The public keys as JSON, as they are served.
        private(set) var keySet: [UInt8]
        /// The algorithms of the keys.
        private(set) var algorithms: [SignatureAlgorithm]
        /// The issuer's context; nil until the issuer is known, at the latest when the server has its port.
        var context: IssuerContext?
        /// The numbers of the last started reading of the keys, and of the reading whose keys are used.
        var lastReading = 0, usedReading = 0
        /// The signer with the key that signed the last access token.
        private var signer: JWTSigner?

        init(keys: [SigningKey]) {
            self.keys = keys
            keySet = Self.keySet(keys)
            algorithms = SigningKeyService.algorithms(of: keys)
        }

        private static func keySet(_ keys: [SigningKey]) -> [UInt8] {
            KeySet(keys.compactMap(\.key.publicKey)).jwks().serialized()
        }

        /// Returns the signer of access tokens; nil without a key.
        mutating func signer(_ algorithm: SignatureAlgorithm, at now: Date) throws(JOSEError) -> JWTSigner? {
            guard let key = AccessTokenIssuer.signerOfAccessTokens(algorithm, among: keys, at: now)?.key else {
                return nil
            }
            if let signer, signer.key.id == key.id { return signer }
            let next = try JWTSigner(key, type: "at+jwt")
            signer = next
            return next
        }
    }

    /// The claims of ID tokens about the sign-in.
    package static let claimsOfIDTokens = [
        "iss", "sub", "aud", "azp", "exp", "iat", "auth_time", "nonce", "at_hash", "c_hash", "acr", "amr", "sid",
    ]

    /// The clock skew that is tolerated between nodes, since another node may have issued a token.
    static let allowedClockSkew = Duration.seconds(5)

    /// The lifetime of a token; a reload changes it for new tokens only.
    package let lifetime: Duration
    /// The algorithm of new tokens.
    package let algorithm: SignatureAlgorithm
    /// The claims about users.
    package let userClaims: UserClaims
    /// The scopes about users, which belong to no resource.
    private let scopesAboutUser: Scopes
    private let audience: String?
    /// Whether a sign-in needs a verified address.
    private let needsVerifiedEmail: Bool
    /// The audiences of the resource servers of the configuration.
    private let resources: [String]
    let clock: WallClock
    let random: RandomSource
    let state: Mutex<State>
    private let sessions = KeptSessions()
    private let cacheCounts: VerifiedTokenCache.Counts

    /// Creates an issuer.
    ///
    /// - Parameter cacheCounts: The use counts of the caches of verified tokens, including those of earlier issuers.
    package init(
        keys: [SigningKey], configuration: IdentityConfiguration, clock: WallClock, random: RandomSource,
        cacheCounts: VerifiedTokenCache.Counts
    ) {
        self.cacheCounts = cacheCounts
        (lifetime, algorithm) = (configuration.accessTokenLifetime, configuration.accessTokenAlgorithm)
        userClaims = UserClaims(AttributeRules(configuration))
        scopesAboutUser = ScopePolicy(configuration).aboutUser
        audience = configuration.audience
        needsVerifiedEmail = configuration.signInNeedsVerifiedEmail
        resources = configuration.resources.map(\.resource)
        self.clock = clock
        self.random = random
        state = Mutex(State(keys: keys))
        if let issuer = configuration.issuer { adopt(issuer) }
    }

    /// The `iss` of tokens; nil until it is known.
    package var issuer: String? { state.withLock { $0.context?.issuer } }

    /// What the metadata tells of the issuer and its keys; nil until the issuer is known.
    package var published: Published? {
        state.withLock { state in
            state.context.map { Published(issuer: $0.issuer, algorithms: state.algorithms) }
        }
    }

    /// The public keys as JSON (RFC 7517 §5), including keys that will sign soon and those that only verify.
    package var keySet: [UInt8] { state.withLock { $0.keySet } }

    /// Sets the issuer if there is none yet.
    package func adopt(_ issuer: String) {
        state.withLock { state in
            guard state.context == nil else { return }
            state.context = context(of: issuer, state.keys)
        }
    }

    /// Returns the number of a reading of the keys that is about to begin.
    package func beginReading() -> Int {
        state.withLock { state in
            state.lastReading += 1
            return state.lastReading
        }
    }

    /// Signs and verifies with these keys from now on, unless the keys of a later reading are in use.
    ///
    /// A key of the earlier reading may have been retired since.
    package func use(_ keys: [SigningKey], of reading: Int) {
        state.withLock { state in
            guard reading > state.usedReading else { return }
            state.usedReading = reading
            let isSame = state.keys.map(\.key.id) == keys.map(\.key.id)
            state.keys = keys
            guard !isSame, let issuer = state.context?.issuer else { return }
            state.context = context(of: issuer, keys)
        }
    }

    /// Returns the lifetime of a client's tokens.
    package func lifetime(for client: OAuthClient?) -> Duration {
        min(lifetime, client?.accessTokenLifetime.map { .seconds(max($0, 1)) } ?? lifetime)
    }

    /// Returns the key that signs: the latest one whose time has come, or the earliest if the clock was set back.
    package static func signer(
        _ algorithm: SignatureAlgorithm, among keys: [SigningKey], at now: Date
    ) -> SigningKey? {
        let keys = keys.filter { $0.key.algorithm == algorithm }
        return keys.first { $0.signsAt <= now } ?? keys.last
    }

    /// Returns the key that signs access tokens.
    ///
    /// The first key of another algorithm is published before it signs. Until then, tokens have the algorithm that they
    /// had, which is the default one unless the server has no such key.
    package static func signerOfAccessTokens(
        _ algorithm: SignatureAlgorithm, among keys: [SigningKey], at now: Date
    ) -> SigningKey? {
        let found = signer(algorithm, among: keys, at: now)
        guard let found, found.signsAt > now, found.createdAt <= now else { return found }
        let earlier = IdentityConfiguration().accessTokenAlgorithm
        let others = keys.filter { $0.signsAt <= now }
        return others.first { $0.key.algorithm == earlier } ?? others.first ?? found
    }

    /// Returns the URL of the userinfo endpoint, the audience of tokens for the claims about the user.
    package static func userInfo(of issuer: String) -> String { "\(issuer.withoutFinalSlash)/oauth/userinfo" }

    private func context(of issuer: String, _ keys: [SigningKey]) -> IssuerContext {
        let audience = audience ?? issuer
        let userInfo = Self.userInfo(of: issuer)
        let (keys, clock) = (KeySet(keys.compactMap(\.key.publicKey)), clock)
        let verifier = { (audience: String) in
            JWTVerifier(
                keys: keys, algorithms: SignatureAlgorithm.ofSigningKeys, issuer: issuer, audience: audience,
                type: "at+jwt",
                leeway: Self.allowedClockSkew, clock: clock)
        }
        var others = [userInfo: (TokenRecipient.userInfo, verifier(userInfo))]
        for resource in resources where resource != audience {
            others[resource] = (.resourceServer, verifier(resource))
        }
        return IssuerContext(
            issuer: issuer, audience: audience, userInfo: userInfo, verifier: verifier(audience), others: others,
            verified: VerifiedTokenCache(counts: cacheCounts))
    }

    /// Returns a token for a client; a first-party token has the current roles of the account.
    ///
    /// The user of a third-party client may have agreed to no scope of the operator's API. Then the token is only for
    /// the claims about the user: `aud` is the userinfo endpoint, so that no other resource server accepts it (RFC 9068
    /// §3).
    ///
    /// - Parameters:
    ///   - client: Nil for a client that is no longer registered.
    ///   - target: The resource server and the scopes.
    ///   - account: Nil for a client that acts for itself, which is then the `sub` (RFC 9068 §2.2).
    ///   - device: The device of the session; nil for a token without one.
    ///   - actors: The clients that act for the user by an exchange, the current one first.
    ///   - end: The time in seconds since 1970 at which the token ends at the latest; nil for its lifetime.
    /// - Throws: `IdentityError.notReady` without an issuer, `.signingFailed` if the key does not work.
    package func issue(
        to clientID: String, _ client: OAuthClient?, _ target: ResourcePolicy.Target, for account: Account?,
        on device: Device?, actors: [String] = [], until end: Double? = nil
    ) throws(IdentityError) -> String {
        let (date, scopes) = (clock.now, target.scopes)
        let found: (context: IssuerContext?, signer: JWTSigner?)
        do throws(JOSEError) {
            found = try state.withLock { state throws(JOSEError) in
                (state.context, try state.signer(algorithm, at: date))
            }
        } catch {
            throw .signingFailed
        }
        guard let context = found.context, let signer = found.signer else { throw .notReady }
        let now = date.timeIntervalSince1970.rounded(.down)
        let isForUserInfo =
            target.authorization.isEmpty && client?.belongsToOperator != true
            && scopes.elements.allSatisfy(scopesAboutUser.contains)
        let audience =
            target.audience ?? (account != nil && isForUserInfo ? context.userInfo : context.audience)
        // RFC 9068 §2.2 and §2.2.3; `sid` is the device (OpenID Connect Front-Channel Logout 1.0 §3).
        var claims: JSONObject = [
            "iss": .string(context.issuer), "sub": .string(account?.id ?? clientID), "aud": .string(audience),
            "iat": .integer(Int64(now)),
            "exp": .integer(Int64(min(now + lifetime(for: client).inSeconds, end ?? .infinity))),
            "jti": .string(Base64URL.encode(random.bytes(16))),
        ]
        if let device {
            claims["sid"] = .string(device.publicID)
            for (name, value) in Self.authentication(of: device) { claims[name] = value }
        }
        claims["client_id"] = .string(clientID)
        claims["act"] = Self.actor(actors[...])
        if !target.binding.isEmpty { claims["cnf"] = .object(target.binding.members) }
        claims["authorization_details"] = target.authorization.json
        // A scope has one word at least (RFC 6749 §3.3).
        if !scopes.isEmpty { claims["scope"] = .string(scopes.text) }
        // Other clients ask the userinfo endpoint who the user is: a resource server shall not learn it from a token.
        if let account, clientID == OAuthClient.firstPartyID {
            // AuthPackage's backend repeats `sub` as `id`.
            claims["id"] = .string(account.id)
            // A guest who has registered stays signed in, perhaps with an address that no other sign-in accepts yet.
            if account.emailVerifiedAt != nil || !needsVerifiedEmail {
                claims["email"] = account.email.map { .string($0.text) }
            }
            if account.email == nil { claims[UserClaims.isGuest] = .bool(account.isGuest) }
            claims["name"] = account.name.map { .string($0) }
            // Validators as in RFC 9068 §2.2.3.1 treat an empty list as a claim without a value.
            for (name, words) in [("roles", account.roles), ("permissions", account.permissions)] where !words.isEmpty {
                claims[name] = .array(words.map { .string($0) })
            }
        }
        if let account, account.isGuest { claims[UserClaims.isGuest] = true }
        for (name, value) in target.added where claims[name] == nil { claims[name] = value }
        do throws(JOSEError) {
            return try signer.sign(Claims(claims))
        } catch {
            throw .signingFailed
        }
    }

    /// Returns the claim `act` of clients that act for a user, the earlier ones within it (RFC 8693 §4.1).
    static func actor(_ actors: ArraySlice<String>) -> JSONValue? {
        guard let first = actors.first else { return nil }
        var actor: JSONObject = ["sub": .string(first)]
        actor["act"] = Self.actor(actors.dropFirst())
        return .object(actor)
    }

    /// Returns the clients of a claim `act`.
    private static func actors(in claim: JSONValue?) -> [String] {
        guard let claim, let first = claim["sub"]?.stringValue else { return [] }
        return [first] + actors(in: claim["act"])
    }

    /// The claims that tell how and when the user of a session signed in (RFC 9068 §2.2.1).
    static func authentication(of device: Device) -> JSONObject {
        let time = (device.authenticatedAt ?? device.createdAt).timeIntervalSince1970.rounded(.down)
        // RFC 8176 §2: the pages ask for a password or a mailed code; a second factor adds a code, or a passkey replaces
        // both.
        return [
            "auth_time": .integer(Int64(time)),
            "acr": .string(AuthenticationClass(factorAt: device.factorAt).rawValue),
            "amr": [.string(device.factorAt == nil ? device.details.method ?? "pwd" : "mfa")],
        ]
    }

    /// Verifies the signature, `typ`, issuer, audience and times of a token; returns nil if it is not valid.
    ///
    /// The signature is verified only at the first use.
    package func verify(_ text: String) -> VerifiedToken? {
        guard let context = state.withLock({ $0.context }) else { return nil }
        return context.verified.token(text, at: clock.now) { verified($0, in: context) }
    }

    /// Keeps the session of a verified token for requests that only read.
    ///
    /// - Parameter state: The state of the store before the session's rows were read.
    package func keep(_ session: AuthenticatedSession, with token: VerifiedToken, at state: SessionState) {
        sessions.keep(session, with: token, at: state)
    }

    /// The number of kept verified tokens since the keys last changed, and the uses of all caches.
    package var cacheStatistics: (entries: Int, hits: Int, misses: Int) {
        state.withLock { $0.context?.verified }?.statistics ?? (0, 0, 0)
    }

    private func verified(_ text: String, in context: IssuerContext) -> VerifiedToken? {
        guard let (claims, recipient, audience) = Self.claims(of: text, in: context), let subject = claims.subject,
            let expiry = claims["exp"]?.doubleValue
        else { return nil }
        var deviceID: [UInt8]?
        if claims.members["sid"] != nil {
            guard let id = try? Base64URL.decode(claims.string("sid") ?? "") else { return nil }
            deviceID = id
        }
        var verified = VerifiedClaims(
            subject: subject, deviceID: deviceID, clientID: claims.string("client_id"),
            scopes: Scopes(parsing: claims.string("scope") ?? ""), recipient: recipient,
            binding: TokenBinding(claims["cnf"]?.objectValue ?? [:]),
            registered: RegisteredClaims(claims, audience: audience))
        verified.actors = Self.actors(in: claims["act"])
        verified.authorization = AuthorizationDetails(claims["authorization_details"]?.arrayValue ?? [])
        let starts = [claims["nbf"], claims["iat"]].compactMap { $0?.doubleValue }
        let start = starts.max().map { $0 - Self.allowedClockSkew.inSeconds } ?? -.greatestFiniteMagnitude
        // The end has no leeway: a token is never accepted after its `exp`.
        guard let token = VerifiedToken(verified, from: start, until: expiry), token.isValid(at: clock.now) else {
            return nil
        }
        return token
    }

    /// Returns the claims of a valid token of one of the server's audiences; nil for any other text.
    private static func claims(
        of text: String, in context: IssuerContext
    ) -> (Claims, recipient: TokenRecipient, audience: String)? {
        do throws(JOSEError) {
            return (try context.verifier.verify(text), .api, context.audience)
        } catch {
            guard error == .wrongAudience else { return nil }
        }
        do throws(JOSEError) {
            // An audience of the token itself, which is then verified like any other.
            guard let audience = try JWT(unverified: text).claims.audience.first, let other = context.others[audience]
            else { return nil }
            return (try other.verifier.verify(text), other.recipient, audience)
        } catch {
            return nil
        }
    }
}
