// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchFoundation
public import LatchHTTP
import Synchronization

/// A client of a token endpoint: it exchanges grants for tokens, refreshes and revokes them (RFC 6749 §3.2, RFC 7009).
///
/// ```swift
/// let endpoint = TokenEndpoint(
///     server: .latchwork(at: url), registration: ClientRegistration(clientID: "notes"))
/// let session = Session(tokenEndpoint: endpoint, store: store)
/// try await session.signIn(with: PasswordGrant(username: "ada", password: password))
/// ```
///
/// It follows no redirect and has no session, because its requests contain secrets.
public struct TokenEndpoint: Sendable {
    /// The server whose endpoints are called.
    public let server: AuthorizationServer
    /// The registration of the client.
    ///
    /// Its authentication method is one that the server's metadata lists, unless you chose one or none fits.
    public let registration: ClientRegistration
    /// The handling of a response with unrequested scopes; a session's refresh only reports them.
    public let unrequestedScopes: UnrequestedScopes
    /// The clock for responses without a date, and for the session.
    package let clock: WallClock
    /// The source of the identifiers of client assertions.
    let random: RandomSource
    private let client: Client
    private let timeout: Duration?

    /// Creates a client of a token endpoint.
    ///
    /// - Parameters:
    ///   - server: The authorization server.
    ///   - registration: The registration of the client.
    ///   - unrequestedScopes: The handling of a response with unrequested scopes.
    ///   - transport: The handler that sends the requests.
    ///   - interceptors: The interceptors around the transport, such as logs; never the session that is refreshed here.
    ///   - allowingInsecureHTTP: The hosts that may be addressed by plain http.
    ///   - timeout: The timeout of one request; nil for that of the transport. A session's refresh that was sent has no
    ///     timeout, because its response may hold the only valid refresh token. It ends with its connection.
    ///   - clock: The clock for the tokens' expiry.
    ///   - random: The source of the identifiers of client assertions.
    public init(
        server: AuthorizationServer, registration: ClientRegistration = .none,
        unrequestedScopes: UnrequestedScopes = .reported, transport: any Handler = Transport.live,
        interceptors: [any Interceptor] = [], allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        timeout: Duration? = nil, clock: WallClock = .system, random: RandomSource = .system
    ) {
        self.server = server
        self.registration = registration.fitting(server)
        self.unrequestedScopes = unrequestedScopes
        self.clock = clock
        self.random = random
        self.timeout = timeout
        client = Client(
            baseURL: server.issuer,
            // Several times the size of any real token response.
            transport: RefreshTransport(
                BoundedResponses(transport, maximumSize: 1 << 20, within: timeout ?? .seconds(60)), clock: clock),
            interceptors: interceptors, allowingInsecureHTTP: allowingInsecureHTTP, redirects: .none)
    }

    /// Exchanges a grant for tokens.
    ///
    /// - Parameters:
    ///   - grant: The grant to exchange.
    ///   - idempotencyKey: The idempotency key, which is the same for each repetition of a request; nil for none. A
    ///     server that supports it answers a repetition with the same tokens.
    ///   - key: The key to bind the tokens to (RFC 9449 §5); nil for none. The tokens keep it through all refreshes.
    ///     Tokens that are not bound to it are refused.
    /// - Throws: `OAuthError` if the server refuses or its response is invalid; `HTTPError` if the server cannot be
    ///   reached.
    public func tokens(
        for grant: some Grant, idempotencyKey: String? = nil, boundTo key: DPoPKey? = nil
    ) async throws -> TokenResponse {
        let response = try await exchange(
            grant, RequestContext(idempotencyKey: idempotencyKey, key: key, yieldsTokens: true))
        guard unrequestedScopes == .refused, !response.scopeChange.unrequested.isEmpty else { return response }
        await discard(response.tokens)
        throw OAuthError.unrequestedScope
    }

    /// Exchanges a grant, and accepts any granted scopes.
    ///
    /// A refresh has used up its token, so refusing the response would lose the session.
    private func exchange(_ grant: some Grant, _ context: RequestContext) async throws -> TokenResponse {
        let form = [("grant_type", grant.type)] + grant.parameters
        let response: HTTPResponse
        do {
            response = try await post(form, to: endpoint("token_endpoint", server.tokenEndpoint), context)
        } catch let error as OAuthError {
            // RFC 6749 §5.2 requires 400 for a wrong password or refresh token, and 401 with a code for a wrong client.
            // Servers that send 401 for the password omit the code. If the client authenticates, such a 401 may concern
            // the client.
            if grant is PasswordGrant, error == .unauthorized, error.issuerCode == nil {
                throw error.reclassified(as: .invalidGrant)
            }
            throw grant.refreshToken == nil
                ? error : error.refusingToken(doubts: registration.authentication == .none)
        }
        return try decode(
            response, type: (grant as? TokenExchangeGrant)?.tokenType, expecting: grant.expectedScopes,
            keeping: grant.refreshToken, context, hiding: secrets(of: form))
    }

    /// Decodes the tokens of a successful response.
    ///
    /// - Parameter type: The type of the token; nil for an access token.
    /// - Throws: `OAuthError`, and `IncompleteRefresh` if a refresh token can be read nevertheless.
    private func decode(
        _ response: HTTPResponse, type: TokenType? = nil, expecting scopes: Scopes?, keeping refresh: String?,
        _ context: RequestContext, hiding secrets: @autoclosure () -> [String]
    ) throws -> TokenResponse {
        let key = context.key
        var decoded: TokenResponse
        do {
            // RFC 9449 §5: a server without DPoP responds with bearer tokens, which an attacker could use.
            decoded = try TokenResponseDecoder(clock: clock).decode(
                response, type: type ?? (key == nil ? .bearer : .dpop), expecting: scopes, keeping: refresh)
        } catch {
            throw incomplete(
                response, OAuthError(inSuccess: response, hiding: secrets(), now: clock.now) ?? error,
                of: context.refreshed)
        }
        if server.separatesScopesByCommas {
            decoded.tokens.scope = decoded.tokens.scope.map { scope in
                String(decoding: scope.utf8.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
            }
        }
        decoded.tokens.key = key
        return decoded
    }

    /// Returns the error to throw for an unusable response that may hold a new refresh token.
    private func incomplete(_ response: HTTPResponse, _ error: any Error, of sent: Tokens?) -> any Error {
        guard var grant = sent, response.status.isSuccess,
            let refresh = TokenResponseDecoder(clock: clock).refreshToken(
                in: response.body.bytes, replacing: grant.refresh)
        else { return error }
        grant.refresh = refresh
        return IncompleteRefresh(grant: grant, error: error)
    }
}

// MARK: - Refresh

extension TokenEndpoint {
    /// Refreshes tokens, at the token endpoint (RFC 6749 §6) or at the server's JSON endpoint.
    ///
    /// - Parameter target: The resource that the access token is for (RFC 8707 §2.2); nil for those of the sign-in.
    /// - Throws: `OAuthError.invalidTarget` if the server's JSON endpoint does not support resources.
    ///   `IncompleteRefresh` if only the refresh token of the response is usable.
    package func refresh(
        _ tokens: Tokens, for target: TokenTarget? = nil, idempotencyKey: String? = nil
    ) async throws -> TokenResponse {
        guard let refresh = tokens.refresh else { throw OAuthError.noRefreshToken }
        let context = RequestContext(
            idempotencyKey: idempotencyKey, key: tokens.key, yieldsTokens: true, refreshed: tokens)
        guard let url = server.jsonRefreshEndpoint else {
            let grant = RefreshGrant(
                refreshToken: refresh, scopes: target?.scopes ?? [], resource: target?.resource,
                granted: target == nil ? tokens.grantedScopes : nil)
            return try await exchange(grant, context)
        }
        guard target == nil else { throw OAuthError.invalidTarget }
        return try await refreshByJSON(refresh, granted: tokens.grantedScopes, at: url, context)
    }

    /// Refreshes at a backend that accepts `{"refresh_token": …}`.
    private func refreshByJSON(
        _ refresh: String, granted: Scopes?, at url: URL, _ context: RequestContext
    ) async throws -> TokenResponse {
        let body = HTTPBody(JSONValue.object(["refresh_token": .string(refresh)]).serialized())
        do {
            let response = try await send(to: url, context, hiding: [refresh]) { request in
                request.fields[.contentType] = "application/json"
                request.body = body
            }
            return try decode(response, expecting: granted, keeping: refresh, context, hiding: [refresh])
        } catch let error as OAuthError {
            throw error.refusingToken(doubts: true)
        }
    }
}

// MARK: - Revocation

/// The type of a token, as a hint for its revocation (RFC 7009 §2.1).
public enum TokenTypeHint: String, Sendable, Hashable, CaseIterable {
    /// An access token.
    case access = "access_token"
    /// A refresh token.
    case refresh = "refresh_token"
}

extension TokenEndpoint {
    /// Revokes a token (RFC 7009 §2.1).
    ///
    /// A token that the server does not recognize counts as revoked (RFC 7009 §2.2).
    ///
    /// - Throws: `OAuthError.temporarilyUnavailable` if the server cannot do it now: the token is then still valid, and
    ///   `retryAfter` may hold the time until a retry. `OAuthError.noRevocationEndpoint` if the server has no such
    ///   endpoint. `OAuthError.invalidResponse` if a success is neither empty nor JSON, such as the page of a captive
    ///   portal.
    public func revoke(_ token: String, hint: TokenTypeHint? = nil) async throws {
        if let url = server.tokenDeletionURL { return try await delete(token, hint, at: url) }
        guard let url = server.revocationEndpoint else { throw OAuthError.noRevocationEndpoint }
        let response = try await post(
            [("token", token), ("token_type_hint", hint?.rawValue ?? "")], to: endpoint("revocation_endpoint", url))
        // RFC 7009 §2.2: only the status counts. A page means that another server has responded.
        guard response.revocationOutcome == .confirmed else {
            throw OAuthError.invalidResponse("it is neither empty nor JSON", status: response.status)
        }
    }

    /// Revokes both tokens, first the refresh token, which lives longer.
    ///
    /// Both are tried, even if the first fails.
    ///
    /// - Throws: As `revoke(_:hint:)`; the error of the refresh token takes precedence.
    public func revoke(_ tokens: Tokens) async throws {
        let first = await failure { if let refresh = tokens.refresh { try await revoke(refresh, hint: .refresh) } }
        let second = await failure { try await revoke(tokens.access, hint: .access) }
        if let first { throw first }
        // RFC 7009 §2.2: an unknown token counts as revoked. Some servers end it with the refresh token, and report it
        // as invalid.
        if tokens.refresh != nil, (second as? OAuthError)?.issuerCode == "invalid_token" { return }
        // RFC 7009 §2.2.1: a server need not revoke access tokens; without the refresh token they expire soon.
        if let second, second as? OAuthError != .unsupportedTokenType || tokens.refresh == nil { throw second }
    }

    /// Revokes both tokens without throwing.
    ///
    /// Only the server's own statement about the token ends the duty to revoke it. Any other error may come from a
    /// portal, a filter or a gateway, or may be corrected at the server.
    func revocation(_ tokens: Tokens) async -> RevocationOutcome {
        guard let error = await failure(of: { try await revoke(tokens) }) else { return .confirmed }
        guard let error = error as? OAuthError else { return .unavailable }
        return error == .noRevocationEndpoint || error.isFinalForToken ? .refused : .unavailable
    }

    /// Revokes tokens that have just been issued and are not used, unless that would end other sessions of their user.
    ///
    /// At other servers they expire unused, because only this process has seen them. The caller's cancellation does not
    /// prevent the revocation.
    package func discard(_ tokens: Tokens) async {
        guard server.revokesSingleSignIns else { return }
        _ = await Task { await revocation(tokens) }.value
    }

    private func failure(of body: () async throws -> Void) async -> (any Error)? {
        do { try await body() } catch { return error }
        return nil
    }
}

// MARK: - Requests

extension TokenEndpoint {
    /// The parts of a request apart from its content.
    struct RequestContext: Sendable {
        /// The idempotency key, which is the same for each repetition of the request.
        var idempotencyKey: String?
        /// The key that the tokens are bound to.
        var key: DPoPKey?
        /// Whether the response contains tokens.
        var yieldsTokens = false
        /// The tokens that the request refreshes, so that its response must not be lost; nil for other requests.
        var refreshed: Tokens?
    }

    /// The parameters whose values an error may repeat.
    private static let harmlessParameters: Set<String> = [
        "grant_type", "username", "scope", "client_id", "token_type_hint", "resource", "audience", "redirect_uri",
        "response_type", "code_challenge_method", "client_assertion_type", "subject_token_type", "actor_token_type",
        "requested_token_type", "prompt", "max_age", "acr_values", "ui_locales", "authorization_details", "claims",
    ]

    /// Returns the server's endpoint for this client's method of authentication (RFC 8705 §5).
    func endpoint(_ name: String, _ usual: URL) -> URL {
        server.endpoint(name, or: usual, mutualTLS: registration.authentication == .tls) ?? usual
    }

    /// Returns the values of a form that no error may repeat.
    private func secrets(of form: [(String, String)]) -> [String] {
        form.filter { !Self.harmlessParameters.contains($0.0) }.map(\.1) + [registration.secret].compactMap(\.self)
    }

    /// Posts a form with the client's authentication.
    ///
    /// - Returns: A successful response.
    /// - Throws: `OAuthError` for any other response.
    func post(
        _ form: [(String, String)], to url: URL, _ context: RequestContext = RequestContext()
    ) async throws -> HTTPResponse {
        try await send(to: url, context, hiding: secrets(of: form)) { request in
            var form = try server.spelled(form)
            try registration.authenticate(&form, &request.fields, at: server, now: clock.now, random: random)
            // RFC 6749 §3.2: a parameter without a value counts as omitted.
            form.removeAll { $0.1.isEmpty }
            request.fields[.contentType] = FormEncoding.mediaType
            // RFC 6749 Appendix B: the encoding prevents a value from adding a parameter.
            request.body = HTTPBody(FormEncoding.encode(form))
        }
    }

    /// Requests a resource of the authorization server with a user's tokens.
    func get(_ url: URL, with tokens: Tokens) async throws -> HTTPResponse {
        var request = try HTTPRequest(url: url, fields: [.accept: "application/json, application/jwt"])
        request.timeout = timeout
        request.template = url.path
        let response = try await CredentialInterceptor(tokens, for: .origin(request.origin)).intercept(
            request, next: client)
        guard response.status.isSuccess else {
            throw OAuthError(response, hiding: [tokens.access], now: clock.now)
        }
        return response
    }

    /// Posts content.
    ///
    /// - Parameters:
    ///   - secrets: The secrets in the content, which no error may repeat.
    ///   - complete: Sets the content.
    func send(
        to url: URL, _ context: RequestContext = RequestContext(), hiding secrets: [String],
        _ complete: @escaping @Sendable (inout HTTPRequest) throws -> Void
    ) async throws -> HTTPResponse {
        var request = try HTTPRequest(method: .post, url: url)
        request.fields[.accept] = "application/json"
        request.fields[.idempotencyKey] = context.idempotencyKey
        request.timeout = timeout
        request.template = url.path
        try complete(&request)
        let attempt = TokenRequestAttempt(complete, key: context.key)
        request.modifiers.append(attempt)
        var response = try await respond(to: request, context)
        // RFC 9449 §8: if the server requires a nonce or another time, the request is sent once more.
        if attempt.isWorthRepeating { response = try await respond(to: request, context) }
        guard response.status.isSuccess else { throw OAuthError(response, hiding: secrets, now: clock.now) }
        // Tokens are never searched for an error; see `decode`.
        if !context.yieldsTokens, let error = OAuthError(inSuccess: response, hiding: secrets, now: clock.now) {
            throw error
        }
        return response
    }

    /// Sends a request; only its connection ends a refresh.
    private func respond(to request: HTTPRequest, _ context: RequestContext) async throws -> HTTPResponse {
        guard context.refreshed != nil else { return try await client.respond(to: request) }
        let answer = try await RefreshAnswer.to(request, from: client)
        if let failure = answer.failure { throw incomplete(answer.response, failure, of: context.refreshed) }
        return answer.response
    }
}

/// A modifier that gives each message of a token request a new proof and a new assertion of the client.
///
/// A server accepts each only once (RFC 9449 §11.1, RFC 7523 §3).
private final class TokenRequestAttempt: RequestModifier {
    private let complete: @Sendable (inout HTTPRequest) throws -> Void
    private let key: DPoPKey?
    private let state = Mutex((wasSent: false, isWorthRepeating: false))

    init(_ complete: @escaping @Sendable (inout HTTPRequest) throws -> Void, key: DPoPKey?) {
        (self.complete, self.key) = (complete, key)
    }

    /// Whether the last response refused the proof, and the next one would be better.
    var isWorthRepeating: Bool { state.withLock { $0.isWorthRepeating } }

    func prepare(_ request: inout HTTPRequest) async throws {
        let wasSent = state.withLock { state in
            defer { state.wasSent = true }
            return state.wasSent
        }
        if wasSent { try complete(&request) }
        try key?.prove(&request, accessToken: nil)
    }

    func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
        let isWorthRepeating = key?.learn(from: response, to: request) ?? false
        state.withLock { $0.isWorthRepeating = isWorthRepeating }
    }
}

extension HTTPResponse {
    /// Returns the members of a response that is a JSON object.
    ///
    /// RFC 8259 §4 does not define duplicate names. The parser refuses them, so that no other parser can read the same
    /// response differently. A byte order mark is ignored (§8.1).
    ///
    /// - Throws: `OAuthError.invalidResponse`, which does not quote the response.
    func members() throws(OAuthError) -> JSONObject {
        let value: JSONValue
        do { value = try JSONValue(parsing: body.bytesWithoutMark) } catch {
            throw .invalidResponse("it is not JSON", status: status)
        }
        guard let members = value.objectValue else {
            throw .invalidResponse("it is not a JSON object", status: status)
        }
        return members
    }
}
