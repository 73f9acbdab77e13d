// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
import LatchCore
import LatchHTTP

/// Sends requests with the signed-in user's token, refreshed when it is due.
///
/// All clients of the same dependencies share one session. It refreshes once for all callers, and stores the result
/// before any caller receives it. It ends only when the issuer or the user ends it.
public struct JWTAuthClient: Sendable {
    /// Returns the base URL of the API; called for each request.
    public var baseURL: @Sendable () throws -> String

    /// Refreshes tokens at the issuer.
    ///
    /// An error does not change the session, unless it is a rejection by the issuer. A rejection is a 401 or 403 with
    /// the issuer's JSON, a response with `invalid_grant`, `AuthTokens.Error.invalidToken` or `.expiredToken`. Any
    /// other 401, such as one with HTML, may come from a gateway. It ends the session only if it repeats after a pause.
    ///
    /// A POST that the closure sends with `httpRequestClient` carries an `Idempotency-Key`, which stays the same if the
    /// refresh must be repeated.
    public var refresh: @Sendable (_ authTokens: AuthTokens) async throws -> AuthTokens

    /// The dependencies from which the client was read; nil if the program created it.
    private var values: AuthDependencies?
    /// The session with which the client was created; nil for the session of its dependencies.
    private(set) var host: SessionHost?

    /// Creates a client from closures.
    public init(
        baseURL: @escaping @Sendable () throws -> String,
        refresh: @escaping @Sendable (_ authTokens: AuthTokens) async throws -> AuthTokens
    ) {
        self.baseURL = baseURL
        self.refresh = refresh
    }

    /// Creates a client over an existing session, such as that of another client for the same account.
    ///
    /// ```swift
    /// let client = JWTAuthClient(baseURL: { "https://api.example.com" }, session: session)
    /// ```
    ///
    /// All clients of the session share its refreshes, sign-ins and sign-outs. The session keeps its own refresh, store
    /// and clock; the dependencies for these have no effect on it.
    ///
    /// - Parameters:
    ///   - baseURL: Returns the base URL of the API; called for each request.
    ///   - session: The session, whose access tokens are JWTs.
    public init(baseURL: @escaping @Sendable () throws -> String, session: Session<Tokens>) {
        self.init(baseURL: baseURL) { tokens in AuthTokens(try await session.refreshed(replacing: tokens.core)) }
        host = SessionHost(of: session)
    }

    /// The session behind this client, for its states and for other clients of the program.
    ///
    /// `AuthTokensClient` and `@Shared(.authSession)` of the same dependencies also act on it.
    public var session: Session<Tokens> { boundDependencies.account.session }

    /// Returns this client bound to the dependencies from which it was read.
    func bound(to values: AuthDependencies?) -> JWTAuthClient {
        var client = self
        client.values = values
        return client
    }

    /// Reads the store, unless it was already read.
    ///
    /// - Throws: `KeychainError.loadingFailed`; the session's state is then still unknown, and the next call tries
    ///   again.
    public nonisolated(nonsending) func loadSession() async throws {
        try await withBoundDependencies { try await $0.account.restore() }
    }

    /// Refreshes the tokens if that is due.
    ///
    /// - Throws: `AuthTokens.Error.missingToken` if no user is signed in and `.invalidToken` if the issuer has ended
    ///   the session. If the tokens are kept, it throws the error of the refresh.
    public nonisolated(nonsending) func refreshExpiredTokens() async throws {
        try await withBoundDependencies { try await $0.account.refreshExpired() }
    }

    /// Runs `body` with the dependencies of this client and its refresh closure.
    private nonisolated(nonsending) func withBoundDependencies<Result>(
        _ body: nonisolated(nonsending) (AuthDependencies) async throws -> Result
    ) async throws -> Result {
        let bound = boundDependencies
        return try await AuthDependencies.$scoped.withValue(bound) { try await body(bound) }
    }

    /// The dependencies of this client, with its refresh closure and its session.
    private var boundDependencies: AuthDependencies {
        var values = values ?? .current
        values.refresh = refresh
        if host != nil { values[JWTAuthClient.self] = bound(to: nil) }
        return values
    }

    /// Sends a request without a token.
    nonisolated(nonsending) func respond(
        to request: Request, _ options: SendingOptions
    ) async throws -> RawResponse {
        let base = try baseURL()
        return try await withBoundDependencies { values in
            let sent = values.wallClock.now
            let raw = try await values.httpRequestClient.respond(to: request, baseURL: base, options)
            // A login is the first chance to detect that this device's clock is wrong.
            values.account.note(raw.response, ofRequestSentAt: sent)
            return raw
        }
    }

    /// Sends a request with the session's token, which is sent only to the base URL's origin.
    nonisolated(nonsending) func respondAuthenticated(
        to request: Request, refreshing: Bool, _ options: SendingOptions
    ) async throws -> RawResponse {
        let base = try baseURL()
        return try await withBoundDependencies { values in
            let account = values.account
            do {
                return try await values.httpRequestClient.respond(to: request, baseURL: base, options) { origin in
                    [
                        SessionInterceptor(account.session, for: .origin(origin), refreshes: refreshing),
                        JWTRequirement(session: account.session),
                    ]
                }
            } catch {
                throw account.mapped(error)
            }
        }
    }
}

extension JWTAuthClient {
    /// Sends a request without a token, and checks only that the response is a success.
    ///
    /// - Throws: `RequestError` and `HTTPRequestClient.Error`.
    public nonisolated(nonsending) func send(
        _ request: Request = Request(), decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<EmptyResponse> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        return try await respond(to: try middleware()(request), options).success(decoder)
    }

    /// Sends a request without a token and reads a success.
    ///
    /// - Throws: `RequestError` and `HTTPRequestClient.Error`.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request = Request(), decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Value> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        return try await respond(to: try middleware()(request), options).success(decoder)
    }

    /// Sends a request without a token and reads a success or the server's error.
    ///
    /// - Throws: `RequestError` and `HTTPRequestClient.Error`.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> Response<Value, ServerError> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        return try await respond(to: try middleware()(request), options).either(decoder).value
    }

    /// Sends a request like the overload above, and also returns its identifier and the head of the response.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Response<Value, ServerError>> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        return try await respond(to: try middleware()(request), options).either(decoder)
    }
}

extension JWTAuthClient {
    /// Sends a request with the session's token, and checks only that the response is a success.
    ///
    /// - Throws: The errors of the other overloads.
    public nonisolated(nonsending) func sendAuthenticated(
        _ request: Request = Request(), refreshExpiredToken: Bool = true, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<EmptyResponse> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        let request = try middleware()(request)
        return try await respondAuthenticated(to: request, refreshing: refreshExpiredToken, options).success(decoder)
    }

    /// Sends a request with the session's token and reads a success.
    ///
    /// The token is refreshed first if that is due. If the server rejects it, the token is refreshed and the request is
    /// sent once more.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - refreshExpiredToken: Whether the token may be refreshed; otherwise the stored token is sent.
    ///   - decoder: The decoder of the content.
    ///   - urlSession: The session that sends the request; nil for the default transport.
    ///   - cachePolicy: The cache policy of `urlSession`; the default transport has no cache.
    ///   - timeoutInterval: The number of seconds that one transfer may take.
    ///   - middleware: Further changes to the request.
    /// - Throws: `AuthTokens.Error`, the error of the refresh, `KeychainError`, `RequestError`, and
    ///   `HTTPRequestClient.Error`.
    public nonisolated(nonsending) func sendAuthenticated<Value: Decodable>(
        _ request: Request = Request(), refreshExpiredToken: Bool = true, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Value> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        let request = try middleware()(request)
        return try await respondAuthenticated(to: request, refreshing: refreshExpiredToken, options).success(decoder)
    }

    /// Sends a request with the session's token and reads a success or the server's error.
    ///
    /// - Throws: The errors of the other overloads.
    public nonisolated(nonsending) func sendAuthenticated<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), refreshExpiredToken: Bool = true, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> Response<Value, ServerError> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        let request = try middleware()(request)
        return try await respondAuthenticated(to: request, refreshing: refreshExpiredToken, options).either(decoder)
            .value
    }

    /// Sends a request like the overload above, and also returns its identifier and the head of the response.
    public nonisolated(nonsending) func sendAuthenticated<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), refreshExpiredToken: Bool = true, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Response<Value, ServerError>> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        let request = try middleware()(request)
        return try await respondAuthenticated(to: request, refreshing: refreshExpiredToken, options).either(decoder)
    }
}
