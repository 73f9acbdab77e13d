// SPDX-License-Identifier: Apache-2.0

/// Sends the stored cookies with each request, and logs in where there are none, or after a 401.
///
/// The login comes before the first request, once for all that come meanwhile. What answers set is taken over and stored.
/// Each cookie goes only where its domain, path and security allow it, and not beyond its age.
public actor CookieAuthenticationInterceptor: RequestInterceptor {
    private let authenticator: Authenticator<CookieToken>

    /// An interceptor over a storage.
    ///
    /// - Parameters:
    ///   - cookieStorage: Keeps the cookies; several interceptors may share it.
    ///   - loginStrategy: Logs in, and gives the cookies that it got.
    ///   - shouldAuthenticate: Which requests get cookies; compare hosts by `URLRequest.isTo(host:)`.
    ///   - maxRetryAttempts: Kept for its name: however large, a request is sent once more.
    ///   - retryBackoff: The pauses after a failed login, before which there is no other; nil makes none.
    public init(
        cookieStorage: TokenStorage<CookieToken>,
        loginStrategy: @escaping @Sendable () async throws -> CookieToken,
        shouldAuthenticate: @escaping @Sendable (URLRequest) -> Bool = { _ in true },
        maxRetryAttempts: Int = 2,
        retryBackoff: RetryPolicy? = nil
    ) {
        authenticator = Authenticator(
            storage: cookieStorage,
            strategy: .init(refresh: { _ in try await loginStrategy() }, backoff: retryBackoff),
            obtainsFirst: true, shouldAuthenticate: shouldAuthenticate)
    }

    /// The request with the cookies that are for it.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { try await authenticator.adapt(request) }

    /// Whether there are fresh cookies after a 401.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        try await authenticator.retry(request, error: error)
    }
}
