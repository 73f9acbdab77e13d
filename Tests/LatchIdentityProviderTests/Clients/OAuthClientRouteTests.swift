// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct OAuthClientRouteTests {
    private func site(_ way: Way = .inProcess) async throws -> Site {
        let site = try await Site(way) {
            $0.clients = [
                OAuthClient(id: "phone", grants: [.password, .refreshToken]),
                OAuthClient(
                    id: "viewer", grants: [.password, .refreshToken],
                    scopes: Scopes(parsing: "files:write widgets:read")),
                OAuthClient(id: "web"),
                OAuthClient(id: "reports", isConfidential: true, grants: [.password, .refreshToken]),
            ]
            $0.clientSecretDigests = ["reports": ClientSecret.digest]
        }
        try await site.signUp(roles: ["admin"])
        return site
    }

    private func password(_ site: Site, fields: HTTPFields = [:], _ id: String?, _ secret: String?) async throws
        -> Response
    {
        try await site.token(
            [
                "grant_type": "password", "username": "ada@example.com", "password": Site.password, "client_id": id,
                "client_secret": secret,
            ], fields: fields)
    }

    @Test(arguments: Way.allCases)
    func `A registered app proves itself by Basic or in the content (RFC 6749 §2.3.1)`(way: Way) async throws {
        let site = try await site(way)
        let byContent = try await password(site, "reports", ClientSecret.text)
        expectEqual(byContent.status, 200)
        try expectEqual(JWT(unverified: byContent.accessToken).claims.string("client_id"), "reports")
        let basic: HTTPFields = [.authorization: ClientSecret.basic("reports")]
        try await expectEqual(password(site, fields: basic, nil, nil).status, 200)
        // RFC 6749 §3.2.1: the id may be named once more.
        try await expectEqual(password(site, fields: basic, "reports", nil).status, 200)
        let lower: HTTPFields = [.authorization: "basic  " + ClientSecret.basic("reports").dropFirst(6)]
        try await expectEqual(password(site, fields: lower, nil, nil).status, 200)
        await site.close()
    }

    @Test(.tags(.doubleClientAuthentication)) func `A registered app is refused when it does both`() async throws {
        let site = try await site()
        let answer = try await password(
            site, fields: [.authorization: ClientSecret.basic("reports")], "reports", ClientSecret.text)
        expectEqual(answer.status, 400)
        expectEqual(answer.oauthError, "invalid_request")
    }

    @Test(arguments: [
        "Basic", "Basic ", "Basic !!!!", "Basic cmVwb3J0cw==", "Basic OnNlY3JldA==", "Basic cmVwb3J0czp3cm9uZw==",
        "Basic /w==", "Basic cmVwb3J0czolWlo=",
    ])
    func `A registered app is refused with a field that proves nothing`(field: String) async throws {
        let site = try await site()
        let answer = try await password(site, fields: [.authorization: field], field == "Basic" ? "reports" : nil, nil)
        expectEqual(answer.status, 401)
        expectEqual(answer.oauthError, "invalid_client")
        expectEqual(answer.field(.wwwAuthenticate)?.hasPrefix("Basic realm="), true)
    }

    @Test func `A registered app is refused under another ID than the one it proves`() async throws {
        let site = try await site()
        let fields: HTTPFields = [.authorization: ClientSecret.basic("reports")]
        try await expectEqual(password(site, fields: fields, "phone", nil).oauthError, "invalid_client")
    }

    @Test(.tags(.revocationOracle, .publicClientSecret))
    func `A registered app gets one error for an unknown ID, a wrong secret and none`() async throws {
        let site = try await site()
        let answers = [
            try await password(site, "nobody", nil), try await password(site, "nobody", "x"),
            try await password(site, "reports", nil), try await password(site, "reports", "wrong"),
            try await password(site, "reports", ClientSecret.digest), try await password(site, "re\u{0}ports", nil),
            // A public app has no secret, so one that comes with a secret is not it.
            try await password(site, "phone", "x"), try await password(site, "first-party", "x"),
            try await password(site, nil, "x"),
        ]
        for answer in answers {
            expectEqual(answer.status, 401)
            expectEqual(answer.oauthError, "invalid_client")
            expectEqual(answer.response.body, answers[0].response.body)
        }
    }

    @Test(.tags(.grantRestriction)) func `A registered app can use only the grants of its registration`() async throws {
        let site = try await site()
        let answer = try await password(site, "web", nil)
        expectEqual(answer.status, 400)
        expectEqual(answer.oauthError, "unauthorized_client")
        try await expectEqual(password(site, "phone", nil).status, 200)
    }

    @Test(.tags(.grantRestriction))
    func `A registered app gets no refresh token if it could not use one`() async throws {
        let site = try await Site { $0.clients = [OAuthClient(id: "once", grants: [.password])] }
        try await site.signUp()
        let answer = try await password(site, "once", nil)
        expectEqual(answer.status, 200)
        expectNil(answer.json["refresh_token"])
        try await expectEqual(site.get("/files", bearer: answer.accessToken).status, 200)
        try await expectEqual(site.refreshGrant("x", as: "once").oauthError, "unauthorized_client")
    }

    @Test func `A registered app gets no more scopes than its registration has, for any user`() async throws {
        let site = try await site()
        let answer = try await site.passwordGrant(
            scope: "files:read files:delete widgets:admin widgets:read", as: "viewer")
        // files:write implies files:read.
        expectEqual(answer.string("scope"), "files:read widgets:read")
        try await expectEqual(site.passwordGrant(scope: "projects:read", as: "viewer").oauthError, "invalid_scope")
        try await expectEqual(site.passwordGrant(as: "viewer").string("scope"), "widgets:read files:read")
    }

    @Test(.tags(.foreignRefreshToken), arguments: Way.allCases)
    func `A registered app cannot use another app's token, and takes nothing away by trying`(way: Way) async throws {
        let site = try await site(way)
        let phone = try await password(site, "phone", nil)
        let own = try await password(site, nil, nil)
        let attempts = [
            try await site.refreshGrant(phone.refreshToken),
            try await site.refreshGrant(phone.refreshToken, as: "viewer"),
            try await site.post("/oauth/token/refresh", ["refresh_token": .string(phone.refreshToken)]),
            try await site.refreshGrant(own.refreshToken, as: "phone"),
        ]
        for answer in attempts {
            expectEqual(answer.status, 400)
            expectEqual(answer.oauthError, "invalid_grant")
        }
        try await expectEqual(site.renew(phone.refreshToken).status, 401)
        try await expectEqual(site.post("/auth/refresh", ["refreshToken": .string(phone.refreshToken)]).status, 401)
        site.clock.advance(by: 60)
        try await expectEqual(site.refreshGrant(phone.refreshToken, as: "phone").status, 200)
        try await expectEqual(site.refreshGrant(own.refreshToken, as: "first-party").status, 200)
        await site.close()
    }

    @Test func `A registered app cannot administer with an administrator's token`() async throws {
        let site = try await site()
        let phone = try await password(site, "phone", nil)
        try await expectEqual(site.get("/api/users", bearer: phone.accessToken).status, 403)
        let own = try await password(site, nil, nil)
        try await expectEqual(site.get("/api/users", bearer: own.accessToken).status, 200)
    }

    @Test(.tags(.clientSecretGuessing))
    func `A registered app has its secret guessed no faster than a password`() async throws {
        let site = try await Site {
            $0.loginLimitPerMinute = 3
            $0.clients = [OAuthClient(id: "reports", isConfidential: true, grants: [.password])]
            $0.clientSecretDigests = ["reports": ClientSecret.digest]
        }
        try await site.signUp()
        for _ in 0..<10 { try await expectEqual(password(site, "reports", ClientSecret.text).status, 200) }
        for number in 0..<3 { try await expectEqual(password(site, "reports", "guess\(number)").status, 401) }
        let refused = try await password(site, "reports", ClientSecret.text)
        expectEqual(refused.status, 429)
        expectEqual(refused.errorCode, "RATE_LIMIT_EXCEEDED")
        site.clock.advance(by: 20)
        try await expectEqual(password(site, "reports", ClientSecret.text).status, 200)
    }

    @Test func `A registered app loses its tokens as soon as its registration is gone`() async throws {
        let site = try await site()
        let phone = try await password(site, "phone", nil)
        var configuration = site.identity.services.configuration
        configuration.clients.removeAll { $0.id == "phone" }
        let next = try await site.identity.reconfigured(configuration)
        let request = HTTPRequest(
            scheme: "http", authority: "127.0.0.1:8080", path: "/user/profile",
            fields: [.authorization: "Bearer \(phone.accessToken)"])
        try await expectEqual(next.handler.respond(to: request).status, .unauthorized)
        try await expectEqual(site.identity.handler.respond(to: request).status, .ok)
        await next.close()
    }
}

@Suite struct UnnamedClientTests {
    @Test func `A request without client_id is refused the grants that the configuration takes from it`() async throws {
        let site = try await Site { $0.firstPartyGrants = [] }
        try await site.signUp()
        try await expectEqual(site.passwordGrant().oauthError, "unauthorized_client")
        let login = try await site.logIn()
        expectEqual(login.status, 200)
        try await expectEqual(site.refreshGrant(login.refresh).oauthError, "unauthorized_client")
        let json = try await site.post("/oauth/token/refresh", ["refresh_token": .string(login.refresh)])
        expectEqual(json.oauthError, "unauthorized_client")
        try await expectEqual(site.renew(login.refresh).status, 200)
    }

    @Test func `A request without client_id gets no more scopes than the configuration leaves it`() async throws {
        let site = try await Site { $0.firstPartyScopes = Scopes(parsing: "files:read") }
        try await site.signUp()
        try await expectEqual(site.passwordGrant(scope: "files:read widgets:read").string("scope"), "files:read")
        try await expectEqual(site.passwordGrant().string("scope"), "files:read")
    }

    @Test func `A client of the configuration has two secrets while it changes over`() async throws {
        let site = try await Site {
            $0.clients = [OAuthClient(id: "reports", isConfidential: true, grants: [.password])]
            $0.clientSecretDigests = ["reports": ClientSecret.digest + "+" + Hex.encode("the next one".digest)]
        }
        try await site.signUp()
        func signIn(_ secret: String) async throws -> Response {
            try await site.token([
                "grant_type": "password", "username": "ada@example.com", "password": Site.password,
                "client_id": "reports", "client_secret": secret,
            ])
        }
        for secret in [ClientSecret.text, "the next one"] { try await expectEqual(signIn(secret).status, 200) }
        for secret in ["", "another", ClientSecret.digest, ClientSecret.text + "+the next one"] {
            try await expectEqual(signIn(secret).oauthError, "invalid_client")
        }
        await site.close()
    }
}
