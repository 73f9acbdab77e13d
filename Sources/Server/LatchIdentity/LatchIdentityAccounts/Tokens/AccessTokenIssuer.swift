// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage
package import LatchJOSE
import Synchronization

/// An issuer and verifier of access tokens: JWTs as in RFC 9068, signed with ES256.
package final class AccessTokenIssuer: Sendable {
    /// The claims of a valid access token.
    package struct VerifiedClaims: Sendable {
        /// The ID of the account, or of the client that acts for itself.
        package let subject: String
        /// The device of the session; nil for a token without one.
        package let deviceID: [UInt8]?
        package let clientID: String?
        package let scopes: Scopes
        /// Whether the token is valid only at the userinfo endpoint, and not at the operator's API.
        package var isForUserInfo = false
        /// The claims that only introspection reports.
        package var registered = RegisteredClaims()

        package init(
            subject: String, deviceID: [UInt8]?, clientID: String?, scopes: Scopes, isForUserInfo: Bool = false,
            registered: RegisteredClaims = RegisteredClaims()
        ) {
            self.subject = subject
            self.deviceID = deviceID
            self.clientID = clientID
            self.scopes = scopes
            self.isForUserInfo = isForUserInfo
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

    /// The values that depend on the issuer and on the keys, created when the issuer is known.
    private struct IssuerContext: Sendable {
        let issuer: String
        let audience: String
        let verifier: JWTVerifier
        /// The audience and the verifier of tokens for the claims about the user.
        let userInfo: (audience: String, verifier: JWTVerifier)
        /// The tokens that were verified with these keys.
        let verified: VerifiedTokenCache
    }

    private struct State: Sendable {
        /// The keys, the latest `signsAt` first.
        var keys: [SigningKey] {
            didSet {
                keySet = Self.keySet(keys)
                signer = nil
            }
        }
        /// The public keys as JSON, as they are served.
        private(set) var keySet: [UInt8]
        /// The issuer's context; nil until the issuer is known, at the latest when the server has its port.
        var context: IssuerContext?
        /// The numbers of the last started reading of the keys, and of the reading whose keys are used.
        var lastReading = 0, usedReading = 0
        /// The signer with the key that signed the last access token.
        private var signer: JWTSigner?

        init(keys: [SigningKey]) {
            self.keys = keys
            keySet = Self.keySet(keys)
        }

        private static func keySet(_ keys: [SigningKey]) -> [UInt8] {
            KeySet(keys.compactMap(\.key.publicKey)).jwks().serialized()
        }

        /// Returns the signer of access tokens; nil without a key.
        mutating func signer(at now: Date) throws(JOSEError) -> JWTSigner? {
            guard let key = AccessTokenIssuer.signer(algorithm, among: keys, at: now)?.key else { return nil }
            if let signer, signer.key.id == key.id { return signer }
            let next = try JWTSigner(key, type: "at+jwt")
            signer = next
            return next
        }
    }

    /// The algorithm of access tokens: small tokens, fast signatures, support in every library.
    package static let algorithm = SignatureAlgorithm.es256

    /// The clock skew that is tolerated between nodes, since another node may have issued a token.
    static let allowedClockSkew = Duration.seconds(5)

    /// The lifetime of a token; a reload changes it for new tokens only.
    package let lifetime: Duration
    private let audience: String?
    private let clock: WallClock
    private let random: RandomSource
    private let state: Mutex<State>
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
        lifetime = configuration.accessTokenLifetime
        audience = configuration.audience
        self.clock = clock
        self.random = random
        state = Mutex(State(keys: keys))
        if let issuer = configuration.issuer { adopt(issuer) }
    }

    /// The `iss` of tokens; nil until it is known.
    package var issuer: String? { state.withLock { $0.context?.issuer } }

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

    /// Returns the key that signs: the latest one whose time has come, or the earliest if the clock was set back.
    package static func signer(
        _ algorithm: SignatureAlgorithm, among keys: [SigningKey], at now: Date
    ) -> SigningKey? {
        let keys = keys.filter { $0.key.algorithm == algorithm }
        return keys.first { $0.signsAt <= now } ?? keys.last
    }

    private func context(of issuer: String, _ keys: [SigningKey]) -> IssuerContext {
        let audience = audience ?? issuer
        let userInfo = "\(issuer.withoutFinalSlash)/oauth/userinfo"
        let (keys, clock) = (KeySet(keys.compactMap(\.key.publicKey)), clock)
        let verifier = { (audience: String) in
            JWTVerifier(
                keys: keys, algorithms: [Self.algorithm], issuer: issuer, audience: audience, type: "at+jwt",
                leeway: Self.allowedClockSkew, clock: clock)
        }
        return IssuerContext(
            issuer: issuer, audience: audience, verifier: verifier(audience), userInfo: (userInfo, verifier(userInfo)),
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
    ///   - account: Nil for a client that acts for itself, which is then the `sub` (RFC 9068 §2.2).
    ///   - device: The device of the session; nil for a token without one.
    /// - Throws: `IdentityError.notReady` without an issuer, `.signingFailed` if the key does not work.
    package func issue(
        to clientID: String, _ client: OAuthClient?, scopes: Scopes, for account: Account?, on device: Device?
    ) throws(IdentityError) -> String {
        let date = clock.now
        let found: (context: IssuerContext?, signer: JWTSigner?)
        do throws(JOSEError) {
            found = try state.withLock { state throws(JOSEError) in (state.context, try state.signer(at: date)) }
        } catch {
            throw .signingFailed
        }
        guard let context = found.context, let signer = found.signer else { throw .notReady }
        let now = date.timeIntervalSince1970.rounded(.down)
        let isForUserInfo = client?.belongsToOperator != true && scopes.elements.allSatisfy(ScopePolicy.openID.contains)
        let audience = account != nil && isForUserInfo ? context.userInfo.audience : context.audience
        // RFC 9068 §2.2 and §2.2.3; `sid` is the device (OpenID Connect Front-Channel Logout 1.0 §3).
        var claims: JSONObject = [
            "iss": .string(context.issuer), "sub": .string(account?.id ?? clientID), "aud": .string(audience),
            "iat": .integer(Int64(now)), "exp": .integer(Int64(now + lifetime.inSeconds)),
            "jti": .string(Base64URL.encode(random.bytes(16))),
        ]
        if let device {
            claims["sid"] = .string(device.publicID)
            for (name, value) in Self.authentication(of: device) { claims[name] = value }
        }
        claims["client_id"] = .string(clientID)
        // A scope has one word at least (RFC 6749 §3.3).
        if !scopes.isEmpty { claims["scope"] = .string(scopes.text) }
        // Other clients ask the userinfo endpoint who the user is: a resource server shall not learn it from a token.
        if let account, clientID == OAuthClient.firstPartyID {
            // AuthPackage's backend repeats `sub` as `id`.
            claims["id"] = .string(account.id)
            claims["email"] = .string(account.email.text)
            claims["name"] = account.name.map { .string($0) }
            // Validators as in RFC 9068 §2.2.3.1 treat an empty list as a claim without a value.
            for (name, words) in [("roles", account.roles), ("permissions", account.permissions)] where !words.isEmpty {
                claims[name] = .array(words.map { .string($0) })
            }
        }
        do throws(JOSEError) {
            return try signer.sign(Claims(claims))
        } catch {
            throw .signingFailed
        }
    }

    /// The claims that tell how and when the user of a session signed in (RFC 9068 §2.2.1).
    private static func authentication(of device: Device) -> JSONObject {
        let time = (device.authenticatedAt ?? device.createdAt).timeIntervalSince1970.rounded(.down)
        // RFC 8176 §2: the pages ask for a password; a second factor adds a code, or a passkey replaces both. The
        // context class counts the factors.
        return [
            "auth_time": .integer(Int64(time)), "acr": device.factorAt == nil ? "1" : "2",
            "amr": device.factorAt == nil ? ["pwd"] : ["mfa"],
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
        guard let (claims, isForUserInfo) = Self.claims(of: text, in: context), let subject = claims.subject,
            let expiry = claims["exp"]?.doubleValue
        else { return nil }
        var deviceID: [UInt8]?
        if claims.members["sid"] != nil {
            guard let id = try? Base64URL.decode(claims.string("sid") ?? "") else { return nil }
            deviceID = id
        }
        let verified = VerifiedClaims(
            subject: subject, deviceID: deviceID, clientID: claims.string("client_id"),
            scopes: Scopes(parsing: claims.string("scope") ?? ""), isForUserInfo: isForUserInfo,
            registered: RegisteredClaims(
                claims, audience: isForUserInfo ? context.userInfo.audience : context.audience))
        let starts = [claims["nbf"], claims["iat"]].compactMap { $0?.doubleValue }
        let start = starts.max().map { $0 - Self.allowedClockSkew.inSeconds } ?? -.greatestFiniteMagnitude
        // The end has no leeway: a token is never accepted after its `exp`.
        guard let token = VerifiedToken(verified, from: start, until: expiry), token.isValid(at: clock.now) else {
            return nil
        }
        return token
    }

    /// Returns the claims of a valid token of either audience; nil for any other text.
    private static func claims(of text: String, in context: IssuerContext) -> (Claims, isForUserInfo: Bool)? {
        do throws(JOSEError) {
            return (try context.verifier.verify(text), false)
        } catch {
            guard error == .wrongAudience else { return nil }
        }
        do throws(JOSEError) { return (try context.userInfo.verifier.verify(text), true) } catch { return nil }
    }

    // MARK: ID tokens

    /// Returns the ID token of a session (OpenID Connect Core §2).
    ///
    /// What the scopes say about the user is at the userinfo endpoint (§5.4), and in the token only for a client that
    /// has it so.
    ///
    /// - Parameters:
    ///   - client: Nil for a client that is no longer registered.
    ///   - nonce: The nonce of the authorization request; nil for other grants.
    ///   - code: The authorization code; nil for other grants.
    ///   - sessionID: The value of `sid`.
    /// - Throws: `IdentityError.notReady` without an issuer, `.signingFailed` if the key does not work.
    func issueIDToken(
        of issued: IssuedTokens, to clientID: String, _ client: OAuthClient?, nonce: String?, code: String?,
        sessionID: String
    ) throws(IdentityError) -> String {
        let (keys, found) = state.withLock { ($0.keys, $0.context) }
        let algorithm = client?.idTokenAlgorithm ?? Self.algorithm
        guard let context = found, let key = Self.signer(algorithm, among: keys, at: clock.now)?.key else {
            throw .notReady
        }
        let now = clock.now.timeIntervalSince1970.rounded(.down)
        var claims: JSONObject = [
            "iss": .string(context.issuer), "sub": .string(issued.account.id), "aud": .string(clientID),
            "azp": .string(clientID), "iat": .integer(Int64(now)), "exp": .integer(Int64(now + lifetime.inSeconds)),
            "sid": .string(sessionID),
            "at_hash": .string(Self.hash(of: issued.accessToken, for: algorithm)),
        ]
        for (name, value) in Self.authentication(of: issued.device) { claims[name] = value }
        claims["nonce"] = nonce.map { .string($0) }
        claims["c_hash"] = code.map { .string(Self.hash(of: $0, for: algorithm)) }
        if client?.idTokenHasClaims == true {
            for (name, value) in issued.account.openIDClaims(issued.scopes, for: client) { claims[name] = value }
        }
        do throws(JOSEError) {
            return try JWT.sign(Claims(claims), with: key)
        } catch {
            throw .signingFailed
        }
    }

    /// Returns a logout token (OpenID Connect Back-Channel Logout §2.4), signed as the client's ID tokens are.
    ///
    /// - Throws: `IdentityError.notReady` without an issuer, `.signingFailed` if the key does not work.
    func issueLogoutToken(
        of accountID: String, sessionID: String, to client: OAuthClient
    ) throws(IdentityError) -> String {
        let (keys, found) = state.withLock { ($0.keys, $0.context) }
        guard let context = found,
            let key = Self.signer(client.idTokenAlgorithm, among: keys, at: clock.now)?.key
        else { throw .notReady }
        let now = Int64(clock.now.timeIntervalSince1970.rounded(.down))
        let claims: JSONObject = [
            "iss": .string(context.issuer), "aud": .string(client.id), "iat": .integer(now),
            // §2.4: two minutes are enough for one that is sent at once.
            "exp": .integer(now + 120), "jti": .string(Base64URL.encode(random.bytes(16))),
            "sub": .string(accountID), "sid": .string(sessionID),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        do throws(JOSEError) {
            return try JWT.sign(Claims(claims), with: key, type: "logout+jwt")
        } catch {
            throw .signingFailed
        }
    }

    /// Returns the left half of the hash that belongs to the algorithm of an ID token (OpenID Connect Core §3.3.2.11).
    private static func hash(of text: String, for algorithm: SignatureAlgorithm) -> String {
        // Ed25519 hashes by SHA-512 (RFC 8032 §5.1).
        let half =
            algorithm == .eddsa
            ? Array(SHA512.hash(data: Array(text.utf8))).prefix(32) : Array(text.digest).prefix(16)
        return Base64URL.encode(half)
    }

    /// Returns the client and the subject of a valid or expired ID token; nil for any other text.
    package func hint(_ text: String) -> (clientID: String, subject: String)? {
        do {
            // An audience of the token itself, which is then verified like any other.
            guard let clientID = try JWT(unverified: text).claims.audience.first,
                let subject = subject(ofIDToken: text, for: clientID)
            else { return nil }
            return (clientID, subject)
        } catch {
            return nil
        }
    }

    /// Returns the subject of a valid or expired ID token that was issued to a client; nil for any other text.
    private func subject(ofIDToken text: String, for clientID: String) -> String? {
        authenticClaims(of: text, type: "JWT", audience: clientID)?.subject
    }

    /// Returns the account that an ID token names as the expected one (OpenID Connect Core §3.1.2.1).
    ///
    /// An expired token counts, and so does one whose key has ended, although it proves nothing then. An expected
    /// account can only exclude other accounts. Nil for any text that is not an ID token of the client.
    package func expectedAccount(ofIDToken text: String, for clientID: String) -> String? {
        if let subject = subject(ofIDToken: text, for: clientID) { return subject }
        guard let issuer = state.withLock({ $0.context?.issuer }), let claims = try? JWT(unverified: text).claims,
            claims.issuer == issuer, claims.audience.contains(clientID)
        else { return nil }
        return claims.subject
    }

    /// Returns the device of a valid or expired access token while its key is kept; nil for any other text.
    ///
    /// Use it only to sign that device out.
    package func device(of text: String) -> [UInt8]? {
        guard let context = state.withLock({ $0.context }) else { return nil }
        let audiences = [context.audience, context.userInfo.audience]
        let claims = audiences.lazy.compactMap { self.authenticClaims(of: text, type: "at+jwt", audience: $0) }.first
        return claims?.string("sid").flatMap { try? Base64URL.decode($0) }
    }

    /// Returns the claims of a valid or expired token of this issuer while its key is kept.
    private func authenticClaims(of text: String, type: String, audience: String) -> Claims? {
        let (keys, found) = state.withLock { ($0.keys, $0.context) }
        guard let context = found else { return nil }
        let verifier = JWTVerifier(
            keys: KeySet(keys.compactMap(\.key.publicKey)), algorithms: SignatureAlgorithm.ofSigningKeys,
            issuer: context.issuer,
            audience: audience, type: type, leeway: .seconds(10 * 365 * 86_400), clock: clock)
        return try? verifier.verify(text)
    }
}

extension Account {
    /// Returns whether a client gets the address.
    ///
    /// The command `latch` also gets an unverified address, which it shows to the user. It has no accounts that the
    /// address could open.
    fileprivate func shows(addressTo client: OAuthClient?) -> Bool { emailVerifiedAt != nil || client == .command }

    /// The claims about the user that scopes permit (OpenID Connect Core §5.4), without the subject.
    ///
    /// An unverified address is left out. Many relying parties find accounts by the address and ignore
    /// `email_verified`, so that an attacker could sign in there as its owner.
    package func openIDClaims(_ scopes: Scopes, for client: OAuthClient?) -> JSONObject {
        var claims: JSONObject = [:]
        if scopes.contains("email"), shows(addressTo: client) {
            claims["email"] = .string(email.text)
            claims["email_verified"] = .bool(emailVerifiedAt != nil)
        }
        if scopes.contains("profile") {
            claims["name"] = name.map { .string($0) }
            claims["preferred_username"] = .string(preferredUsername)
        }
        return claims
    }
}
