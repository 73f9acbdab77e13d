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

@Suite struct AccountPageTests {
    /// A browser that is signed in on the page of the account.
    private func signedIn(_ site: Site) async throws -> (agent: UserAgent, page: Response) {
        var agent = UserAgent(site)
        let signIn = try await agent.get("/account")
        expectEqual(signIn.title, "Sign in")
        let done = try await agent.signIn(signIn)
        expectEqual(done.location, "/account")
        return (agent, try await agent.get("/account"))
    }

    @Test func `The page of an account lists its profile, its ways to sign in, its devices and its apps`() async throws
    {
        let site = try await Site.authorizing()
        _ = try await site.logIn()
        var (agent, page) = try await signedIn(site)
        #expect(page.status == 200 && page.title == "Your account" && page.text.contains("ada@example.com"))
        #expect(page.text.components(separatedBy: "this browser").count == 2)
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid email")
        _ = try await agent.authorize(foreign)
        page = try await agent.get("/account")
        #expect(page.text.contains(#"name="withdraw" value="foreign""#))
        let withdrawn = try await agent.submit(page, [("withdraw", "foreign")])
        #expect(withdrawn.text.contains("The app no longer has access."))
        #expect(!withdrawn.text.contains(#"value="foreign""#))
        await site.close()
    }

    @Test(.tags(.immediateRevocation))
    func `The page of an account signs out one device, all others, and this browser`() async throws {
        let site = try await Site.authorizing()
        let (one, other) = (try await site.logIn(), try await site.logIn())
        var (agent, page) = try await signedIn(site)
        let ids = page.text.matches(of: /name="sign-out-device" value="([^"]+)"/).map { String($0.1) }
        expectEqual(ids.count, 2)
        page = try await agent.submit(page, [("sign-out-device", ids[0])])
        #expect(page.text.contains("The device is signed out."))
        let accepted = [try await site.accepts(one.access), try await site.accepts(other.access)]
        expectEqual(accepted.count { $0 }, 1)
        page = try await agent.submit(page, [("sign-out-others", "yes")])
        #expect(page.status == 200 && page.title == "Your account")
        for access in [one.access, other.access] { try await expectEqual(site.accepts(access), false) }
        try await expectEqual(agent.submit(page, [("sign-out", "yes")]).title, "You are signed out")
        try await expectEqual(agent.get("/account").title, "Sign in")
        await site.close()
    }

    /// Otherwise the end of an old row of this browser would end its session.
    @Test func `The page of an account lists a browser once that has signed in again`() async throws {
        let site = try await Site.authorizing()
        var (agent, _) = try await signedIn(site)
        site.clock.advance(by: 1000)
        let signIn = try await agent.get("/account/password")
        // No user signs up on this page.
        #expect(!signIn.text.contains("name=\"signup\""))
        _ = try await agent.signIn(signIn)
        let page = try await agent.get("/account")
        #expect(page.text.contains("this browser") && !page.text.contains("sign-out-device"))
        try await expectEqual(
            site.identity.services.tokens.devices(
                of: try #require(try await site.identity.administration.account(email: "ada@example.com")).id
            ).count, 2)
        await site.close()
    }

    @Test func `A sign-in of another user does not continue with the change of the first one`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("eve@example.com")
        var (agent, _) = try await signedIn(site)
        site.clock.advance(by: 1000)
        let signIn = try await agent.get("/account/password")
        try await expectEqual(agent.signIn(signIn, "eve@example.com").location, "/account")
        await site.close()
    }

    @Test(.tags(.factorChange)) func `The page of an account changes name, address and password`() async throws {
        let site = try await Site.authorizing()
        let login = try await site.logIn()
        var (agent, _) = try await signedIn(site)
        let name = try await agent.get("/account/name")
        let named = try await agent.submit(name, [("name", "Ada <b>")])
        #expect(named.text.contains("Your name is saved.") && named.text.contains("Ada &lt;b&gt;"))
        let email = try await agent.get("/account/email")
        try await expectEqual(agent.submit(email, [("email", "ada")]).status, 400)
        let same = try await agent.submit(email, [("email", "ADA@example.com")])
        #expect(same.status == 400 && same.text.contains("This is your present address"))
        let moved = try await agent.submit(email, [("email", "ada@example.org")])
        #expect(moved.title == "Your account" && moved.text.contains("in our emails to ada@example.org"))
        await site.identity.flushMails()
        #expect(Set(site.mailer.messages.map(\.recipient)).isSuperset(of: ["ada@example.com", "ada@example.org"]))
        let password = try await agent.get("/account/password")
        let wrong = try await agent.submit(password, [("password", "wrong"), ("new_password", "Another 456!")])
        #expect(wrong.status == 400 && wrong.text.contains("The current password is wrong"))
        let done = try await agent.submit(
            password, [("password", Site.password), ("new_password", "Another 456!")])
        #expect(done.text.contains("Your password is changed."))
        // This browser stays signed in, and no other device.
        try await expectEqual(agent.get("/account").title, "Your account")
        try await expectEqual(site.accepts(login.access), false)
        await site.close()
    }

    @Test func `The page of an account asks for a recent sign-in before a change is typed`() async throws {
        let site = try await Site.authorizing()
        var (agent, _) = try await signedIn(site)
        site.clock.advance(by: 1000)
        let signIn = try await agent.get("/account/password")
        #expect(signIn.title == "Sign in" && signIn.text.contains("Sign in again"))
        let done = try await agent.signIn(signIn)
        expectEqual(done.location, "/account/password")
        try await expectEqual(agent.get("/account/password").title, "Change your password")
        await site.close()
    }

    @Test(.tags(.crossSiteRequest, .objectAccess))
    func `The page of an account takes no form of another browser, user or page`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("eve@example.com")
        let (agent, page) = try await signedIn(site)
        var eve = UserAgent(site)
        _ = try await eve.signIn(try await eve.get("/account"), "eve@example.com")
        try await expectEqual(eve.submit(page, [("sign-out-others", "yes")]).title, "Sign in")
        var stranger = UserAgent(site)
        try await expectEqual(stranger.submit(page, [("sign-out", "yes")]).title, "Sign in")
        var other = agent
        let signUp = try await other.get("/signup")
        try await expectEqual(
            other.post("/account", form: "token=\(signUp.formToken)&sign-out-others=yes").title, "Sign in")
        // Another account's device is not found.
        let own = try await eve.get("/account")
        let ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        let id = try #require(try await site.identity.services.tokens.devices(of: ada.id).first?.publicID)
        try await expectEqual(eve.submit(own, [("sign-out-device", id)]).status, 404)
        var still = agent
        try await expectEqual(still.get("/account").title, "Your account")
        await site.close()
    }
}
