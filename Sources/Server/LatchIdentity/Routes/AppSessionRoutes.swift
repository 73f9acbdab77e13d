// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// The login, refresh and logout routes of JWTAuth clients, and the sign-up of Lazi clients: JSON without cookies.
struct AppSessionRoutes: Sendable {
    let dependencies: Dependencies

    func add(to router: inout Router) {
        let interceptors: [any Interceptor] = [
            RequestLimitInterceptor(
                dependencies: dependencies, request: .token, format: .detail, hasLegacyFields: true),
            IdentityErrorInterceptor(format: .detail), QueryInterceptor(),
        ]
        router.group(prefix: "/auth", interceptors: interceptors) { auth in
            auth.post("/login", login)
            auth.post("/refresh", refresh)
            auth.post("/logout", logout)
            let signUps = RequestLimitInterceptor(dependencies: dependencies, request: .signUp, format: .detail)
            auth.group(interceptors: [signUps]) { $0.post("/signup", signUp) }
        }
    }

    /// Logs in by `email` or `username`.
    @Sendable private func login(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        guard let name = try body.optionalText("email") ?? body.optionalText("username") else {
            throw IdentityError.missing("email")
        }
        let issued = try await dependencies.logins.login(
            name: name, password: try body.text("password"), code: try body.optionalText("otp"),
            from: request.requestOrigin)
        return .tokenResponse(TokenResponse(issued))
    }

    /// Refreshes the tokens: after a 401 the user must log in again, after a 503 the same token still works.
    @Sendable private func refresh(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try request.jsonObject().text("refreshToken")
        let issued = try await dependencies.tokens.refresh(token, idempotencyKey: request.fields[.idempotencyKey])
        return .tokenResponse(TokenResponse(issued))
    }

    /// Logs out: 200 also for a repeated logout and for expired tokens.
    ///
    /// `allDevices` requires a valid access token, and returns the number of signed-out devices.
    @Sendable private func logout(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject(isOptional: true)
        if body["allDevices"] == true {
            let count = try await dependencies.tokens.signOutEverywhere(accessToken: request.fields.bearerToken)
            return .json(["message": "Logged out.", "allDevices": true, "devices": .integer(Int64(count))])
        }
        try await dependencies.tokens.signOut(token: try body.optionalText("refreshToken"))
        try await dependencies.tokens.signOut(token: request.fields.bearerToken)
        return .message("Logged out.")
    }

    /// Creates an account: 201, or 409 if the address or the username is taken.
    ///
    /// Only these members are read: no client chooses its own rights (attack E1).
    @Sendable private func signUp(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let account = try await dependencies.accounts.signUp(
            email: try body.text("email"), password: try body.text("password"), name: try body.optionalText("name"),
            username: try body.optionalText("username"), registration: try Registration(body),
            from: request.requestOrigin.address)
        var object = account.json
        object["user_id"] = .string(account.id)
        return .json(object, status: .created)
    }
}
