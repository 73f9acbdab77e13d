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

/// The buttons of the account's page that connect it to providers.
@Suite struct AccountLinkTests {
    private let upstream: ScriptedUpstream

    init() throws { upstream = try ScriptedUpstream() }

    private func signedIn(_ site: Site, _ email: String = "ada@example.com") async throws -> UserAgent {
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"), email)
        return agent
    }

    /// Presses the button of a provider, and returns the page that shows the identity.
    private func visit(_ agent: inout UserAgent, as claims: Claims) async throws -> Response {
        let begun = try await agent.submit(try await agent.get("/account"), [("connect", "staff")])
        #expect(begun.status == 303 && begun.location.hasPrefix("https://sso.example.com/authorize?"))
        return try await agent.get("/api/auth/staff/callback?\(upstream.approve(begun.location, as: claims))")
    }

    /// Signs in through the provider, and returns the redirect of the page that continues.
    private func signIn(_ agent: inout UserAgent, as claims: Claims) async throws -> Response {
        let begun = try await agent.submit(try await agent.get("/account"), [("provider", "staff")])
        let returned = try await agent.get("/api/auth/staff/callback?\(upstream.approve(begun.location, as: claims))")
        return try await agent.get(String(returned.location.dropFirst(Site.issuer.count)))
    }

    private static let work: Claims = ["sub": "work-1", "email": "ada@work.example", "email_verified": true]

    @Test func `A provider is connected on the page of the account, signs in, and is disconnected there`() async throws
    {
        let site = try await Site.brokering(upstream)
        let account = try await site.signUp()
        var agent = try await signedIn(site)
        let confirmation = try await visit(&agent, as: Self.work)
        #expect(confirmation.title == "Link your staff account?" && confirmation.text.contains("ada@work.example"))
        let done = try await agent.submit(confirmation)
        #expect(done.status == 303 && done.location == "/account")
        let page = try await agent.get("/account")
        #expect(page.text.contains("ada@work.example") && page.text.contains(#"name="disconnect" value="staff""#))
        let login = try await site.signIn(through: upstream, as: Self.work)
        try await expectEqual(site.get("/user/profile", bearer: login.access).string("id"), account.id)
        let gone = try await agent.submit(page, [("disconnect", "staff")])
        #expect(gone.text.contains("The provider is disconnected.") && gone.text.contains(#"name="connect""#))
        await site.identity.flushMails()
        #expect(site.mailer.messages.contains { $0.subject == "Latchwork: A new way to sign in was added" })
        await site.close()
    }

    @Test func `A provider that is the only way in cannot be disconnected`() async throws {
        let site = try await Site.brokering(
            upstream, "staff;issuer=https://sso.example.com;client_id=latch;email_domains=example.com")
        var agent = UserAgent(site)
        try await expectEqual(signIn(&agent, as: Site.ada).location, "/account")
        let page = try await agent.get("/account")
        // Its pages ask for a password.
        #expect(page.text.contains("To change it, first choose a password.") && !page.text.contains("/account/email"))
        try await expectEqual(agent.get("/account/password").location, "/forgot")
        let refused = try await agent.submit(page, [("disconnect", "staff")])
        #expect(refused.status == 409 && refused.text.contains("This is the only way to sign in to your account"))
        await site.close()
    }

    @Test(.tags(.loginForgery))
    func `A provider is connected only by the browser and session that began it, once`() async throws {
        let site = try await Site.brokering(upstream)
        try await site.signUp()
        try await site.signUp("eve@example.com")
        let eveID = try #require(try await site.accountID("eve@example.com"))
        var ada = try await signedIn(site)
        var eve = try await signedIn(site, "eve@example.com")
        let confirmation = try await visit(&ada, as: Self.work)
        // Another browser has no attempt, and another user of this one has another session.
        try await expectEqual(eve.submit(confirmation).title, "This sign-in has ended")
        var shared = ada
        _ = try await shared.submit(try await shared.get("/account"), [("sign-out", "yes")])
        var other = shared
        try await expectEqual(other.submit(confirmation).title, "Sign in")
        other = shared
        _ = try await other.signIn(try await other.get("/account"), "eve@example.com")
        try await expectEqual(other.submit(confirmation).title, "Sign in")
        try await expectEqual(site.identity.administration.links(of: eveID).count, 0)
        // A confirmation is used up.
        var first = try await signedIn(site, "eve@example.com")
        let own = try await visit(&first, as: Self.work)
        let before = first.cookies
        try await expectEqual(first.submit(own).location, "/account")
        var again = first
        again.cookies.merge(before) { new, _ in new }
        try await expectEqual(again.submit(own).title, "This sign-in has ended")
        try await expectEqual(site.identity.administration.links(of: eveID).count, 1)
        // The account of another user has the identity.
        var late = try await signedIn(site)
        let taken = try await late.submit(try await visit(&late, as: Self.work))
        #expect(taken.status == 409 && taken.text.contains("This provider is connected to another account"))
        await site.close()
    }

    @Test func `A connection that its user refuses, here or there, returns to the account`() async throws {
        let site = try await Site.brokering(upstream)
        let account = try await site.signUp()
        var agent = try await signedIn(site)
        let refused = try await agent.submit(try await visit(&agent, as: Self.work), [("refuse", "yes")])
        expectEqual(refused.location, "/account")
        func returned(_ error: String) async throws -> Response {
            let begun = try await agent.submit(try await agent.get("/account"), [("connect", "staff")])
            let state = ScriptedUpstream.parameters(begun.location)["state"] ?? ""
            return try await agent.get(
                "/api/auth/staff/callback?error=\(error)&state=\(state)&iss=https://sso.example.com")
        }
        try await expectEqual(returned("access_denied").location, "/account")
        let failed = try await returned("server_error")
        #expect(failed.status >= 400 && failed.text.contains(#"href="/account""#), "\(failed.text)")
        try await expectEqual(site.identity.administration.links(of: account.id).count, 0)
        await site.close()
    }

    @Test(.tags(.factorChange)) func `A connection needs a recent sign-in, at a provider a new one`() async throws {
        let site = try await Site.brokering(
            upstream, "staff;issuer=https://sso.example.com;client_id=latch;email_domains=example.com")
        var agent = UserAgent(site)
        _ = try await signIn(&agent, as: Site.ada)
        site.clock.advance(by: 1000)
        let signIn = try await agent.submit(try await agent.get("/account"), [("connect", "staff")])
        #expect(signIn.title == "Sign in" && signIn.text.contains("Sign in again"))
        let begun = try await agent.submit(signIn, [("provider", "staff")])
        expectEqual(begun.parameters["prompt"], "login")
        await site.close()
    }
}
