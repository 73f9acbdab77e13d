// SPDX-License-Identifier: Apache-2.0

/// An interceptor that sends the stored token with each request, and repeats a request with a new token after a 401.
///
/// All requests over one storage share one refresh. Some 401 responses refuse the scope of the token, or the user's
/// authentication. The caller then receives `NetworkError.unauthorized`, because a refresh would not help.
///
/// If a rejected token was replaced in the meantime, the request is sent again without a refresh. A failed refresh
/// changes nothing: waiting requests fail with its error, and the next request tries again. Requests of the refresh
/// strategy through the same provider are sent without the token.
public actor AuthenticationInterceptor<Token: TokenModel>: RequestInterceptor {
    private let authenticator: Authenticator<Token>

    /// Creates an interceptor over a storage.
    ///
    /// - Parameters:
    ///   - tokenStorage: The storage of the token, which several interceptors may share.
    ///   - refreshStrategy: Obtains a token that replaces its argument, which is nil if there is none.
    ///   - shouldAuthenticate: Selects the requests with the token; compare hosts with `URLRequest.isTo(host:)` or
    ///     `isTo(domain:)`. The token is sent only to the configured origin.
    ///   - maxRetryAttempts: Ignored: a request is repeated once, because a second refresh would not help.
    ///   - retryBackoff: The delays after failed refreshes; nil for none.
    public init(
        tokenStorage: TokenStorage<Token>,
        refreshStrategy: @escaping @Sendable (Token?) async throws -> Token,
        shouldAuthenticate: @escaping @Sendable (URLRequest) -> Bool = { _ in true },
        maxRetryAttempts: Int = 2,
        retryBackoff: RetryPolicy? = nil
    ) {
        self.init(
            tokenStorage: tokenStorage, refreshStrategy: { token, _ in try await refreshStrategy(token) },
            shouldAuthenticate: shouldAuthenticate, maxRetryAttempts: maxRetryAttempts, retryBackoff: retryBackoff)
    }

    /// Creates an interceptor whose strategy sends the idempotency key of the refresh.
    ///
    /// A response may be lost after the server has used up the refresh token. The next attempt uses the same key, even
    /// after a crash or in another process. A server that supports the key returns the same token again.
    ///
    /// - Parameters:
    ///   - tokenStorage: The storage of the token, which several interceptors may share.
    ///   - refreshStrategy: Obtains a token that replaces its first argument, which is nil if there is none. The second
    ///     argument is the key, to be sent as `Idempotency-Key`.
    ///   - shouldAuthenticate: Selects the requests with the token.
    ///   - maxRetryAttempts: Ignored: a request is repeated once.
    ///   - retryBackoff: The delays after failed refreshes; nil for none.
    public init(
        tokenStorage: TokenStorage<Token>,
        refreshStrategy: @escaping @Sendable (Token?, String) async throws -> Token,
        shouldAuthenticate: @escaping @Sendable (URLRequest) -> Bool = { _ in true },
        maxRetryAttempts: Int = 2,
        retryBackoff: RetryPolicy? = nil
    ) {
        authenticator = Authenticator(
            storage: tokenStorage, strategy: .init(refresh: refreshStrategy, backoff: retryBackoff),
            obtainsTokenEagerly: false, shouldAuthenticate: shouldAuthenticate)
    }

    /// Returns the request with the token.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { try await authenticator.adapt(request) }

    /// Returns whether there is a new token after a 401.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        try await authenticator.retry(request, response: response, error: error)
    }
}

/// An interceptor that sends the stored cookies with each request, and logs in without cookies or after a 401.
///
/// Concurrent requests share one login. Cookies that responses set are stored. Each cookie is sent only if its domain,
/// path, security and age allow it.
public actor CookieAuthenticationInterceptor: RequestInterceptor {
    private let authenticator: Authenticator<CookieToken>

    /// Creates an interceptor over a storage.
    ///
    /// - Parameters:
    ///   - cookieStorage: The storage of the cookies, which several interceptors may share.
    ///   - loginStrategy: Logs in and returns the cookies.
    ///   - shouldAuthenticate: Selects the requests with cookies; compare hosts with `URLRequest.isTo(host:)`.
    ///   - maxRetryAttempts: Ignored: a request is repeated once.
    ///   - retryBackoff: The delays after failed logins; nil for none.
    public init(
        cookieStorage: TokenStorage<CookieToken>,
        loginStrategy: @escaping @Sendable () async throws -> CookieToken,
        shouldAuthenticate: @escaping @Sendable (URLRequest) -> Bool = { _ in true },
        maxRetryAttempts: Int = 2,
        retryBackoff: RetryPolicy? = nil
    ) {
        authenticator = Authenticator(
            storage: cookieStorage,
            strategy: .init(refresh: { _, _ in try await loginStrategy() }, backoff: retryBackoff),
            obtainsTokenEagerly: true, shouldAuthenticate: shouldAuthenticate)
    }

    /// Returns the request with the cookies that match it.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { try await authenticator.adapt(request) }

    /// Returns whether there are new cookies after a 401.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        try await authenticator.retry(request, response: response, error: error)
    }
}
