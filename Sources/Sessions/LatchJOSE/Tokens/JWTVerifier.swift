// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchFoundation

/// A verifier of tokens: signature, type, times, issuer and audience.
///
/// ```swift
/// let verifier = JWTVerifier(
///     keys: keys, algorithms: [.es256], issuer: "https://id.example", audience: "api", type: "at+jwt")
/// let claims = try verifier.verify(token)
/// ```
///
/// Create it once and use it from any number of tasks: it caches decoded headers.
public struct JWTVerifier: Sendable {
    private let check: SignatureVerifier
    private let issuer: String?
    private let audience: String?
    private let type: String?
    private let leeway: Double
    private let requiresExpiry: Bool
    private let limit: Int
    private let clock: WallClock
    private var rules: AccessTokenRules?

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - algorithms: The accepted algorithms; each key verifies only with its own.
    ///   - issuer: The required `iss`, compared byte by byte; nil if the keys already identify the issuer.
    ///   - audience: The required `aud`, or a member of it; nil rejects tokens with an audience, because they are meant
    ///     for another recipient (RFC 7519 §4.1.3).
    ///   - type: The required `typ`, so that one kind of token cannot pass for another (RFC 8725 §3.11); nil accepts
    ///     any.
    ///   - leeway: The tolerated difference of the clocks.
    ///   - requiresExpiry: Whether a token without `exp`, which would never expire, is rejected.
    ///   - limit: The maximum length of a token in bytes.
    ///   - clock: The clock.
    public init(
        keys: KeySet, algorithms: [SignatureAlgorithm], issuer: String? = nil, audience: String? = nil,
        type: String? = nil, leeway: Duration = .seconds(30), requiresExpiry: Bool = true,
        limit: Int = JWS.defaultLimit, clock: WallClock = .system
    ) {
        check = SignatureVerifier(keys: keys, algorithms: algorithms)
        self.issuer = issuer
        self.audience = audience
        self.type = type
        self.leeway = leeway.inSeconds
        self.requiresExpiry = requiresExpiry
        self.limit = limit
        self.clock = clock
    }

    /// Creates a verifier of the access tokens that `rules` accept.
    ///
    /// - Parameters:
    ///   - keys: The keys of the accepted issuers.
    ///   - algorithms: The accepted algorithms; each key verifies only with its own.
    ///   - rules: The accepted issuers, audiences and clients.
    ///   - leeway: The tolerated difference of the clocks.
    ///   - limit: The maximum length of a token in bytes.
    ///   - clock: The clock.
    public init(
        keys: KeySet, algorithms: [SignatureAlgorithm], accepting rules: AccessTokenRules,
        leeway: Duration = .seconds(30), limit: Int = JWS.defaultLimit, clock: WallClock = .system
    ) {
        self.init(keys: keys, algorithms: algorithms, leeway: leeway, limit: limit, clock: clock)
        self.rules = rules
    }

    /// Verifies a token, and returns its claims.
    ///
    /// The checks run in this order: length and form, algorithm, key, signature, type, times, issuer, audience. The
    /// first failure is reported.
    ///
    /// - Throws: `JOSEError` for the first failed check.
    public func verify(_ text: String) throws(JOSEError) -> Claims { try verifiedToken(text).claims }

    /// Verifies a token, and decodes its claims as a type.
    ///
    /// - Throws: `JOSEError` for the first failed check; `JOSEError.malformedToken` if the claims do not fit the type.
    public func verify<Value: Decodable>(_ text: String, as type: Value.Type) throws(JOSEError) -> Value {
        try verify(text).decode(as: type)
    }

    /// Verifies a token, and returns it with its header.
    ///
    /// - Throws: `JOSEError` for the first failed check.
    public func verifiedToken(_ text: String) throws(JOSEError) -> JWT {
        try verifiedToken(text, clockOffset: 0)
    }

    /// Verifies a token by the issuer's clock, and returns it with its header.
    ///
    /// - Parameter clockOffset: The seconds by which the issuer's clock is ahead of this verifier's.
    /// - Throws: `JOSEError` for the first failed check.
    package func verifiedToken(_ text: String, clockOffset: Double) throws(JOSEError) -> JWT {
        try verifiedToken(text, clockOffset: clockOffset, audiences: audience.map { [$0] })
    }

    /// Verifies a token for one of several audiences, in place of the verifier's, and returns it with its header.
    ///
    /// - Throws: `JOSEError` for the first failed check.
    package func verifiedToken(_ text: String, for audiences: [String]) throws(JOSEError) -> JWT {
        try verifiedToken(text, clockOffset: 0, audiences: audiences)
    }

    private func verifiedToken(
        _ text: String, clockOffset: Double, audiences: [String]?
    ) throws(JOSEError) -> JWT {
        let parts = try CompactSerialization(text, limit: limit)
        // No claim is parsed before the signature is verified.
        let header = try check.header(of: parts)
        if let type, !header.isOfType(type) { throw .wrongType }
        let token = try JWT(text, parts: parts, header: header)
        try checkTimes(token.claims, now: clock.now.timeIntervalSince1970 + clockOffset)
        if let rules { try rules.check(token) } else { try checkParties(token.claims, audiences: audiences) }
        return token
    }

    /// Rejects a token outside its lifetime: checks the expiration first, then the start, then the time of issue.
    ///
    /// A token issued in the future is also rejected, although RFC 7519 §4.1.6 does not require it. The same
    /// clock set its expiration, which cannot be trusted either.
    private func checkTimes(_ claims: Claims, now: Double) throws(JOSEError) {
        let expiry = try time("exp", of: claims)
        if expiry == nil, requiresExpiry { throw .missingClaim("exp") }
        // RFC 7519 §4.1.4: the token must not be accepted on or after that time.
        if let expiry, now >= expiry + leeway { throw .expired }
        // A null start counts as missing, as where the issuer leaves it out (OpenID Connect Core 1.0 §5.3.2).
        let hasStart = claims["nbf"].map { !$0.isNull } ?? false
        if hasStart, let start = try time("nbf", of: claims), now < start - leeway { throw .notYetValid }
        if let made = try time("iat", of: claims), now < made - leeway { throw .notYetValid }
    }

    /// Returns a claim that is a time; RFC 7519 §2 requires a number, so strings are rejected.
    private func time(_ name: String, of claims: Claims) throws(JOSEError) -> Double? {
        guard let value = claims[name] else { return nil }
        guard let seconds = value.doubleValue else { throw .malformedToken("its \(name) is not a number") }
        return seconds
    }

    /// Rejects a token with another issuer or audience.
    private func checkParties(_ claims: Claims, audiences: [String]?) throws(JOSEError) {
        if let issuer {
            // RFC 7519 §4.1.1: case-sensitive. The bytes are compared, because String considers different texts
            // equivalent.
            guard let actual = claims.issuer, actual.utf8.elementsEqual(issuer.utf8) else { throw .wrongIssuer }
        }
        guard let audiences else {
            guard claims["aud"] == nil else { throw .wrongAudience }
            return
        }
        let isMeant = claims.audience.contains { actual in
            audiences.contains { $0.utf8.elementsEqual(actual.utf8) }
        }
        guard isMeant else { throw .wrongAudience }
    }
}
