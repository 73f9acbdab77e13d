// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchFoundation
public import LatchHTTP
public import LatchJOSE

extension RemoteJWTVerifier {
    /// Creates a verifier of an issuer's access tokens for one audience, from nothing but the issuer identifier.
    ///
    /// ```swift
    /// let verifier = try RemoteJWTVerifier(
    ///     issuer: URL(string: "https://id.example.com")!, audience: "https://api.example.com")
    /// let reading = AccessTokenInterceptor(verifier, requiring: ["notes:read"])
    /// ```
    ///
    /// The issuer's metadata names the keys and the algorithms (RFC 8414 §3, OpenID Connect Discovery §4). It is
    /// fetched with the keys, when the first token arrives, and again as often as they are. A token must show that it
    /// is an access token, by its type or by claims such as scopes (see `AccessTokenRules`).
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier, which the metadata and each token must state character by character. It has
    ///     a final slash where the issuer writes one, as Auth0 does.
    ///   - audience: The required `aud`, or an element of it.
    ///   - algorithms: The accepted algorithms. Nil for those of the metadata, and those that the published keys name.
    ///   - metadataKeys: The keys, one of which must have signed the metadata (RFC 8414 §2.1). Nil ignores signatures.
    ///   - transport: The handler that sends the requests.
    ///   - policy: The cache lifetimes and request rates.
    ///   - leeway: The tolerated difference between the clocks.
    ///   - clock: The clock for the tokens' times.
    /// - Throws: `HTTPError.insecureURL` for an issuer without https that is not this machine, and
    ///   `HTTPError.invalidURL`.
    public convenience init(
        issuer: URL, audience: String, algorithms: [SignatureAlgorithm]? = nil, metadataKeys: KeySet? = nil,
        transport: any Handler = Transport.live, policy: RemoteKeyPolicy = RemoteKeyPolicy(),
        leeway: Duration = .seconds(30), clock: WallClock = .system
    ) throws(HTTPError) {
        let rules = AccessTokenRules(issuers: [issuer.absoluteString], audiences: [audience])
        try self.init(
            rules, of: issuer, algorithms, metadataKeys, transport: transport, policy: policy, leeway: leeway,
            clock: clock)
    }

    /// Creates a verifier of access tokens that name a client instead of an audience, as those of Amazon Cognito.
    ///
    /// Such a token is accepted by every API that names the same client. A token with an audience is refused, because
    /// it is for another API. The other parameters are those of
    /// ``init(issuer:audience:algorithms:metadataKeys:transport:policy:leeway:clock:)``.
    ///
    /// - Parameter clients: The accepted clients; without any, no token is accepted.
    /// - Throws: `HTTPError.insecureURL` and `HTTPError.invalidURL`.
    public convenience init(
        issuer: URL, acceptingTokensWithoutAudienceOfClients clients: [String],
        algorithms: [SignatureAlgorithm]? = nil, metadataKeys: KeySet? = nil,
        transport: any Handler = Transport.live, policy: RemoteKeyPolicy = RemoteKeyPolicy(),
        leeway: Duration = .seconds(30), clock: WallClock = .system
    ) throws(HTTPError) {
        let rules = AccessTokenRules(issuers: [issuer.absoluteString], audiences: [], clients: clients)
        try self.init(
            rules, of: issuer, algorithms, metadataKeys, transport: transport, policy: policy, leeway: leeway,
            clock: clock)
    }

    private convenience init(
        _ rules: AccessTokenRules, of issuer: URL, _ chosen: [SignatureAlgorithm]?, _ metadataKeys: KeySet?,
        transport: any Handler, policy: RemoteKeyPolicy, leeway: Duration, clock: WallClock
    ) throws(HTTPError) {
        let origin = try HTTPRequest(url: issuer).origin
        guard origin.scheme == "https" || origin.isLoopback else { throw HTTPError.insecureURL }
        let discovery = ServerDiscovery(
            issuer: issuer, transport: transport, allowingInsecureHTTP: .loopbackOnly, timeout: policy.timeout,
            template: nil, metadataKeys: metadataKeys, clock: clock)
        let keys = RemoteKeySet(issuer: issuer, transport: transport, policy: policy, clock: clock) {
            let server = try await discovery.server()
            guard let url = server.keySetURL else { throw OAuthError.keysNotPublished }
            return IssuerMetadata(
                keySetURL: url, algorithms: server.asymmetricAlgorithms("id_token_signing_alg_values_supported"),
                scopeHierarchy: server.scopeHierarchy)
        }
        self.init(keys: keys) { keys, metadata in
            JWTVerifier(
                keys: keys, algorithms: chosen ?? SignatureAlgorithm.published(keys, metadata?.algorithms ?? []),
                accepting: rules, leeway: leeway, clock: clock)
        }
    }
}

extension SignatureAlgorithm {
    /// Returns the algorithms of an issuer's access tokens.
    ///
    /// Metadata names algorithms only for ID tokens, and an issuer may sign access tokens with others. So those of the
    /// published keys count as well (RFC 8725 §3.1). For an RSA key that names none, it is RS256 unless the metadata
    /// names others (RFC 9068 §2.1).
    fileprivate static func published(_ keys: KeySet, _ named: [SignatureAlgorithm]) -> [SignatureAlgorithm] {
        let stated = named + keys.keys.filter { !($0.fits(.rs256) && $0.fits(.rs512)) }.map(\.algorithm)
        return asymmetric.filter { stated.contains($0) || named.isEmpty && $0 == .rs256 }
    }
}
