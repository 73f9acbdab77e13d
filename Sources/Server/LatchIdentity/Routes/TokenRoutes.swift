// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer
import PortableFoundation

/// The routes of the token and revocation endpoints (RFC 6749, RFC 7009), with the JSON forms that Lazi clients use.
struct TokenRoutes: Sendable {
    let dependencies: Dependencies

    /// Adds the routes; every response has the RateLimit fields, and errors the form of RFC 6749 §5.2.
    func add(to router: inout Router) {
        let interceptors: [any Interceptor] = [
            RequestLimitInterceptor(
                dependencies: dependencies, request: .token, format: .oauth, hasLegacyFields: true),
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
        let parameters = try OAuthParameters(form: request)
        let client = try parameters.client(of: request, dependencies)
        try dependencies.requireTargets(parameters.resources)
        let request = try TokenRequest(request, client: client, parameters: parameters)
        // The scopes of a code or a refresh token are known only once it is used up.
        if let scopes = request.scopes {
            try dependencies.requireScope(of: parameters.resources, in: scopes, for: client)
        }
        return try await tokens(OAuthClient.GrantType(try parameters.required("grant_type")), for: request)
    }

    /// Handles `grant_type=refresh_token` as JSON and for the server's own client, as Lazi clients send it.
    @Sendable private func refresh(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let parameters = OAuthParameters([
            "refresh_token": try body.text("refresh_token"), "scope": try body.optionalText("scope") ?? "",
        ])
        return try await tokens(
            .refreshToken,
            for: try TokenRequest(request, client: dependencies.clients.firstParty, parameters: parameters))
    }

    /// Returns the response of the grant's handler (RFC 6749 §5.1), if the client may use the grant.
    ///
    /// A client that may not use a refresh token gets none.
    private func tokens(_ type: OAuthClient.GrantType, for request: TokenRequest) async throws -> HTTPResponse {
        guard let handler = dependencies.grantHandlers.first(where: { $0.grantType == type }) else {
            throw IdentityError.unsupportedGrantType
        }
        guard request.client.grants.contains(type) else { throw IdentityError.unauthorizedClient }
        // Before a code counts as expired.
        try dependencies.dates.require()
        var content = try await handler.init(dependencies: dependencies).tokens(for: request)
        if !request.client.grants.contains(.refreshToken) { content.refreshToken = nil }
        var response = HTTPResponse.tokenResponse(content, names: .snakeCase)
        response.fields["Pragma"] = "no-cache"
        return response
    }

    /// Revokes a token: 200 for every token, valid or not (RFC 7009 §2.2).
    ///
    /// `token_type_hint` is not needed to distinguish the two kinds, and a wrong one changes nothing (§2.1).
    @Sendable private func revoke(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.mediaType != "application/json" else { return try await revokeByBearer(request) }
        let parameters = try OAuthParameters(form: request)
        let client = try parameters.client(of: request, dependencies)
        try await dependencies.tokens.revoke(try parameters.required("token"), by: client)
        return HTTPResponse(status: .ok, fields: [.cacheControl: "no-store"])
    }

    /// Revokes one of the session's own tokens, as Lazi clients send it: `{token, token_type_hint}` with an access
    /// token as the credential.
    private func revokeByBearer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try request.jsonObject().text("token")
        let session = try await dependencies.tokens.authenticate(request)
        // RFC 7009 §2.1: a confidential client authenticates, and an access token does not authenticate it.
        guard let client = dependencies.clients[session.clientID], !client.isConfidential else {
            throw IdentityError.invalidClient
        }
        try await dependencies.tokens.revoke(token, by: client, of: session.accountID)
        return .message("The token is revoked.")
    }
}
