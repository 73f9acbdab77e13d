// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchFoundation
import LatchJOSE
import Synchronization

extension Session where Value == Tokens {
    /// Creates a session that refreshes its tokens at an authorization server, which is found by its issuer.
    ///
    /// It differs from ``init(tokenEndpoint:store:policy:clock:random:executor:)`` in that the first refresh fetches
    /// the server's metadata. The ID token of a refresh replaces that of the sign-in if it is valid and for the same
    /// user (OpenID Connect Core §12.2).
    ///
    /// - Parameters:
    ///   - client: The client of the server.
    ///   - store: The store of the tokens.
    ///   - policy: The times at which tokens are refreshed.
    ///   - random: The source of jitter and idempotency keys.
    ///   - executor: The executor of the session's own tasks; nil for the global pool.
    public init(
        client: AuthorizationClient, store: any TokenStore<Tokens>, policy: RefreshPolicy = RefreshPolicy(),
        random: RandomSource = .system, executor: (any TaskExecutor)? = nil
    ) {
        self.init(
            store: store, policy: policy, clock: client.clock, random: random, executor: executor, issuer: client,
            revoke: client.revocation, refreshingBy: client.refresh)
    }

    /// Signs a user in through a browser, and returns the session.
    ///
    /// ```swift
    /// let configuration = OAuthConfiguration.microsoft(clientID: "…")
    /// let session = try await Session.signIn(with: configuration, using: browser, store: store)
    /// ```
    ///
    /// At the next launch, continue the session with ``init(client:store:policy:random:executor:)``, from the same
    /// store and with a client of the same configuration.
    ///
    /// - Parameters:
    ///   - configuration: The server and the registration of this program.
    ///   - browser: The browser that shows the server's page.
    ///   - store: The store of the tokens.
    ///   - request: The parameters of the request.
    /// - Throws: The errors of the browser, and those of ``AuthorizationClient/finish(_:)-(URL)``; nothing is stored
    ///   then.
    public static func signIn(
        with configuration: OAuthConfiguration, using browser: some Browser, store: any TokenStore<Tokens>,
        request: AuthorizationRequest = AuthorizationRequest()
    ) async throws -> Session<Tokens> {
        let session = Session(client: AuthorizationClient(configuration), store: store)
        try await session.signIn(using: browser, request)
        return session
    }

    /// Signs the user in through a browser; if that fails, nothing is stored, and the previous user stays signed in.
    ///
    /// - Parameters:
    ///   - browser: The browser that shows the server's page.
    ///   - request: The parameters of the request.
    ///   - key: The key to bind the tokens to (RFC 9449 §10); nil for tokens without a binding.
    /// - Returns: The server's response with the verified ID token.
    /// - Throws: The errors of the browser and those of ``AuthorizationClient/finish(_:)-(URL)``. A `store…` code if
    ///   the tokens cannot be stored, and `OAuthError.noAuthorizationClient` for a session without a client.
    @discardableResult
    public func signIn(
        using browser: some Browser, _ request: AuthorizationRequest = AuthorizationRequest(),
        boundTo key: DPoPKey? = nil
    ) async throws -> TokenResponse {
        guard let client = issuer as? AuthorizationClient else { throw OAuthError.noAuthorizationClient }
        let sent = client.clock.now
        let response = try await client.authorize(request, using: browser, boundTo: key)
        try await signIn(response.tokens, requestedAt: sent)
        return response
    }
}

extension AuthorizationClient {
    /// Obtains tokens through a browser, without a session.
    ///
    /// - Parameters:
    ///   - request: The parameters of the request.
    ///   - browser: The browser that shows the server's page.
    ///   - key: The key to bind the tokens to (RFC 9449 §10); nil for tokens without a binding.
    /// - Throws: The errors of the browser, and those of ``finish(_:)-(URL)``.
    public func authorize(
        _ request: AuthorizationRequest = AuthorizationRequest(), using browser: some Browser,
        boundTo key: DPoPKey? = nil
    ) async throws -> TokenResponse {
        let begun = Mutex<AuthorizationAttempt?>(nil)
        let callback = try await browser.authorize(redirectingTo: configuration.redirectURI) { redirectURI in
            let attempt = try await self.begin(request, redirectURI: redirectURI, boundTo: key)
            begun.withLock { $0 = attempt }
            return attempt
        }
        // A response to an earlier attempt would be checked against that attempt's requirements.
        guard begun.withLock({ $0 })?.isAnswered(by: callback) == true else { throw OAuthError.stateMismatch }
        return try await finish(callback)
    }

    /// Fetches the server's keys unless they are known.
    ///
    /// Without them an ID token cannot be verified and is dropped, but the refresh does not fail.
    private func fetchKeys() async {
        do { _ = try await resolved().idTokens?.keys?.keys() } catch { return }
    }

    /// Revokes tokens for a session that has ended here.
    @Sendable package func revocation(_ tokens: Tokens) async -> RevocationOutcome {
        do { return try await tokenEndpoint().revocation(tokens) } catch { return .unavailable }
    }

    /// Refreshes tokens for a session.
    ///
    /// When the response arrives, the issuer has used up the refresh token, and the successor is not stored yet. No
    /// request may delay that, so the keys for the ID token are fetched before.
    @Sendable func refresh(_ request: RefreshRequest<Tokens>) async throws -> Tokens {
        if request.credential.idToken != nil { await fetchKeys() }
        // After the response, nothing is awaited that a cancellation or another request could end or delay.
        let resolved = try await resolved()
        let sent = clock.now
        var tokens = try await resolved.endpoint.refresh(
            request.credential, for: request.target, idempotencyKey: request.idempotencyKey
        ).tokens
        guard let idToken = tokens.idToken else { return tokens }
        do {
            var expectations = IDTokenExpectations(accessToken: tokens.access)
            expectations.predecessor = request.credential.idToken
            expectations.isUrgent = true
            expectations.clockOffset = clockOffset(in: tokens, sent: sent)
            tokens.idToken = try await resolved.verifiedToken(idToken, expectations).signed
        } catch let error as OAuthError where error == .issuerMismatch || error == .differentUser {
            // Core §12.2: another user's tokens must not continue this session.
            await resolved.endpoint.discard(tokens)
            throw AuthError.reauthenticationRequired.caused(by: error)
        } catch {
            // The refresh token is used up, so an ID token that is not valid must not cost the session. The sign-in's
            // ID token stays valid.
            tokens.idToken = nil
        }
        return tokens
    }
}
