// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// Clients that register themselves, and that an operator has changed.
@Suite struct RestrictedClientTests {
    @Test(.tags(.openRegistration)) func `What an operator takes away from a client does not come back`() async throws {
        let site = try await Site { $0.registration = .open }
        var metadata: JSONObject = [
            "client_name": "A wiki", "redirect_uris": ["https://wiki.example/back"],
            "policy_uri": "https://wiki.example/policy", "id_token_signed_response_alg": "ES256",
        ]
        let registered = try await site.post("/oauth/register", .object(metadata))
        let id = registered.string("client_id")
        var client = try await site.identity.clients.client(id).client
        try client.change(by: ["policy_uri="])
        _ = try await site.identity.clients.update(client, by: "a test")
        metadata["client_id"] = .string(id)
        let put = { [metadata] in
            try await site.call(
                .put, "/oauth/register/\(id)", bearer: registered.string("registration_access_token"),
                .object(metadata))
        }
        for _ in 0..<2 { #expect(try await put().json["policy_uri"] == nil) }
        // A later change of something else keeps it so.
        client = try await site.identity.clients.client(id).client
        client.requiresNonce = true
        _ = try await site.identity.clients.update(client, by: "a test")
        let updated = try await put()
        #expect(updated.status == 200 && updated.json["policy_uri"] == nil, "\(updated.text)")
        await site.close()
    }

    @Test func `A client's tokens and sessions live no longer than the operator says`() async throws {
        let site = try await Site.authorizing {
            ($0.clients[0].accessTokenLifetime, $0.clients[0].sessionLifetime) = (60, 3600)
            $0.clients[1].accessTokenLifetime = 100_000
        }
        let app = SignInApp()
        let tokens = try await site.exchange(try await site.code(app), app)
        let claims = try JWT(unverified: tokens.accessToken).claims
        #expect(tokens.json["expires_in"] == 60 && (claims.int("exp") ?? 0) - (claims.int("iat") ?? 0) == 60)
        let refresh: KeyValuePairs<String, String?> = [
            "grant_type": "refresh_token", "refresh_token": tokens.refreshToken, "client_id": "notes",
        ]
        let again = try await site.token(refresh)
        expectEqual(again.json["expires_in"], 60)
        site.clock.advance(by: 3600)
        let late = try await site.token([
            "grant_type": "refresh_token", "refresh_token": again.refreshToken, "client_id": "notes",
        ])
        expectEqual(late.oauthError, "invalid_grant")
        // An access token ends with its session.
        let last = try await site.exchange(try await site.code(app), app)
        site.clock.advance(by: 3570)
        let shorter = try await site.token([
            "grant_type": "refresh_token", "refresh_token": last.refreshToken, "client_id": "notes",
        ])
        expectEqual(shorter.json["expires_in"], 30)
        // Not longer than those of the server.
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back")
        try await expectEqual(site.exchange(site.code(foreign), foreign).json["expires_in"], 900)
        await site.close()
    }

    @Test(arguments: [false, true])
    func `A client gets an unverified address only if the operator says that it looks at the claim beside it`(
        isTold: Bool
    ) async throws {
        let site = try await Site.authorizing { $0.clients[0].receivesUnverifiedEmail = isTold }
        try await site.signUp("eve@example.com", isVerified: false)
        var agent = UserAgent(site)
        let app = SignInApp()
        let code = try await agent.authorize(app, [:], "eve@example.com").parameters["code"]
        let tokens = try await site.exchange(try #require(code), app)
        let user = try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json
        expectEqual(user["email"], isTold ? "eve@example.com" : nil)
        expectEqual(user["email_verified"], isTold ? false : nil)
        await site.close()
    }

    /// No address bar shows the frame, so that no user is deceived (RFC 9700 §4.11.2).
    @Test func `A client that registered itself gets the answer to a request without a page in a frame`() async throws {
        let site = try await Site { $0.registration = .open }
        let registered = try await site.post(
            "/oauth/register", ["redirect_uris": ["https://wiki.example/back"], "scope": "openid"])
        let app = SignInApp(
            clientID: registered.string("client_id"), redirect: "https://wiki.example/back", scope: "openid")
        var agent = UserAgent(site)
        let frame: HTTPFields = ["Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate"]
        let answer = try await agent.send(.get, app.path(["prompt": "none"]), fields: frame)
        expectEqual(answer.parameters["error"], "login_required")
        try await expectEqual(agent.get(app.path(["prompt": "none"])).status, 400)
        await site.close()
    }
}
