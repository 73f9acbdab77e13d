// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

/// Sends requests with the token of who is signed in, renewed when that is due.
///
/// All clients of the same dependencies share one session: it refreshes once for all who wait, stores what it obtained
/// before anybody sees it, and ends when the issuer or the person says so, and by nothing else.
public struct JWTAuthClient: Sendable {
    /// Where the API is; asked for each request.
    public var baseURL: @Sendable () throws -> String

    /// Obtains successors of tokens from the issuer.
    ///
    /// What it throws leaves the session as it is, unless it is the issuer's word: a 401, a 400 with `invalid_grant`,
    /// `AuthTokens.Error.invalidToken` or `.expiredToken`. A POST that it sends with `httpRequestClient` carries an
    /// `Idempotency-Key` that stays the same where the refresh has to be repeated.
    public var refresh: @Sendable (_ authTokens: AuthTokens) async throws -> AuthTokens

    /// The dependencies that the client was taken from; nil where it was made by hand.
    private var values: DependencyValues?

    /// A client of closures.
    public init(
        baseURL: @escaping @Sendable () throws -> String,
        refresh: @escaping @Sendable (_ authTokens: AuthTokens) async throws -> AuthTokens
    ) {
        self.baseURL = baseURL
        self.refresh = refresh
    }

    /// This client for the dependencies that it is taken from.
    func bound(to values: DependencyValues?) -> JWTAuthClient {
        var client = self
        client.values = values
        return client
    }

    /// Reads the store, where that has not succeeded before.
    ///
    /// - Throws: `KeychainError.loadingFailed`; the session is then still unknown, and the next call tries again.
    public nonisolated(nonsending) func loadSession() async throws {
        try await bringing { try await $0.account.restore() }
    }

    /// Renews the tokens where that is due.
    ///
    /// - Throws: `AuthTokens.Error.missingToken` where nobody is signed in, `.invalidToken` where the issuer has ended the
    ///   session, and what the refresh threw where the tokens are kept.
    public nonisolated(nonsending) func refreshExpiredTokens() async throws {
        try await bringing { try await $0.account.refreshExpired() }
    }

    /// Runs a body with the dependencies of this client, and with its way to refresh.
    private nonisolated(nonsending) func bringing<Result>(
        _ body: nonisolated(nonsending) (DependencyValues) async throws -> Result
    ) async throws -> Result {
        var values = values ?? .current
        values.refresh = refresh
        let bound = values
        return try await DependencyValues.$scoped.withValue(bound) { try await body(bound) }
    }

    /// The answer to a request without a token.
    nonisolated(nonsending) func answer(to request: Request, _ options: SendingOptions) async throws -> Answer {
        let base = try baseURL()
        return try await bringing { values in
            let sent = values.wallClock.now
            let answer = try await values.httpRequestClient.answer(to: request, baseURL: base, options)
            // A login is the first chance to learn that this device's clock is wrong.
            if let date = answer.response.fields[.date].flatMap(HTTPDate.init) {
                values.account.session.observe(issuerDate: date.date, ofRequestSentAt: sent)
            }
            return answer
        }
    }

    /// The answer to a request with the session's token, which goes nowhere but to the base URL's origin.
    nonisolated(nonsending) func authenticatedAnswer(
        to request: Request, refreshing: Bool, _ options: SendingOptions
    ) async throws -> Answer {
        let base = try baseURL()
        return try await bringing { values in
            let account = values.account
            do {
                return try await values.httpRequestClient.answer(to: request, baseURL: base, options) { origin in
                    [SessionInterceptor(account.session, for: .origin(origin), renews: refreshing)]
                }
            } catch {
                throw account.facing(error)
            }
        }
    }
}
