// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

/// A route and the limit that its requests count against.
struct LimitedRoute: Sendable, CustomTestStringConvertible {
    /// The method and the pattern.
    let route: String
    /// The name of the limit in the RateLimit fields.
    let limit: String
    var testDescription: String { "\(route): \(limit)" }

    /// The requests that are allowed in the tests, and the seconds until the next one.
    var allowed: (count: Int, retryAfter: Int) {
        switch limit {
        case "token": (20, 3)
        case "request": (3, 20)
        case "link": (10, 6)
        case "page": (60, 1)
        default: (3, 1200)
        }
    }

    /// Sends a request without credentials whose content no route can read.
    func send(_ site: Site, from address: String) async throws -> Response {
        let parts = route.split(separator: " ").map(String.init)
        var request = HTTPRequest(
            method: HTTPMethod(rawValue: parts[0]), scheme: "http", authority: "127.0.0.1:8080",
            path: parts[1].replacing("{id}", with: "x").replacing("{client}", with: "x"),
            fields: [.contentType: "application/json"],
            body: HTTPBody("this is not JSON"))
        request.context[RemoteAddress.self] = address
        return Response(try await site.identity.handler.respond(to: request))
    }
}

@Suite struct RouteLimitTests {
    static let rpc = "POST /userservice.v1.UserService/"

    /// The routes by the limit that a flood of them exhausts first.
    static let table: [String: [String]] = [
        "token": [
            "POST /api/auth/clients/login", "POST /api/auth/code/login",
            "POST /api/auth/refresh-token", "POST /api/auth/logout",
            "POST /api/auth/reauthenticate", "GET /api/auth/links", "GET /api/auth/consents",
            "DELETE /api/auth/consents/{client}", "POST /oauth/token", "POST /oauth/token/refresh",
            "POST /oauth/register", "GET /oauth/register/{client}", "PUT /oauth/register/{client}",
            "DELETE /oauth/register/{client}", "GET /api/admin/clients", "POST /api/admin/clients",
            "GET /api/admin/clients/{client}", "PUT /api/admin/clients/{client}",
            "DELETE /api/admin/clients/{client}", "POST /api/admin/clients/{client}/secret",
            "POST /api/admin/clients/{client}/registration-token", "GET /api/admin/initial-tokens",
            "POST /api/admin/initial-tokens", "DELETE /api/admin/initial-tokens/{id}",
            "POST /oauth/revoke", "POST /oauth/introspect", "POST /oauth/par", "POST /oauth/device_authorization",
            "POST /auth/login", "POST /auth/refresh", "POST /auth/logout",
            "PATCH /user/profile",
            "GET /api/auth/passkeys", "POST /api/auth/passkeys", "PATCH /api/auth/passkeys/{id}",
            "DELETE /api/auth/passkeys/{id}", "POST /api/auth/passkeys/options", "POST /api/auth/passkeys/sign-in",
            "POST /api/auth/passkeys/sign-in/options",
        ]
            + [
                "GET users", "POST users", "GET users/{id}", "PATCH users/{id}", "DELETE users/{id}",
                "POST users/{id}/close", "POST users/{id}/unlock", "DELETE users/{id}/devices", "POST users/import",
                "PUT users/{id}/email", "DELETE users/{id}/devices/{device}", "DELETE users/{id}/second-factor",
                "DELETE users/{id}/passkeys", "DELETE users/{id}/passkeys/{passkey}",
                "DELETE users/{id}/links/{provider}", "GET statistics", "GET audit", "GET audit/verification",
                "GET mails", "POST mails/retry", "GET keys", "POST keys/rotate", "GET providers",
                "POST providers/{provider}/test", "GET settings", "GET api-keys", "POST api-keys",
                "DELETE api-keys/{id}", "GET hooks", "POST hooks/{hook}/test", "POST hooks/{hook}/replay",
            ].map { $0.replacing(" ", with: " /api/admin/") }
            + [
                "Login", "Logout", "RefreshToken", "ChangePassword", "SetupTwoFactor", "VerifyTwoFactor",
                "GetActiveDevices", "RegenerateRecoveryCodes", "GetProfile", "UpdateProfile", "DeleteUser",
                "RevokeDevice", "GetUsers", "SetUserRole", "SetUserStatus", "EndUserSessions", "RemoveTwoFactor",
            ].map { rpc + $0 },
        "signup": [
            "POST /api/clients/register", "POST /api/auth/clients/register", "POST /auth/signup", rpc + "Register",
            "POST /api/auth/guest/register",
        ],
        "guest": ["POST /api/auth/guest"],
        "mail-address": [
            "POST /api/auth/resend-verification", "POST /api/auth/forgot-password", rpc + "RequestPasswordReset",
            rpc + "ResendVerification", "POST /api/users/invite",
            "POST /api/admin/users/{id}/reset-password",
        ],
        "link": [
            "POST /api/auth/code", "POST /api/auth/code/register", "POST /api/auth/phone",
            "POST /api/auth/phone/verify", "DELETE /api/auth/phone", "POST /account/phone",
            "POST /api/auth/verify-email", "POST /api/auth/reset-password", "POST /verify", "POST /reset",
            "POST /confirm-change", "POST /login", "POST /signup", "POST /consent", "POST /device",
            "POST /oauth/logout", "POST /forgot", "POST /resend", "POST /account", "POST /account/name",
            "POST /account/email", "POST /account/attributes", "POST /account/password", "POST /account/factor",
            "POST /account/passkeys",
            "POST /account/passkeys/{id}", "POST /account/deletion", "POST /admin/first", "GET /admin/first",
            "POST /admin/users/invite", "POST /admin/users/{id}", "POST /admin/new-client",
            "POST /admin/clients/{client}", "POST /admin/clients/{client}/edit", "POST /admin/mails",
            "POST /admin/keys", "POST /admin/api-keys", "POST /admin/api-keys/new",
            rpc + "VerifyEmail", rpc + "ResetPassword",
        ],
        "page": [
            "GET /oauth/authorize", "POST /oauth/authorize", "GET /device", "GET /signup", "GET /oauth/logout",
            "GET /account", "GET /account/name", "GET /account/email", "GET /account/password", "GET /account/factor",
            "GET /account/attributes", "GET /account/passkeys", "GET /account/passkeys/{id}", "GET /account/activity",
            "GET /account/deletion", "GET /account/phone",
            "GET /admin", "GET /admin/users", "GET /admin/users/invite", "GET /admin/users/{id}",
            "GET /admin/clients", "GET /admin/new-client", "GET /admin/clients/{client}",
            "GET /admin/clients/{client}/edit", "GET /admin/mails", "GET /admin/keys", "GET /admin/providers",
            "GET /admin/audit", "GET /admin/settings", "GET /admin/api-keys", "GET /admin/api-keys/new",
        ],
        "request": [
            "GET /", "GET /favicon.ico", "GET /logo", "POST /language", "GET /verify", "GET /reset",
            "GET /confirm-change", "GET /forgot", "GET /resend",
            "GET /user/profile", "GET /api/users",
            "GET /metrics",
            "GET /.well-known/jwks.json", "GET /.well-known/oauth-authorization-server",
            "GET /.well-known/change-password", "GET /.well-known/openid-configuration", "GET /oauth/userinfo",
            "POST /oauth/userinfo", "GET /passkey.js", "GET /password.js", "GET /.well-known/passkey-endpoints",
            "GET /.well-known/webfinger", "GET /api/openapi.json", "GET /api/auth/ways",
        ],
    ]
    /// The routes that answer supervisors, whose cost does not grow with a flood.
    static let unlimited = ["GET /healthz", "GET /livez", "GET /readyz"]

    static let limited = table.flatMap { limit, routes in routes.map { LimitedRoute(route: $0, limit: limit) } }

    private func site() async throws -> Site {
        let picture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/session.svg")
        let logo = try PageImage(file: picture.path)
        return try await Site {
            $0.logo = logo
            $0.registration = .open
            $0.tokenLimitPerMinute = 20
            $0.requestLimitPerMinute = 3
            $0.signUpLimitPerHour = 3
            $0.guestLimitPerHour = 3
            $0.mailLimitPerHour = 3
            $0.loginLimitPerMinute = 1
        }
    }

    @Test func `Each route of the server is in the table`() async throws {
        let site = try await site()
        let router = try #require(site.identity.handler as? Router)
        let methods = UserServiceHandler(site.identity.services).rpcMethods
        // A GET is a call that changes nothing, as a POST is, and counts as one (Connect protocol, "Unary-Get-Request").
        let routes = router.routes.map { "\($0.method) \($0.pattern)" }.filter { !$0.hasSuffix("/{method}") }
        let calls = methods.map { "POST \($0.path)" }
        expectEqual((routes + calls).sorted(), (Self.limited.map(\.route) + Self.unlimited).sorted())
        await site.close()
    }

    @Test(.tags(.hashFlood), arguments: limited)
    func `Each route of the server ends the flood of one network before anything is read`(route: LimitedRoute)
        async throws
    {
        let site = try await site()
        let allowed = route.allowed
        for number in 1...allowed.count {
            let response = try await route.send(site, from: "192.0.2.1")
            expectNotEqual(response.status, 429, "request \(number)")
        }
        let refused = try await route.send(site, from: "192.0.2.1")
        expectEqual(refused.status, 429)
        expectEqual(refused.field(.retryAfter), "\(allowed.retryAfter)")
        expectEqual(refused.field("RateLimit"), "\"\(route.limit)\";r=0;t=\(allowed.retryAfter)")
        expectEqual(refused.field("RateLimit-Policy")?.hasPrefix("\"\(route.limit)\";q=\(allowed.count);w="), true)
        try await expectNotEqual(route.send(site, from: "198.51.100.1").status, 429)
        site.clock.advance(by: Double(allowed.retryAfter))
        try await expectNotEqual(route.send(site, from: "192.0.2.1").status, 429)
        await site.close()
    }

    @Test(arguments: unlimited)
    func `A supervisor's routes respond during a flood from its own address`(path: String)
        async throws
    {
        let site = try await site()
        let route = LimitedRoute(route: path, limit: "none")
        for _ in 0..<1000 { try await expectEqual(route.send(site, from: "192.0.2.1").status, 200) }
        await site.close()
    }

    @Test(.tags(.hashFlood))
    func `Users get their tokens while strangers flood the pages`() async throws {
        let site = try await site()
        try await site.signUp()
        let login = try await site.logIn()
        for _ in 0..<10 { _ = try await site.get("/") }
        try await expectEqual(site.get("/").status, 429)
        try await expectEqual(site.renew(login.refresh).status, 200)
        await site.close()
    }
}
