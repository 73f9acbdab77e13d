// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The login, refresh and logout routes of JWTAuth and Lazi clients: JSON without cookies.
package struct JWTAuthRoutes: Sendable {
    package let limits: RateLimits
    package let signIns: SignInService
    package let tokens: TokenService

    package init(limits: RateLimits, signIns: SignInService, tokens: TokenService) {
        self.limits = limits
        self.signIns = signIns
        self.tokens = tokens
    }

    package func add(to router: inout Router) {
        router.group(prefix: "/auth", interceptors: limits.limitingWithLegacyFields(as: .detail)) { auth in
            auth.post("/login", .logInOfJWTAuth, login)
            auth.post("/refresh", .refreshOfJWTAuth, refresh)
            auth.post("/logout", .logOutOfJWTAuth, logout)
        }
    }

    /// Logs in by `email` or `username`.
    @Sendable private func login(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        guard let name = try body.optionalText("email") ?? body.optionalText("username") else {
            throw IdentityError.missing("email")
        }
        let issued = try await signIns.signIn(
            name: name, password: try body.text("password"), code: try body.optionalText("otp"),
            from: request.requestOrigin)
        return .tokenResponse(TokenResponse(issued))
    }

    /// Refreshes the tokens.
    ///
    /// After a 401 the user must log in again. After a 503 the same token still works.
    @Sendable private func refresh(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try request.jsonObject().text("refreshToken")
        let issued = try await tokens.refresh(token, idempotencyKey: request.fields[.idempotencyKey])
        return .tokenResponse(TokenResponse(issued))
    }

    /// Logs out.
    ///
    /// The response is also 200 for a repeated logout and for expired tokens.
    ///
    /// `allDevices` requires a valid access token, and returns the number of signed-out devices.
    @Sendable private func logout(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject(isOptional: true)
        if body["allDevices"] == true {
            let count = try await tokens.signOutEverywhere(accessToken: request.fields.bearerToken)
            return .json(["message": "Logged out.", "allDevices": true, "devices": .integer(Int64(count))])
        }
        try await tokens.signOut(token: try body.optionalText("refreshToken"))
        try await tokens.signOut(token: request.fields.endedToken)
        return .message("Logged out.")
    }
}
