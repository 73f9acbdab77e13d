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

@Suite struct UpstreamLinkTests {
    @Test
    func `A link to another provider is made by a user who is signed in, and signs in from then on`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        try await site.signUp()
        let login = try await site.logIn()
        let app = UpstreamApp()
        let code = try await site.linkCode(upstream, app)
        let linked = try await site.link(code, app, bearer: login.access)
        expectEqual(linked.status, 201)
        #expect(linked.string("provider") == "staff" && linked.string("email") == "ada@example.com")
        let list = try await site.get("/api/auth/links", bearer: login.access)
        #expect(list.json["links"]?.arrayValue?.count == 1 && list.json["hasPassword"] == true)
        let signedIn = try await site.signIn(through: upstream)
        let ids = try await [login, signedIn].asyncMap {
            try await site.get("/user/profile", bearer: $0.access).string("id")
        }
        expectEqual(ids[0], ids[1])
        // The owner hears of it, and the operator can see it.
        await site.identity.services.mails.flush()
        #expect(site.mailer.messages.contains { $0.subject == "Latchwork: A new way to sign in was added" })
        #expect(
            try await site.identity.audit.records(limit: 50).contains {
                $0.event == "account.linked" && $0.detail == "staff"
            })
        await site.close()
    }

    @Test
    func `A link to another provider survives a new password, whose notice names it in the owner's language`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let account = try await site.signUp()
        let login = try await site.logIn()
        let app = UpstreamApp()
        try await expectEqual(site.link(try await site.linkCode(upstream, app), app, bearer: login.access).status, 201)
        var preferences = AccountDetailsChange()
        preferences.preferences = AccountDetails.Preferences()
        preferences.preferences?.language = "de-CH"
        _ = try await site.identity.administration.change(preferences, of: account.id, by: AccountActor(account.id))
        // Whoever resets the password may read another language.
        let english: HTTPFields = ["Accept-Language": "en"]
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"], fields: english)
        let token = try #require(await site.mailedToken())
        let reset: JSONValue = ["token": .string(token), "password": "Another 456!"]
        try await expectEqual(site.post("/api/auth/reset-password", reset, fields: english).status, 200)
        await site.identity.flushMails()
        let notice = try #require(site.mailer.messages.last { $0.subject == "Latchwork: Dein Passwort wurde geändert" })
        #expect(notice.text.contains("auch über staff an") && notice.html?.contains("auch über staff an") == true)
        await site.close()
    }

    @Test func `A link to another provider needs a recent login, of the server's own client`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) {
            $0.clients = [OAuthClient(id: "phone", grants: [.password, .refreshToken])]
        }
        try await site.signUp()
        let app = UpstreamApp()
        let login = try await site.logIn()
        let other = try await site.passwordGrant(as: "phone").accessToken
        let code = try await site.linkCode(upstream, app)
        try await expectEqual(site.link(code, app, bearer: "nonsense").status, 401)
        let refused = try await site.link(code, app, bearer: other)
        expectEqual(refused.status, 403)
        try await expectEqual(site.get("/api/auth/links", bearer: other).status, 403)
        site.clock.advance(by: 901)
        let renewed = try await site.renew(login.refresh)
        let late = try await site.link(try await site.linkCode(upstream, app), app, bearer: renewed.access)
        #expect(late.status == 401 && late.string("code") == "signInAgain")
        expectEqual(late.field(.wwwAuthenticate)?.contains("insufficient_user_authentication"), true)
        let removal = try await site.call(.delete, "/api/auth/links/staff", bearer: renewed.access)
        expectEqual(removal.string("code"), "signInAgain")
        await site.close()
    }

    @Test(.tags(.upstreamState)) func `A link to another provider is made only by the app that began`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        try await site.signUp()
        let login = try await site.logIn()
        // An attacker has signed in at the provider as themselves, and slips the result into the victim's app.
        let code = try await site.linkCode(upstream, UpstreamApp(), as: ["sub": "attacker", "email": "e@example.com"])
        let injected = try await site.link(code, UpstreamApp(), bearer: login.access)
        expectEqual(injected.status, 403)
        let list = try await site.get("/api/auth/links", bearer: login.access)
        expectEqual(list.json["links"]?.arrayValue?.isEmpty, true)
        await site.close()
    }

    @Test func `A link to another provider belongs to one account, which has one for each provider`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let app = UpstreamApp()
        var access: [String] = []
        for email in ["ada@example.com", "bob@example.com"] {
            try await site.signUp(email)
            access.append(try await site.logIn(email).access)
        }
        func link(_ subject: String, _ bearer: String) async throws -> Response {
            let claims: Claims = ["sub": .string(subject), "email": "x@example.com"]
            return try await site.link(
                try await site.linkCode(upstream, app, as: claims), app, bearer: bearer)
        }
        try await expectEqual(link("one", access[0]).status, 201)
        try await expectEqual(link("one", access[0]).status, 201)
        try await expectEqual(link("one", access[1]).string("code"), "linkedElsewhere")
        try await expectEqual(link("two", access[0]).string("code"), "alreadyLinked")
        try await expectEqual(link("two", access[1]).status, 201)
        await site.close()
    }

    @Test func `A link to another provider is removed, except for the last way to sign in`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let first = try await site.signIn(through: upstream)
        let last = try await site.call(.delete, "/api/auth/links/staff", bearer: first.access)
        #expect(last.status == 409 && last.string("code") == "lastSignIn")
        try await expectEqual(site.signIn(through: upstream).status, 200)
        try await site.signUp("bob@example.com")
        let bob = try await site.logIn("bob@example.com")
        let app = UpstreamApp()
        let claims: Claims = ["sub": "bob", "email": "bob@example.com"]
        _ = try await site.link(try await site.linkCode(upstream, app, as: claims), app, bearer: bob.access)
        try await expectEqual(site.call(.delete, "/api/auth/links/staff", bearer: bob.access).status, 200)
        try await expectEqual(site.call(.delete, "/api/auth/links/staff", bearer: bob.access).status, 404)
        try await expectEqual(site.signIn(through: upstream, as: claims).status, 409)
        await site.identity.services.mails.flush()
        #expect(site.mailer.messages.contains { $0.subject == "Latchwork: A way to sign in was removed" })
        await site.close()
    }

    @Test func `A link to another provider ends its sessions when it is removed`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        try await site.signUp()
        let access = try await site.logIn().access
        let app = UpstreamApp()
        try await expectEqual(site.link(try await site.linkCode(upstream, app), app, bearer: access).status, 201)
        let through = try await site.signIn(through: upstream)
        try await expectEqual(site.get("/user/profile", bearer: through.access).status, 200)
        try await expectEqual(site.call(.delete, "/api/auth/links/staff", bearer: access).status, 200)
        try await expectEqual(site.get("/user/profile", bearer: through.access).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: access).status, 200)
        await site.close()
    }

    @Test(.tags(.factorBypass))
    func `A link to another provider is neither made nor removed by a device that was signed out meanwhile`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        try await site.signUp()
        let service = site.identity.services.upstreamSignIns
        let app = UpstreamApp()
        let first = try await site.linkCode(upstream, app)
        // The token was checked, and then its device is signed out.
        let gone = try await site.bearer(try await site.logIn().access)
        _ = try await site.tokens.signOut(device: gone.device.publicID, of: gone.accountID)
        await expectEqual(
            refusal { _ = try await service.link(first, verifier: app.verifier, to: gone, from: .tests) },
            "invalidToken")
        let access = try await site.logIn().access
        try await expectEqual(site.link(try await site.linkCode(upstream, app), app, bearer: access).status, 201)
        let other = try await site.bearer(try await site.logIn().access)
        _ = try await site.tokens.signOut(device: other.device.publicID, of: other.accountID)
        await expectEqual(refusal { try await service.unlink("staff", from: other, by: .tests) }, "invalidToken")
        try await expectEqual(site.identity.services.store.links(of: other.accountID).count, 1)
        await site.close()
    }

    @Test
    func `A link to a provider that is no longer configured signs no user in, and is not a way to sign in`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        let words = "staff;issuer=https://sso.example.com;client_id=latch github;client_id=g"
        let secrets = "staff=s github=s"
        let site = try await Site.brokering(upstream, words, secrets: secrets)
        upstream.deviate {
            $0.resources = ["https://api.github.com/user": ["id": 1], "https://api.github.com/user/emails": []]
        }
        let first = try await site.signIn(through: upstream)
        let app = UpstreamApp()
        let code = try await site.linkCode(upstream, app, "github")
        try await expectEqual(site.link(code, app, bearer: first.access).status, 201)
        let access = try await site.signIn(through: upstream).access
        let reloaded = try await Site(in: site.folder, upstream: upstream) {
            $0 = site.identity.services.configuration
            $0.upstreams.removeAll { $0.name == "github" }
            $0.upstreamSecrets["github"] = nil
        }
        let last = try await reloaded.call(.delete, "/api/auth/links/staff", bearer: access)
        #expect(last.status == 409 && last.string("code") == "lastSignIn")
        try await expectEqual(site.call(.delete, "/api/auth/links/staff", bearer: access).status, 200)
        await reloaded.close()
        await site.close()
    }

    @Test func `A link to another provider goes with its account`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        _ = try await site.signIn(through: upstream)
        let id = try #require(try await site.accountID("ada@example.com"))
        #expect(try await site.identity.administration.delete(id, isFinal: true, by: nil, because: ""))
        try await expectEqual(site.signIn(through: upstream).status, 200)
        try await expectNotEqual(site.accountID("ada@example.com"), id)
        await site.close()
    }
}

@Suite struct UpstreamSecondFactorTests {
    @Test(.tags(.factorBypass))
    func `A second factor after another provider is asked for in the browser, and used up`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.loginLimitPerMinute = 100 }
        let (totp, access) = try await site.enrol()
        let app = UpstreamApp()
        try await expectEqual(site.link(try await site.linkCode(upstream, app), app, bearer: access).status, 201)
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app)
        expectEqual(page.status, 200)
        #expect(page.text.contains(#"action="/api/auth/continue""#))
        let policy = try #require(page.field("Content-Security-Policy"))
        #expect(!policy.contains("form-action"))
        let token = try #require(
            page.text.split(separator: #"name="token" value=""#).last?.split(separator: "\"").first)
        let wrong = try await agent.post(
            "/api/auth/continue", form: "token=\(token)&code=\(totp.wrongCode(at: site.clock.now))")
        expectEqual(wrong.status, 400)
        #expect(wrong.text.contains("This code is wrong"))
        // Another browser has no part in it.
        var other = UserAgent(site)
        let right = "token=\(token)&code=\(totp.code(at: site.clock.now))"
        #expect(try await other.post("/api/auth/continue", form: right).text.contains("has ended"))
        let kept = agent.cookies
        let returned = try await agent.post("/api/auth/continue", form: right)
        expectEqual(returned.status, 302)
        let signedIn = try await site.exchange(returned.parameters["code"] ?? "", app)
        let session = try await site.bearer(signedIn.access)
        #expect(session.device.factorAt != nil)
        agent.cookies = kept
        let again = try await agent.post(
            "/api/auth/continue", form: "token=\(token)&code=\(totp.recoveryCodes[0])")
        #expect(again.text.contains("has ended"))
        await site.close()
    }

    @Test(.tags(.factorCodeReplay))
    func `A second factor after another provider states when it can be tried again`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.loginLimitPerMinute = 100 }
        let (totp, access) = try await site.enrol()
        let app = UpstreamApp()
        _ = try await site.link(try await site.linkCode(upstream, app), app, bearer: access)
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app)
        var last = page
        for _ in 0...SecondFactor.freeFailures {
            last = try await agent.answer(page, [("code", totp.wrongCode(at: site.clock.now))])
        }
        #expect(last.status == 429 && last.title == "Enter your code")
        expectEqual(last.field(.retryAfter).flatMap { Int($0) }.map { $0 > 0 }, true)
        await site.close()
    }

    @Test(.tags(.accountPreHijack, .factorBypass))
    func `A second factor after another provider ends, as codes for the app do, with a sign-out everywhere`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.loginLimitPerMinute = 100 }
        let (totp, access) = try await site.enrol()
        let app = UpstreamApp()
        _ = try await site.link(try await site.linkCode(upstream, app), app, bearer: access)
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app)
        _ = try await site.tokens.signOutEverywhere(accessToken: access)
        let ended = try await agent.answer(page, [("code", totp.code(at: site.clock.now))])
        expectEqual(ended.title, "This sign-in has ended")
        await site.close()
    }

    @Test(.tags(.halfAuthentication))
    func `A second factor after another provider cannot be skipped, nor proved at a password login`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.loginLimitPerMinute = 100 }
        let (totp, access) = try await site.enrol()
        let app = UpstreamApp()
        _ = try await site.link(try await site.linkCode(upstream, app), app, bearer: access)
        var agent = UserAgent(site)
        let page = try await site.visit(&agent, upstream, app)
        let token = String(
            page.text.split(separator: #"name="token" value=""#).last?.split(separator: "\"").first ?? "")
        try await expectEqual(site.exchange(token, app).status, 401)
        await expectEqual(refusal { try await site.complete(token, totp.recoveryCodes[0]) }, "invalidToken")
        // The link is removed while the page waits.
        let session = try await site.bearer(access)
        try await site.identity.services.upstreamSignIns.unlink("staff", from: session, by: .tests)
        let ended = try await agent.post(
            "/api/auth/continue", form: "token=\(token)&code=\(totp.recoveryCodes[0])")
        #expect(ended.text.contains("has ended"))
        try expectEqual(site.recoveryCodeCount(of: session.accountID), totp.recoveryCodes.count)
        await site.close()
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
