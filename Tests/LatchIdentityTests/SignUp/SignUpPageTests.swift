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

@Suite struct SignUpPageTests {
    private static let email = "eve@example.com"
    private let app = SignInApp(scope: "openid email")

    private func site(change: (inout IdentityConfiguration) -> Void = { _ in }) async throws -> Site {
        try await Site.authorizing(change: change)
    }

    /// Goes from the page of the address to the page of the details.
    private func proved(_ page: Response, _ agent: inout UserAgent, at site: Site) async throws -> Response {
        expectEqual(page.title, "Create an account")
        let typing = try await agent.submit(page, [("email", Self.email)])
        #expect(typing.status == 200 && typing.title == "Check your email" && typing.text.contains(Self.email))
        let code = try #require(await site.mailedCode(to: Self.email))
        return try await agent.submit(typing, [("code", code)])
    }

    private let details = [("name", "Eve"), ("password", Site.password)]

    @Test(arguments: ["create", "login"])
    func `A sign-up continues with the request that began it, with a verified account`(prompt: String) async throws {
        let site = try await site()
        var agent = UserAgent(site)
        var page = try await agent.get(app.path(["prompt": prompt]))
        if prompt == "login" {
            #expect(page.title == "Sign in" && page.text.contains("Create an account"))
            page = try await agent.submit(page, [("signup", "yes")])
        }
        #expect(page.text.contains("notes"))
        let form = try await proved(page, &agent, at: site)
        #expect(form.status == 200 && form.title == "Your account" && !form.text.contains("terms of use"))
        let done = try await agent.submit(form, details)
        expectEqual(done.parameters["state"], app.state)
        let tokens = try await site.exchange(try #require(done.parameters["code"]), app)
        let user = try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json
        #expect(user["email"] == .string(Self.email) && user["email_verified"] == true)
        let account = try #require(try await site.identity.administration.account(email: Self.email))
        #expect(account.name == "Eve" && account.ownerProvedAt != nil && account.emailVerifiedAt != nil)
        // The form of the details is used up with its address, and the password works.
        try await expectEqual(agent.submit(form, details).title, "Sign in")
        try await expectEqual(site.passwordGrant(Self.email).status, 200)
        await site.close()
    }

    @Test func `A sign-up that no app has asked for ends on a page of the server`() async throws {
        let site = try await site { $0.appURL = "notes://open" }
        var agent = UserAgent(site)
        let done = try await agent.submit(
            try await proved(try await agent.get("/signup"), &agent, at: site), details)
        expectEqual(done.location, "/account")
        let account = try await agent.get("/account")
        #expect(account.title == "Your account" && account.text.contains(#"href="notes://open""#))
        // The browser is signed in.
        try await expectEqual(agent.get(app.path()).parameters["error"], nil)
        #expect(try await agent.get(app.path()).parameters["code"] != nil)
        await site.close()
    }

    @Test(.tags(.resetEnumeration))
    func `A sign-up looks the same if the address has an account, which only the email says`()
        async throws
    {
        let site = try await site()
        var pages: [String] = []
        for email in ["ada@example.com", Self.email] {
            var agent = UserAgent(site)
            let page = try await agent.submit(try await agent.get("/signup"), [("email", email)])
            let wrong = try await agent.submit(page, [("code", "1234 5678")])
            #expect(page.status == 200 && wrong.status == 400)
            pages.append(
                (page.text + wrong.text).replacing(email, with: "EMAIL").replacing(page.formToken, with: "TOKEN")
                    .replacing(wrong.formToken, with: "TOKEN"))
        }
        expectEqual(pages[0], pages[1])
        await expectNil(site.mailedCode())
        await expectEqual(site.subjects(), ["You already have an account at Latchwork"])
        try await expectNil(site.identity.administration.account(email: Self.email))
        await site.close()
    }

    @Test(.tags(.factorCodeReplay)) func `A code of a sign-up is for its browser, for five tries and for ten minutes`()
        async throws
    {
        let site = try await site { $0.loginLimitPerMinute = 100 }
        var agent = UserAgent(site)
        let page = try await agent.submit(try await agent.get("/signup"), [("email", Self.email)])
        let code = try #require(await site.mailedCode(to: Self.email))
        var other = UserAgent(site)
        try await expectEqual(other.submit(page, [("code", code)]).title, "Create an account")
        for _ in 0..<4 { try await expectEqual(agent.submit(page, [("code", "1234 5678")]).title, "Check your email") }
        // The page of the address is shown again, with the request.
        let ended = try await agent.submit(page, [("code", "1234 5678")])
        #expect(ended.title == "Create an account" && ended.text.contains("This code has expired"))
        #expect(ended.text.contains("value=\"\(Self.email)\""))
        try await expectEqual(agent.submit(page, [("code", code)]).title, "Create an account")
        let again = try await agent.submit(try await agent.get("/signup"), [("email", Self.email)])
        let next = try #require(await site.mailedCode(to: Self.email))
        site.clock.advance(by: 601)
        try await expectEqual(agent.submit(again, [("code", next)]).title, "Create an account")
        await site.close()
    }

    @Test func `The details of a sign-up are asked for again with the reason, and another browser cannot send them`()
        async throws
    {
        let site = try await site {
            $0.termsVersion = "2026-11"
            $0.termsURL = "https://example.com/terms"
        }
        var agent = UserAgent(site)
        let form = try await proved(try await agent.get(app.path(["prompt": "create"])), &agent, at: site)
        #expect(form.text.contains("2026-11") && form.text.contains("href=\"https://example.com/terms\""))
        let without = try await agent.submit(form, details)
        #expect(without.status == 400 && without.text.contains("Accept the terms of use"))
        let weak = try await agent.submit(form, [("password", "short"), ("terms", "yes"), ("name", "Eve <b>")])
        #expect(weak.status == 400 && weak.text.contains("Eve &lt;b&gt;") && !weak.text.contains("short"))
        var other = UserAgent(site)
        try await expectEqual(other.submit(form, details + [("terms", "yes")]).title, "Create an account")
        #expect(try await agent.submit(form, details + [("terms", "yes")]).parameters["code"] != nil)
        let account = try #require(try await site.identity.administration.account(email: Self.email))
        expectEqual(account.acceptedTerms?.version, "2026-11")
        await site.close()
    }

    @Test(.tags(.accountPreHijack)) func `The proof of a sign-up is not prolonged by a page that is shown again`()
        async throws
    {
        let site = try await site()
        var agent = UserAgent(site)
        var form = try await proved(try await agent.get("/signup"), &agent, at: site)
        for _ in 0..<2 {
            site.clock.advance(by: 1000)
            form = try await agent.submit(form, [("name", "Eve"), ("password", "short")])
        }
        #expect(form.title == "Create an account" && form.text.contains("This code has expired"))
        try await expectNil(site.identity.administration.account(email: Self.email))
        await site.close()
    }

    @Test func `A sign-up leads back to the app without a code, or to the sign-in`() async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let page = try await agent.get(app.path(["prompt": "create"]))
        try await expectEqual(agent.submit(page, [("refuse", "yes")]).parameters["error"], "access_denied")
        let signIn = try await agent.submit(page, [("signin", "yes")])
        expectEqual(signIn.title, "Sign in")
        #expect(try await agent.signIn(signIn).parameters["code"] != nil)
        await site.close()
    }
}
