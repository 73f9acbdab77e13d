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

/// OpenID Connect RP-Initiated Logout 1.0.
@Suite struct LogoutTests {
    private func path(_ parameters: [(String, String)]) -> String {
        "/oauth/logout?\(FormEncoding.encode(parameters))"
    }

    /// A browser that is signed in, and the ID token of an app in it.
    private func signedIn(_ site: Site) async throws -> (UserAgent, hint: String) {
        var agent = UserAgent(site)
        let app = SignInApp()
        let tokens = try await site.exchange(try await agent.authorize(app).parameters["code"] ?? "", app)
        return (agent, tokens.string("id_token"))
    }

    private func isSignedIn(_ agent: UserAgent) async throws -> Bool {
        var agent = agent
        return try await agent.get(SignInApp().path(["prompt": "none"])).parameters["code"] != nil
    }

    @Test
    func `A sign-out on the server's page leads back to the app, and ends the session of the browser`() async throws {
        let site = try await Site.authorizing()
        var (agent, hint) = try await signedIn(site)
        let before = agent
        site.clock.advance(by: 1000)
        let left = try await agent.get(
            path([
                ("id_token_hint", hint), ("post_logout_redirect_uri", "https://notes.example.com/bye"),
                ("state", "s&t"),
            ]))
        #expect(left.status == 303 && left.location == "https://notes.example.com/bye?state=s%26t")
        #expect(agent.cookies.keys.allSatisfy { !$0.contains("session") })
        // A copy of the cookie is of no use either.
        #expect(try await !isSignedIn(before))
        try await expectEqual(agent.get(path([])).title, "You are signed out")
        await site.close()
    }

    @Test func `A sign-out on the server's page asks a user who comes from a page without a valid hint`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("bob@example.com")
        var (agent, _) = try await signedIn(site)
        var bob = UserAgent(site)
        let app = SignInApp()
        let code = try await bob.authorize(app, [:], "bob@example.com").parameters["code"] ?? ""
        let hint = try await site.exchange(code, app).string("id_token")
        for parameters in [[], [("client_id", "notes")], [("id_token_hint", hint)]] {
            let page = try await agent.get(path(parameters))
            #expect(page.title == "Sign out?" && page.text.contains("ada@example.com"))
            try await expectEqual(bob.submit(page).title, "This sign-in has ended")
        }
        #expect(try await isSignedIn(agent))
        let page = try await agent.get(
            path([("client_id", "notes"), ("post_logout_redirect_uri", "https://notes.example.com/bye")]))
        try await expectEqual(agent.submit(page).location, "https://notes.example.com/bye")
        #expect(try await !isSignedIn(agent))
        await site.close()
    }

    @Test func `A sign-out on the server's page asks unless the hint is of this session of the browser`() async throws {
        let site = try await Site.authorizing()
        let (agent, hint) = try await signedIn(site)
        // An ID token of another browser of the same user, one of a session that has ended, and one of a device.
        let (_, elsewhere) = try await signedIn(site)
        var later = agent
        site.clock.advance(by: 3700)
        let app = SignInApp()
        let code = try await later.authorize(app).parameters["code"] ?? ""
        let current = try await site.exchange(code, app).string("id_token")
        for other in [elsewhere, hint] {
            try await expectEqual(later.get(path([("id_token_hint", other)])).title, "Sign out?")
            let form = FormEncoding.encode([("id_token_hint", other)])
            let posted = try await later.post("/oauth/logout", form: form)
            let target = String(posted.location.dropFirst(site.origin.description.count))
            try await expectEqual(later.get(target).title, "Sign out?")
        }
        #expect(try await isSignedIn(later))
        let posted = try await later.post("/oauth/logout", form: FormEncoding.encode([("id_token_hint", current)]))
        let target = String(posted.location.dropFirst(site.origin.description.count))
        try await expectEqual(later.get(target).title, "You are signed out")
        await site.close()
    }

    @Test(
        .tags(.logoutRedirect),
        arguments: [
            "https://evil.example/", "https://notes.example.com/bye/", "https://notes.example.com/callback",
            "https://notes.example.com/bye?x", "javascript:alert(1)", "//evil.example",
            "https://notes.example.com@evil.example/bye",
        ])
    func `A sign-out on the server's page leads only to a registered URL`(redirect: String) async throws {
        let site = try await Site.authorizing()
        var (agent, hint) = try await signedIn(site)
        for parameters in [[("id_token_hint", hint)], [("client_id", "notes")], [("client_id", "web")], []] {
            let page = try await agent.get(path(parameters + [("post_logout_redirect_uri", redirect)]))
            #expect(page.status == 400 && page.location.isEmpty)
            expectEqual(page.title, "This sign-out cannot begin")
        }
        #expect(try await isSignedIn(agent))
        await site.close()
    }

    /// RP-Initiated Logout §4: nothing of such a hint is used, so that only `client_id` names a client to return to.
    @Test(arguments: [nil, "notes"])
    func `A sign-out on the server's page asks the user if the hint cannot be verified any more`(
        clientID: String?
    ) async throws {
        let site = try await Site.authorizing()
        var (agent, hint) = try await signedIn(site)
        // As a hint whose key was replaced long ago: nothing of it is proved.
        let old = hint.dropLast(4) + "AAAA"
        let client = clientID.map { [("client_id", $0)] } ?? []
        let request = [("id_token_hint", String(old)), ("state", "s")] + client
        let page = try await agent.get(
            path(request + [("post_logout_redirect_uri", "https://notes.example.com/bye")]))
        #expect(page.status == 200 && page.title == "Sign out?")
        #expect(try await isSignedIn(agent))
        let elsewhere = path(request + [("post_logout_redirect_uri", "https://evil.example/bye")])
        try await expectEqual(agent.get(elsewhere).status, clientID == nil ? 200 : 400)
        let done = try await agent.submit(page)
        expectEqual(done.location, clientID == nil ? "" : "https://notes.example.com/bye?state=s")
        #expect(try await !isSignedIn(agent))
        await site.close()
    }

    @Test
    func `A sign-out on the server's page also takes the request by POST, and no ID token of others`() async throws {
        let site = try await Site.authorizing()
        var (agent, hint) = try await signedIn(site)
        let posted = try await agent.post(
            "/oauth/logout",
            form: FormEncoding.encode([
                ("id_token_hint", hint), ("post_logout_redirect_uri", "https://notes.example.com/bye"), ("state", "s"),
            ]))
        expectEqual(posted.status, 303)
        for text in [hint, "/bye", "%2Fbye"] { #expect(!posted.location.contains(text)) }
        let target = String(posted.location.dropFirst(try #require(site.identity.issuer).count))
        var stranger = UserAgent(site)
        try await expectEqual(stranger.get(target.replacing("/oauth/logout", with: "/oauth/authorize")).status, 400)
        let wrong = [("id_token_hint", hint), ("client_id", "web")]
        try await expectEqual(agent.get(path(wrong)).status, 400)
        #expect(try await isSignedIn(agent))
        try await expectEqual(agent.get(target).location, "https://notes.example.com/bye?state=s")
        #expect(try await !isSignedIn(agent))
        await site.close()
    }
}
