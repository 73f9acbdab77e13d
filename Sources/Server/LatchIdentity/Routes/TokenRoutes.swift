// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// The token endpoint and revocation of OAuth (RFC 6749, RFC 7009), with the JSON forms that seed 004's clients use.
struct TokenRoutes: Sendable {
    private let parts: IdentityParts
    private let signIns: SignIns

    init(_ parts: IdentityParts) {
        self.parts = parts
        signIns = SignIns(parts: parts)
    }

    /// Every answer says how many requests are left, and every error has the shape of RFC 6749 §5.2.
    func add(to router: inout Router) {
        let around: [any Interceptor] = [
            TokenLimitInterceptor(parts: parts, shape: .oauth), IdentityErrorInterceptor(shape: .oauth),
            QueryInterceptor(),
        ]
        router.group(prefix: "/oauth", interceptors: around) { oauth in
            oauth.post("/token", token)
            oauth.post("/token/refresh", refresh)
            oauth.post("/revoke", revoke)
        }
    }

    /// RFC 6749 §4.3 and §6.
    @Sendable private func token(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try OAuthForm(request)
        let app = try form.app(of: request, parts)
        guard let grant = RegisteredApp.Grant(rawValue: try form.required("grant_type")) else {
            throw IdentityError.unsupportedGrant
        }
        guard app.grants.contains(grant) else { throw IdentityError.grantNotAllowed }
        let asked = try form.scopes()
        switch grant {
        case .password:
            return answer(
                try await signIns.signIn(
                    name: try form.required("username"), password: try form.required("password"),
                    code: form["otp"], from: request.signInOrigin, by: app, asking: asked), to: app)
        case .refreshToken:
            return answer(
                try await signIns.renew(
                    try form.required("refresh_token"), idempotencyKey: request.fields[.idempotencyKey], by: app,
                    asking: asked), to: app)
        }
    }

    /// Seed 004: the same as `grant_type=refresh_token`, as JSON and for the server's own app.
    @Sendable private func refresh(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        guard parts.apps.firstParty.grants.contains(.refreshToken) else { throw IdentityError.grantNotAllowed }
        return answer(
            try await signIns.renew(
                try body.text("refresh_token"), idempotencyKey: request.fields[.idempotencyKey],
                asking: try Scopes(asked: try body.optionalText("scope"))), to: parts.apps.firstParty)
    }

    /// 200 for every token, whatever it is or was (RFC 7009 §2.2): its device is signed out, with all of its tokens.
    ///
    /// `token_type_hint` is not needed to tell the two kinds apart, and a wrong one changes nothing (§2.1).
    @Sendable private func revoke(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.mediaType != "application/json" else { return try await revokeByBearer(request) }
        let form = try OAuthForm(request)
        let app = try form.app(of: request, parts)
        try await signIns.revoke(try form.required("token"), by: app)
        return HTTPResponse(status: .ok, fields: [.cacheControl: "no-store"])
    }

    /// Seed 004: `{token, token_type_hint}` with the access token as the bearer's proof; of the bearer's own tokens.
    private func revokeByBearer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try request.jsonObject().text("token")
        guard let access = request.bearerToken else { throw IdentityError.invalidToken }
        let bearer = try await signIns.bearer(ofAccessToken: access)
        // RFC 7009 §2.1: a confidential app authenticates, and an access token is no proof of who it is.
        guard let app = parts.apps[bearer.appID], !app.isConfidential else { throw IdentityError.unknownApp }
        try await signIns.revoke(token, by: app, of: bearer.accountID)
        return .message("The token is revoked.")
    }

    /// RFC 6749 §5.1, with seed 004's `user_id`; an app that could not use a refresh token gets none.
    private func answer(_ grant: SignIns.Grant, to app: RegisteredApp) -> HTTPResponse {
        var body: JSONObject = [
            "access_token": .string(grant.accessToken), "token_type": "Bearer",
            "expires_in": .integer(grant.lifetime.components.seconds), "scope": .string(grant.scopes.text),
            "user_id": .string(grant.accountID),
        ]
        if app.grants.contains(.refreshToken) { body["refresh_token"] = .string(grant.refreshToken) }
        var response = HTTPResponse.json(body)
        response.fields["Pragma"] = "no-cache"
        return response
    }
}
