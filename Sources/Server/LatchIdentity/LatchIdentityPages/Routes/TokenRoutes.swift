// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
package import LatchServer

/// The routes of the token and revocation endpoints (RFC 6749, RFC 7009).
package struct TokenRoutes: Sendable {
    package let dates: DateCheck
    package let limits: RateLimits
    package let clients: OAuthClients
    package let grantHandlers: [any GrantHandler]
    package let clientAuthentication: ClientAuthentication
    package let tokens: TokenService

    package init(
        dates: DateCheck, limits: RateLimits, clients: OAuthClients, grantHandlers: [any GrantHandler],
        clientAuthentication: ClientAuthentication, tokens: TokenService
    ) {
        self.dates = dates
        self.limits = limits
        self.clients = clients
        self.grantHandlers = grantHandlers
        self.clientAuthentication = clientAuthentication
        self.tokens = tokens
    }

    /// Adds the routes.
    ///
    /// Every response has the RateLimit fields, and errors have the format of RFC 6749 §5.2.
    package func add(to router: inout Router) {
        router.group(prefix: "/oauth", interceptors: limits.limitingWithLegacyFields(as: .oauth)) { oauth in
            oauth.post("/token", .issueTokens, token)
            oauth.post("/token/refresh", .refreshTokensOfLazi, refreshByJSON)
            oauth.post("/revoke", .revokeToken, revoke)
        }
    }

    /// Dispatches a token request to the handler of its grant type (RFC 6749 §4).
    @Sendable private func token(_ request: HTTPRequest) async throws -> HTTPResponse {
        let parameters = try OAuthParameters(form: request)
        let client = try await clientAuthentication.client(of: request, parameters)
        let request = try TokenRequest(
            request, client: client, parameters: parameters,
            binding: try tokens.proofs.binding(of: request, for: client))
        return try await tokens(OAuthClient.GrantType(try parameters.required("grant_type")), for: request)
    }

    /// Returns the response of the grant's handler (RFC 6749 §5.1), if the client may use the grant.
    ///
    /// A client that may not use a refresh token does not receive one.
    package func tokens(_ type: OAuthClient.GrantType, for request: TokenRequest) async throws -> HTTPResponse {
        guard let handler = grantHandlers.first(where: { Swift.type(of: $0).grantType == type }) else {
            throw IdentityError.unsupportedGrantType
        }
        guard request.client.grants.contains(type) else { throw IdentityError.unauthorizedClient }
        // Checked before a code can count as expired.
        try dates.require()
        var content = try await handler.tokens(for: request)
        if !request.client.grants.contains(.refreshToken) { content.refreshToken = nil }
        var response = HTTPResponse.tokenResponse(content, names: .snakeCase)
        response.fields["Pragma"] = "no-cache"
        return response
    }

    /// Revokes a token.
    ///
    /// The response is 200 for every token, valid or not (RFC 7009 §2.2). Only a valid token that the client got for
    /// itself is refused, since it stays valid (§2.2.1).
    ///
    /// `token_type_hint` is not needed to distinguish the two kinds, and a wrong hint changes nothing (§2.1).
    @Sendable private func revoke(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.mediaType != "application/json" else { return try await revokeByBearer(request) }
        let parameters = try OAuthParameters(form: request)
        let client = try await clientAuthentication.client(of: request, parameters)
        try await tokens.revoke(try parameters.required("token"), by: client)
        return HTTPResponse(status: .ok, fields: [.cacheControl: "no-store"])
    }
}
