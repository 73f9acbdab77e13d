// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct SignInPageTests {
    private let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back")

    @Test(.tags(.clickjacking))
    func `The pages of a sign-in are shown in no frame, and lead only to the client`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let login = try await agent.get(foreign.path())
        let consent = try await agent.signIn(login)
        for page in [login, consent, try await agent.get("/device"), try await agent.get("/oauth/authorize")] {
            expectEqual(page.field("X-Frame-Options"), "DENY")
            let policy = page.field("Content-Security-Policy") ?? ""
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(page.field(.cacheControl) == "no-store" && page.field("Referrer-Policy") == "no-referrer")
            #expect(!page.text.contains("<script"))
        }
        // Browsers apply it to the redirects after the form, and the app may redirect to an app on the device.
        for page in [login, consent] {
            expectEqual(page.field("Content-Security-Policy")?.contains("form-action"), false)
        }
        let code = try await agent.get("/device")
        expectEqual(code.field("Content-Security-Policy")?.contains("form-action 'self';"), true)
        await site.close()
    }

    @Test func `The pages of a sign-in are in the language that the client prefers, up to the consent`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let page = try await agent.get(foreign.path(["ui_locales": "nl-BE de en"]))
        #expect(page.field("Content-Language") == "de" && page.title == "Anmelden")
        let consent = try await agent.signIn(page)
        expectEqual(consent.field("Content-Language"), "de")
        for ignored in ["xx", String(repeating: "de ", count: 100), "\u{1}"] {
            try await expectEqual(
                agent.get(SignInApp().path(["ui_locales": ignored, "prompt": "login"])).title, "Sign in")
        }
        await site.close()
    }

    @Test func `The pages of a sign-in report a browser that sends no cookies`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let page = try await agent.get(SignInApp().path())
        agent.cookies = [:]
        let again = try await agent.signIn(page)
        #expect(again.status == 400 && again.formAction == "/login")
        #expect(again.text.contains("Your browser did not send this site"))
        // With cookies the same form signs in.
        try await expectEqual(agent.signIn(again).status, 303)
        await site.close()
    }

    @Test(.tags(.consentForgery))
    func `The pages of a sign-in name the consenting user, and take it only from that session`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("bob@example.com")
        var agent = UserAgent(site)
        let consent = try await agent.signIn(try await agent.get(foreign.path()))
        expectEqual(consent.title, "foreign wants access to your account")
        for text in ["ada@example.com", "foreign (foreign.example)", "<li>files:read</li>", "your email address"] {
            #expect(consent.text.contains(text), "\(text)")
        }
        // Without the cookies, in another user's browser, from another site, changed, and by the wrong route.
        var stranger = UserAgent(site)
        try await expectEqual(stranger.submit(consent).title, "Sign in")
        var bob = UserAgent(site)
        _ = try await bob.authorize(SignInApp(), [:], "bob@example.com")
        try await expectEqual(bob.submit(consent).title, "Sign in")
        let body = HTTPBody(FormEncoding.encode([("token", consent.formToken)]))
        let cross = try await agent.send(
            .post, "/consent",
            fields: [.contentType: FormEncoding.mediaType, "Origin": "https://evil.example"], body: body)
        #expect(cross.status == 403 && cross.location.isEmpty)
        for token in ["", "x", consent.formToken + "A", String(consent.formToken.dropLast(4))] {
            let response = try await agent.post("/consent", form: "token=\(token)")
            #expect(response.status == 400 && response.location.isEmpty)
        }
        #expect(try await agent.post("/login", form: "token=\(consent.formToken)").location.isEmpty)
        // Further fields change nothing.
        let agreed = try await agent.submit(
            consent, [("scope", "widgets:delete"), ("client_id", "notes"), ("redirect_uri", "https://evil.example")])
        #expect(agreed.location.hasPrefix("https://foreign.example/back?code="))
        let tokens = try await site.exchange(agreed.parameters["code"] ?? "", foreign)
        expectEqual(tokens.scopes, Scopes(parsing: foreign.scope ?? ""))
        await site.close()
    }

    @Test func `The pages of a sign-in return from the consent to a third-party app without a code`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        _ = try await agent.authorize(SignInApp())
        let again = try await agent.get(foreign.path())
        expectEqual(again.formAction, "/consent")
        let refused = try await agent.submit(again, [("refuse", "yes")])
        expectEqual(refused.parameters["error"], "access_denied")
        expectEqual(refused.parameters["state"], foreign.state)
        let other = try await agent.submit(again, [("other", "yes")])
        expectEqual(other.title, "Sign in")
        try await expectEqual(agent.submit(other, [("refuse", "yes")]).parameters["error"], "access_denied")
        await site.close()
    }

    @Test func `The pages of a sign-in name the program on the device, unless the user has just signed in`()
        async throws
    {
        let site = try await Site.authorizing()
        let tool = SignInApp(clientID: "tool", redirect: "http://127.0.0.1:4000/callback")
        var agent = UserAgent(site)
        let first = try await agent.signIn(try await agent.get(tool.path()))
        #expect(first.location.hasPrefix("http://127.0.0.1:4000/callback?code="))
        let page = try await agent.get(tool.path())
        expectEqual(page.title, "Sign in to tool?")
        #expect(try await agent.submit(page).location.hasPrefix("http://127.0.0.1:4000/callback?code="))
        await site.close()
    }

    @Test(
        .tags(.silentAuthorization), arguments: [["prompt": "login"], ["prompt": "select_account"], ["max_age": "0"]])
    func `The pages of a sign-in name the program after a sign-in that the program itself has caused`(
        change: [String: String]
    ) async throws {
        let site = try await Site.authorizing()
        let tool = SignInApp(clientID: "tool", redirect: "http://127.0.0.1:4000/callback")
        var agent = UserAgent(site)
        _ = try await agent.authorize(tool)
        site.clock.advance(by: 5)
        let name = change.keys.first ?? ""
        let page = try await agent.get(tool.path([:]) + "&\(name)=\(change[name] ?? "")")
        expectEqual(page.formAction, "/login")
        let consent = try await agent.signIn(page)
        expectEqual(consent.title, "Sign in to tool?")
        // The page stays valid for longer than the sign-in is what the program has asked for.
        site.clock.advance(by: 301)
        let again = try await agent.submit(consent)
        expectEqual(again.formAction, "/login")
        let later = try await agent.signIn(again)
        site.clock.advance(by: 299)
        #expect(try await agent.submit(later).parameters["code"] != nil)
        await site.close()
    }

    @Test(arguments: ["", "&max_age=3000"])
    func `The pages of a sign-in give a user whose sign-in is recent enough an hour for the consent`(parameter: String)
        async throws
    {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.get(foreign.path() + parameter))
        site.clock.advance(by: 2900)
        #expect(try await agent.submit(page).parameters["code"] != nil)
        await site.close()
    }

    @Test(.tags(.parallelTabs)) func `The pages of a sign-in of two tabs and of two apps both finish`() async throws {
        let site = try await Site.authorizing()
        let (one, two) = (SignInApp(), SignInApp(state: "two"))
        var agent = UserAgent(site)
        let first = try await agent.get(one.path())
        let second = try await agent.get(two.path())
        let third = try await agent.get(foreign.path())
        let redirects = [try await agent.signIn(second), try await agent.signIn(first)]
        expectEqual(redirects.map { $0.parameters["state"] }, ["two", one.state])
        let consent = try await agent.signIn(third)
        for (app, response) in zip([two, one, foreign], redirects + [try await agent.submit(consent)]) {
            try await expectEqual(site.exchange(response.parameters["code"] ?? "", app).status, 200)
        }
        await site.close()
    }

    @Test(.tags(.parallelTabs, .loginForgery))
    func `The pages of a sign-in sign no user in by a form of another browser, and ask again`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("mallory@example.com")
        var attacker = UserAgent(site)
        let page = try await attacker.get(SignInApp().path())
        var victim = UserAgent(site)
        let again = try await victim.signIn(page, "mallory@example.com")
        #expect(again.title == "Sign in" && again.location.isEmpty)
        #expect(victim.cookies.keys.allSatisfy { !$0.contains("session") })
        // Two tabs that were opened at the same time: the second one's cookie has replaced the first one's.
        #expect(try await victim.signIn(again).parameters["code"] != nil)
        let cross = try await victim.send(
            .post, "/login", fields: [.contentType: FormEncoding.mediaType, "Sec-Fetch-Site": "cross-site"],
            body: HTTPBody(FormEncoding.encode([("token", again.formToken), ("name", "x"), ("password", "y")])))
        expectEqual(cross.status, 403)
        await site.close()
    }

    @Test(.tags(.sessionFixation, .cookieAttributes))
    func `The pages of a sign-in keep a session that is new each time, hidden and bound to the host`()
        async throws
    {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        var agent = UserAgent(site)
        let page = try await agent.get(SignInApp().path())
        let before = agent.cookies
        _ = try await agent.signIn(page)
        let name = try #require(agent.cookies.keys.first { $0.hasPrefix("__Host-latch-session-") })
        expectNil(before[name])
        let field = try #require(agent.received.first { $0.hasPrefix(name) })
        for part in ["; Path=/;", "; HttpOnly", "; SameSite=Lax", "; Secure", "; Max-Age=3600"] {
            #expect(field.contains(part), "\(part)")
        }
        let old = agent.cookies[name]
        _ = try await agent.authorize(SignInApp(), ["prompt": "login"])
        expectNotEqual(agent.cookies[name], old)
        // It is one of the user's devices, and no token belongs to it.
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        let devices = try await site.tokens.devices(of: account.id)
        #expect(devices.contains { $0.clientID == "latch:pages" })
        await site.close()
    }
}
