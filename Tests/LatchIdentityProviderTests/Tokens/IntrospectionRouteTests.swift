// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// RFC 7662 §2.1 and RFC 8414 §2.
@Suite struct IntrospectionRouteTests {
    private static let path = "/oauth/introspect"

    private func site(_ way: Way = .inProcess) async throws -> Site {
        let site = try await Site(way, change: IntrospectionTests.clients)
        try await site.signUp()
        return site
    }

    @Test(.tags(.revocationOracle, .publicClientSecret), arguments: Way.allCases)
    func `The introspection route is only for a client with a secret, before it looks at the token`(way: Way)
        async throws
    {
        let site = try await site(way)
        let login = try await site.passwordGrant(as: "phone")
        let bearer: HTTPFields = [.authorization: "Bearer \(login.accessToken)"]
        let attempts = [
            try await site.form(Self.path, ["token": login.accessToken]),
            try await site.form(Self.path, ["token": login.accessToken, "client_id": "phone"]),
            try await site.form(Self.path, ["token": login.accessToken, "client_id": "first-party"]),
            try await site.form(Self.path, ["token": login.accessToken, "client_id": "api"]),
            try await site.form(Self.path, ["token": login.accessToken, "client_id": "nobody"]),
            try await site.form(
                Self.path, ["token": login.accessToken, "client_id": "phone", "client_secret": ClientSecret.text]),
            try await site.form(Self.path, ["token": login.accessToken], fields: bearer),
            try await site.introspect("nonsense", secret: "wrong"),
            try await site.introspect(nil, secret: "wrong"),
        ]
        for answer in attempts {
            #expect(answer.status == 401 && answer.oauthError == "invalid_client")
            expectEqual(answer.response.body, attempts[0].response.body)
            expectEqual(answer.field(.wwwAuthenticate)?.hasPrefix("Basic "), true)
        }
        let form: KeyValuePairs<String, String?> = [
            "token": login.accessToken, "client_id": "api", "client_secret": ClientSecret.text,
        ]
        try await expectEqual(site.form(Self.path, form).json["active"], true)
        let both = try await site.form(Self.path, form, fields: [.authorization: ClientSecret.basic("api")])
        #expect(both.status == 400 && both.oauthError == "invalid_request")
        await site.close()
    }

    @Test(arguments: ["access_token", "refresh_token", "nonsense", nil])
    func `The introspection route has the same result for every hint`(hint: String?) async throws {
        let site = try await site()
        let access = try await site.passwordGrant(as: "phone").accessToken
        try await expectEqual(site.introspect(access, hint: hint).json["active"], true)
        try await expectEqual(site.introspect("x", hint: hint).text, #"{"active":false}"#)
        await site.close()
    }

    @Test func `The introspection route takes only POST, one token, and none in the URL`() async throws {
        let site = try await site()
        let fields: HTTPFields = [.authorization: ClientSecret.basic("api")]
        for method in [HTTPMethod.get, .put, .delete, .patch, .head] {
            let answer = try await site.send(method, Self.path + "?x=y", fields: fields)
            #expect(answer.status == 405 && answer.field("Allow")?.contains("POST") == true)
        }
        for (path, form) in [
            (Self.path + "?token=x", "token=x"), (Self.path, "token=a&token=b"), (Self.path, "token="),
        ] {
            var fields = fields
            fields[.contentType] = "application/x-www-form-urlencoded"
            let answer = try await site.send(.post, path, fields: fields, body: HTTPBody(form))
            #expect(answer.status == 400 && answer.oauthError == "invalid_request")
        }
        let json = try await site.post(Self.path, ["token": "x"], fields: fields)
        #expect(json.status == 400 && json.oauthError == "invalid_request")
        await site.close()
    }

    @Test func `The introspection route and its client authentication are in both metadata documents`() async throws {
        let site = try await site()
        let issuer = try #require(site.identity.issuer)
        for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
            let json = try await site.get(path).json
            expectEqual(json["introspection_endpoint"], .string(issuer + Self.path))
            expectEqual(
                json["introspection_endpoint_auth_methods_supported"],
                ["client_secret_basic", "client_secret_post", "private_key_jwt"])
        }
        await site.close()
    }

    @Test(.tags(.realServer)) func `The introspection route serves the verifier of a resource server`() async throws {
        let site = try await site(.socket)
        let issuer = try #require(site.identity.issuer)
        let client = AuthorizationClient(
            OAuthConfiguration(
                issuer: try #require(URL(string: issuer)), clientID: "api", secret: ClientSecret.text))
        let verifier = IntrospectionVerifier(client, audience: issuer)
        let login = try await site.passwordGrant(scope: "files:read", as: "phone")
        let claims = try await verifier.verify(login.accessToken)
        #expect(claims.string("scope") == "files:read" && claims.string("client_id") == "phone")
        for text in [login.refreshToken, "x"] {
            await #expect(throws: AuthError.invalidAccessToken) { try await verifier.verify(text) }
        }
        // A client's own refresh token is active, but no resource server accepts it.
        let reports = OAuthConfiguration(
            issuer: try #require(URL(string: issuer)), clientID: "reports", secret: ClientSecret.text)
        let own = try await site.token(
            ["grant_type": "password", "username": "ada@example.com", "password": Site.password],
            fields: [.authorization: ClientSecret.basic("reports")])
        for audience in [issuer, nil] {
            let verifier = IntrospectionVerifier(AuthorizationClient(reports), audience: audience)
            await #expect(throws: JOSEError.wrongType) { try await verifier.verify(own.refreshToken) }
        }
        await site.close()
    }
}
