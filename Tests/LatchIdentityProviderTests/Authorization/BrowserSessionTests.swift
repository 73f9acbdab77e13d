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

/// OpenID Connect Back-Channel Logout §2.7: what a sign-out at the server ends.
@Suite struct BrowserSessionTests {
    private static let bye = "https://notes.example.com/bye"
    private let second = SignInApp(
        clientID: "web", redirect: "https://web.example/callback", scope: "openid files:read")

    /// Signs a client in through a browser.
    private func tokens(_ agent: inout UserAgent, _ app: SignInApp, of site: Site) async throws -> Response {
        let code = try await agent.authorize(app).parameters["code"] ?? ""
        guard app.clientID == "web" else { return try await site.exchange(code, app) }
        return try await site.token([
            "grant_type": "authorization_code", "code": code, "code_verifier": app.verifier,
            "redirect_uri": app.redirect, "client_id": "web", "client_secret": ClientSecret.text,
        ])
    }

    private func signOut(_ agent: inout UserAgent, _ hint: Response) async throws -> Response {
        try await agent.get(
            "/oauth/logout?"
                + FormEncoding.encode([
                    ("id_token_hint", hint.string("id_token")), ("post_logout_redirect_uri", Self.bye),
                ]))
    }

    private func sessionID(_ tokens: Response) throws -> String {
        try JWT(unverified: tokens.string("id_token")).claims.string("sid") ?? ""
    }

    @Test func `A browser's session ends what clients signed in there, and nothing else of the user`() async throws {
        let site = try await Site.authorizing()
        var (agent, other) = (UserAgent(site), UserAgent(site))
        let app = SignInApp()
        let first = try await tokens(&agent, app, of: site)
        let web = try await tokens(&agent, second, of: site)
        let elsewhere = try await tokens(&other, app, of: site)
        let login = try await site.logIn()
        try await expectEqual(signOut(&agent, first).location, Self.bye)
        #expect(try await !site.accepts(first.accessToken))
        try await expectEqual(site.refreshGrant(first.refreshToken, as: "notes").oauthError, "invalid_grant")
        #expect(try await !site.accepts(web.accessToken))
        #expect(try await site.accepts(elsewhere.accessToken))
        #expect(try await site.accepts(login.access))
        // Each of them is in the audit log, and counted.
        try await expectEqual(site.metric("latch_families_revoked_total"), 3)
        await site.close()
    }

    @Test func `A browser's session leaves a client with offline_access signed in`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp(scope: "openid offline_access files:read")
        let offline = try await tokens(&agent, app, of: site)
        let online = try await tokens(&agent, SignInApp(scope: "openid files:read"), of: site)
        try await expectEqual(signOut(&agent, offline).location, Self.bye)
        #expect(try await site.accepts(offline.accessToken))
        try await expectEqual(site.refreshGrant(offline.refreshToken, as: "notes").status, 200)
        #expect(try await !site.accepts(online.accessToken))
        await site.close()
    }

    @Test func `A browser's session is one for its clients after the user signs in again there`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        let first = try await tokens(&agent, app, of: site)
        let earlier = agent
        let page = try await agent.get(app.path(["prompt": "login"]))
        let code = try await agent.signIn(page).parameters["code"] ?? ""
        let again = try await site.exchange(code, app)
        try expectEqual(sessionID(again), sessionID(first))
        try await expectEqual(signOut(&agent, again).location, Self.bye)
        #expect(try await !site.accepts(first.accessToken))
        #expect(try await !site.accepts(again.accessToken))
        // A copy of the earlier cookie is of no use either.
        var copy = earlier
        try await expectEqual(copy.get(app.path(["prompt": "none"])).parameters["error"], "login_required")
        await site.close()
    }

    @Test func `A browser's session of another user ends what the earlier one signed in`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("bob@example.com")
        var agent = UserAgent(site)
        let app = SignInApp()
        let ada = try await tokens(&agent, app, of: site)
        let page = try await agent.get(app.path(["prompt": "login"]))
        let code = try await agent.signIn(page, "bob@example.com").parameters["code"] ?? ""
        let bob = try await site.exchange(code, app)
        #expect(try await !site.accepts(ada.accessToken))
        #expect(try await site.accepts(bob.accessToken))
        try expectNotEqual(sessionID(bob), sessionID(ada))
        await site.close()
    }

    @Test func `A browser's session has one ID for each client, also after a silent renewal and a refresh`()
        async throws
    {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        let first = try await tokens(&agent, app, of: site)
        let code = try await agent.get(app.path(["prompt": "none"])).parameters["code"] ?? ""
        let silent = try await site.exchange(code, app)
        let refreshed = try await site.refreshGrant(first.refreshToken, as: "notes")
        let id = try sessionID(first)
        expectEqual(id.utf8.count, 22)
        #expect(try sessionID(silent) == id && sessionID(refreshed) == id)
        try expectNotEqual(sessionID(try await tokens(&agent, second, of: site)), id)
        var other = UserAgent(site)
        try expectNotEqual(sessionID(try await tokens(&other, app, of: site)), id)
        // The ID of an access token is that of its device, by which it is ended.
        let claims = try JWT(unverified: first.accessToken).claims
        expectNotEqual(claims.string("sid"), id)
        await site.close()
    }

    @Test(.tags(.codeAfterLogout), arguments: SharedStore.all)
    func `A browser's session that ends beside an exchange leaves no client signed in`(store: SharedStore)
        async throws
    {
        let site = try await Site.authorizing(storedAt: try await store.location())
        for _ in 0..<8 {
            let app = SignInApp()
            var agent = UserAgent(site)
            let hint = try await tokens(&agent, app, of: site)
            let code = try await agent.authorize(app).parameters["code"] ?? ""
            let browser = agent
            async let exchanged = site.exchange(code, app)
            async let left = {
                var agent = browser
                return try await signOut(&agent, hint).status
            }()
            let (tokens, status) = try await (exchanged, left)
            expectEqual(status, 303)
            if tokens.status == 200 { #expect(try await !site.accepts(tokens.accessToken)) }
        }
        await site.close()
    }
}
