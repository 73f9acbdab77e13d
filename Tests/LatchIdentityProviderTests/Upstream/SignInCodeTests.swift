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

@Suite struct AppURLTests {
    /// URLs that are not the configured one.
    private static let otherURLs =
        [
            "javascript:alert(1)", "data:text/html,x", "https://evil.example/", "http://notes/auth/callback",
            "notes://auth/callback/../evil", "notes://auth/callback?x=1", "notes://auth/callback#x",
            "notes://auth/callback/",
            "notes://auth/callbac", "NOTES://auth/callback", "notes:auth/callback", "notes://auth/callback\u{301}",
            "//evil.example", "notes://auth/callback https://evil.example", "notes://evil@auth/callback", "",
        ]

    @Test(.tags(.appRedirect, .deepLinkTokens), arguments: otherURLs, [true, false])
    func `The URL of an app that gets tokens is a configured one, character by character`(
        redirect: String, hasChallenge: Bool
    ) async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) {
            ($0.signInRedirects, $0.tokenRedirects) = ([], ["notes://auth/callback"])
        }
        var agent = UserAgent(site)
        let path = "/api/auth/staff?\(FormEncoding.encode([("redirect", redirect)]))"
        let page = try await agent.get(hasChallenge ? UpstreamApp(redirect: redirect).path() : path)
        expectEqual(page.status, 400)
        #expect(page.location.isEmpty && agent.cookies.isEmpty)
        #expect(redirect.isEmpty || !page.text.contains(redirect))
        #expect(upstream.requests.isEmpty)
        await site.close()
    }

    @Test(.tags(.appRedirect), arguments: otherURLs)
    func `The URL of an app is a configured one, character by character`(redirect: String) async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let page = try await agent.get(UpstreamApp(redirect: redirect).path())
        expectEqual(page.status, 400)
        #expect(page.location.isEmpty && agent.cookies.isEmpty)
        #expect(redirect.isEmpty || !page.text.contains(redirect))
        #expect(upstream.requests.isEmpty)
        await site.close()
    }

    @Test func `The URL of an app comes once, with a challenge of S256`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let challenge = Base64URL.encode(UpstreamApp().verifier.digest)
        let url = "redirect=notes%3A%2F%2Fauth%2Fcallback"
        for query in [
            "", url, "\(url)&code_challenge=\(challenge)",
            "\(url)&code_challenge=\(challenge)&code_challenge_method=plain",
            "\(url)&code_challenge=short&code_challenge_method=S256", "\(url)&code_challenge_method=S256",
            "\(url)&\(url)&code_challenge=\(challenge)&code_challenge_method=S256",
            "\(url)&code_challenge=\(challenge)&code_challenge_method=S256&intent=admin",
        ] {
            try await expectEqual(site.get("/api/auth/staff?\(query)").status, 400, "\(query)")
        }
        await site.close()
    }

    /// The FAQ of AuthPackage: `curl -I "<base>/api/auth/microsoft?redirect=<scheme>://auth/callback"` should show `state=`.
    @Test
    func `The URL of an app is probed by a HEAD request without a challenge, which begins nothing`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let path = "/api/auth/staff?redirect=notes%3A%2F%2Fauth%2Fcallback"
        let probe = try await site.send(.head, path)
        #expect(probe.status == 302 && probe.parameters["state"]?.isEmpty == false)
        try await expectEqual(site.send(.head, "/api/auth/staff?redirect=evil%3A%2F%2Fauth%2Fcallback").status, 400)
        try await expectEqual(site.get(path).status, 400)
        await site.close()
    }

    @Test(.tags(.deepLinkTokens))
    func `The URL of an app gets a code and no tokens, in a response that is neither stored nor referred`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let app = UpstreamApp()
        var agent = UserAgent(site)
        let returned = try await site.visit(&agent, upstream, app)
        expectEqual(returned.status, 302)
        #expect(returned.location.hasPrefix("notes://auth/callback?code=oc1."))
        expectEqual(Set(returned.parameters.keys), ["code"])
        expectEqual(returned.field("Referrer-Policy"), "no-referrer")
        expectEqual(returned.field(.cacheControl), "no-store")
        #expect(agent.cookies.isEmpty)
        // The store has a digest.
        let code = try #require(returned.parameters["code"])
        let connection = try SQLiteConnection(path: site.folder.file(), access: .readOnly)
        try expectEqual(
            connection.number("SELECT count(*) FROM sign_in_code WHERE digest = ?", [.blob(code.digest)]), 1)
        let bytes = try ["", "-wal"].flatMap { try Array(Data(contentsOf: URL(filePath: site.folder.file() + $0))) }
        #expect(!String(decoding: bytes, as: UTF8.self).contains(code))
        await site.close()
    }

    @Test(.tags(.deepLinkTokens))
    func `The URL of an app gets tokens if it is configured for them, and only without a challenge`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.tokenRedirects = ["old://auth/callback"] }
        var agent = UserAgent(site)
        let begun = try await agent.get("/api/auth/staff?redirect=old%3A%2F%2Fauth%2Fcallback&prompt=select_account")
        expectEqual(begun.status, 302)
        let query = try upstream.approve(begun.location, as: Site.ada)
        let returned = try await agent.get("/api/auth/staff/callback?\(query)")
        #expect(returned.location.hasPrefix("old://auth/callback?accessToken="))
        let access = try #require(returned.parameters["accessToken"])
        try await expectEqual(site.get("/user/profile", bearer: access).status, 200)
        try await expectEqual(site.renew(returned.parameters["refreshToken"] ?? "").status, 200)
        let coded = try await site.visit(&agent, upstream, UpstreamApp(redirect: "old://auth/callback"))
        expectEqual(Set(coded.parameters.keys), ["code"])
        try await expectEqual(agent.get("/api/auth/staff?redirect=notes%3A%2F%2Fauth%2Fcallback").status, 400)
        await site.close()
    }
}

/// AuthPackage's guide, "Microsoft OAuth (mobile + web)": without a mobile redirect the callback responds with JSON for web.
@Suite struct BrowserWithoutAppTests {
    private func site(_ upstream: ScriptedUpstream) async throws -> Site {
        try await Site.brokering(upstream) { $0.answersBrowsersWithTokens = true }
    }

    @Test func `A browser without an app gets the tokens as JSON and the cookie, without caching`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await site(upstream)
        var agent = UserAgent(site)
        let begun = try await agent.get("/api/auth/staff")
        let path = "/api/auth/staff/callback?\(try upstream.approve(begun.location, as: Site.ada))"
        let returned = try await agent.get(path)
        #expect(returned.status == 200 && returned.field(.cacheControl) == "no-store")
        try await expectEqual(site.get("/user/profile", bearer: returned.string("accessToken")).status, 200)
        expectEqual(Array(agent.cookies.keys), ["refreshToken"])
        expectEqual(agent.cookies["refreshToken"], returned.string("refreshToken"))
        try await expectEqual(agent.get(path).status, 400)
        await site.close()
    }

    @Test func `A browser without an app reads the provider's refusal as JSON`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await site(upstream)
        var agent = UserAgent(site)
        let state = ScriptedUpstream.parameters(try await agent.get("/api/auth/staff").location)["state"] ?? ""
        let refused = try await agent.get("/api/auth/staff/callback?error=access_denied&state=\(state)")
        #expect(refused.status == 403 && refused.string("code") == "upstreamDenied")
        await site.close()
    }

    @Test func `A browser without an app answers with the second factor on a page first`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await site(upstream)
        let (totp, access) = try await site.enrol()
        let app = UpstreamApp()
        try await expectEqual(site.link(try await site.linkCode(upstream, app), app, bearer: access).status, 201)
        var agent = UserAgent(site)
        let begun = try await agent.get("/api/auth/staff")
        let query = try upstream.approve(begun.location, as: Site.ada)
        let page = try await agent.get("/api/auth/staff/callback?\(query)")
        #expect(page.formAction == "/api/auth/continue" && !page.text.contains("accessToken"))
        let returned = try await agent.answer(page, [("code", totp.code(at: site.clock.now))])
        #expect(returned.status == 200 && !returned.string("refreshToken").isEmpty)
        await site.close()
    }

    @Test func `A browser without an app cannot be sent by a page of another site`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await site(upstream)
        let response = try await site.send(.get, "/api/auth/staff", fields: ["Sec-Fetch-Site": "cross-site"])
        #expect(response.status == 403 && response.location.isEmpty)
        let typed = try await site.send(.get, "/api/auth/staff", fields: ["Sec-Fetch-Site": "none"])
        expectEqual(typed.status, 302)
        await site.close()
    }

    @Test func `A browser without an app begins nothing if turned off, for a link, or with a challenge`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await site(upstream)
        let other = try await Site.brokering(ScriptedUpstream())
        try await expectEqual(other.get("/api/auth/staff").status, 400)
        let challenge = Base64URL.encode(UpstreamApp().verifier.digest)
        for query in ["intent=link", "intent=reauthenticate", "code_challenge=\(challenge)&code_challenge_method=S256"]
        {
            try await expectEqual(site.get("/api/auth/staff?\(query)").status, 400, "\(query)")
        }
        await other.close()
        await site.close()
    }
}

@Suite struct SignInCodeTests {
    private func code(_ site: Site, _ upstream: ScriptedUpstream, _ app: UpstreamApp) async throws -> String {
        var agent = UserAgent(site)
        return try await site.visit(&agent, upstream, app).parameters["code"] ?? ""
    }

    @Test(.tags(.deepLinkTokens))
    func `The code of a sign-in is exchanged once, within a minute, by the app that began`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let app = UpstreamApp()
        let used = try await code(site, upstream, app)
        let response = try await site.exchange(used, app)
        expectEqual(response.status, 200)
        expectEqual(response.field(.setCookie)?.hasPrefix("refreshToken="), true)
        expectEqual(Set(response.json.keys), Set(try await site.reference().json.keys))
        try await expectEqual(site.exchange(used, app).status, 401)
        let late = try await code(site, upstream, app)
        site.clock.advance(by: 61)
        try await expectEqual(site.exchange(late, app).status, 401)
        let stolen = try await code(site, upstream, app)
        let thief = try await site.exchange(stolen, UpstreamApp())
        expectEqual(thief.status, 401)
        expectEqual(thief.string("code"), "invalidSignInCode")
        // Whoever has it ends it.
        try await expectEqual(site.exchange(stolen, app).status, 401)
        let records = try await site.identity.audit.records(limit: 50)
        #expect(records.contains { $0.event == "signIn.codeRefused" && $0.detail == "staff from in process" })
        await site.close()
    }

    @Test func `The code of a sign-in is not used up while the hook of tokens is down`() async throws {
        let upstream = try ScriptedUpstream()
        let hook = TokenHookSwitch()
        let site = try await Site.brokering(upstream, hooks: hook.hooks)
        let app = UpstreamApp()
        var agent = UserAgent(site)
        let code = try #require(try await site.visit(&agent, upstream, app).parameters["code"])
        hook.isDown = true
        for _ in 0..<2 { try await expectEqual(site.exchange(code, app).string("code"), "hookUnavailable") }
        hook.isDown = false
        try await expectEqual(site.exchange(code, app).status, 200)
        try await expectEqual(site.exchange(code, app).string("code"), "invalidSignInCode")
        await site.close()
    }

    @Test func `Of many concurrent exchanges of a sign-in code, one succeeds`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let app = UpstreamApp()
        let code = try await code(site, upstream, app)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await site.exchange(code, app).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(statuses.sorted(), [200] + Array(repeating: 401, count: 7))
        await site.close()
    }

    @Test(
        arguments: [
            [:], ["code": "x"], ["code": "x", "code_verifier": ""], ["code": "x", "code_verifier": "short"],
            ["code": 1, "code_verifier": 2],
        ] as [JSONValue]) func `The code of a sign-in is text, with a verifier`(body: JSONValue) async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        #expect([400, 401].contains(try await site.post("/api/auth/exchange", body).status))
        await site.close()
    }

    @Test func `The code of a sign-in ends with a change of the account's credentials`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        _ = try await site.signIn(through: upstream)
        let app = UpstreamApp()
        let code = try await code(site, upstream, app)
        let id = try #require(try await site.accountID("ada@example.com"))
        _ = try await site.identity.administration.setStatus(of: id, to: .suspended, by: nil)
        _ = try await site.identity.administration.setStatus(of: id, to: .active, by: nil)
        try await expectEqual(site.exchange(code, app).status, 401)
        // Also by one that has left the code in the store.
        let second = try await self.code(site, upstream, app)
        try SQLiteConnection(path: site.folder.file(), access: .readWrite)
            .run("UPDATE account SET credential_version = credential_version + 1")
        try await expectEqual(site.exchange(second, app).status, 401)
        await site.close()
    }

    @Test(.tags(.accountPreHijack, .addressChange), arguments: [true, false])
    func `The code of a sign-in ends with a sign-out everywhere, and with a refused change of address`(
        isSignOut: Bool
    ) async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(
            upstream, "staff;issuer=https://sso.example.com;client_id=latch;email_domains=example.com")
        let session = try await site.signIn(through: upstream)
        let app = UpstreamApp()
        if isSignOut {
            let code = try await code(site, upstream, app)
            _ = try await site.tokens.signOutEverywhere(accessToken: session.access)
            try await expectEqual(site.exchange(code, app).status, 401)
        } else {
            let bearer = try await site.bearer(session.access)
            try await site.identity.accounts.changeEmail(of: bearer, to: "eve@example.com", from: .tests)
            let token = try #require(await site.mailedToken())
            let code = try await code(site, upstream, app)
            try await site.identity.accounts.refuseEmailChange(token)
            try await expectEqual(site.exchange(code, app).status, 401)
        }
        await site.close()
    }

    @Test func `The code of a sign-in of a link is not a code of a sign-in, nor the reverse`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let signedIn = try await site.signIn(through: upstream)
        let app = UpstreamApp()
        try await expectEqual(site.exchange(try await site.linkCode(upstream, app), app).status, 401)
        let code = try await code(site, upstream, app)
        try await expectEqual(site.link(code, app, bearer: signedIn.access).status, 403)
        await site.close()
    }
}

extension Site {
    /// The response to a login by password, to compare others with.
    fileprivate func reference() async throws -> Response {
        try await signUp("reference@example.com")
        return try await logIn("reference@example.com")
    }
}
