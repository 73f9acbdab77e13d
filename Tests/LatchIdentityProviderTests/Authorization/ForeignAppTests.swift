// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Testing

@testable import LatchIdentity

/// What a relying party of others may learn of a user, and what its tokens open.
@Suite struct ForeignAppTests {
    private static let api = "https://api.example.com"

    /// The app as its users see it, with the scopes that it asks for.
    private func foreign(_ scope: String) -> SignInApp {
        SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: scope)
    }

    private func tokens(
        _ site: Site, _ app: SignInApp, _ name: String = "ada@example.com"
    ) async throws -> Response {
        var agent = UserAgent(site)
        let redirect = try await agent.authorize(app, [:], name)
        return try await site.exchange(redirect.parameters["code"] ?? "", app)
    }

    private func logIn(at site: Site, for resource: String) async throws -> Response {
        try await site.form(
            "/oauth/token",
            [
                "grant_type": "password", "username": "ada@example.com", "password": Site.password,
                "resource": resource,
            ])
    }

    /// The claims of all that a relying party of a sign-in can read.
    private func claims(of tokens: Response, at site: Site) async throws -> [JSONObject] {
        [
            try JWT(unverified: tokens.string("id_token")).claims.members,
            try JWT(unverified: tokens.accessToken).claims.members,
            try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json,
        ]
    }

    @Test(arguments: Way.allCases, ["foreign", "notes"])
    func `A third-party app gets no address that its user has not verified, and gets it afterwards`(
        way: Way, id: String
    )
        async throws
    {
        let site = try await Site.authorizing(way) { configuration in
            for index in configuration.clients.indices { configuration.clients[index].idTokenHasClaims = true }
        }
        try await site.signUp("boss@example.com", isVerified: false)
        let scope = "openid email profile"
        let app = id == "foreign" ? foreign(scope) : SignInApp(scope: scope)
        let before = try await tokens(site, app, "boss@example.com")
        for claims in try await claims(of: before, at: site) {
            expectEqual(claims["sub"]?.stringValue?.isEmpty, false)
            #expect(claims["email"] == nil && claims["email_verified"] == nil, "\(claims)")
        }
        _ = try await site.post("/api/auth/resend-verification", ["email": "boss@example.com"])
        let token = try #require(await site.mailedToken(to: "boss@example.com"))
        try await expectEqual(
            site.post(
                "/api/auth/verify-email", ["token": .string(token), "password": .string(Site.password)]
            ).status, 200)
        let after = try await tokens(site, app, "boss@example.com")
        let found = try await claims(of: after, at: site)
        for claims in [found[0], found[2]] {
            #expect(claims["email"] == "boss@example.com" && claims["email_verified"] == true)
        }
        expectNil(found[1]["email"])
        await site.close()
    }

    @Test func `A third-party app learns of its user at the userinfo endpoint, or as registered from ID tokens`()
        async throws
    {
        let names = ["email", "email_verified", "preferred_username"]
        for isInToken in [false, true] {
            let site = try await Site.authorizing { configuration in
                for index in configuration.clients.indices {
                    configuration.clients[index].idTokenHasClaims = isInToken
                }
            }
            let app = foreign("openid email profile")
            let found = try await claims(of: try await tokens(site, app), at: site)
            for name in names {
                expectEqual(found[0][name] != nil, isInToken, "\(name)")
                #expect(found[1][name] == nil && found[2][name] != nil, "\(name)")
            }
            await site.close()
        }
    }

    @Test func `A third-party app's tokens say how and when its user signed in, and name no empty scope`() async throws
    {
        let site = try await Site.authorizing { $0.defaultScopes = [] }
        let tokens = try await tokens(site, foreign("openid"))
        for claims in try await claims(of: tokens, at: site).prefix(2) {
            #expect(claims["acr"] == "1" && claims["amr"] == ["pwd"])
            expectEqual(claims["auth_time"]?.doubleValue, site.clock.now.timeIntervalSince1970)
        }
        let own = try JWT(unverified: try await site.logIn().access).claims
        #expect(own["scope"] == nil && own["acr"] == "1")
        await site.close()
    }

    @Test(arguments: ["openid", "openid email profile", "openid offline_access"])
    func `A third-party app that asked for the user has no token of the operator's API`(scope: String) async throws {
        for audience in [nil, Self.api] {
            let site = try await Site.authorizing { $0.audience = audience }
            let app = foreign(scope)
            let first = try await tokens(site, app)
            let second = try await site.refreshGrant(first.refreshToken, as: "foreign")
            let issuer = try #require(site.identity.issuer)
            for response in [first, second] {
                let access = response.accessToken
                try expectEqual(JWT(unverified: access).claims.audience, ["\(issuer)/oauth/userinfo"])
                try await expectEqual(site.get("/oauth/userinfo", bearer: access).status, 200)
                let profile = try await site.get("/user/profile", bearer: access)
                #expect(profile.status == 403 && profile.json["email"] == nil)
                expectEqual(profile.field(.wwwAuthenticate), #"Bearer error="insufficient_scope""#)
                for path in ["/api/users", "/api/auth/links", "/api/auth/passkeys", "/widgets"] {
                    try await expectEqual(site.get(path, bearer: access).status, 403, "\(path)")
                }
                let call = try await site.call(
                    .post, "/userservice.v1.UserService/GetProfile", bearer: access, [:])
                expectEqual(call.status, 403)
            }
            // Its own end of the session works as before.
            let revoked = try await site.form("/oauth/revoke", ["token": first.accessToken, "client_id": "foreign"])
            expectEqual(revoked.status, 200)
            try await expectEqual(site.get("/oauth/userinfo", bearer: second.accessToken).status, 401)
            await site.close()
        }
    }

    @Test
    func `A third-party app that asked for a scope of the API has a token of it, which opens no profile`() async throws
    {
        let site = try await Site.authorizing { $0.audience = Self.api }
        let app = foreign("openid files:read")
        let access = try await tokens(site, app).accessToken
        try expectEqual(JWT(unverified: access).claims.audience, [Self.api])
        try await expectEqual(site.get("/oauth/userinfo", bearer: access).status, 200)
        try await expectEqual(site.get("/files", bearer: access).status, 200)
        try await expectEqual(site.get("/user/profile", bearer: access).status, 403)
        await site.close()
    }

    @Test func `A third-party app that names the API and none of its scopes gets an error`() async throws {
        let site = try await Site.authorizing {
            $0.audience = Self.api
            $0.clients.append(OAuthClient(id: "tv", grants: [.deviceCode], redirectURIs: ["https://tv.example/back"]))
        }
        for (scope, status) in [("openid", 400), ("openid files:read", 200)] {
            let form: KeyValuePairs<String, String?> = ["client_id": "tv", "resource": Self.api, "scope": scope]
            let device = try await site.form("/oauth/device_authorization", form)
            #expect(device.status == status && (status == 200 || device.oauthError == "invalid_target"))
        }
        let first = try await tokens(site, foreign("openid files:read offline_access"))
        let narrower: KeyValuePairs<String, String?> = [
            "grant_type": "refresh_token", "refresh_token": first.refreshToken, "client_id": "foreign",
            "scope": "openid", "resource": Self.api,
        ]
        try await expectEqual(site.form("/oauth/token", narrower).oauthError, "invalid_target")
        // Nothing was used up.
        try await expectEqual(site.refreshGrant(first.refreshToken, as: "foreign").status, 200)
        var agent = UserAgent(site)
        let app = foreign("openid")
        let refused = try await agent.get(app.path(["resource": Self.api]))
        #expect(refused.status == 303 && refused.parameters["error"] == "invalid_target")
        let wider = foreign("openid files:read")
        try await expectEqual(agent.get(wider.path(["resource": Self.api])).status, 200)
        // The operator's own apps are for the API as they are.
        try await expectEqual(agent.get(SignInApp(scope: "openid").path(["resource": Self.api])).status, 200)
        await site.close()
    }

    /// RFC 8707 §2: the token would be for another resource than the one that was asked for.
    @Test(arguments: Way.allCases)
    func `A third-party app cannot name the issuer if tokens are for an audience`(way: Way) async throws {
        let site = try await Site.authorizing(way) {
            $0.audience = Self.api
            $0.clients.append(OAuthClient(id: "tv", grants: [.deviceCode]))
        }
        let issuer = try #require(site.identity.issuer)
        var agent = UserAgent(site)
        let refused = try await agent.get(SignInApp(scope: "files:read").path(["resource": issuer]))
        #expect(refused.status == 303 && refused.parameters["error"] == "invalid_target")
        try await expectEqual(agent.get(SignInApp(scope: "files:read").path(["resource": ""])).status, 200)
        // RFC 6749 §3.1: a parameter without a value is none.
        for (resource, status) in [(issuer, 400), (Self.api, 200), ("", 200)] {
            let token = try await logIn(at: site, for: resource)
            #expect(token.status == status && (status == 200 || token.oauthError == "invalid_target"))
            let device = try await site.form("/oauth/device_authorization", ["client_id": "tv", "resource": resource])
            #expect(device.status == status && (status == 200 || device.oauthError == "invalid_target"))
        }
        await site.close()
    }

    @Test func `A third-party app names the issuer if its tokens are for it`() async throws {
        let site = try await Site.authorizing()
        let issuer = try #require(site.identity.issuer)
        let token = try await logIn(at: site, for: issuer)
        try expectEqual(JWT(unverified: token.accessToken).claims.audience, [issuer])
        await site.close()
    }

    @Test func `A third-party app opens no route of the application that requires no scope`() async throws {
        let site = try await Site.authorizing { $0.audience = Self.api }
        let app = foreign("openid")
        let other = try await tokens(site, app).accessToken
        let own = try await tokens(site, SignInApp(scope: "openid")).accessToken
        var router = Router()
        let interceptors: [any Interceptor] = [site.identity.errorInterceptor, site.identity.requiring([])]
        router.group(prefix: "/media", interceptors: interceptors) { $0.get("/") { _ in HTTPResponse(status: .ok) } }
        for (token, status) in [(other, 403), (own, 200)] {
            let request = HTTPRequest(
                method: .get, scheme: "http", authority: "127.0.0.1:8080", path: "/media",
                fields: [.authorization: "Bearer \(token)"])
            try await expectEqual(router.respond(to: request).status.rawValue, status)
        }
        await site.close()
    }

    @Test func `The operator's own app reads the profile as before`() async throws {
        let site = try await Site.authorizing { $0.audience = Self.api }
        let access = try await tokens(site, SignInApp(scope: "openid")).accessToken
        try expectEqual(JWT(unverified: access).claims.audience, [Self.api])
        try await expectEqual(site.get("/user/profile", bearer: access).string("email"), "ada@example.com")
        await site.close()
    }

    @Test
    func `A third-party app reads lists of roles and permissions in a token only if they have a value`() async throws {
        let site = try await Site()
        let account = try await site.signUp()
        let plain = try JWT(unverified: try await site.logIn().access).claims.members
        #expect(plain["roles"] == nil && plain["permissions"] == nil)
        _ = try await site.identity.administration.setRoles(of: account.id, roles: ["editor"], permissions: [])
        let login = try await site.logIn()
        let editor = try JWT(unverified: login.access).claims.members
        #expect(editor["roles"] == ["editor"] && editor["permissions"] == nil)
        // The JSON objects keep the empty lists.
        try await expectEqual(site.get("/user/profile", bearer: login.access).json["permissions"], [])
        await site.close()
    }
}
