// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchHTTP

/// Where a program exchanges grants for tokens and gives tokens back (RFC 6749 §3.2, RFC 7009).
///
/// ```swift
/// let endpoint = TokenEndpoint(
///     provider: .latchwork(at: url), registration: AppRegistration(clientID: "notes"))
/// let session = Session(tokenEndpoint: endpoint, store: store)
/// try await session.signIn(with: grant, at: endpoint)
/// ```
///
/// It follows no redirect and carries no session: what it sends are secrets.
public struct TokenEndpoint: Sendable {
    /// Who issues the tokens.
    public let provider: Provider
    /// As whom the program asks.
    public let registration: AppRegistration
    /// What becomes of an answer that grants more than was asked for; a session's renewal only reports it.
    public let unrequestedScopes: UnrequestedScopes
    /// The time, for answers without a date and for the session.
    package let clock: WallClock
    /// The way to the issuer.
    let client: Client
    let timeout: Duration?

    /// A token endpoint.
    ///
    /// - Parameters:
    ///   - registration: As whom the program asks.
    ///   - unrequestedScopes: What becomes of an answer that grants more than was asked for.
    ///   - transport: What sends the requests.
    ///   - interceptors: Steps around the transport, such as logs; never the session that is renewed here.
    ///   - allowingInsecureHTTP: Where plain http may be spoken.
    ///   - timeout: How long one request may take; nil leaves it to the transport.
    ///   - clock: The time.
    public init(
        provider: Provider, registration: AppRegistration = .none,
        unrequestedScopes: UnrequestedScopes = .reported, transport: any Handler = Transport.live,
        interceptors: [any Interceptor] = [], allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        timeout: Duration? = nil, clock: WallClock = .system
    ) {
        self.provider = provider
        self.registration = registration
        self.unrequestedScopes = unrequestedScopes
        self.clock = clock
        self.timeout = timeout
        client = Client(
            baseURL: provider.issuer, transport: BoundedAnswers(transport: transport), interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, redirects: .none)
    }

    /// Exchanges a grant for tokens.
    ///
    /// - Parameters:
    ///   - idempotencyKey: The same for each repeat of the same request; a server that knows it answers a repeat with the
    ///     same tokens.
    ///   - key: What the tokens are to be bound to (RFC 9449 §5); they carry it from then on, through all renewals.
    ///     Tokens that are not bound to it are then refused.
    /// - Throws: `OAuthError` where the issuer refuses or answers nonsense, `HTTPError` where it cannot be reached.
    public func tokens(
        for grant: some Grant, idempotencyKey: String? = nil, boundTo key: DPoPKey? = nil
    ) async throws -> TokenResponse {
        let response = try await obtain(grant, RequestProof(idempotencyKey: idempotencyKey, key: key))
        guard unrequestedScopes == .refused, !response.scopeChange.unrequested.isEmpty else { return response }
        // What nobody takes is given back, as far as the issuer can be asked: it would be good for its whole life.
        _ = await isRevoked(response.tokens)
        throw OAuthError.unrequestedScope
    }

    /// The same whatever was granted: a renewal has used up its token, and to refuse the answer would lose the session.
    func obtain(_ grant: some Grant, _ proof: RequestProof) async throws -> TokenResponse {
        let form = [("grant_type", grant.type)] + grant.parameters
        let response = try await post(form, to: provider.tokenEndpoint, proof)
        return try read(response, expecting: grant.expectedScopes, keeping: grant.refreshToken, boundTo: proof.key)
    }

    /// The tokens of a success.
    func read(
        _ response: HTTPResponse, expecting scopes: Scopes?, keeping refresh: String?, boundTo key: DPoPKey?
    ) throws(OAuthError) -> TokenResponse {
        // RFC 9449 §5: an issuer that knows nothing of proofs answers with bearer tokens, which anybody could use.
        var answer = try TokenReader(clock: clock).read(
            response, type: key == nil ? .bearer : .dpop, expecting: scopes, keeping: refresh)
        answer.tokens.key = key
        return answer
    }
}
