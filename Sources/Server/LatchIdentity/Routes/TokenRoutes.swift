// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// The routes of the token and revocation endpoints (RFC 6749, RFC 7009), with the JSON forms that Lazi clients use.
struct TokenRoutes: Sendable {
    private let dependencies: Dependencies
    private let tokens: TokenService
    private let handlers: [OAuthClient.GrantType: any GrantHandler]

    init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        tokens = TokenService(dependencies: dependencies)
        handlers = Dictionary(uniqueKeysWithValues: GrantHandlers.all.map { ($0.grantType, $0.init(dependencies)) })
    }

    /// Adds the routes; every response has the RateLimit fields, and errors the form of RFC 6749 §5.2.
    func add(to router: inout Router) {
        let interceptors: [any Interceptor] = [
            TokenRateLimitInterceptor(dependencies: dependencies, format: .oauth),
            IdentityErrorInterceptor(format: .oauth), QueryInterceptor(),
        ]
        router.group(prefix: "/oauth", interceptors: interceptors) { oauth in
            oauth.post("/token", token)
            oauth.post("/token/refresh", refresh)
            oauth.post("/revoke", revoke)
        }
    }

    /// Dispatches a token request to the handler of its grant type (RFC 6749 §4).
    @Sendable private func token(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try OAuthForm(request)
        let client = try form.client(of: request, dependencies)
        return try await tokens(
            try form.required("grant_type"),
            for: try TokenRequest(request, client: client, parameters: form.parameters))
    }

    /// Handles `grant_type=refresh_token` as JSON and for the server's own client, as Lazi clients send it.
    @Sendable private func refresh(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        var parameters = ["refresh_token": try body.text("refresh_token")]
        parameters["scope"] = try body.optionalText("scope")
        return try await tokens(
            OAuthClient.GrantType.refreshToken.rawValue,
            for: try TokenRequest(request, client: dependencies.clients.firstParty, parameters: parameters))
    }

    /// Returns the response of the grant's handler, if the client may use the grant.
    private func tokens(_ grantType: String, for request: TokenRequest) async throws -> HTTPResponse {
        guard let type = OAuthClient.GrantType(rawValue: grantType), let handler = handlers[type] else {
            throw IdentityError.unsupportedGrantType
        }
        guard request.client.grants.contains(type) else { throw IdentityError.unauthorizedClient }
        return try .oauthTokens(try await handler.tokens(for: request), for: request.client)
    }

    /// Revokes a token: 200 for every token, whatever it is or was (RFC 7009 §2.2).
    ///
    /// `token_type_hint` is not needed to tell the two kinds apart, and a wrong one changes nothing (§2.1).
    @Sendable private func revoke(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.mediaType != "application/json" else { return try await revokeByBearer(request) }
        let form = try OAuthForm(request)
        let client = try form.client(of: request, dependencies)
        try await tokens.revoke(try form.required("token"), by: client)
        return HTTPResponse(status: .ok, fields: [.cacheControl: "no-store"])
    }

    /// Revokes one of the principal's own tokens, as Lazi clients send it: `{token, token_type_hint}` with an access
    /// token as the credential.
    private func revokeByBearer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try request.jsonObject().text("token")
        guard let access = request.bearerToken else { throw IdentityError.invalidToken }
        let principal = try await tokens.authenticate(accessToken: access)
        // RFC 7009 §2.1: a confidential client authenticates, and an access token does not authenticate it.
        guard let client = dependencies.clients[principal.clientID], !client.isConfidential else {
            throw IdentityError.invalidClient
        }
        try await tokens.revoke(token, by: client, of: principal.accountID)
        return .message("The token is revoked.")
    }
}
