// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchFoundation

extension Session where Value == Tokens {
    /// Creates a session whose tokens are refreshed at a token endpoint.
    ///
    /// ```swift
    /// let store = KeychainTokenStore(service: "com.example", account: "ada")
    /// let session = Session(tokenEndpoint: endpoint, store: store)
    /// try await session.signIn(with: PasswordGrant(username: "ada", password: password))
    /// ```
    ///
    /// `OAuthError.invalidGrant` ends the session: the server then no longer accepts the refresh token. Another refusal
    /// that may concern the refresh token ends it if it repeats after five minutes. Failed client authentication, an
    /// outage and a lost network do not affect it. A server may require the user, with `interaction_required` and
    /// similar codes (OpenID Connect Core §3.1.2.6) or a `suberror` of Microsoft Entra. Requests then fail with
    /// `AuthError.stepUpRequired`, and ``LatchAuth/Session/stepUp`` holds the requirement until the user has
    /// authenticated.
    ///
    /// - Parameters:
    ///   - tokenEndpoint: The endpoint that issues the tokens.
    ///   - store: The store of the tokens.
    ///   - policy: The times at which tokens are refreshed.
    ///   - clock: The clock of the session; nil for that of the token endpoint.
    ///   - random: The source of jitter and idempotency keys.
    ///   - executor: The executor of the session's own tasks; nil for the global pool.
    public init(
        tokenEndpoint: TokenEndpoint, store: any TokenStore<Tokens>, policy: RefreshPolicy = RefreshPolicy(),
        clock: WallClock? = nil, random: RandomSource = .system, executor: (any TaskExecutor)? = nil
    ) {
        self.init(
            store: store, policy: policy, clock: clock ?? tokenEndpoint.clock, random: random, executor: executor,
            issuer: tokenEndpoint, revoke: tokenEndpoint.revocation
        ) { request in
            try await tokenEndpoint.refresh(
                request.credential, for: request.target, idempotencyKey: request.idempotencyKey
            ).tokens
        }
    }

    /// Creates a session that ends only when the issuer no longer accepts the refresh token.
    init(
        store: any TokenStore<Tokens>, policy: RefreshPolicy, clock: WallClock, random: RandomSource,
        executor: (any TaskExecutor)?, issuer: any Sendable,
        revoke: @escaping @Sendable (Tokens) async -> RevocationOutcome,
        refreshingBy refresh: @escaping @Sendable (RefreshRequest<Tokens>) async throws -> Tokens
    ) {
        var policy = policy
        policy.needsRefreshToken = true
        self.init(
            store: store, policy: policy, clock: clock, random: random, executor: executor, issuer: issuer,
            revoke: revoke,
            refresh: { request in
                do {
                    return try await refresh(request)
                } catch let error as OAuthError where error == .invalidGrant || error == .noRefreshToken {
                    throw AuthError.reauthenticationRequired.caused(by: error)
                } catch let error as OAuthError {
                    // The issuer continues the session after the user has authenticated, so the session has not ended.
                    guard let requirement = error.requirement else { throw error }
                    throw AuthError.stepUpRequired(requirement, cause: error)
                }
            })
    }

    /// Signs the user in with a grant; nothing is stored if the server refuses.
    ///
    /// - Parameters:
    ///   - grant: The grant that the endpoint exchanges for tokens.
    ///   - endpoint: The token endpoint, which verifies no ID tokens. Nil for that of `init(tokenEndpoint:store:)`, or
    ///     for the client of `init(client:store:)`.
    ///   - key: The key to bind the tokens to (RFC 9449 §5); nil for tokens without a binding.
    /// - Returns: The server's response, with the difference between requested and granted scopes.
    /// - Throws: The errors of `TokenEndpoint.tokens(for:)`, `OAuthError.noTokenEndpoint` without an endpoint, and a
    ///   `store…` code if the tokens cannot be stored.
    @discardableResult
    public func signIn(
        with grant: some Grant, at endpoint: TokenEndpoint? = nil, boundTo key: DPoPKey? = nil
    ) async throws -> TokenResponse {
        let (sent, response): (Date, TokenResponse)
        if let endpoint = endpoint ?? issuer as? TokenEndpoint {
            sent = endpoint.clock.now
            response = try await endpoint.tokens(for: grant, boundTo: key)
        } else if let client = issuer as? AuthorizationClient {
            sent = client.clock.now
            response = try await client.tokens(for: grant, boundTo: key)
        } else {
            throw OAuthError.noTokenEndpoint
        }
        try await signIn(response.tokens, requestedAt: sent)
        return response
    }

    /// Signs the user out: first on this device, with or without a network, and then at the server.
    ///
    /// If the server cannot be reached, it is asked again later, also after the next start of the program, until a user
    /// signs in.
    ///
    /// - Returns: Whether the server confirmed the sign-out; also false if no user was signed in.
    /// - Throws: A `store…` code if this device cannot remove the tokens; they are revoked nevertheless.
    @discardableResult
    public func signOut(revokingAt endpoint: TokenEndpoint) async throws -> Bool {
        try await signOutAndRevoke(by: endpoint.revocation)
    }
}
