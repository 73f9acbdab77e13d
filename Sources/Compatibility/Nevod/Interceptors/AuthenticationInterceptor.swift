// SPDX-License-Identifier: Apache-2.0

/// Sends the stored token with each request, and after a 401 once more with a fresh one.
///
/// All requests over one storage share one refresh. A request that was refused with a token that has been replaced since
/// is sent again without a refresh. A refresh that fails changes nothing: the next request tries again, and all who wait
/// get its error as it is. Requests that the refresh strategy makes through the same provider go without the token.
public actor AuthenticationInterceptor<Token: TokenModel>: RequestInterceptor {
    private let authenticator: Authenticator<Token>

    /// An interceptor over a storage.
    ///
    /// - Parameters:
    ///   - tokenStorage: Keeps the token; several interceptors may share it.
    ///   - refreshStrategy: Obtains a token in place of the one it gets, which is nil where there is none.
    ///   - shouldAuthenticate: Which requests get the token; compare hosts by `URLRequest.isTo(host:)` or
    ///     `isTo(domain:)`. Wherever it says yes, the token goes to the configured origin and no other.
    ///   - maxRetryAttempts: Kept for its name: however large, a request is sent once more, since a token that is refused
    ///     fresh is not refused for its age.
    ///   - retryBackoff: The pauses after a failed refresh, before which there is no other; nil makes none.
    public init(
        tokenStorage: TokenStorage<Token>,
        refreshStrategy: @escaping @Sendable (Token?) async throws -> Token,
        shouldAuthenticate: @escaping @Sendable (URLRequest) -> Bool = { _ in true },
        maxRetryAttempts: Int = 2,
        retryBackoff: RetryPolicy? = nil
    ) {
        authenticator = Authenticator(
            storage: tokenStorage, strategy: .init(refresh: refreshStrategy, backoff: retryBackoff),
            obtainsFirst: false, shouldAuthenticate: shouldAuthenticate)
    }

    /// The request with the token.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { try await authenticator.adapt(request) }

    /// Whether there is a fresh token after a 401.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        try await authenticator.retry(request, error: error)
    }
}
