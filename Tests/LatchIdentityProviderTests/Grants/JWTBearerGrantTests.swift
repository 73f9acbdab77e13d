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

/// RFC 7523 §2.1.
@Suite struct JWTBearerGrantTests {
    private let client: KeyClient
    private let site: Site

    init() async throws {
        let client = try KeyClient()
        self.client = client
        site = try await Site {
            $0.loginLimitPerMinute = 100
            var secret = client.registration
            secret.authenticationMethod = nil
            var other = OAuthClient(
                id: "other", isConfidential: true, grants: [.clientCredentials], jwks: client.registration.jwks)
            other.scopes = ["files:read"]
            $0.clients = [secret, other]
            $0.clientSecretDigests = ["service": ClientSecret.digest, "other": ClientSecret.digest]
        }
    }

    private func request(
        _ assertion: String?, scope: String? = nil, as id: String = "service", secret: String? = ClientSecret.text
    ) async throws -> Response {
        try await site.token([
            "grant_type": OAuthClient.GrantType.jwtBearer.rawValue, "assertion": assertion, "scope": scope,
            "client_id": id, "client_secret": secret,
        ])
    }

    @Test func `A grant of an assertion gives what client credentials give, and is counted apart`() async throws {
        let response = try await request(try client.assertion(for: site), scope: "files:read")
        #expect(response.status == 200 && response.scopes == ["files:read"])
        #expect(response.json["refresh_token"] == nil && response.json["id_token"] == nil)
        let claims = try JWT(unverified: response.accessToken).claims
        #expect(claims.subject == "service" && claims.string("client_id") == "service")
        #expect(claims.members["sid"] == nil && claims.members["email"] == nil)
        try await expectEqual(site.get("/user/profile", bearer: response.accessToken).status, 401)
        let grant = OAuthClient.GrantType.jwtBearer.rawValue
        try await expectEqual(site.metric("latch_tokens_issued_total{grant=\"\(grant)\"}"), 1)
        let message = HTTPRequest(
            scheme: "http", authority: "127.0.0.1:8080", path: "/",
            fields: [.authorization: "Bearer \(response.accessToken)"])
        try await expectEqual(site.identity.services.tokens.principal(of: message).clientID, "service")
        await site.close()
    }

    @Test(.tags(.assertionReplay)) func `A grant of an assertion counts once, also after its use as authentication`()
        async throws
    {
        let assertion = try client.assertion(for: site)
        try await expectEqual(request(assertion).status, 200)
        let again = try await request(assertion)
        #expect(again.status == 400 && again.oauthError == "invalid_grant")
        #expect(again.string("error_description").contains("'jti'"))
        var configuration = site.identity.services.configuration
        configuration.clients[0].authenticationMethod = .privateKeyJWT
        configuration.clientSecretDigests["service"] = nil
        let next = try await site.identity.reconfigured(configuration)
        let both = try client.assertion(for: site)
        let form = FormEncoding.encode([
            ("grant_type", OAuthClient.GrantType.jwtBearer.rawValue), ("assertion", both),
            ("client_assertion_type", KeyClient.type), ("client_assertion", both),
        ])
        let response = try await next.handler.respond(
            to: HTTPRequest(
                method: .post, scheme: "http", authority: "127.0.0.1:8080", path: "/oauth/token",
                fields: [.contentType: "application/x-www-form-urlencoded"], body: HTTPBody(form)))
        expectEqual(Response(response).oauthError, "invalid_grant")
        await next.close()
    }

    @Test(.tags(.assertionReplay))
    func `A grant of an assertion is for the client that signed it, and for no user`() async throws {
        try await site.signUp()
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        let attempts = [
            try client.assertion(for: site, ["sub": .string(account.id)]),
            try client.assertion(for: site, ["sub": "ada@example.com"]),
            try client.assertion(for: site, ["iss": "other"]),
            try client.assertion(for: site, ["aud": "https://other.example"]),
            try client.assertion(for: site, with: try Key.generate(.es256)),
            try client.assertion(for: site, type: "client-authentication+jwt"),
        ]
        for attempt in attempts {
            let response = try await request(attempt)
            #expect(response.status == 400 && response.oauthError == "invalid_grant", "\(response.text)")
        }
        try await expectEqual(request(nil).oauthError, "invalid_request")
        let assertion = try client.assertion(for: site)
        try await expectEqual(request(assertion, secret: "wrong").oauthError, "invalid_client")
        try await expectEqual(request(assertion, secret: nil).oauthError, "invalid_client")
        // It has the key, but not the grant.
        try await expectEqual(request(assertion, as: "other").oauthError, "unauthorized_client")
        try await expectEqual(request(assertion, scope: "widgets:admin").oauthError, "invalid_scope")
        await site.close()
    }

    @Test func `A grant of an assertion needs a client that authenticates and has a key`() {
        for client in [
            OAuthClient(id: "service", grants: [.jwtBearer]),
            OAuthClient(id: "service", isConfidential: true, grants: [.jwtBearer]),
        ] {
            var configuration = IdentityConfiguration()
            configuration.clients = [client]
            if client.isConfidential { configuration.clientSecretDigests = ["service": ClientSecret.digest] }
            #expect(throws: IdentityError.self) { try OAuthClients(configuration) }
        }
        var configuration = IdentityConfiguration()
        configuration.firstPartyGrants = [.password, .jwtBearer]
        #expect(throws: IdentityError.self) { try OAuthClients(configuration) }
    }
}
