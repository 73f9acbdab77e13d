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

extension Site {
    /// A site whose logins need a verified address.
    fileprivate static func strict(
        _ upstream: ScriptedUpstream, storedAt location: String? = nil,
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await brokering(upstream, storedAt: location) {
            $0.requireVerifiedEmail = true
            change(&$0)
        }
    }
}

@Suite struct AddressCodeTests {
    private let upstream: ScriptedUpstream
    private let app = UpstreamApp()

    init() throws { upstream = try ScriptedUpstream() }

    @Test(.tags(.accountPreHijack), arguments: SharedStore.all)
    func `A first sign-in with an unverified address emails a code, and creates the account with it`(store: SharedStore)
        async throws
    {
        let location = try await store.location()
        let site = try await Site.strict(upstream, storedAt: location)
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app)
        #expect(page.status == 200 && page.title == "Confirm your email address")
        #expect(page.text.contains("ada@example.com") && page.text.contains("notes://auth/callback"))
        expectEqual(page.field("Content-Security-Policy")?.contains("frame-ancestors 'none'"), true)
        try await expectNil(site.accountID("ada@example.com"))
        let code = try #require(await site.mailedCode())
        #expect(!page.text.contains(code))
        // Another browser, and another node.
        var other = UserAgent(site)
        try await expectEqual(other.answer(page, [("code", code)]).status, 400)
        let node = try await Site(in: site.folder, storedAt: location, upstream: upstream) {
            $0 = site.identity.services.configuration
        }
        var there = UserAgent(node)
        there.cookies = agent.cookies
        let returned = try await there.answer(page, [("code", code.replacing(" ", with: "-"))])
        expectEqual(returned.status, 302)
        let signedIn = try await site.exchange(returned.parameters["code"] ?? "", app)
        let profile = try await site.get("/user/profile", bearer: signedIn.access)
        #expect(profile.json["emailVerified"] == true && profile.string("name") == "Ada")
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        #expect(account.ownerProvedAt != nil)
        // The next one needs no code, and the first code is used up.
        try await expectEqual(site.signIn(through: upstream).status, 200)
        try await expectEqual(agent.answer(page, [("code", code)]).title, "This sign-in has ended")
        await node.close()
        await site.close()
    }

    @Test(.tags(.resetEnumeration, .emailLinking))
    func `A first sign-in with an unverified address looks the same if another account has the address`() async throws {
        let site = try await Site.strict(upstream)
        try await site.signUp()
        var pages: [String] = []
        for email in ["ada@example.com", "eve@example.com"] {
            var agent = UserAgent(site)
            let page = try await site.visit(
                &agent, upstream, app, as: ["sub": .string(email), "email": .string(email)])
            let wrong = try await agent.answer(page, [("code", "1234 5678")])
            #expect(page.status == 200 && wrong.status == 400)
            pages.append(
                (page.text + wrong.text).replacing(email, with: "EMAIL").replacing(page.formToken, with: "TOKEN"))
        }
        expectEqual(pages[0], pages[1])
        await expectNil(site.mailedCode())
        #expect(await site.mailedCode(to: "eve@example.com") != nil)
        await expectEqual(site.subjects(), ["Latchwork: You already have an account"])
        let id = try #require(try await site.accountID("ada@example.com"))
        #expect(try await site.identity.services.store.links(of: id).isEmpty)
        await site.close()
    }

    @Test(.tags(.factorCodeReplay))
    func `A first sign-in with an unverified address ends after five wrong codes, even concurrent ones`() async throws {
        let site = try await Site.strict(upstream) { $0.loginLimitPerMinute = 100 }
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app)
        let code = try #require(await site.mailedCode())
        let (started, kept) = (page, agent)
        let titles = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<12 {
                group.addTask {
                    var agent = kept
                    return try await agent.answer(started, [("code", "0000 00\(10 + number)")]).title
                }
            }
            return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        expectEqual(titles, ["Confirm your email address": 4, "This sign-in has ended": 8])
        try await expectEqual(agent.answer(page, [("code", code)]).title, "This sign-in has ended")
        try await expectNil(site.accountID("ada@example.com"))
        let records = try await site.identity.audit.records(limit: 50)
        #expect(records.contains { $0.event == "address.failed" })
        await site.close()
    }

    @Test
    func `A first sign-in with an unverified address ends after ten minutes, and when the user refuses`() async throws {
        let site = try await Site.strict(upstream)
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app)
        let refused = try await agent.answer(page, [("refuse", "yes")])
        expectEqual(refused.location, "notes://auth/callback?error=access_denied")
        let again = try await site.visit(&agent, upstream, app)
        let code = try #require(await site.mailedCode())
        site.clock.advance(by: 601)
        try await expectEqual(agent.answer(again, [("code", code)]).title, "This sign-in has ended")
        await site.close()
    }

    @Test(.tags(.hostPoisoning))
    func `A first sign-in with an unverified address counts toward the emails of an address`() async throws {
        let site = try await Site.strict(upstream)
        for number in 0..<5 {
            var agent = UserAgent(site)
            let claims: Claims = ["sub": .string("\(number)"), "email": "ada@example.com"]
            try await expectEqual(site.visit(&agent, upstream, app, as: claims).status, 200)
        }
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app)
        #expect(page.status == 429 && page.field(.retryAfter) != nil)
        #expect(page.text.contains("notes://auth/callback?error=temporarily_unavailable"))
        await expectEqual(site.subjects().count, 5)
        await site.close()
    }

    @Test
    func `A first sign-in with an unverified address needs no code if the provider owns the domain`() async throws {
        let site = try await Site.brokering(
            upstream, "staff;issuer=https://sso.example.com;client_id=latch;email_domains=example.com"
        ) { $0.requireVerifiedEmail = true }
        try await expectEqual(site.signIn(through: upstream).status, 200)
        #expect(await site.subjects().isEmpty)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A first sign-in that proves its address keeps the link, and ends earlier credentials`() async throws {
        let site = try await Site.brokering(upstream)
        let before = try await site.signIn(through: upstream)
        await expectEqual(site.subjects(), ["Latchwork: An account was created with your address"])
        let strict = try await Site(in: site.folder, upstream: upstream) {
            $0 = site.identity.services.configuration
            $0.requireVerifiedEmail = true
        }
        var agent = UserAgent(strict)
        let page = try await strict.visit(&agent, upstream, app)
        expectEqual(page.title, "Confirm your email address")
        let returned = try await agent.answer(page, [("code", try #require(await strict.mailedCode()))])
        let after = try await strict.exchange(returned.parameters["code"] ?? "", app)
        try await expectEqual(strict.get("/user/profile", bearer: after.access).json["emailVerified"], true)
        try await expectEqual(strict.get("/user/profile", bearer: before.access).status, 401)
        try await expectEqual(strict.signIn(through: upstream).status, 200)
        await strict.close()
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A first sign-in that proves its address removes an earlier password`() async throws {
        let site = try await Site.brokering(upstream)
        try await site.signUp(isVerified: false)
        let login = try await site.logIn()
        let link = try await site.link(try await site.linkCode(upstream, app), app, bearer: login.access)
        expectEqual(link.status, 201)
        let strict = try await Site(in: site.folder, upstream: upstream) {
            $0 = site.identity.services.configuration
            $0.requireVerifiedEmail = true
        }
        var agent = UserAgent(strict)
        let page = try await strict.visit(&agent, upstream, app)
        let returned = try await agent.answer(page, [("code", try #require(await strict.mailedCode()))])
        try await expectEqual(strict.exchange(returned.parameters["code"] ?? "", app).status, 200)
        try await expectEqual(strict.logIn().status, 401)
        try await expectEqual(strict.renew(login.refresh).status, 401)
        let records = try await strict.identity.audit.records(limit: 50)
        #expect(records.contains { $0.event == "account.passwordRemoved" })
        // The owner chooses another one by mail.
        _ = try await strict.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await strict.mailedToken())
        let reset = try await strict.post(
            "/api/auth/reset-password", ["token": .string(token), "password": "Another456!"])
        expectEqual(reset.status, 200)
        try await expectEqual(strict.logIn(password: "Another456!").status, 200)
        await strict.close()
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A first sign-in with an unverified address proves only the address that the code was mailed to`() async throws
    {
        let site = try await Site.brokering(upstream)
        _ = try await site.signIn(through: upstream)
        let strict = try await Site(in: site.folder, upstream: upstream) {
            $0 = site.identity.services.configuration
            $0.requireVerifiedEmail = true
        }
        var agent = UserAgent(strict)
        let page = try await strict.visit(&agent, upstream, app)
        let code = try #require(await strict.mailedCode())
        do {
            let raw = try SQLiteConnection(path: site.folder.file(), access: .readWrite)
            try raw.run("UPDATE account SET email = 'eve@example.com', email_key = 'eve@example.com'")
        }
        try await expectEqual(agent.answer(page, [("code", code)]).title, "This sign-in has ended")
        try await expectNil(site.identity.administration.account(email: "eve@example.com")?.emailVerifiedAt)
        await strict.close()
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A first sign-in with an unverified address ends with a sign-out everywhere`() async throws {
        let site = try await Site.brokering(upstream)
        let session = try await site.signIn(through: upstream)
        let strict = try await Site(in: site.folder, upstream: upstream) {
            $0 = site.identity.services.configuration
            $0.requireVerifiedEmail = true
        }
        var agent = UserAgent(strict)
        let page = try await strict.visit(&agent, upstream, app)
        let code = try #require(await strict.mailedCode())
        _ = try await strict.tokens.signOutEverywhere(accessToken: session.access)
        try await expectEqual(agent.answer(page, [("code", code)]).title, "This sign-in has ended")
        await strict.close()
        await site.close()
    }
}

@Suite struct ProviderSignUpTests {
    @Test(.tags(.emailLinking))
    func `A sign-up through another provider is reported to the owner of an unverified address`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        _ = try await site.signIn(through: upstream)
        _ = try await site.signIn(through: upstream)
        await expectEqual(site.subjects(), ["Latchwork: An account was created with your address"])
        await site.close()
    }

    @Test(.tags(.emailLinking))
    func `A sign-up through another provider that meets an account counts once for each address`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.signUpLimitPerHour = 3 }
        for email in ["ada@example.com", "bob@example.com"] { try await site.signUp(email) }
        func status(_ email: String) async throws -> Int {
            try await site.signIn(through: upstream, as: ["sub": .string(email), "email": .string(email)]).status
        }
        // A user who tries again and again uses up one; each further address another, for it is shown to have an account.
        for _ in 0..<6 { try await expectEqual(status("ada@example.com"), 409) }
        try await expectEqual(status("bob@example.com"), 409)
        try await expectEqual(status("new@example.com"), 200)
        try await expectEqual(status("other@example.com"), 429)
        await site.close()
    }
}
