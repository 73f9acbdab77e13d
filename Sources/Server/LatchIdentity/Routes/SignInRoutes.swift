// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// Login, renewal and logout, as seed 002's backend spells them.
struct SignInRoutes: Sendable {
    private let parts: IdentityParts
    private let signIns: SignIns

    init(_ parts: IdentityParts) {
        self.parts = parts
        signIns = SignIns(parts: parts)
    }

    /// The paths of seed 002's backend; the cookie's path covers the last two.
    func add(to router: inout Router) {
        router.post("/api/auth/clients/login", login)
        router.post("/api/auth/refresh-token", refresh)
        router.post("/api/auth/logout", logout)
    }

    /// Gives the refresh token twice: in the content for programs, as a cookie for browsers.
    ///
    /// 200, or 401 that does not tell a wrong password from an unknown address, or 429 with `Retry-After`; 403 with the
    /// code `mfaRequired` where the password is right, and a code of the second factor is to come with it as `otp`.
    @Sendable private func login(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let grant = try await signIns.signIn(
            name: try body.text("email"), password: try body.text("password"), code: try body.optionalText("otp"),
            from: request.signInOrigin)
        return answer(grant, withCookie: true)
    }

    /// A client that sent the cookie gets the cookie, one that sent the content gets the content alone.
    ///
    /// 401 means: sign in again. 503 means: the same token will still work later, so a client must not throw it away.
    @Sendable private func refresh(_ request: HTTPRequest) async throws -> HTTPResponse {
        let sent = try sentToken(request)
        guard let token = sent.token else { throw IdentityError.invalidGrant }
        do {
            let grant = try await signIns.renew(token, idempotencyKey: request.fields[.idempotencyKey])
            return answer(grant, withCookie: sent.isCookie)
        } catch IdentityError.invalidGrant where sent.isCookie {
            // The cookie is worth nothing any more: the browser need not send it again.
            return HTTPResponse.failure(.invalidGrant).setting(RefreshCookie(parts).cleared())
        }
    }

    /// 200 in any case but that of another site's page, which must not be able to log people out.
    @Sendable private func logout(_ request: HTTPRequest) async throws -> HTTPResponse {
        // Logging out twice, or with what has expired, is a success: the device is signed out (RFC 7009 §2.2). Whoever
        // sends several tokens has them all, and wants none of them to work any more.
        let inBody = try request.jsonObject(isOptional: true).optionalText("refreshToken")
        let cookie = request.cookies[RefreshCookie.name]
        if cookie != nil, cookie != inBody { try RefreshCookie(parts).requireOwnPage(request) }
        for token in Set([inBody, cookie].compactMap(\.self)) { try await signIns.signOut(refreshToken: token) }
        if let bearer = request.bearerToken { try await signIns.signOut(accessToken: bearer) }
        return HTTPResponse.message("Logged out.").setting(RefreshCookie(parts).cleared())
    }

    /// The refresh token of the content or of the cookie; where both are sent they must be the same.
    ///
    /// - Throws: `IdentityError.twoTokens`, or `.crossSite` where the cookie comes from another site's page: a cookie
    ///   is sent by the browser whoever asks for it.
    private func sentToken(_ request: HTTPRequest) throws(IdentityError) -> (token: String?, isCookie: Bool) {
        let inBody = try request.jsonObject(isOptional: true).optionalText("refreshToken")
        let cookie = request.cookies[RefreshCookie.name].flatMap { $0.isEmpty ? nil : $0 }
        guard let cookie else { return (inBody, false) }
        if let inBody, inBody != cookie { throw .twoTokens }
        if inBody == nil { try RefreshCookie(parts).requireOwnPage(request) }
        return (cookie, true)
    }

    /// `expiresIn` in seconds, as in RFC 6749 §5.1.
    private func answer(_ grant: SignIns.Grant, withCookie: Bool) -> HTTPResponse {
        let response = HTTPResponse.json([
            "accessToken": .string(grant.accessToken), "refreshToken": .string(grant.refreshToken),
            "expiresIn": .integer(grant.lifetime.components.seconds),
        ])
        guard withCookie else { return response }
        let lifetime = parts.configuration.refreshTokenLifetime
        return response.setting(RefreshCookie(parts).set(grant.refreshToken, lifetime: lifetime))
    }
}

extension HTTPResponse {
    /// A further Set-Cookie field; several cannot be folded into one (RFC 6265 §3).
    fileprivate func setting(_ cookie: String) -> HTTPResponse {
        var response = self
        response.fields.append(cookie, for: .setCookie)
        return response
    }
}
