// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AuthorizationCodeTests {
    @Test(
        .tags(.wrongVerifier, .missingVerifier, .foreignCode, .otherRedirectURI),
        arguments: ["verifier", "missing", "client", "redirect"])
    func `An authorization code is useless without a part of its request, and ends`(part: String) async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        let code = try await site.code(app)
        let response =
            switch part {
            case "verifier": try await site.exchange(code, app, verifier: SignInApp().verifier)
            case "missing": try await site.exchange(code, app, verifier: "")
            case "client": try await site.exchange(code, app, as: "foreign")
            default: try await site.exchange(code, app, redirect: "https://notes.example.com/other")
            }
        expectEqual(response.status, 400)
        expectEqual(response.oauthError, "invalid_grant")
        // Without a verifier nothing was tried; everything else was a stolen code.
        try await expectEqual(site.exchange(code, app).status, part == "missing" ? 200 : 400)
        await site.close()
    }

    @Test(.tags(.plainChallenge, .verifierDowngrade))
    func `An authorization code is issued only for a challenge of S256`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        for changes in [
            ["code_challenge_method": "plain"], ["code_challenge_method": nil],
            ["code_challenge": nil, "code_challenge_method": nil], ["code_challenge": app.verifier + "="],
            ["nonce": "a\0b"],
        ] as [KeyValuePairs<String, String?>] {
            let response = try await agent.get(app.path(changes))
            expectEqual(response.parameters["error"], "invalid_request", "\(changes)")
            #expect(response.location.hasPrefix("https://notes.example.com/callback?"))
        }
        await site.close()
    }

    /// A site whose confidential client may leave out the challenge, and its app.
    private func siteWithoutPKCE(requiresNonce: Bool = false) async throws -> (Site, SignInApp) {
        let site = try await Site.authorizing {
            for index in $0.clients.indices where $0.clients[index].id == "web" {
                ($0.clients[index].requiresPKCE, $0.clients[index].requiresNonce) = (false, requiresNonce)
            }
        }
        return (site, SignInApp(clientID: "web", redirect: "https://web.example/callback"))
    }

    private func exchange(_ code: String, _ app: SignInApp, at site: Site, verifier: String?) async throws -> Response {
        try await site.token(
            [
                "grant_type": "authorization_code", "code": code, "code_verifier": verifier,
                "redirect_uri": app.redirect,
            ], fields: [.authorization: ClientSecret.basic("web")])
    }

    private static let withoutChallenge: KeyValuePairs<String, String?> = [
        "code_challenge": nil, "code_challenge_method": nil,
    ]

    @Test func `A confidential client that need not use PKCE gets tokens without a challenge`() async throws {
        let (site, app) = try await siteWithoutPKCE()
        var agent = UserAgent(site)
        let code = try #require(try await agent.authorize(app, Self.withoutChallenge).parameters["code"])
        try await expectEqual(exchange(code, app, at: site, verifier: nil).status, 200)
        try await expectEqual(exchange(code, app, at: site, verifier: nil).oauthError, "invalid_grant")
        // A challenge that it sends counts.
        let challenged = try #require(try await agent.authorize(app).parameters["code"])
        try await expectEqual(exchange(challenged, app, at: site, verifier: nil).oauthError, "invalid_grant")
        try await expectEqual(exchange(challenged, app, at: site, verifier: app.verifier).status, 200)
        await site.close()
    }

    @Test(.tags(.plainChallenge)) func `A client that need not use PKCE uses S256 if it does`() async throws {
        let (site, app) = try await siteWithoutPKCE()
        var agent = UserAgent(site)
        for changes in [
            ["code_challenge_method": "plain"], ["code_challenge_method": nil], ["code_challenge": nil],
        ] as [KeyValuePairs<String, String?>] {
            let response = try await agent.get(app.path(changes))
            expectEqual(response.parameters["error"], "invalid_request", "\(changes)")
        }
        await site.close()
    }

    @Test(.tags(.verifierDowngrade))
    func `A verifier for an authorization code without a challenge ends the code`() async throws {
        let (site, app) = try await siteWithoutPKCE()
        var agent = UserAgent(site)
        let code = try #require(try await agent.authorize(app, Self.withoutChallenge).parameters["code"])
        try await expectEqual(exchange(code, app, at: site, verifier: app.verifier).oauthError, "invalid_grant")
        try await expectEqual(exchange(code, app, at: site, verifier: nil).oauthError, "invalid_grant")
        await site.close()
    }

    @Test func `A client that must send a nonce gets no authorization code without one`() async throws {
        let (site, app) = try await siteWithoutPKCE(requiresNonce: true)
        var agent = UserAgent(site)
        let refused = try await agent.get(app.path(["nonce": nil]))
        expectEqual(refused.parameters["error"], "invalid_request")
        // Without an ID token nobody compares it.
        for scope in ["email", nil] as [String?] {
            try await expectEqual(agent.get(app.path(["scope": scope])).parameters["error"], "invalid_request")
        }
        #expect(try await agent.authorize(app).parameters["code"] != nil)
        await site.close()
    }

    @Test(.tags(.codeReplay)) func `An authorization code ends its tokens when it is used again`() async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        let code = try await site.code(app)
        let tokens = try await site.exchange(code, app)
        #expect(try await site.accepts(tokens.accessToken))
        try await expectEqual(site.exchange(code, app).oauthError, "invalid_grant")
        #expect(try await !site.accepts(tokens.accessToken))
        try await expectEqual(site.refreshGrant(tokens.refreshToken, as: "notes").oauthError, "invalid_grant")
        let records = try await site.identity.audit.records(limit: 50)
        #expect(records.contains { $0.event == "code.replayed" && $0.detail == "notes from in process" })
        await site.close()
    }

    @Test(.tags(.codeReplay))
    func `An authorization code also ends its tokens when another client uses it again, hours later`()
        async throws
    {
        let site = try await Site.authorizing()
        let app = SignInApp()
        let code = try await site.code(app)
        let tokens = try await site.exchange(code, app)
        site.clock.advance(by: 7200)
        try await expectEqual(site.exchange(code, app, as: "foreign").oauthError, "invalid_grant")
        try await expectEqual(site.refreshGrant(tokens.refreshToken, as: "notes").oauthError, "invalid_grant")
        await site.close()
    }

    @Test(.tags(.codeReplay))
    func `An authorization code also ends its tokens when the password has changed since`() async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        let code = try await site.code(app)
        let tokens = try await site.exchange(code, app)
        let store = site.identity.services.store
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        let device = try #require(try await site.tokens.devices(of: account.id).first)
        let isChanged = try await store.changePassword(
            of: account, to: "$new", on: device.id, signingOutOthers: false, at: site.clock.now)
        #expect(isChanged)
        #expect(try await site.accepts(tokens.accessToken))
        try await expectEqual(site.exchange(code, app).oauthError, "invalid_grant")
        try await expectEqual(site.refreshGrant(tokens.refreshToken, as: "notes").oauthError, "invalid_grant")
        try await expectEqual(site.metric("latch_code_replays_total"), 1)
        await site.close()
    }

    @Test(.tags(.codeReplay))
    func `An authorization code counts as copied if a session ends with it, and once`() async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        // Somebody guesses, and the app comes too late: nothing was given.
        let guessed = try await site.code(app)
        try await expectEqual(site.exchange(guessed, app, verifier: SignInApp().verifier).status, 400)
        try await expectEqual(site.exchange(guessed, app).status, 400)
        try await expectEqual(site.metric("latch_code_replays_total"), 0)
        // A copy counts, also without a verifier, and further attempts are recorded.
        let copied = try await site.code(app)
        try await expectEqual(site.exchange(copied, app).status, 200)
        for verifier in ["", SignInApp().verifier, app.verifier] {
            try await expectEqual(site.exchange(copied, app, verifier: verifier).oauthError, "invalid_grant")
            try await expectEqual(site.metric("latch_code_replays_total"), 1)
        }
        let events = try await site.identity.audit.records(limit: 50).map(\.event)
        expectEqual(events.filter { $0 == "code.refused" }.count, 4)
        expectEqual(events.filter { $0 == "code.replayed" }.count, 1)
        await site.close()
    }

    @Test
    func `An authorization code that cannot be stored is a server failure, and the app gets an error`() async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        var agent = UserAgent(site)
        _ = try await agent.authorize(app)
        let database = try SQLiteConnection(path: site.folder.file(), access: .readWrite)
        try database.run("DROP TABLE authorization_code")
        let response = try await agent.get(app.path())
        #expect(response.status == 303 && response.parameters["error"] == "temporarily_unavailable")
        try await expectEqual(site.metric(#"latch_requests_total{status="5xx"}"#), 1)
        await site.close()
    }

    @Test
    func `An authorization code gives a third-party app a token with only its scopes, and no role`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("boss@example.com", roles: ["admin"])
        var app = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back")
        let cases: [(String, JSONValue?)] = [("openid files:read", nil), ("openid email", "boss@example.com")]
        for (scope, email) in cases {
            app.scope = scope
            var agent = UserAgent(site)
            let response = try await agent.authorize(app, [:], "boss@example.com")
            let tokens = try await site.exchange(response.parameters["code"] ?? "", app)
            let claims = try JWT(unverified: tokens.accessToken).claims
            for name in ["id", "email", "name", "roles", "permissions"] { expectNil(claims[name], "\(name)") }
            try await expectEqual(site.get("/oauth/userinfo", bearer: tokens.accessToken).json["email"], email)
        }
        let own = try JWT(unverified: try await site.logIn("boss@example.com").access).claims
        #expect(own["roles"] == ["admin"] && own.string("email") == "boss@example.com")
        await site.close()
    }

    @Test func `An authorization code is forgotten unused, and only the newest of a browser are kept`() async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        var agent = UserAgent(site)
        var codes: [String] = []
        for _ in 0..<25 {
            codes.append(try await agent.authorize(app).parameters["code"] ?? "")
            site.clock.advance(by: 1)
        }
        func count() throws -> Int {
            try SQLiteConnection(path: site.folder.file(), access: .readOnly).number(
                "SELECT count(*) FROM authorization_code", [])
        }
        try expectEqual(count(), 20)
        try await expectEqual(site.exchange(codes[0], app).oauthError, "invalid_grant")
        try await expectEqual(site.exchange(codes[24], app).status, 200)
        site.clock.advance(by: 120)
        try await site.identity.services.store.prune(endedBefore: site.clock.now)
        // The used one is remembered, for its second use.
        try expectEqual(count(), 1)
        await site.close()
    }

    @Test(.tags(.parallelRedemption), arguments: SharedStore.all)
    func `Of sixteen concurrent exchanges of an authorization code on two nodes, one succeeds`(store: SharedStore)
        async throws
    {
        let location = try await store.location()
        let site = try await Site.authorizing(storedAt: location)
        let other = try await Site.authorizing(in: site.folder, storedAt: location)
        let app = SignInApp()
        let code = try await site.code(app)
        let responses = try await withThrowingTaskGroup(of: Response.self) { group in
            for number in 0..<16 {
                group.addTask { try await (number % 2 == 0 ? site : other).exchange(code, app) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(responses.map(\.status).sorted(), [200] + Array(repeating: 400, count: 15))
        // Fifteen copies were used, so what the first one got has ended (RFC 6749 §4.1.2).
        let winner = try #require(responses.first { $0.status == 200 })
        try await expectEqual(site.refreshGrant(winner.refreshToken, as: "notes").oauthError, "invalid_grant")
        await other.close()
        await site.close()
    }

    @Test(.tags(.expiredCode)) func `An authorization code is valid for a minute`() async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        let code = try await site.code(app)
        site.clock.advance(by: 61)
        try await expectEqual(site.exchange(code, app).oauthError, "invalid_grant")
        await site.close()
    }

    @Test(.tags(.codeAfterLogout), arguments: ["logout", "disabled", "reset", "pages"])
    func `An authorization code ends with the session that it comes from`(cause: String) async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        var agent = UserAgent(site)
        let code = try await agent.authorize(app).parameters["code"] ?? ""
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        switch cause {
        case "logout":
            let access = try await site.logIn().access
            _ = try await site.call(.post, "/auth/logout", bearer: access, ["allDevices": true])
        case "disabled": _ = try await site.identity.administration.setStatus(of: account.id, to: .suspended, by: nil)
        case "reset":
            _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
            let token = await site.mailedToken() ?? ""
            _ = try await site.post("/api/auth/reset-password", ["token": .string(token), "password": "Another-1234"])
        default:
            // Somebody else signs in at the same browser.
            try await site.signUp("bob@example.com")
            _ = try await agent.authorize(app, ["prompt": "login"], "bob@example.com")
        }
        try await expectEqual(site.exchange(code, app).oauthError, "invalid_grant")
        await site.close()
    }

    @Test func `An authorization code is in the store as a digest`() async throws {
        let site = try await Site.authorizing()
        let code = try await site.code(SignInApp())
        #expect(code.hasPrefix("ac1."))
        let connection = try SQLiteConnection(path: site.folder.file(), access: .readOnly)
        let sql = "SELECT count(*) FROM authorization_code WHERE digest = ?"
        try expectEqual(connection.number(sql, [.blob(code.digest)]), 1)
        let bytes = try ["", "-wal"].flatMap { try Array(Data(contentsOf: URL(filePath: site.folder.file() + $0))) }
        #expect(!String(decoding: bytes, as: UTF8.self).contains(code))
        await site.close()
    }

    @Test func `An authorization code of a confidential client needs its secret, and the grant to refresh`()
        async throws
    {
        let site = try await Site.authorizing()
        let app = SignInApp(clientID: "web", redirect: "https://web.example/callback")
        let code = try await site.code(app)
        try await expectEqual(site.exchange(code, app).oauthError, "invalid_client")
        let form: KeyValuePairs<String, String?> = [
            "grant_type": "authorization_code", "code": code, "code_verifier": app.verifier,
            "redirect_uri": app.redirect,
        ]
        let response = try await site.token(form, fields: [.authorization: ClientSecret.basic("web")])
        #expect(response.status == 200 && response.json["refresh_token"] == nil)
        await site.close()
    }
}
