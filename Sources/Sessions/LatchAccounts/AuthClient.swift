// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchFoundation
public import LatchHTTP
import LatchJOSE
import LatchOAuth
import Synchronization

/// A client of an account backend with email addresses and passwords: it signs users up, in and out.
///
/// ```swift
/// let auth = AuthClient(baseURL: url, store: KeychainTokenStore(service: "com.example.app", account: "auth"))
/// try await auth.signIn(email: "ada@example.com", password: password)
/// let notes = try await auth.client.perform(.get("notes", as: [Note].self))
/// ```
///
/// It throws `AccountError` if the server refuses, `HTTPError` if the server cannot be reached, and `AuthError` for the
/// session and its store.
public final class AuthClient: Sendable {
    /// The session that all requests of `client` share.
    public let session: Session<Tokens>

    /// A client of the backend's base URL whose requests carry the session's credential.
    public let client: Client

    /// A client without a credential.
    ///
    /// It follows no redirect, because its requests contain passwords and refresh tokens.
    let openClient: Client
    /// The base URL of the backend.
    package let baseURL: URL
    /// The paths of the backend, relative to the base URL.
    ///
    /// The path of the base URL is kept.
    let endpoints: AccountEndpoints
    /// The decoder of the responses to sign-ins and refreshes.
    let tokenDecoder: AccountTokenDecoder
    /// The source of idempotency keys.
    let random: RandomSource
    /// The sign-in at other providers.
    let providerSignIn: ProviderSignIn
    /// Whether the backend has the RPCs of `userservice.v1.UserService`.
    ///
    /// They edit the profile, change the password, manage the second factor and the devices, and delete the account.
    ///
    /// False if `AccountEndpoints.userService` is nil. Also false after a response shows that the service is missing,
    /// until a later response shows that it exists.
    public var hasUserService: Bool { endpoints.userService != nil && userServiceIsMissing.withLock { !$0 } }

    /// Whether a response has shown that the backend has no user service.
    let userServiceIsMissing = Mutex(false)

    /// Creates a client of the backend at `baseURL`.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the backend.
    ///   - store: The store of the tokens.
    ///   - endpoints: The paths of the backend.
    ///   - refreshUsesCookie: Whether a cookie may carry the refresh token if the content has none.
    ///   - policy: The times at which the session refreshes its tokens.
    ///   - transport: The handler that sends the requests.
    ///   - interceptors: The interceptors around the transport, such as logs. They see all requests, including those
    ///     with passwords.
    ///   - allowingInsecureHTTP: The hosts that may be addressed by plain http.
    ///   - timeout: The timeout of one request; nil for that of the transport. A refresh that was sent has no timeout:
    ///     it ends with its connection.
    ///   - decoder: The decoder of the responses to the requests of `client`.
    ///   - clock: The clock of the session, and of the expiry of tokens and cookies.
    ///   - random: The source of idempotency keys and jitter.
    public init(
        baseURL: URL, store: any TokenStore<Tokens>, endpoints: AccountEndpoints = AccountEndpoints(),
        refreshUsesCookie: Bool = false, policy: RefreshPolicy = RefreshPolicy(),
        transport: any Handler = Transport.live, interceptors: [any Interceptor] = [],
        allowingInsecureHTTP: InsecureHTTP = .loopbackOnly, timeout: Duration? = nil,
        decoder: JSONDecoder = JSONDecoder(), clock: WallClock = .system, random: RandomSource = .system
    ) {
        let openClient = Client(
            baseURL: baseURL, transport: RefreshTransport(transport, .camelCase, clock: clock),
            interceptors: interceptors, allowingInsecureHTTP: allowingInsecureHTTP, redirects: .none, timeout: timeout)
        let tokenDecoder = AccountTokenDecoder(endpoints: endpoints, usesCookie: refreshUsesCookie, clock: clock)
        var policy = policy
        policy.needsRefreshToken = true
        let refresh: @Sendable (RefreshRequest<Tokens>) async throws -> Tokens = { request in
            try await Self.refresh(request, at: endpoints, over: openClient, decoding: tokenDecoder)
        }
        let session = Session(
            store: store, policy: policy, clock: clock, random: random, executor: nil, issuer: nil,
            revoke: { tokens in
                await Self.endServerSession(of: tokens, at: endpoints, over: openClient) {
                    try await refresh(RefreshRequest(credential: tokens, idempotencyKey: random.identifier()))
                }
            }, refresh: refresh)
        self.session = session
        self.baseURL = baseURL
        self.openClient = openClient
        self.endpoints = endpoints
        self.tokenDecoder = tokenDecoder
        self.random = random
        providerSignIn = ProviderSignIn(
            client: openClient, endpoints: endpoints, decoder: tokenDecoder,
            allowingInsecureHTTP: allowingInsecureHTTP, random: random)
        // Without an origin, every request fails because of its URL, so no request needs a credential.
        let authorization = HTTPOrigin(baseURL).map { SessionInterceptor(session, for: .origin($0)) }
        client = Client(
            baseURL: baseURL, transport: transport, interceptors: [authorization].compactMap(\.self) + interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: timeout, decoder: decoder)
    }

    /// Creates a client over an existing session, such as that of a listed account or of another library in the app.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the backend.
    ///   - session: The session, which refreshes its tokens itself.
    ///   - endpoints: The paths of the backend.
    ///   - transport: The handler that sends the requests.
    ///   - allowingInsecureHTTP: The hosts that may be addressed by plain http.
    ///   - timeout: The timeout of one request; nil for that of the transport.
    public init(
        baseURL: URL, session: Session<Tokens>, endpoints: AccountEndpoints = AccountEndpoints(),
        transport: any Handler = Transport.live, allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        timeout: Duration? = nil
    ) {
        let openClient = Client(
            baseURL: baseURL, transport: transport, allowingInsecureHTTP: allowingInsecureHTTP, redirects: .none,
            timeout: timeout)
        let tokenDecoder = AccountTokenDecoder(endpoints: endpoints, usesCookie: false, clock: .system)
        self.session = session
        self.baseURL = baseURL
        self.openClient = openClient
        self.endpoints = endpoints
        self.tokenDecoder = tokenDecoder
        random = .system
        providerSignIn = ProviderSignIn(
            client: openClient, endpoints: endpoints, decoder: tokenDecoder,
            allowingInsecureHTTP: allowingInsecureHTTP, random: .system)
        let authorization = HTTPOrigin(baseURL).map { SessionInterceptor(session, for: .origin($0)) }
        client = Client(
            baseURL: baseURL, transport: transport, interceptors: [authorization].compactMap(\.self),
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: timeout)
    }

    /// Posts `content`, and returns the response with any status.
    ///
    /// The request has no credential unless `sender` adds one.
    ///
    /// - Parameter key: The Idempotency-Key; nil for none.
    func send(
        _ path: String, _ content: JSONObject, key: String? = nil, over sender: Client? = nil
    ) async throws -> HTTPResponse {
        let sender = sender ?? openClient
        var request = try Self.request(to: path, content, over: sender)
        request.fields[.idempotencyKey] = key
        return try await sender.respond(to: request)
    }

    /// Creates a POST of JSON as these backends expect it.
    private static func request(
        to path: String, _ content: JSONObject, over client: Client
    ) throws(HTTPError) -> HTTPRequest {
        try client.request(
            .post, RoutePath(path), fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody(JSONValue.object(content).serialized()))
    }

    /// Creates a POST that carries the refresh token, in the content or as a cookie.
    private static func request(
        to path: String, refreshing tokens: Tokens, over client: Client
    ) throws(HTTPError) -> HTTPRequest {
        guard let refresh = tokens.refresh else {
            var request = try request(to: path, [:], over: client)
            request.fields[.cookie] = tokens.cookie
            return request
        }
        return try request(to: path, ["refreshToken": .string(refresh)], over: client)
    }
}

// MARK: - Signing in and out

extension AuthClient {
    /// Signs a user in.
    ///
    /// - Parameters:
    ///   - email: The address of the account.
    ///   - password: The password, as the user types it.
    ///   - code: A code of the second factor, or a recovery code, if the account has one.
    /// - Throws: `AccountError.wrongCredentials`, `secondFactorRequired`, `wrongCode`, `tooManyAttempts`, …; nothing is
    ///   stored then.
    @discardableResult
    public func signIn(email: String, password: String, code: String? = nil) async throws -> Tokens {
        try await signIn(
            at: endpoints.signIn, ["email": .string(email), "password": .string(password)], code: code,
            conflict: .refused)
    }

    /// Sends the proof of the user's identity with a code of the second factor, and signs the session in.
    func signIn(
        at path: String, _ proof: JSONObject, code: String?, key: String? = nil,
        unauthorized: AccountError = .wrongCredentials,
        conflict: AccountError = .emailTaken
    ) async throws -> Tokens {
        let sent = tokenDecoder.clock.now
        var content = proof
        if let code { content["otp"] = .string(code) }
        let response = try await send(path, content, key: key)
        guard response.status.isSuccess else {
            throw AccountError(response, unauthorized: unauthorized, conflict: conflict)
        }
        let tokens = try tokenDecoder.tokens(in: response)
        try await session.signIn(tokens, requestedAt: sent)
        return tokens
    }

    /// Authenticates the signed-in user again, for requests that need a recent authentication (RFC 9470).
    ///
    /// Such a request fails with `AuthError.stepUpRequired`. Ask the user for the password, call this function, and
    /// send the request again. Users without a password authenticate by ``reauthenticate(withPasskeyFrom:)`` or
    /// ``reauthenticate(through:using:redirectingTo:code:)``. The tokens stay the same, and the pending
    /// `session.stepUp` ends.
    ///
    /// ```swift
    /// do {
    ///     try await changeEmail()
    /// } catch AuthError.stepUpRequired {
    ///     try await auth.reauthenticate(password: await askForPassword())
    ///     try await changeEmail()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - password: The password, as the user types it.
    ///   - code: A code of the second factor, or a recovery code, if the account has one.
    /// - Throws: `AccountError.wrongCredentials`, `secondFactorRequired`, `wrongCode`, `tooManyAttempts`, …; the user
    ///   stays signed in.
    public func reauthenticate(password: String, code: String? = nil) async throws {
        try await reauthenticate(["password": .string(password)], code: code)
    }

    /// Sends the proof of the user's identity, with a code of the second factor.
    func reauthenticate(_ proof: JSONObject, code: String?, unauthorized: AccountError = .refused) async throws {
        var content = proof
        if let code { content["otp"] = .string(code) }
        let response = try await send(endpoints.reauthenticate, content, over: client)
        _ = try response.members(unauthorized: unauthorized)
        await session.completeStepUp()
    }

    /// Signs the user out: first on this device, with or without a network, and then at the server.
    ///
    /// - Returns: Whether the server confirmed the sign-out; also false if no user was signed in.
    /// - Throws: An `AuthError` with a `store…` code if this device cannot remove the tokens.
    @discardableResult
    public func signOut() async throws -> Bool {
        try await session.signOutAndRevoke()
    }

    /// Asks the server to end the session.
    ///
    /// It never throws, because the user is already signed out on this device, and no network failure may change that.
    /// The access token may have expired long ago if the user signed out offline; this request then refreshes it first.
    private static func endServerSession(
        of tokens: Tokens, at endpoints: AccountEndpoints, over client: Client, refreshing: () async throws -> Tokens
    ) async -> RevocationOutcome {
        do {
            let response = try await responseToSignOut(with: tokens, at: endpoints, over: client)
            // A gateway that demands authentication would reject the refresh too.
            guard response.status == .unauthorized, !response.hasForeignChallenge, tokens.isRefreshable else {
                return response.revocationOutcome
            }
            return try await responseToSignOut(with: refreshing(), at: endpoints, over: client).revocationOutcome
        } catch let error as HTTPError where error.response.map({ $0.refreshRefusal != nil }) ?? false {
            // If the backend itself refuses the refresh, the server has already ended the session.
            return error.isDoubtfulEnd ? .unavailable : .refused
        } catch {
            return .unavailable
        }
    }

    private static func responseToSignOut(
        with tokens: Tokens, at endpoints: AccountEndpoints, over client: Client
    ) async throws -> HTTPResponse {
        var request = try request(to: endpoints.signOut, refreshing: tokens, over: client)
        try tokens.authorize(&request)
        return try await client.respond(to: request)
    }

    /// Refreshes tokens at the backend, for the session's closure.
    ///
    /// It is static because the session is created before the client and must not retain it.
    ///
    /// - Throws: `AuthError.reauthenticationRequired` without a refresh token, which ends the session.
    ///   `IncompleteRefresh` if only the refresh token of the response is usable.
    static func refresh(
        _ refresh: RefreshRequest<Tokens>, at endpoints: AccountEndpoints, over client: Client,
        decoding decoder: AccountTokenDecoder
    ) async throws -> Tokens {
        let tokens = refresh.credential
        // These backends issue one access token for all resources.
        guard refresh.target == nil else { throw AuthError.notRefreshable }
        guard tokens.isRefreshable else { throw AuthError.reauthenticationRequired }
        var request = try request(to: endpoints.refresh, refreshing: tokens, over: client)
        request.fields[.idempotencyKey] = refresh.idempotencyKey
        let answer = try await RefreshAnswer.to(request, from: client)
        do {
            if let failure = answer.failure { throw failure }
            try answer.response.requireSuccess()
            return try decoder.tokens(in: answer.response, refreshing: tokens)
        } catch {
            guard let grant = decoder.grant(in: answer.response, refreshing: tokens) else { throw error }
            throw IncompleteRefresh(grant: grant, error: error)
        }
    }
}

// MARK: - The account

extension AuthClient {
    /// The signed-in account according to the current access token; nil if there is none or the token is opaque.
    ///
    /// It is for display only: the server decides about permissions.
    public var account: Account? {
        guard let access = session.currentState.credential?.access else { return nil }
        return (try? JWT(unverified: access)).flatMap { Account($0.claims.members) }
    }

    /// Returns the signed-in account according to the server.
    public func profile() async throws -> Account {
        try account(in: try await client.respond(to: client.request(.get, RoutePath(endpoints.profile))))
    }

    /// Creates an account without signing in.
    ///
    /// - Parameters:
    ///   - email: The email address of the account.
    ///   - password: The password of the account.
    ///   - name: The display name; nil or empty to leave it out of the request.
    ///   - roles: The requested roles. Servers should ignore them in self-registration.
    ///   - attributes: The values of the app's own fields by name, sent as the member `attributes`. This project's
    ///     server stores those of its setting `signup_attributes`; other servers may ignore them.
    ///   - acceptedTerms: The version of the terms that the user has accepted, sent as the member `acceptedTerms`.
    /// - Throws: `AccountError.emailTaken`, `invalidEmail`, or `refused` with the server's message and the refused
    ///   `field`. `invalidResponse` if the server does not return the account's identifier.
    @discardableResult
    public func signUp(
        email: String, password: String, name: String? = nil, roles: [String] = [], attributes: [String: String] = [:],
        acceptedTerms: String? = nil
    ) async throws -> Account {
        var content = Self.details(name: name, attributes: attributes, acceptedTerms: acceptedTerms)
        (content["email"], content["password"]) = (.string(email), .string(password))
        if !roles.isEmpty { content["roles"] = .array(roles.map(JSONValue.string)) }
        return try account(in: try await send(endpoints.signUp, content))
    }

    /// Returns the members of a sign-up with details, without empty ones.
    static func details(name: String?, attributes: [String: String], acceptedTerms: String?) -> JSONObject {
        var content: JSONObject = [:]
        if let name, !name.isEmpty { content["name"] = .string(name) }
        if !attributes.isEmpty {
            let sorted = attributes.sorted { $0.key < $1.key }
            content["attributes"] = .object(JSONObject(sorted.map { ($0.key, .string($0.value)) }))
        }
        if let acceptedTerms { content["acceptedTerms"] = .string(acceptedTerms) }
        return content
    }

    /// Invites a person by an email from the server.
    ///
    /// The signed-in user needs the permission to invite.
    ///
    /// - Parameters:
    ///   - email: The email address of the new account.
    ///   - name: The display name; nil or empty to leave it out of the request.
    ///   - roles: The requested roles; the server decides which to grant.
    /// - Throws: `AccountError.emailTaken`, or `refused` with the server's message. `invalidResponse` if the server
    ///   does not return the account's identifier; `AuthError.missingToken` if no user is signed in.
    @discardableResult
    public func invite(email: String, name: String? = nil, roles: [String] = []) async throws -> Account {
        var content: JSONObject = ["email": .string(email)]
        if let name, !name.isEmpty { content["name"] = .string(name) }
        if !roles.isEmpty { content["roles"] = .array(roles.map(JSONValue.string)) }
        return try account(in: try await send(endpoints.invitation, content, over: client))
    }

    /// Requests an email with a link to set a new password.
    ///
    /// - Returns: The server's message, which is the same for known and unknown addresses.
    @discardableResult
    public func requestPasswordReset(email: String) async throws -> String? {
        try await message(from: endpoints.forgotPassword, withAccountType(["email": .string(email)]))
    }

    /// Sets a new password with the token from that email, which ends all sessions of the account.
    ///
    /// - Throws: `AccountError.refused` if the token is used, expired or unknown, or the password is too weak.
    /// - Returns: The address of the account, if the server states it.
    @discardableResult
    public func resetPassword(token: String, newPassword: String) async throws -> MailedLinkResult {
        let content: JSONObject = ["token": .string(token), "password": .string(newPassword)]
        return MailedLinkResult(try await send(endpoints.resetPassword, withAccountType(content)).members())
    }

    /// Confirms an email address with the token from the email.
    ///
    /// The token proves who reads the mailbox, but not who chose the password: an attacker may have signed up with the
    /// address. `password` proves both. A signed-in client proves both too: it needs no password, and stays signed in
    /// when the first confirmation signs out all other devices. Without either proof, the server confirms only the
    /// address, or refuses.
    ///
    /// - Parameters:
    ///   - token: The token from the email.
    ///   - password: The password of the account, as the user types it.
    /// - Returns: The confirmed address, if the server states it.
    /// - Throws: `AccountError.wrongCredentials`; `refused` if the token is used, expired or unknown, or if the server
    ///   requires more proof.
    @discardableResult
    public func verifyEmail(token: String, password: String? = nil) async throws -> MailedLinkResult {
        try await verifyEmail(["token": .string(token)], password: password)
    }

    /// Confirms an email address with the code beside the link of the email, which may be on another device.
    ///
    /// The rules are those of the link. Five wrong codes end the code, and not the link.
    ///
    /// - Parameters:
    ///   - code: The code as the user types it.
    ///   - email: The address that got the email.
    ///   - password: The password of the account, as the user types it.
    /// - Returns: The confirmed address, if the server states it.
    /// - Throws: `AccountError.wrongMailedCode` if the code is wrong, used or expired; `wrongCredentials`; `refused` if the
    ///   server requires more proof.
    @discardableResult
    public func verifyEmail(
        code: String, of email: String, password: String? = nil
    ) async throws -> MailedLinkResult {
        try await verifyEmail(["email": .string(email), "code": .string(code)], password: password)
    }

    private func verifyEmail(_ proof: JSONObject, password: String?) async throws -> MailedLinkResult {
        var content = proof
        if let password { content["password"] = .string(password) }
        let sender = password == nil && session.currentState.isSignedIn ? client : openClient
        return MailedLinkResult(try await send(endpoints.verifyEmail, content, over: sender).members())
    }

    /// Requests another email to confirm the address.
    @discardableResult
    public func resendVerification(email: String) async throws -> String? {
        try await message(from: endpoints.resendVerification, ["email": .string(email)])
    }

    /// Adds the account type, for backends that keep several types in one table.
    private func withAccountType(_ content: JSONObject) -> JSONObject {
        var content = content
        if let type = endpoints.accountType { content["type"] = .string(type) }
        return content
    }

    /// Posts, and returns the message of a successful response, if it has one.
    private func message(from path: String, _ content: JSONObject) async throws -> String? {
        try await send(path, content).members()["message"]?.stringValue
    }

    /// Decodes the account of a response.
    ///
    /// - Throws: `AccountError` for a refusal; `invalidResponse` for a success without an account.
    func account(in response: HTTPResponse) throws -> Account {
        guard let account = Account(try response.members()) else { throw AccountError.invalidResponse }
        return account
    }
}
