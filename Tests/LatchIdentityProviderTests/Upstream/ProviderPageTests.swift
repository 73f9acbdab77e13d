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

/// The sign-in pages of the server with a provider's button.
@Suite struct ProviderPageTests {
    private let upstream: ScriptedUpstream
    private let app = SignInApp(scope: "openid email")

    init() throws { upstream = try ScriptedUpstream() }

    private func site(
        domains: String = ";email_domains=example.com", change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await Site.brokering(upstream, "staff;issuer=https://sso.example.com;client_id=latch" + domains) {
            $0.clients = SignInApp.registrations
            $0.clientSecretDigests = ["web": ClientSecret.digest]
            $0.signInRedirects = []
            change(&$0)
        }
    }

    /// Presses the provider's button of a page, and returns the redirect to the provider.
    private func begin(_ page: Response, _ agent: inout UserAgent) async throws -> Response {
        #expect(page.text.contains(#"<button name="provider" value="staff" class="second" formnovalidate>"#))
        #expect(page.text.contains("Continue with staff"))
        expectNil(page.field("Content-Security-Policy")?.firstMatch(of: /form-action/))
        let begun = try await agent.submit(page, [("provider", "staff")])
        #expect(begun.status == 303 && begun.location.hasPrefix("https://sso.example.com/authorize?"))
        return begun
    }

    /// Goes through the provider's page, and returns the response to its redirect.
    private func visit(_ page: Response, _ agent: inout UserAgent, as claims: Claims = Site.ada) async throws
        -> Response
    {
        let begun = try await begin(page, &agent)
        return try await follow(
            try await agent.get("/api/auth/staff/callback?\(upstream.approve(begun.location, as: claims))"), &agent)
    }

    /// Follows a redirect to the page that continues.
    private func follow(_ response: Response, _ agent: inout UserAgent) async throws -> Response {
        let path = "\(Site.issuer)/api/auth/continue"
        guard response.location.hasPrefix(path) else { return response }
        return try await agent.get(String(response.location.dropFirst(Site.issuer.count)))
    }

    @Test(arguments: ["login", "create"])
    func `A sign-in page with a provider continues with the request that began it`(prompt: String) async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let done = try await visit(try await agent.get(app.path(["prompt": prompt])), &agent)
        #expect(done.status == 303 && done.parameters["state"] == app.state)
        let tokens = try await site.exchange(try #require(done.parameters["code"]), app)
        let user = try await site.get("/oauth/userinfo", bearer: tokens.string("access_token")).json
        expectEqual(user["email"], "ada@example.com")
        // The browser is signed in, and the next user of the provider gets the same account.
        #expect(try await agent.get(app.path()).parameters["code"] != nil)
        var other = UserAgent(site)
        #expect(try await visit(try await other.get(app.path()), &other).parameters["code"] != nil)
        try await expectEqual(site.identity.services.store.accounts(after: nil, limit: 10).count, 1)
        await site.close()
    }

    @Test func `A sign-in page with a provider continues with another device, and with a page of the server`()
        async throws
    {
        let site = try await site()
        let begun = try await site.post(
            "/oauth/device_authorization", form: FormEncoding.encode([("client_id", "tool"), ("scope", "openid")]))
        var agent = UserAgent(site)
        let signIn = try await agent.post("/device", form: "user_code=\(begun.string("user_code"))")
        let decision = try await visit(signIn, &agent)
        #expect(decision.status == 200 && decision.formAction.hasSuffix("/device"))
        #expect(decision.text.contains("ada@example.com"))
        var visitor = UserAgent(site)
        try await expectEqual(visit(try await visitor.get("/signup"), &visitor).location, "/account")
        try await expectEqual(visitor.get("/account").title, "Your account")
        await site.close()
    }

    @Test(.tags(.factorBypass)) func `A sign-in page with a provider asks for the second factor of the account`()
        async throws
    {
        let site = try await site { $0.signInRedirects = ["notes://auth/callback"] }
        let bearer = try await site.bearer(try await site.signIn(through: upstream).access)
        let factor = AuthenticatorApp(try await site.identity.secondFactors.enroll(bearer))
        try await site.identity.secondFactors.confirm(factor.code(at: site.clock.now), bearer, from: .tests)
        site.clock.advance(by: 30)
        var agent = UserAgent(site)
        let page = try await visit(try await agent.get(app.path()), &agent)
        #expect(page.status == 200 && page.formAction.hasSuffix("/api/auth/continue"))
        try await expectEqual(agent.answer(page, [("code", "000000")]).status, 400)
        let done = try await follow(try await agent.answer(page, [("code", factor.code(at: site.clock.now))]), &agent)
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)
        await site.close()
    }

    @Test(.tags(.accountPreHijack)) func `A sign-in page with a provider emails a code to an address without a proof`()
        async throws
    {
        let site = try await site(domains: "") { $0.requireVerifiedEmail = true }
        var agent = UserAgent(site)
        let page = try await visit(try await agent.get(app.path()), &agent)
        expectEqual(page.title, "Confirm your email address")
        let code = try #require(await site.mailedCode())
        let done = try await follow(try await agent.answer(page, [("code", code)]), &agent)
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)
        await site.close()
    }

    @Test func `A sign-in page with a provider is shown again with its request if the user cancels there`()
        async throws
    {
        let site = try await site()
        try await site.signUp("eve@example.com")
        var agent = UserAgent(site)
        let begun = try await begin(try await agent.get(app.path()), &agent)
        let state = begun.parameters["state"] ?? ""
        let query = FormEncoding.encode([("error", "access_denied"), ("state", state)])
        let page = try await agent.get("/api/auth/staff/callback?\(query)")
        #expect(page.status == 200 && page.title == "Sign in" && !page.text.contains(#"id="problem""#))
        let done = try await agent.signIn(page, "eve@example.com")
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)
        await site.close()
    }

    @Test(.tags(.upstreamFailure)) func `A sign-in page with a provider says why the provider cannot sign in`()
        async throws
    {
        let site = try await site { $0.signUp = .closed }
        var agent = UserAgent(site)
        let refused = try await visit(try await agent.get(app.path()), &agent)
        #expect(refused.title == "Sign in" && refused.text.contains(#"id="problem""#))
        try await expectEqual(site.identity.services.store.accounts(after: nil, limit: 10).count, 0)
        upstream.deviate { $0.response = { _ in HTTPResponse(status: .serviceUnavailable) } }
        let other = try await self.site()
        var browser = UserAgent(other)
        let page = try await browser.submit(try await browser.get(app.path()), [("provider", "staff")])
        #expect(page.status == 503 && page.title == "Sign in" && page.text.contains(#"id="problem""#))
        // A form of a page that a provider has left.
        let unknown = try await browser.submit(page, [("provider", "google")])
        #expect(unknown.status == 400 && unknown.title == "This sign-in has ended")
        await site.close()
        await other.close()
    }

    @Test(.tags(.loginForgery, .upstreamState))
    func `A sign-in page with a provider signs in no other browser, and only once`() async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let page = try await agent.get(app.path())
        // The form of another browser only shows the page again.
        var victim = UserAgent(site)
        let shown = try await victim.submit(page, [("provider", "staff")])
        #expect(shown.title == "Sign in" && shown.location.isEmpty)
        let begun = try await begin(page, &agent)
        let query = try upstream.approve(begun.location, as: Site.ada)
        try await expectEqual(victim.get("/api/auth/staff/callback?\(query)").title, "This sign-in has ended")
        var kept = agent
        let returned = try await agent.get("/api/auth/staff/callback?\(query)")
        let continued = agent
        var foreign = UserAgent(site)
        try await expectEqual(follow(returned, &foreign).title, "This sign-in has ended")
        #expect(try await follow(returned, &agent).parameters["code"] != nil)
        // Neither the provider's response nor the continuation can be used again.
        try await expectEqual(kept.get("/api/auth/staff/callback?\(query)").title, "Sign in")
        var again = continued
        try await expectEqual(follow(returned, &again).title, "Sign in")
        await site.close()
    }

    @Test func `A sign-in page with a provider asks it for a new login if the app asks for one`() async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let prompt: (UserAgent, String) async throws -> String? = { agent, path in
            var agent = agent
            return try await begin(try await agent.get(path), &agent).parameters["prompt"]
        }
        try await expectNil(prompt(agent, app.path()))
        try await expectEqual(prompt(agent, app.path(["prompt": "login"])), "login")
        try await expectEqual(prompt(agent, app.path(["max_age": "60"])), "login")
        // The provider has no page on which its users choose an account.
        try await expectNil(prompt(agent, app.path(["prompt": "select_account"])))
        // A provider that nevertheless has no new one leads back to the page.
        let old = Int64(noon.addingTimeInterval(-3600).timeIntervalSince1970)
        var claims = Site.ada
        claims["auth_time"] = .integer(old)
        let page = try await visit(try await agent.get(app.path(["prompt": "login"])), &agent, as: claims)
        #expect(page.title == "Sign in" && page.text.contains("did not ask you to sign in"))
        await site.close()
    }

    @Test(arguments: ["create", "select_account"])
    func `A sign-in page with a provider whose login is old lets the user agree to the app`(prompt: String) async throws
    {
        let site = try await site()
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid email")
        var agent = UserAgent(site)
        var claims = Site.ada
        claims["auth_time"] = .integer(Int64(noon.addingTimeInterval(-36000).timeIntervalSince1970))
        let consent = try await visit(try await agent.get(foreign.path(["prompt": prompt])), &agent, as: claims)
        #expect(consent.formAction.hasSuffix("/consent"))
        #expect(try await agent.submit(consent).parameters["code"] != nil)
        // A page that is too old asks for a sign-in, also after a sign-up.
        var late = UserAgent(site)
        let shown = try await visit(try await late.get(foreign.path(["prompt": prompt, "scope": "openid"])), &late)
        site.clock.advance(by: 600)
        if shown.formAction.hasSuffix("/consent") { try await expectEqual(late.submit(shown).title, "Sign in") }
        await site.close()
    }

    @Test func `A sign-in page with a provider that cannot ask for a new login accepts no earlier one`() async throws {
        let upstream = try ScriptedUpstream(issuer: "https://www.facebook.com")
        upstream.deviate {
            $0.resources = ["https://graph.facebook.com/me": ["id": "77", "name": "Ada", "email": "ada@example.com"]]
        }
        let site = try await Site.brokering(upstream, "facebook;client_id=f", secrets: "facebook=s") {
            $0.clients = SignInApp.registrations.filter { !$0.isConfidential }
        }
        var agent = UserAgent(site)
        for (prompt, isEnough) in [("consent", true), ("login", false)] {
            let begun = try await agent.submit(
                try await agent.get(app.path(["prompt": prompt])), [("provider", "facebook")])
            let query = try upstream.approve(begun.location, as: ["sub": "77"])
            let done = try await follow(try await agent.get("/api/auth/facebook/callback?\(query)"), &agent)
            expectEqual(done.text.contains("did not ask you to sign in"), !isEnough)
            expectEqual(done.parameters["code"] != nil || done.formAction.hasSuffix("/consent"), isEnough)
        }
        await site.close()
    }

    @Test func `A sign-in page with Apple continues after its posted response`() async throws {
        let upstream = try ScriptedUpstream(issuer: "https://appleid.apple.com")
        let key = try Key.generate(.es256).pemWithSecretsForStorage().split(separator: "\n").dropFirst().dropLast()
            .joined()
        let site = try await Site.brokering(
            upstream, "apple;client_id=a;team_id=T;key_id=K", secrets: "apple=\(key)"
        ) { $0.clients = SignInApp.registrations.filter { !$0.isConfidential } }
        var agent = UserAgent(site)
        let begun = try await agent.submit(try await agent.get(app.path()), [("provider", "apple")])
        let claims: Claims = ["sub": "a-1", "email": "ada@privaterelay.appleid.com", "email_verified": "true"]
        let query = try upstream.approve(begun.location, as: claims)
        // Browsers send only cookies with SameSite=None with the form of another site.
        var posting = agent
        posting.cookies = agent.cookies.filter { $0.key.contains("attempt") }
        let returned = try await posting.post("/api/auth/apple/callback", form: query)
        agent.cookies.merge(posting.cookies) { $1 }
        let done = try await follow(returned, &agent)
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)
        #expect(agent.cookies.keys.contains { $0.contains("session") })
        await site.close()
    }
}
