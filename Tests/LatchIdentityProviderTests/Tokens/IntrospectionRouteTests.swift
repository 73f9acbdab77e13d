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

    // MARK: Signed responses (RFC 9701)

    private static let signedType = "application/token-introspection+jwt"

    private func signed(
        _ site: Site, _ token: String, by client: String = "api", accepting types: String = signedType
    ) async throws -> Response {
        try await site.form(
            Self.path, ["token": token], fields: [.authorization: ClientSecret.basic(client), .accept: types])
    }

    @Test(arguments: ["ES256", "EdDSA"])
    func `A signed response of introspection has the resource server's algorithm, if it is the preferred form`(
        name: String
    ) async throws {
        let algorithm = SignatureAlgorithm(rawValue: name)
        let site = try await Site {
            IntrospectionTests.clients(&$0)
            for index in $0.clients.indices { $0.clients[index].introspectionAlgorithm = algorithm }
        }
        let answer = try await signed(site, "unknown", accepting: "\(Self.signedType), application/json;q=0.5")
        try expectEqual(JWT(unverified: answer.text).header.algorithm, algorithm)
        let plain = try await signed(site, "unknown", accepting: "application/json, \(Self.signedType);q=0.5")
        expectEqual(plain.json["active"], false)
        await site.close()
    }

    @Test(arguments: Way.allCases)
    func `A resource server gets a response that is signed for it, and is no access token`(way: Way) async throws {
        let site = try await site(way)
        let issuer = try #require(site.identity.issuer)
        let access = try await site.passwordGrant(scope: "files:read", as: "phone").accessToken
        let plain = try await site.introspect(access)
        expectEqual(plain.field(.contentType)?.hasPrefix("application/json"), true)
        let answer = try await signed(site, access)
        #expect(answer.status == 200 && answer.field(.contentType) == Self.signedType)
        expectEqual(answer.field(.cacheControl), "no-store")
        let keys = try KeySet(jwks: .object(try await site.get("/.well-known/jwks.json").json))
        _ = try JWS(verifying: answer.text, keys: keys, algorithms: [.es256])
        let token = try JWT(unverified: answer.text)
        expectEqual(token.header.type, "token-introspection+jwt")
        #expect(
            token.claims.issuer == issuer && token.claims["aud"] == "api" && token.claims.issuedAt == site.clock.now)
        // RFC 9701 §5: neither, so that nobody takes it for an access token.
        #expect(token.claims["sub"] == nil && token.claims["exp"] == nil)
        #expect(token.claims["token_introspection"] == .object(plain.json) && plain.json["active"] == true)
        // It opens nothing.
        #expect(try await !site.accepts(answer.text))
        try await expectEqual(site.introspect(answer.text).text, #"{"active":false}"#)
        await site.close()
    }

    @Test func `A client that may not see a token gets a signed response without a word about it`() async throws {
        let site = try await site()
        let access = try await site.passwordGrant(as: "phone").accessToken
        for (client, text) in [("reports", access), ("api", "nonsense"), ("api", access + "x")] {
            let answer = try await signed(site, text, by: client)
            expectEqual(answer.field(.contentType), Self.signedType)
            let claims = try JWT(unverified: answer.text).claims
            #expect(claims["token_introspection"] == ["active": false] && claims["aud"] == .string(client))
        }
        let stranger = try await site.form(
            Self.path, ["token": access],
            fields: [.authorization: ClientSecret.basic("api", "x"), .accept: Self.signedType])
        #expect(stranger.status == 401 && stranger.field(.contentType)?.hasPrefix("application/json") == true)
        await site.close()
    }

    @Test(arguments: ["application/json", "*/*", "text/html, */*;q=0.1", "application/jwt"])
    func `Any other media type gets JSON`(accept: String) async throws {
        let site = try await site()
        let access = try await site.passwordGrant(as: "phone").accessToken
        let answer = try await site.form(
            Self.path, ["token": access], fields: [.authorization: ClientSecret.basic("api"), .accept: accept])
        expectEqual(answer.json["active"], true)
        await site.close()
    }
}
