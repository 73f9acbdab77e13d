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

/// A user whom the provider knew already, so that it answered without a page.
private let silent: Claims = {
    var claims = Site.ada
    claims["auth_time"] = .integer(Int64(noon.timeIntervalSince1970) - 3600)
    return claims
}()

@Suite struct ConfirmationTests {
    private let upstream: ScriptedUpstream
    private let app = UpstreamApp()

    init() throws { upstream = try ScriptedUpstream() }

    @Test(.tags(.deepLinkTokens))
    func `The confirmation page of an app comes before a code for a custom scheme, if no page was shown`()
        async throws
    {
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app, as: silent, confirming: false)
        #expect(page.status == 200 && page.title == "Continue to the app?")
        #expect(page.text.contains("notes://auth/callback") && page.text.contains("ada@example.com"))
        #expect(!page.text.contains("oc1.") && !page.text.contains("<script"))
        let policy = try #require(page.field("Content-Security-Policy"))
        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("form-action"))
        #expect(page.field("X-Frame-Options") == "DENY" && page.field("Referrer-Policy") == "no-referrer")
        // Whoever sends the form without the browser's cookie, as another site does, gets nothing.
        var other = UserAgent(site)
        try await expectEqual(other.answer(page).status, 400)
        let kept = agent.cookies
        let returned = try await agent.answer(page)
        #expect(returned.location.hasPrefix("notes://auth/callback?code=oc1."))
        try await expectEqual(site.exchange(returned.parameters["code"] ?? "", app).status, 200)
        agent.cookies = kept
        try await expectEqual(agent.answer(page).title, "This sign-in has ended")
        await site.close()
    }

    @Test(.tags(.deepLinkTokens)) func `The confirmation page of an app can be refused`() async throws {
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let page = try await site.visit(
            &agent, upstream, app, "staff", as: silent, [("state", "of the app")], confirming: false)
        let refused = try await agent.answer(page, [("refuse", "yes")])
        expectEqual(refused.status, 302)
        expectEqual(refused.parameters, ["error": "access_denied", "state": "of the app"])
        #expect(agent.cookies.isEmpty)
        await site.close()
    }

    @Test(.tags(.deepLinkTokens))
    func `The confirmation page of an app also comes before tokens in the URL`() async throws {
        let site = try await Site.brokering(upstream) { $0.tokenRedirects = ["old://auth/callback"] }
        var agent = UserAgent(site)
        let begun = try await agent.get("/api/auth/staff?redirect=old%3A%2F%2Fauth%2Fcallback&prompt=select_account")
        let page = try await agent.get("/api/auth/staff/callback?\(upstream.approve(begun.location, as: silent))")
        #expect(page.title == "Continue to the app?" && !page.text.contains("accessToken"))
        #expect(try await agent.answer(page).location.hasPrefix("old://auth/callback?accessToken="))
        await site.close()
    }

    @Test func `The confirmation page of an app is left out for a claimed link, and after a sign-in`() async throws {
        let site = try await Site.brokering(upstream) {
            $0.signInRedirects = ["notes://auth/callback", "https://app.example.com/callback"]
        }
        var agent = UserAgent(site)
        let claimed = UpstreamApp(redirect: "https://app.example.com/callback")
        #expect(
            try await site.visit(&agent, upstream, claimed, as: silent, confirming: false).location
                .hasPrefix("https://app.example.com/callback?code="))
        try await expectEqual(site.visit(&agent, upstream, app, confirming: false).status, 302)
        await site.close()
    }

    @Test(arguments: [("select_account", 302), ("login", 200), ("", 200)])
    func `The confirmation page of an app is left out if the provider was asked for a page`(
        prompt: String, status: Int
    ) async throws {
        let upstream = try ScriptedUpstream(issuer: "https://accounts.google.com")
        let site = try await Site.brokering(upstream, "google;client_id=g", secrets: "google=s")
        var agent = UserAgent(site)
        let more = prompt.isEmpty ? [] : [("prompt", prompt)]
        // A login of an hour ago would be refused where one was asked for.
        var user = silent
        if prompt == "login" { user["auth_time"] = .integer(Int64(noon.timeIntervalSince1970) - 30) }
        let returned = try await site.visit(&agent, upstream, app, "google", as: user, more, confirming: false)
        expectEqual(returned.status, status)
        await site.close()
    }

    @Test(.tags(.upstreamState))
    func `The confirmation page of an app comes before each link, and names it`() async throws {
        let site = try await Site.brokering(upstream)
        try await site.signUp()
        let access = try await site.logIn().access
        var agent = UserAgent(site)
        let page = try await site.visit(
            &agent, upstream, app, "staff", as: Site.ada, [("intent", "link")], confirming: false)
        expectEqual(page.title, "Link your staff account?")
        var late = UserAgent(site)
        let forgotten = try await site.visit(
            &late, upstream, app, "staff", as: Site.ada, [("intent", "link")], confirming: false)
        let kept = agent.cookies
        let code = try await agent.answer(page).parameters["code"] ?? ""
        try await expectEqual(site.link(code, app, bearer: access).status, 201)
        agent.cookies = kept
        try await expectEqual(agent.answer(page).title, "This sign-in has ended")
        site.clock.advance(by: SignInChallenges.lifetime + 1)
        try await expectEqual(late.answer(forgotten).title, "This sign-in has ended")
        await site.close()
    }

    @Test(.tags(.accountPreHijack)) func `The confirmation page of an app ends with the sessions`() async throws {
        let site = try await Site.brokering(upstream)
        let session = try await site.signIn(through: upstream)
        let id = try #require(try await site.accountID("ada@example.com"))
        let endings: [(String, () async throws -> Void)] = [
            ("sign-out everywhere", { _ = try await site.tokens.signOutEverywhere(accessToken: session.access) }),
            ("an administrator", { _ = try await site.identity.administration.endSessions(of: id, by: nil) }),
            (
                "a status",
                {
                    _ = try await site.identity.administration.setStatus(of: id, to: .suspended, by: nil)
                    _ = try await site.identity.administration.setStatus(of: id, to: .active, by: nil)
                }
            ),
        ]
        for (name, end) in endings {
            var agent = UserAgent(site)
            let page = try await site.visit(&agent, upstream, app, as: silent, confirming: false)
            try await end()
            try await expectEqual(agent.answer(page).title, "This sign-in has ended", "\(name)")
        }
        await site.close()
    }

    @Test(.tags(.appRedirect))
    func `The confirmation page and the provider's response end if the app is no longer configured`() async throws {
        let site = try await Site.brokering(upstream) {
            $0.signInRedirects = ["notes://auth/callback", "other://auth/callback"]
        }
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app, as: silent, confirming: false)
        var waiting = UserAgent(site)
        let begun = try await waiting.get(app.path())
        let reloaded = try await Site(in: site.folder, upstream: upstream) {
            $0 = site.identity.services.configuration
            $0.signInRedirects = ["other://auth/callback"]
        }
        var there = UserAgent(reloaded)
        there.cookies = agent.cookies.merging(waiting.cookies) { $1 }
        for response in [
            try await there.answer(page),
            try await there.get("/api/auth/staff/callback?\(upstream.approve(begun.location, as: silent))"),
        ] {
            #expect(response.status == 400 && response.title == "This sign-in has ended")
            #expect(!response.text.contains("notes:"))
        }
        await reloaded.close()
        await site.close()
    }
}

@Suite struct SignInProgressTests {
    @Test(.tags(.upstreamState))
    func `The sign-ins in progress of a browser are not ended by other sites`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let app = UpstreamApp()
        var agent = UserAgent(site)
        let begun = try await agent.get(app.path())
        for number in 0..<8 {
            let forced = try await agent.send(
                .get, UpstreamApp().path(), fields: ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"])
            expectEqual(forced.status, number < 1 ? 302 : 429, "\(number)")
        }
        let returned = try await agent.get(
            "/api/auth/staff/callback?\(upstream.approve(begun.location, as: Site.ada))")
        expectEqual(returned.status, 302)
        await site.close()
    }

    @Test func `The sign-ins in progress of a browser end by their age if the user begins more`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        var begun: [Response] = []
        for _ in 0..<6 {
            begun.append(
                try await agent.send(
                    .get, UpstreamApp().path(), fields: ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-User": "?1"]))
            site.clock.advance(by: 1)
        }
        #expect(agent.cookies.count <= 4 && agent.cookies.count >= 2)
        let oldest = try upstream.approve(begun[0].location, as: Site.ada)
        try await expectEqual(agent.get("/api/auth/staff/callback?\(oldest)").status, 400)
        for last in begun.suffix(2) {
            let query = try upstream.approve(last.location, as: Site.ada)
            try await expectNotEqual(agent.get("/api/auth/staff/callback?\(query)").title, "This sign-in has ended")
        }
        await site.close()
    }
}
