// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore

extension Session where Value == Tokens {
    /// A session whose tokens are renewed at a token endpoint.
    ///
    /// ```swift
    /// let session = Session(tokenEndpoint: endpoint, store: KeychainTokenStore(service: "com.example", account: "ada"))
    /// ```
    ///
    /// Only `OAuthError.invalidGrant` ends it: the issuer's word that the refresh token is worth nothing any more. A
    /// program that cannot prove itself, an outage and a lost network leave it as it is.
    ///
    /// - Parameters:
    ///   - tokenEndpoint: Where the tokens come from.
    ///   - store: Keeps the tokens.
    ///   - policy: When to renew.
    ///   - clock: The time; nil for that of the token endpoint.
    ///   - random: For jitter and idempotency keys.
    ///   - executor: Where the session's own tasks run; nil means the global pool.
    public init(
        tokenEndpoint: TokenEndpoint, store: any TokenStore<Tokens>, policy: RenewalPolicy = RenewalPolicy(),
        clock: WallClock? = nil, random: RandomSource = .system, executor: (any TaskExecutor)? = nil
    ) {
        var policy = policy
        policy.needsRefreshToken = true
        self.init(
            store: store, policy: policy, clock: clock ?? tokenEndpoint.clock, random: random, executor: executor
        ) { renewal in
            do {
                return try await tokenEndpoint.renew(renewal.credential, idempotencyKey: renewal.idempotencyKey).tokens
            } catch let error as OAuthError where error == .invalidGrant || error == .noRefreshToken {
                throw AuthError.reauthenticationRequired.caused(by: error)
            }
        }
    }

    /// Signs a person in with a grant; nothing is stored where the issuer refuses.
    ///
    /// - Parameter key: What the tokens are to be bound to (RFC 9449 §5).
    /// - Returns: What the issuer answered, with how the scopes differ from what was asked for.
    /// - Throws: What `TokenEndpoint.tokens(for:)` throws, and a `store…` code where the tokens cannot be stored.
    @discardableResult
    public func signIn(
        with grant: some Grant, at endpoint: TokenEndpoint, boundTo key: DPoPKey? = nil
    ) async throws -> TokenResponse {
        let sent = endpoint.clock.now
        let response = try await endpoint.tokens(for: grant, boundTo: key)
        try await signIn(response.tokens, askedAt: sent)
        return response
    }

    /// Signs the person out: here at once, whatever the network does, and then at the issuer.
    ///
    /// - Returns: Whether the issuer confirmed; false as well where nobody was signed in.
    /// - Throws: A `store…` code where this device cannot forget the tokens; they are revoked nevertheless.
    @discardableResult
    public func signOut(revokingAt endpoint: TokenEndpoint) async throws -> Bool {
        let current = currentState.credential
        do {
            guard let last = try await signOut() else { return false }
            return await endpoint.isRevoked(last)
        } catch {
            // The tokens may still lie in the store: at least they become worthless.
            if let current { _ = await endpoint.isRevoked(current) }
            throw error
        }
    }
}
