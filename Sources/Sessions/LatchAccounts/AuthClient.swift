// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchAuth
public import LatchCore
public import LatchHTTP
import LatchJOSE

/// Signs people up, in and out at a backend with e-mail addresses and passwords.
///
/// ```swift
/// let auth = AuthClient(baseURL: url, store: KeychainTokenStore(service: "com.example.app", account: "auth"))
/// try await auth.signIn(email: "ada@example.com", password: password)
/// let notes = try await auth.client.perform(.get("notes", as: [Note].self))
/// ```
///
/// Errors are `AccountError` where the server refuses, `HTTPError` where it cannot be reached, `AuthError` where the
/// session or its store is the reason.
public final class AuthClient: Sendable {
    /// The session that all requests of `client` share.
    public let session: Session<Tokens>

    /// A client at the backend's base URL whose requests carry the session's credential.
    public let client: Client

    /// Sends without a credential and follows no redirect: what it posts are passwords and refresh tokens.
    let open: Client
    /// Relative to the base URL, whose path is kept.
    let endpoints: AccountEndpoints
    /// Reads what both sign-in and renewal answer.
    private let answers: TokenAnswer

    /// A client of the backend at `baseURL`.
    ///
    /// - Parameters:
    ///   - store: Keeps the tokens.
    ///   - endpoints: Where the backend has its routes.
    ///   - refreshUsesCookie: Whether the refresh token may come and go in a cookie where the content has none.
    ///   - policy: When the session renews.
    ///   - transport: What sends the requests.
    ///   - allowingInsecureHTTP: Where plain http may be spoken.
    ///   - clock: The time.
    ///   - random: For idempotency keys and jitter.
    public init(
        baseURL: URL, store: any TokenStore<Tokens>, endpoints: AccountEndpoints = AccountEndpoints(),
        refreshUsesCookie: Bool = false, policy: RenewalPolicy = RenewalPolicy(),
        transport: any Handler = Transport.live, allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        clock: WallClock = .system, random: RandomSource = .system
    ) {
        let open = Client(
            baseURL: baseURL, transport: transport, allowingInsecureHTTP: allowingInsecureHTTP, redirects: .none)
        let answers = TokenAnswer(endpoints: endpoints, usesCookie: refreshUsesCookie, clock: clock)
        var policy = policy
        policy.needsRefreshToken = true
        let session = Session(store: store, policy: policy, clock: clock, random: random) { renewal in
            try await Self.renew(renewal, at: endpoints, over: open, reading: answers)
        }
        self.session = session
        self.open = open
        self.endpoints = endpoints
        self.answers = answers
        // Without an origin every request fails for its URL, and there is nothing to authorise.
        let interceptors = HTTPOrigin(baseURL).map { [SessionInterceptor(session, for: .origin($0))] }
        client = Client(
            baseURL: baseURL, transport: transport, interceptors: interceptors ?? [],
            allowingInsecureHTTP: allowingInsecureHTTP)
    }

    /// Who is signed in, as the current access token says it; nil where nobody is or the token is opaque.
    ///
    /// It is for display. What a person may do is the server's decision.
    public var account: Account? {
        guard let access = session.currentState.credential?.access else { return nil }
        return (try? JWT(unverified: access)).flatMap { Account($0.claims.members) }
    }

    /// Signs a person in.
    ///
    /// - Throws: `AccountError.wrongCredentials`, `tooManyAttempts`, …; nothing is then stored.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> Tokens {
        let sent = answers.clock.now
        let response = try await send(endpoints.signIn, ["email": .string(email), "password": .string(password)])
        guard response.status.isSuccess else { throw AccountError(response, unauthorized: .wrongCredentials) }
        let tokens = try answers.tokens(in: response)
        try await session.signIn(tokens, askedAt: sent)
        return tokens
    }

    /// Signs the person out: here at once, whatever the network does, and then at the server.
    ///
    /// - Returns: Whether the server confirmed; false as well where nobody was signed in.
    /// - Throws: An `AuthError` with a `store…` code where this device cannot forget the tokens.
    @discardableResult
    public func signOut() async throws -> Bool {
        let current = session.currentState.credential
        do {
            guard let last = try await session.signOut() else { return false }
            return await tellSignOut(of: last)
        } catch {
            // The tokens may still lie in the store: at least they become worthless.
            if let current { _ = await tellSignOut(of: current) }
            throw error
        }
    }

    /// Asks the server to forget the session; false where it could not be reached or refused.
    ///
    /// It never throws: here the person is signed out already, and no network may change that.
    private func tellSignOut(of tokens: Tokens) async -> Bool {
        var content: JSONObject = [:]
        if let refresh = tokens.refresh { content["refreshToken"] = .string(refresh) }
        do {
            var request = try Self.request(to: endpoints.signOut, content, over: open)
            try tokens.authorize(&request)
            if tokens.refresh == nil, let cookie = tokens.cookie { request.fields[.cookie] = cookie }
            return try await open.respond(to: request).status.isSuccess
        } catch {
            return false
        }
    }

    /// Posts `content` without a credential; the answer comes back whatever its status is.
    func send(_ path: String, _ content: JSONObject) async throws -> HTTPResponse {
        try await open.respond(to: Self.request(to: path, content, over: open))
    }

    /// A POST of JSON as the backends of this family expect it.
    private static func request(
        to path: String, _ content: JSONObject, over client: Client
    ) throws(HTTPError) -> HTTPRequest {
        try client.request(
            .post, RoutePath(path), fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody(JSONValue.object(content).serialized()))
    }

    /// One renewal at the backend, for the session's `renew`.
    ///
    /// Static, since the session is made before the client is and must not keep it alive.
    ///
    /// - Throws: `AuthError.reauthenticationRequired` where there is nothing to renew with: the session ends by it.
    private static func renew(
        _ renewal: Renewal<Tokens>, at endpoints: AccountEndpoints, over client: Client, reading answers: TokenAnswer
    ) async throws -> Tokens {
        let tokens = renewal.credential
        var content: JSONObject = [:]
        if let refresh = tokens.refresh { content["refreshToken"] = .string(refresh) }
        guard tokens.refresh != nil || tokens.cookie != nil else { throw AuthError.reauthenticationRequired }
        var request = try request(to: endpoints.refresh, content, over: client)
        if tokens.refresh == nil, let cookie = tokens.cookie { request.fields[.cookie] = cookie }
        request.fields[.idempotencyKey] = renewal.idempotencyKey
        let response = try await client.respond(to: request)
        try response.requireSuccess()
        return try answers.tokens(in: response, renewing: tokens)
    }
}
