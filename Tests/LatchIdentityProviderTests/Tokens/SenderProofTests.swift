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

/// Tokens that are bound to a key (RFC 9449).
@Suite(.tags(.proofReplay)) struct SenderProofTests {
    private func exchange(
        _ site: Site, _ code: String, _ app: SignInApp, fields: HTTPFields
    ) async throws -> Response {
        try await site.token(
            [
                "grant_type": "authorization_code", "code": code, "code_verifier": app.verifier,
                "redirect_uri": app.redirect, "client_id": app.clientID,
            ], fields: fields)
    }

    private func refresh(_ site: Site, _ token: String, fields: HTTPFields) async throws -> Response {
        try await site.token(
            ["grant_type": "refresh_token", "refresh_token": token, "client_id": "notes"], fields: fields)
    }

    @Test(arguments: Way.allCases)
    func `A client with a proof gets tokens that only its key can use`(way: Way) async throws {
        let site = try await Site.authorizing(way)
        let (sender, thief) = (try Sender(site), try Sender(site))
        let app = SignInApp()
        let tokens = try await exchange(
            site, try await site.code(app), app, fields: try sender.proof("POST", "/oauth/token"))
        #expect(tokens.status == 200 && tokens.string("token_type") == "DPoP")
        let access = tokens.accessToken
        let confirmation = try JWT(unverified: access).claims["cnf"]?["jkt"]
        expectEqual(confirmation, .string(sender.key.thumbprint))
        for path in ["/oauth/userinfo", "/files", "/api/auth/consents"] {
            let mine = try await sender.get(path, access)
            #expect(mine.status == 200 || mine.status == 403, "\(path): \(mine.status)")
            for stolen in [try await site.get(path, bearer: access), try await thief.get(path, access)] {
                expectEqual(stolen.status, 401, "\(path)")
                expectEqual(stolen.response.fields[.wwwAuthenticate]?.isEmpty, false)
            }
        }
        try await expectEqual(sender.get("/oauth/userinfo", access, scheme: "dpop").status, 200)
        let challenge = try await thief.get("/oauth/userinfo", access).response.fields[.wwwAuthenticate]
        expectEqual(challenge, #"DPoP error="invalid_dpop_proof""#)
        await site.close()
    }

    @Test func `A refresh token of a public client needs the key, and a refusal does not use it up`() async throws {
        let site = try await Site.authorizing()
        let (sender, thief) = (try Sender(site), try Sender(site))
        let app = SignInApp(scope: "openid offline_access files:read")
        var tokens = try await exchange(
            site, try await site.code(app), app, fields: try sender.proof("POST", "/oauth/token"))
        for round in 0..<2 {
            for fields in [HTTPFields(), try thief.proof("POST", "/oauth/token")] {
                try await expectEqual(refresh(site, tokens.refreshToken, fields: fields).oauthError, "invalid_grant")
            }
            tokens = try await refresh(
                site, tokens.refreshToken, fields: try sender.proof("POST", "/oauth/token"))
            #expect(tokens.status == 200 && tokens.string("token_type") == "DPoP", "\(round)")
            try await expectEqual(sender.get("/files", tokens.accessToken).status, 200)
        }
        await site.close()
    }

    /// RFC 9449 §5: the refresh token of a confidential client is bound to its secret.
    @Test func `A confidential client may change its key at a refresh`() async throws {
        let site = try await Site.authorizing {
            for index in $0.clients.indices where $0.clients[index].id == "web" {
                $0.clients[index].grants.insert(.refreshToken)
                $0.clients[index].requiresProofs = true
            }
        }
        let app = SignInApp(clientID: "web", redirect: "https://web.example/callback")
        let (first, second) = (try Sender(site), try Sender(site))
        func fields(_ sender: Sender?) throws -> HTTPFields {
            var fields = try sender?.proof("POST", "/oauth/token") ?? [:]
            fields[.authorization] = ClientSecret.basic("web")
            return fields
        }
        let code = try await site.code(app)
        let without = try await site.token(
            [
                "grant_type": "authorization_code", "code": code, "code_verifier": app.verifier,
                "redirect_uri": app.redirect,
            ], fields: try fields(nil))
        expectEqual(without.oauthError, "invalid_request")
        let tokens = try await site.token(
            [
                "grant_type": "authorization_code", "code": code, "code_verifier": app.verifier,
                "redirect_uri": app.redirect,
            ], fields: try fields(first))
        expectEqual(tokens.status, 200)
        let next = try await site.token(
            ["grant_type": "refresh_token", "refresh_token": tokens.refreshToken], fields: try fields(second))
        expectEqual(next.status, 200)
        try await expectEqual(second.get("/oauth/userinfo", next.accessToken).status, 200)
        try await expectEqual(first.get("/oauth/userinfo", next.accessToken).status, 401)
        await site.close()
    }

    @Test(arguments: ["dpop_jkt", "pushed"])
    func `A code that is bound to a key is useless without it, and ends`(way: String) async throws {
        let site = try await Site.authorizing()
        let (sender, thief) = (try Sender(site), try Sender(site))
        let app = SignInApp()
        func code() async throws -> String {
            var agent = UserAgent(site)
            let page: Response
            if way == "dpop_jkt" {
                page = try await agent.get(app.path(["dpop_jkt": sender.key.thumbprint]))
            } else {
                var fields = try sender.proof("POST", "/oauth/par")
                fields[.contentType] = "application/x-www-form-urlencoded"
                let pushed = try await site.send(
                    .post, "/oauth/par", fields: fields, body: HTTPBody(FormEncoding.encode(app.parameters())))
                let query = [("client_id", "notes"), ("request_uri", pushed.string("request_uri"))]
                page = try await agent.get("/oauth/authorize?\(FormEncoding.encode(query))")
            }
            return try await agent.signIn(page).parameters["code"] ?? ""
        }
        let bound = try await code()
        try await expectEqual(exchange(site, bound, app, fields: try sender.proof("POST", "/oauth/token")).status, 200)
        for fields in [HTTPFields(), try thief.proof("POST", "/oauth/token")] {
            let stolen = try await code()
            try await expectEqual(exchange(site, stolen, app, fields: fields).oauthError, "invalid_grant")
            let late = try await exchange(site, stolen, app, fields: try sender.proof("POST", "/oauth/token"))
            expectEqual(late.oauthError, "invalid_grant")
        }
        await site.close()
    }

    @Test func `A proof is for its request, its time and one use`() async throws {
        let site = try await Site.authorizing()
        let sender = try Sender(site)
        let app = SignInApp()
        let access = try await exchange(
            site, try await site.code(app), app, fields: try sender.proof("POST", "/oauth/token")
        ).accessToken
        let issuer = try #require(site.identity.issuer)
        let now = Int64(site.clock.now.timeIntervalSince1970)
        let wrong: [JSONObject] = [
            ["htm": "POST"], ["htu": .string(issuer + "/oauth/token")], ["htu": "https://evil.example/oauth/userinfo"],
            ["iat": .integer(now - 3600)], ["iat": .integer(now + 3600)], ["ath": .null], ["jti": .null],
            ["ath": .string(Base64URL.encode("other".digest))], ["exp": .integer(now - 300)],
        ]
        for claims in wrong {
            try await expectEqual(sender.get("/oauth/userinfo", access, claims: claims).status, 401, "\(claims)")
        }
        for claims in [
            ["htu": .string(issuer + "/oauth/userinfo?x=1")], ["iat": .integer(now - 10)], ["iat": .integer(now + 10)],
            ["more": true],
        ] as [JSONObject] {
            try await expectEqual(sender.get("/oauth/userinfo", access, claims: claims).status, 200, "\(claims)")
        }
        let once: JSONObject = ["jti": "once"]
        try await expectEqual(sender.get("/oauth/userinfo", access, claims: once).status, 200)
        try await expectEqual(sender.get("/oauth/userinfo", access, claims: once).status, 401)
        // A token that is bound to no key has no proof (§7.1).
        let bearer = try await site.exchange(try await site.code(app), app).accessToken
        try await expectEqual(sender.get("/oauth/userinfo", bearer).status, 401)
        await site.close()
    }

    @Test func `Introspection names the key, and metadata the algorithms of proofs`() async throws {
        let site = try await Site.authorizing {
            $0.clients.append(OAuthClient(id: "api", isConfidential: true, grants: []))
            $0.clientSecretDigests["api"] = ClientSecret.digest
        }
        let sender = try Sender(site)
        let app = SignInApp()
        let access = try await exchange(
            site, try await site.code(app), app, fields: try sender.proof("POST", "/oauth/token")
        ).accessToken
        let found = try await site.form(
            "/oauth/introspect", ["token": access], fields: [.authorization: ClientSecret.basic("api")])
        #expect(found.json["active"] == true && found.json["token_type"] == "DPoP")
        expectEqual(found.json["cnf"]?["jkt"], .string(sender.key.thumbprint))
        let metadata = try await site.get("/.well-known/oauth-authorization-server").json
        expectEqual(metadata["dpop_signing_alg_values_supported"]?.arrayValue?.contains("ES256"), true)
        await site.close()
    }

    @Test(arguments: Way.allCases)
    func `Our own client pushes a request, and keeps a session that is bound to its key`(way: Way) async throws {
        let site = try await Site.authorizing(way) {
            for index in $0.clients.indices where $0.clients[index].id == "notes" {
                $0.clients[index].requiresPushedRequests = true
                $0.clients[index].requiresProofs = true
                // A client learns the time from the Date of a refusal, which a socket has from the real clock.
                if way == .socket { $0.clients[index].proofNonces = .optional }
            }
        }
        let issuer = try #require(site.identity.issuer.flatMap(URL.init(string:)))
        var configuration = OAuthConfiguration(issuer: issuer, clientID: "notes")
        configuration.pushesRequests = true
        let client = AuthorizationClient(
            configuration, transport: site.transport, clock: site.clock.wallClock())
        let callback = try #require(URL(string: "https://notes.example.com/callback"))
        let key = try DPoPKey.generate(clock: site.clock.wallClock())
        let attempt = try await client.begin(redirectURI: callback, boundTo: key)
        expectEqual(attempt.url.query()?.contains("request_uri="), true)
        var agent = UserAgent(site)
        let redirect = try await agent.signIn(
            try await agent.get("\(attempt.url.path())?\(attempt.url.query() ?? "")"))
        let response = try await client.finish(try #require(URL(string: redirect.location)))
        expectEqual(response.tokens.tokenType, .dpop)
        let user = try await client.userInfo(of: response.tokens)
        expectEqual(user.string("email"), "ada@example.com")
        let refresh = try #require(response.tokens.refresh)
        let next = try await client.tokens(for: RefreshGrant(refreshToken: refresh), boundTo: key)
        try await expectEqual(client.userInfo(of: next.tokens).subject, user.subject)
        await site.close()
    }
}
