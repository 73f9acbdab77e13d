// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The login, refresh and logout routes: the default paths of `AuthClient`, and those of AuthPackage's backend.
///
/// Browsers keep the refresh token in a cookie.
package struct SessionRoutes: Sendable {
    package let limits: RateLimits
    package let refreshCookie: RefreshCookie
    package let signIns: SignInService
    package let tokens: TokenService

    package init(limits: RateLimits, refreshCookie: RefreshCookie, signIns: SignInService, tokens: TokenService) {
        self.limits = limits
        self.refreshCookie = refreshCookie
        self.signIns = signIns
        self.tokens = tokens
    }

    /// Adds the routes.
    ///
    /// The cookie's path covers the last two.
    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.token)) { sessions in
            sessions.post("/api/auth/clients/login", .logIn, login)
            sessions.post("/api/auth/refresh-token", .refreshSession, refresh)
            sessions.post("/api/auth/logout", .logOut, logout)
        }
    }

    /// Logs in and returns the refresh token, in the content for programs, and as a cookie for browsers.
    ///
    /// The response is 200, or 401 for a wrong password and an unknown address alike, or 429 with `Retry-After`. After
    /// the right password, a missing code of the second factor (`otp`) is 403 with the code `mfaRequired`.
    ///
    /// A page of another site cannot sign a browser in, which would make it use the attacker's account (RFC 6749
    /// §10.12).
    @Sendable private func login(_ request: HTTPRequest) async throws -> HTTPResponse {
        try refreshCookie.requireSameSite(request)
        let body = try request.jsonObject()
        let issued = try await signIns.signIn(
            name: try body.text("email"), password: try body.text("password"), code: try body.optionalText("otp"),
            from: request.requestOrigin)
        return refreshCookie.response(to: issued)
    }

    /// Refreshes the tokens.
    ///
    /// Only a client that sent the cookie receives a cookie.
    ///
    /// After a 401 the user must log in again. After a 503 the same token still works, so the client must keep it.
    @Sendable private func refresh(_ request: HTTPRequest) async throws -> HTTPResponse {
        let sent = try sentToken(request)
        guard let token = sent.token else { throw IdentityError.invalidGrant }
        do {
            let issued = try await tokens.refresh(token, idempotencyKey: request.fields[.idempotencyKey])
            return sent.isCookie ? refreshCookie.response(to: issued) : .session(issued)
        } catch IdentityError.invalidGrant where sent.isCookie {
            // The cookie is not valid any longer, so the browser should not send it again.
            return HTTPResponse.failure(.invalidGrant).setting(refreshCookie.cleared())
        }
    }

    /// Logs out with 200 in any case, except for a page of another site, which must not be able to log users out.
    ///
    /// A repeated logout and an expired token succeed, since the device is signed out (RFC 7009 §2.2). If a client
    /// sends several tokens, all of them are revoked.
    @Sendable private func logout(_ request: HTTPRequest) async throws -> HTTPResponse {
        let inBody = try request.jsonObject(isOptional: true).optionalText("refreshToken")
        let cookie = request.cookies[RefreshCookie.name]
        if cookie != nil, cookie != inBody { try refreshCookie.requireSameSite(request) }
        for token in Set([inBody, cookie, request.fields.endedToken]) {
            try await tokens.signOut(token: token)
        }
        return HTTPResponse.message("Logged out.").setting(refreshCookie.cleared())
    }

    /// Returns the refresh token of the content or of the cookie.
    ///
    /// If both are sent, they must be equal.
    ///
    /// - Throws: `IdentityError.twoTokens`, or `.crossSite` if the cookie comes from another site's page. A browser
    ///   sends a cookie with requests from any page.
    private func sentToken(_ request: HTTPRequest) throws(IdentityError) -> (token: String?, isCookie: Bool) {
        let inBody = try request.jsonObject(isOptional: true).optionalText("refreshToken")
        let cookie = request.cookies[RefreshCookie.name].flatMap { $0.isEmpty ? nil : $0 }
        guard let cookie else { return (inBody, false) }
        // An attacker may have set one of them from another host of the site (attack G7).
        guard !request.isAmbiguous(cookie: RefreshCookie.name) else { throw .twoTokens }
        if let inBody, inBody != cookie { throw .twoTokens }
        if inBody == nil { try refreshCookie.requireSameSite(request) }
        return (cookie, true)
    }
}

extension RefreshCookie {
    /// Returns the response with the tokens of a session, and with the refresh token also as a cookie.
    package func response(to issued: IssuedTokens) -> HTTPResponse {
        HTTPResponse.session(issued).setting(set(issued.refreshToken))
    }
}

extension HTTPResponse {
    package static func session(_ issued: IssuedTokens) -> HTTPResponse {
        tokenResponse(
            TokenResponse(
                accessToken: issued.accessToken, refreshToken: issued.refreshToken,
                expiresIn: issued.lifetime.components.seconds, tokenType: nil))
    }
}
