// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchFoundation
public import LatchHTTP
package import LatchJOSE
import Synchronization

/// A client of an authorization server (RFC 6749 §4.1, RFC 7636, OpenID Connect Core §3.1).
///
/// It finds the server, begins sign-ins, and turns their responses into tokens.
///
/// ```swift
/// let client = AuthorizationClient(.google(clientID: "…"), attempts: secrets)
/// let attempt = try await client.begin(redirectURI: callback)
/// open(attempt.url)                                                // then, perhaps, another launch of the program
/// let tokens = try await client.finish(callbackURL).tokens
/// ```
///
/// A program with a ``Browser`` signs in with one call, `Session.signIn(with:using:store:)`. All tasks share the
/// metadata and keys, which are fetched when first needed. Metadata is fetched again after a day.
public final class AuthorizationClient: Sendable {
    /// The server and the registration of this program.
    public let configuration: OAuthConfiguration

    private let attempts: AuthorizationAttemptStore
    let transport: any Handler
    let interceptors: [any Interceptor]
    private let allowingInsecureHTTP: InsecureHTTP
    let timeout: Duration?
    package let clock: WallClock
    private let random: RandomSource
    /// The server with its keys, once it is found, and the time of the next lookup.
    private let found = Mutex<(result: SharedResult<ResolvedServer>, deadline: Duration)?>(nil)
    /// The time for which metadata is used, and the pause before a retry if it could not be fetched again.
    private static let (metadataLifetime, retryInterval) = (Duration.seconds(86_400), Duration.seconds(600))
    /// The keys of the attempts that began in this process.
    ///
    /// Unlike decoded keys, they know the server's nonces.
    private let keys = Mutex<[DPoPKey]>([])
    /// The identifiers of the accepted logout tokens, with their expiry.
    let seenLogoutTokens = Mutex<[String: Date]>([:])

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: The server and the registration of this program.
    ///   - attempts: The store of sign-ins that have begun. If it outlives the process, a response is also accepted
    ///     after a restart.
    ///   - transport: The handler that sends the requests.
    ///   - interceptors: Interceptors around the transport, such as logs; never a session.
    ///   - allowingInsecureHTTP: The hosts that may be addressed by plain http.
    ///   - timeout: The timeout of one request; nil for that of the transport. A session's refresh that was sent has no
    ///     timeout: it ends with its connection.
    ///   - clock: The clock of the client.
    ///   - random: The source of states, nonces and verifiers.
    public init(
        _ configuration: OAuthConfiguration, attempts: any SecretStore = InMemorySecretStore(),
        transport: any Handler = Transport.live, interceptors: [any Interceptor] = [],
        allowingInsecureHTTP: InsecureHTTP = .loopbackOnly, timeout: Duration? = nil, clock: WallClock = .system,
        random: RandomSource = .system
    ) {
        self.configuration = configuration
        self.attempts = AuthorizationAttemptStore(attempts)
        self.transport = transport
        self.interceptors = interceptors
        self.allowingInsecureHTTP = allowingInsecureHTTP
        self.timeout = timeout
        self.clock = clock
        self.random = random
    }

    // MARK: The server

    /// Returns the server's metadata, which is fetched at most once a day.
    ///
    /// - Throws: `OAuthError.discoveryFailed`, `invalidMetadata` and `issuerMismatch`; `HTTPError` if the server cannot
    ///   be reached. The next call tries again.
    public func server() async throws -> AuthorizationServer { try await resolved().server }

    /// Returns the client of the server's token endpoint.
    public func tokenEndpoint() async throws -> TokenEndpoint { try await resolved().endpoint }

    func resolved() async throws -> ResolvedServer {
        let now = clock.uptime
        let (result, isFirst, isDue) = found.withLock { found in
            if let (result, deadline) = found {
                guard now >= deadline else { return (result, false, false) }
                found = (result, now + Self.retryInterval)
                return (result, false, true)
            }
            let result = SharedResult<ResolvedServer>()
            found = (result, now + Self.metadataLifetime)
            return (result, true, false)
        }
        // A separate task, so that the cancellation of one waiting task does not end the request for the others.
        if isFirst { Task { await resolve(result) } }
        // No caller waits for newer metadata. While it cannot be fetched, the old metadata is used.
        if isDue, configuration.server == nil { Task { await renew(result) } }
        return try await result.value()
    }

    private func resolve(_ result: SharedResult<ResolvedServer>) async {
        do {
            result.finish(.success(try ResolvedServer(await findServer(), self, transport: transport)))
        } catch {
            found.withLock { if $0?.result === result { $0 = nil } }
            result.finish(.failure(error))
        }
    }

    private func renew(_ old: SharedResult<ResolvedServer>) async {
        let renewed = SharedResult<ResolvedServer>()
        do {
            let known = try await old.value().idTokens?.keys
            renewed.finish(.success(try ResolvedServer(await findServer(), self, transport: transport, reusing: known)))
        } catch {
            return
        }
        found.withLock { if $0?.result === old { $0 = (renewed, clock.uptime + Self.metadataLifetime) } }
    }

    private func findServer() async throws -> AuthorizationServer {
        if let server = configuration.server { return server }
        var server = try await ServerDiscovery(
            issuer: configuration.issuer, transport: transport.nested(in: interceptors),
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: timeout,
            template: IssuerTemplate(of: configuration.issuer), metadataKeys: configuration.metadataKeys, clock: clock
        ).server()
        server.statedSpelling = configuration.quirks.resourceSpelling
        return server
    }

    func endpoint(at server: AuthorizationServer) -> TokenEndpoint {
        TokenEndpoint(
            server: server, registration: configuration.registration, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: timeout, clock: clock, random: random)
    }

    // MARK: Signing in

    /// Begins a sign-in: the user continues at the attempt's URL.
    ///
    /// This is for a program with one user: any response to any of its attempts finishes a sign-in. A server with many
    /// users keeps each attempt in the browser that began it; see ``attempt(_:redirectURI:boundTo:)``.
    ///
    /// - Parameters:
    ///   - request: The parameters of the request.
    ///   - redirectURI: The registered URL that the server redirects to; nil for that of the configuration.
    ///   - key: The key to bind the tokens to (RFC 9449 §10); nil for tokens without a binding.
    /// - Throws: `OAuthError`; `HTTPError` if the server cannot be reached; `AuthError` with a `store…` code if the
    ///   attempt cannot be stored.
    public func begin(
        _ request: AuthorizationRequest = AuthorizationRequest(), redirectURI: URL? = nil,
        boundTo key: DPoPKey? = nil
    ) async throws -> AuthorizationAttempt {
        let attempt = try await attempt(request, redirectURI: redirectURI, boundTo: key)
        try await attempts.keep(attempt, now: clock.now)
        if let key {
            keys.withLock { $0 = ($0.filter { $0 != key } + [key]).suffix(AuthorizationAttemptStore.greatestCount) }
        }
        return attempt
    }

    /// Begins a sign-in whose attempt the caller keeps, for example a server in an encrypted cookie of the user's
    /// browser.
    ///
    /// A response then counts only in the browser that began the sign-in. Otherwise an attacker's link would sign its
    /// reader in as the attacker (RFC 9700 §4.7).
    public func attempt(
        _ request: AuthorizationRequest = AuthorizationRequest(), redirectURI: URL? = nil,
        boundTo key: DPoPKey? = nil
    ) async throws -> AuthorizationAttempt {
        let endpoint = try await tokenEndpoint()
        guard let page = endpoint.server.authorizationEndpoint else {
            throw OAuthError.missingEndpoint("authorization_endpoint")
        }
        guard let redirectURI = redirectURI ?? configuration.redirectURI else {
            throw OAuthError.missingRedirectURI
        }
        let usual = request.scopes ?? configuration.scopes(at: endpoint.server)
        let scopes = Scopes(usual.elements + request.additionalScopes.elements)
        var request = request
        if request.resources.isEmpty { request.resources = configuration.resources }
        request.responseMode = request.chosenMode ?? configuration.responseMode
        var attempt = AuthorizationAttempt(
            request, scopes: scopes, redirectURI: redirectURI, issuer: configuration.issuer,
            clientID: configuration.registration.clientID ?? "", key: key, now: clock.now, random: random)
        var parameters = attempt.parameters(
            hasNonce: isOpenID(scopes) && configuration.quirks.returnsNonce,
            hasVerifier: configuration.quirks.takesVerifier)
        // The attempt's parameters cannot be replaced, and must not occur twice (RFC 6749 §3.1).
        let own = Set(parameters.map(\.0))
        parameters += request.parameters(scopes: scopes).filter { !own.contains($0.0) }
        for (name, value) in configuration.quirks.authorizationParameters.sorted(by: { $0.key < $1.key })
        where !parameters.contains(where: { $0.0 == name }) {
            parameters.append((name, value))
        }
        parameters = try endpoint.server.spelled(parameters)
        parameters = try await endpoint.prepared(parameters, configuration, boundTo: key)
        attempt.url = try page.adding(parameters)
        return attempt
    }

    /// Finishes a sign-in with the URL that the server has redirected to.
    ///
    /// Each response is accepted once, and only by the program that began the attempt, also after a relaunch.
    ///
    /// - Returns: The server's response. If it has an ID token, that is verified.
    /// - Throws: `OAuthError.stateMismatch`, `issuerMismatch`, `accessDenied`, `invalidIDToken` and others; `HTTPError`
    ///   if the server cannot be reached.
    public func finish(_ callback: URL) async throws -> TokenResponse {
        try await finish(AuthorizationResponse(callback))
    }

    /// Finishes a sign-in with the server's response; see ``finish(_:)-(URL)``.
    public func finish(_ response: AuthorizationResponse) async throws -> TokenResponse {
        // If the server cannot be reached, the attempt must not be lost.
        try await fetchKeys(for: configuration.scopes(at: server()))
        // A response that the server has not signed must not cost the attempt either.
        let response = try await opened(response)
        guard let state = response.state, let attempt = try await attempts.take(state, where: isOwn) else {
            throw OAuthError.stateMismatch
        }
        return try await finish(response, of: attempt)
    }

    /// Finishes an attempt that the caller has kept, and has removed: a response is accepted once.
    public func finish(
        _ response: AuthorizationResponse, of attempt: AuthorizationAttempt
    ) async throws -> TokenResponse {
        guard isOwn(attempt), !attempt.isExpired(at: clock.now) else { throw OAuthError.stateMismatch }
        // If the keys cannot be fetched, the code must not be lost.
        let resolved = try await fetchKeys(for: attempt.scopes)
        let response = try await opened(response)
        let code = try response.code(for: attempt, at: resolved.server)
        let grant = AuthorizationCodeGrant(
            code: code, verifier: configuration.quirks.takesVerifier ? attempt.verifier : "",
            redirectURI: attempt.redirectURI, scopes: attempt.scopes,
            resources: attempt.resources ?? [])
        let key = keys.withLock { $0.first { $0 == attempt.key } } ?? attempt.key
        let sent = clock.now
        let tokens = try await resolved.endpoint.tokens(for: grant, boundTo: key)
        var expectations = IDTokenExpectations(
            nonce: isOpenID(attempt.scopes) && configuration.quirks.returnsNonce ? attempt.nonce : nil,
            maximumAge: attempt.maximumAge,
            contextClasses: attempt.contextClasses)
        expectations.clockOffset = clockOffset(in: tokens.tokens, sent: sent)
        expectations.keyRequests = resolved.idTokens?.keys?.requestsSoFar
        return try await verified(tokens, expectations, isRequired: isOpenID(attempt.scopes), at: resolved)
    }

    /// Returns the server after its keys are known, which an ID token needs.
    @discardableResult
    private func fetchKeys(for scopes: Scopes) async throws -> ResolvedServer {
        let server = try await resolved()
        if isOpenID(scopes) { _ = try await server.idTokens?.keys?.keys() }
        return server
    }

    /// Exchanges another grant for tokens, and verifies their ID token if there is one.
    ///
    /// The ID token of a refresh is not verified, because only a session can do that.
    ///
    /// Client credentials that name no resource are exchanged for the resources of the configuration.
    ///
    /// - Throws: As `TokenEndpoint.tokens(for:)`, and `OAuthError.invalidIDToken`.
    public func tokens(for grant: some Grant, boundTo key: DPoPKey? = nil) async throws -> TokenResponse {
        let resolved = try await resolved()
        let sent = clock.now
        let response = try await resolved.endpoint.tokens(for: completed(grant), boundTo: key)
        // A refresh continues a session, which the revocation of its tokens would end.
        guard grant.refreshToken == nil else { return response }
        var expectations = IDTokenExpectations()
        expectations.clockOffset = clockOffset(in: response.tokens, sent: sent)
        expectations.keyRequests = resolved.idTokens?.keys?.requestsSoFar
        return try await verified(response, expectations, isRequired: false, at: resolved)
    }

    /// Returns a grant of client credentials with the resources of the configuration, unless it names some.
    ///
    /// Other grants are returned unchanged.
    private func completed(_ grant: some Grant) -> any Grant {
        guard let own = grant as? ClientCredentialsGrant, own.resources.isEmpty, own.audience == nil else {
            return grant
        }
        return ClientCredentialsGrant(scopes: own.scopes, resources: configuration.resources)
    }

    /// Returns the seconds by which the server's clock is ahead of this device's.
    ///
    /// They follow from the date of a response that has just arrived; zero without a date.
    ///
    /// A token is accepted by this clock or the device's, so that a device with a wrong clock can sign in.
    func clockOffset(in tokens: Tokens, sent: Date) -> Double {
        tokens.issued.map { ClockOffset.seconds(to: $0, sent: sent, received: clock.now) } ?? 0
    }

    /// RFC 9700 §4.4: an attempt at another server or of another client must not be used here.
    @Sendable private func isOwn(_ attempt: AuthorizationAttempt) -> Bool {
        attempt.issuer.utf8.elementsEqual(configuration.issuer.absoluteString.utf8)
            && attempt.clientID == configuration.registration.clientID ?? ""
    }

    private func isOpenID(_ scopes: Scopes) -> Bool { scopes.contains("openid") }

    /// Verifies the ID token of a response; if that fails, the tokens are discarded.
    private func verified(
        _ response: TokenResponse, _ expectations: IDTokenExpectations, isRequired: Bool, at resolved: ResolvedServer
    ) async throws -> TokenResponse {
        do {
            guard let token = response.tokens.idToken else {
                // Core §3.1.3.3: a server that accepted the scope `openid` returns an ID token.
                guard !isRequired else { throw OAuthError.invalidIDToken("the response has none") }
                return response
            }
            var (response, expectations) = (response, expectations)
            // An unrequested ID token of a server whose keys are not known has no meaning.
            if !isRequired, resolved.idTokens == nil {
                response.tokens.idToken = nil
                return response
            }
            expectations.accessToken = response.tokens.access
            (response.tokens.idToken, response.idTokenClaims) = try await resolved.verifiedToken(token, expectations)
            return response
        } catch {
            await resolved.endpoint.discard(response.tokens)
            throw error
        }
    }

    /// Verifies an ID token, and returns it in its signed form.
    ///
    /// The server also expects this form back (OpenID Connect RP-Initiated Logout §4).
    package func verifiedToken(
        _ token: String, _ expectations: IDTokenExpectations
    ) async throws -> (signed: String, claims: Claims) {
        try await resolved().verifiedToken(token, expectations)
    }
}
