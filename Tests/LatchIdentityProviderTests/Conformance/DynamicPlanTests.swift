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

/// Modules of the plans oidcc-dynamic-certification and of third-party-initiated login.
///
/// Those that need the implicit flow are missing. Each test registers its own client.
@Suite struct DynamicPlanTests {
    private static let redirect = "https://suite.example/callback"

    private func site() async throws -> Site {
        try await Site.authorizing { $0.registration = .open }
    }

    private func register(_ site: Site, _ more: JSONObject = [:]) async throws -> Response {
        var metadata: JSONObject = [
            "client_name": "suite", "redirect_uris": [.string(Self.redirect)], "response_types": ["code"],
            "grant_types": ["authorization_code"],
        ]
        for (name, value) in more { metadata[name] = value }
        return try await site.post("/oauth/register", .object(metadata))
    }

    private func app(_ registered: Response, _ redirect: String = redirect) -> SignInApp {
        SignInApp(clientID: registered.string("client_id"), redirect: redirect, scope: "openid email profile")
    }

    private func tokens(
        _ site: Site, _ registered: Response, _ app: SignInApp, _ fields: [(String, String)] = []
    ) async throws -> Response {
        let code = try await site.code(app)
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let secret = registered.string("client_secret")
        if !secret.isEmpty { headers[.authorization] = ClientSecret.basic(app.clientID, secret) }
        return try await site.send(
            .post, "/oauth/token", fields: headers,
            body: HTTPBody(
                FormEncoding.encode(
                    [
                        ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", app.redirect),
                        ("code_verifier", app.verifier),
                    ] + fields)))
    }

    /// A verified token of the server.
    private func verified(_ site: Site, _ text: String, _ algorithm: SignatureAlgorithm) async throws -> Claims {
        let keys = try KeySet(
            jwks: JSONValue(parsing: try await site.get("/.well-known/jwks.json").response.body.bytes))
        let object = try JWS(verifying: text, keys: keys, algorithms: [algorithm])
        return Claims(try #require(try JSONValue(parsing: object.payload).objectValue))
    }

    @Test func `oidcc-server, oidcc-idtoken-rs256: a dynamic client gets an ID token with RS256`() async throws {
        let site = try await site()
        let registered = try await register(site)
        expectEqual(registered.status, 201)
        let app = app(registered)
        let response = try await tokens(site, registered, app)
        expectEqual(response.status, 200)
        let claims = try await verified(site, response.string("id_token"), .rs256)
        #expect(claims.audience == [app.clientID] && claims["nonce"]?.stringValue == app.nonce)
        await site.close()
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .es256])
    func `oidcc-userinfo-rs256: a client that wants it gets its claims signed`(algorithm: SignatureAlgorithm)
        async throws
    {
        let site = try await site()
        let registered = try await register(
            site, ["userinfo_signed_response_alg": .string(algorithm.rawValue)])
        expectEqual(registered.string("userinfo_signed_response_alg"), algorithm.rawValue)
        let app = app(registered)
        let response = try await tokens(site, registered, app)
        let userInfo = try await site.get("/oauth/userinfo", bearer: response.accessToken)
        expectEqual(userInfo.field(.contentType), "application/jwt")
        let claims = try await verified(site, userInfo.text, algorithm)
        // OpenID Connect Core §5.3.2: with the issuer and the client as its audience.
        #expect(claims.issuer == "http://127.0.0.1:8080" && claims.audience == [app.clientID])
        #expect(claims["email"] == "ada@example.com" && claims["exp"] == nil)
        let metadata = try await site.get("/.well-known/openid-configuration").json
        expectEqual(metadata["userinfo_signing_alg_values_supported"]?.arrayValue?.contains("RS256"), true)
        await site.close()
    }

    @Test func `oidcc-registration-policy-uri, -tos-uri: the page of the consent links to them`() async throws {
        let site = try await site()
        let registered = try await register(
            site,
            [
                "policy_uri": "https://suite.example/policy", "tos_uri": "https://suite.example/terms",
                "logo_uri": "https://suite.example/logo.png",
            ])
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.get(app(registered).path()))
        #expect(page.text.contains("href=\"https://suite.example/policy\""))
        #expect(page.text.contains("href=\"https://suite.example/terms\""))
        // oidcc-registration-logo-uri: it is registered, and no page loads an image of another host.
        #expect(registered.string("logo_uri") == "https://suite.example/logo.png" && !page.text.contains("logo.png"))
        await site.close()
    }

    @Test func `oidcc-redirect-uri-regfrag: a redirect with a fragment is not registered`() async throws {
        let site = try await site()
        let response = try await register(site, ["redirect_uris": ["https://suite.example/callback#frag"]])
        #expect(response.status == 400 && response.oauthError == "invalid_redirect_uri")
        await site.close()
    }

    @Test func `oidcc-redirect-uri-query-OK, -mismatch, -added: the query of a redirect is compared`() async throws {
        let site = try await site()
        let redirect = Self.redirect + "?foo=bar"
        let registered = try await register(site, ["redirect_uris": [.string(redirect)]])
        try await expectEqual(tokens(site, registered, app(registered, redirect)).status, 200)
        for other in [Self.redirect + "?foo=baz", Self.redirect + "?foo=bar&baz=1", Self.redirect] {
            var agent = UserAgent(site)
            try await expectEqual(agent.get(app(registered, other).path()).status, 400)
        }
        await site.close()
    }

    @Test func `oidcc-ensure-redirect-uri-in-authorization-request: a request without it is shown as an error`()
        async throws
    {
        let site = try await site()
        let registered = try await register(site)
        var agent = UserAgent(site)
        let response = try await agent.get(app(registered).path(["redirect_uri": nil]))
        #expect(response.status == 400 && response.field(.location) == nil)
        await site.close()
    }

    @Test func `oidcc-ensure-client-assertion-with-iss-aud-succeeds: the audience may be the issuer`() async throws {
        let site = try await site()
        var client = try KeyClient()
        let registered = try await register(
            site,
            [
                "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "ES256",
                "jwks": try #require(client.registration.jwks),
            ])
        #expect(registered.status == 201 && registered.json["client_secret"] == nil)
        client.id = registered.string("client_id")
        let assertion = try client.assertion(for: site)
        let response = try await tokens(
            site, registered, app(registered),
            [
                ("client_id", client.id), ("client_assertion", assertion),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ])
        expectEqual(response.status, 200, "\(response.text)")
        await site.close()
    }

    @Test func `oidcc-3rd_party-init-login, -nohttps: the https URL at which a sign-in begins is registered`()
        async throws
    {
        let site = try await site()
        let registered = try await register(site, ["initiate_login_uri": "https://suite.example/begin"])
        #expect(registered.status == 201 && registered.string("initiate_login_uri") == "https://suite.example/begin")
        let refused = try await register(site, ["initiate_login_uri": "http://suite.example/begin"])
        #expect(refused.status == 400 && refused.oauthError == "invalid_client_metadata")
        await site.close()
    }
}
