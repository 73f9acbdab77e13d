// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// Login, renewal and logout as seed 001 spells them, and the sign-up of seed 004: JSON without cookies.
struct AppSignInRoutes: Sendable {
    private let parts: IdentityParts
    private let signIns: SignIns

    init(_ parts: IdentityParts) {
        self.parts = parts
        signIns = SignIns(parts: parts)
    }

    func add(to router: inout Router) {
        let around: [any Interceptor] = [
            TokenLimitInterceptor(parts: parts, shape: .detail), IdentityErrorInterceptor(shape: .detail),
            QueryInterceptor(),
        ]
        router.group(prefix: "/auth", interceptors: around) { auth in
            auth.post("/login", login)
            auth.post("/refresh", refresh)
            auth.post("/logout", logout)
            auth.post("/signup", signUp)
        }
    }

    /// Takes `email` or `username`; both lead to the same account or to the same refusal.
    @Sendable private func login(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        guard let name = try body.optionalText("email") ?? body.optionalText("username") else {
            throw IdentityError.invalidInput("'email' is missing")
        }
        return answer(
            try await signIns.signIn(
                name: name, password: try body.text("password"), code: try body.optionalText("otp"),
                from: request.signInOrigin))
    }

    /// 401 means: log in again.
    ///
    /// 503 means: the same token will still work later.
    @Sendable private func refresh(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try request.jsonObject().text("refreshToken")
        return answer(try await signIns.renew(token, idempotencyKey: request.fields[.idempotencyKey]))
    }

    /// 200 in any case: a logout that is repeated, or comes with what has expired, has what it wants.
    ///
    /// `allDevices` is another matter: it needs a valid access token, and says how many devices it has signed out.
    @Sendable private func logout(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject(isOptional: true)
        if body["allDevices"] == true {
            let count = try await signIns.signOutEverywhere(accessToken: request.bearerToken)
            return .json(["message": "Logged out.", "allDevices": true, "devices": .integer(Int64(count))])
        }
        if let token = try body.optionalText("refreshToken") {
            try await signIns.signOut(refreshToken: token)
        }
        if let bearer = request.bearerToken { try await signIns.signOut(accessToken: bearer) }
        return .message("Logged out.")
    }

    /// 201 with the account, 409 where the address or the username is taken.
    ///
    /// Nothing but these members is read: what an account may do is nobody's to choose (attack E1).
    @Sendable private func signUp(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let account = try await Accounts(parts: parts).signUp(
            email: try body.text("email"), password: try body.text("password"), name: try body.optionalText("name"),
            username: try body.optionalText("username"))
        var shown = account.shown
        shown["user_id"] = .string(account.id)
        return .json(shown, status: .created)
    }

    private func answer(_ grant: SignIns.Grant) -> HTTPResponse {
        .json([
            "accessToken": .string(grant.accessToken), "refreshToken": .string(grant.refreshToken),
            "expiresIn": .integer(grant.lifetime.components.seconds), "tokenType": "Bearer",
            "scope": .string(grant.scopes.text), "userId": .string(grant.accountID),
        ])
    }
}
