// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
package import LatchIdentityStorage
package import LatchServer

/// The endpoint of claims about the signed-in user (OpenID Connect Core §5.3).
package struct UserInfoRoutes: Sendable {
    package let store: IdentityStore
    package let limits: RateLimits
    package let clients: OAuthClients
    package let tokens: TokenService

    package init(store: IdentityStore, limits: RateLimits, clients: OAuthClients, tokens: TokenService) {
        self.store = store
        self.limits = limits
        self.clients = clients
        self.tokens = tokens
    }

    package func add(to router: inout Router) {
        let requirement = ScopeInterceptor(tokens, requiring: ["openid"])
        router.group(
            interceptors: limits.limiting(.other) + [
                PageErrorAccessInterceptor(), QueryInterceptor(), FormTokenInterceptor(), requirement,
            ]
        ) { others in
            others.get("/oauth/userinfo", .getUserInfo, claims)
            others.post("/oauth/userinfo", .postUserInfo, claims)
        }
    }

    /// Returns the claims that the token's scopes permit.
    @Sendable private func claims(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let principal = request.principal, let id = principal.accountID,
            let user = try await store.fullAccount(id: id)
        else { throw IdentityError.invalidToken }
        var claims: JSONObject = ["sub": .string(user.account.id)]
        let client = try await clients.client(principal.clientID)
        if let page = request.pageAccess, client?.pageOrigins.contains(page.origin) == true { page.give() }
        for (name, value) in tokens.accessTokens.userClaims.all(
            of: user, principal.scopes, named: principal.claims, for: client)
        where principal.recipient != .resourceServer || tokens.accessTokens.userClaims.names.contains(name) {
            claims[name] = value
        }
        guard let client, let algorithm = client.userInfoAlgorithm else { return .json(claims) }
        return .jwt(
            try tokens.accessTokens.signContent(claims, to: client, with: algorithm), mediaType: "application/jwt")
    }
}

/// An interceptor that lets a page of any client read why its token is refused.
///
/// The error says nothing about a user, and a page has to know that it must refresh.
private struct PageErrorAccessInterceptor: Interceptor {
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        do {
            return try await next.respond(to: request)
        } catch {
            request.pageAccess?.give()
            throw error
        }
    }
}

/// An interceptor that takes the access token of a form (RFC 6750 §2.2) like that of the field `Authorization`.
private struct FormTokenInterceptor: Interceptor {
    /// Passes the request on with its token in the field.
    ///
    /// - Throws: `IdentityError.tokenInTwoPlaces`, and the errors of a malformed form.
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard request.method == .post, request.mediaType == "application/x-www-form-urlencoded",
            let token = try OAuthParameters(form: request)["access_token"]
        else { return try await next.respond(to: request) }
        guard request.fields[.authorization] == nil else { throw IdentityError.tokenInTwoPlaces }
        var request = request
        request.fields[.authorization] = "Bearer \(token)"
        return try await next.respond(to: request)
    }
}
