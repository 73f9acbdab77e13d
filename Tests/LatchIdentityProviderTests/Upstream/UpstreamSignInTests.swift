// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct UpstreamSignInTests {
    @Test
    func `A sign-in through another provider creates an account once, and finds it after a new address`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let first = try await site.signIn(through: upstream)
        expectEqual(first.status, 200)
        let profile = try await site.get("/user/profile", bearer: first.access)
        expectEqual(profile.string("email"), "ada@example.com")
        expectEqual(profile.string("name"), "Ada")
        expectEqual(profile.json["emailVerified"], false)
        var moved = Site.ada
        moved["email"] = "ada@elsewhere.example"
        let second = try await site.signIn(through: upstream, as: moved)
        let again = try await site.get("/user/profile", bearer: second.access)
        expectEqual(again.string("id"), profile.string("id"))
        expectEqual(again.string("email"), "ada@example.com")
        try await expectEqual(site.renew(second.refresh).status, 200)
        // Nobody knows a password of it.
        try await expectEqual(site.logIn().status, 401)
        await site.close()
    }

    @Test
    func `A sign-in through another provider keeps its attempt's cookie from scripts, http and other hosts`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path())
        expectEqual(begun.status, 302)
        #expect(begun.location.hasPrefix("https://sso.example.com/authorize?"))
        let parameters = begun.parameters
        expectEqual(parameters["redirect_uri"], "https://id.latch.example/api/auth/staff/callback")
        #expect(parameters["code_challenge_method"] == "S256" && parameters["nonce"]?.isEmpty == false)
        let field = try #require(agent.received.first)
        expectEqual(agent.received.count, 1)
        #expect(field.hasPrefix("__Host-latch-attempt-"))
        for part in ["Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax", "Secure"] {
            #expect(field.contains("; \(part)"))
        }
        // Neither the state nor the verifier is readable in it.
        let value = try Base64URL.decode(String(field.split(separator: ";")[0].split(separator: "=")[1]))
        #expect(!String(decoding: value, as: UTF8.self).contains("verifier"))
        #expect(!field.contains(try #require(parameters["state"])))
        await site.close()
    }

    // Report 1 in Documentation/PublicReports.md: the provider appends a parameter that is not encoded.
    @Test
    func `A sign-in through another provider reads a callback as it was sent, whatever else is in it`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path())
        let query = try upstream.approve(begun.location, as: Site.ada)
        let returned = try await agent.get("/api/auth/staff/callback?\(query)&hint={x}|y&note=a%20b")
        #expect(returned.status == 302 && returned.parameters["code"]?.isEmpty == false, "\(returned.text)")
        await site.close()
    }

    @Test
    func `A sign-in through another provider takes the address from user info if its token has none`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let signedIn = try await site.signIn(through: upstream, as: ["sub": "carol"])
        try await expectEqual(site.get("/user/profile", bearer: signedIn.access).string("email"), "carol@example.org")
        await site.close()
    }

    @Test
    func `A sign-in through another provider takes the verification from user info if its token has none`() async throws
    {
        let upstream = try ScriptedUpstream()
        upstream.deviate {
            $0.resources = [
                "https://sso.example.com/userinfo": [
                    "sub": "dora", "email": "dora@example.org", "email_verified": true,
                ]
            ]
        }
        let site = try await Site.brokering(
            upstream, "staff;issuer=https://sso.example.com;client_id=latch;email_domains=example.org")
        let signedIn = try await site.signIn(through: upstream, as: ["sub": "dora", "email": "dora@example.org"])
        let profile = try await site.get("/user/profile", bearer: signedIn.access)
        expectEqual(profile.string("email"), "dora@example.org")
        expectEqual(profile.json["emailVerified"], true)
        await site.close()
    }

    @Test(arguments: [401, 403, 404] as [HTTPStatus])
    func `A sign-in through another provider continues without user info if the provider refuses it`(status: HTTPStatus)
        async throws
    {
        let upstream = try ScriptedUpstream()
        upstream.deviate { $0.response = { $0.path == "/userinfo" ? HTTPResponse(status: status) : nil } }
        let site = try await Site.brokering(upstream)
        let nameless = try await site.signIn(through: upstream, as: ["sub": "x"])
        #expect(nameless.text.contains("notes://auth/callback?error=email_missing"))
        let signedIn = try await site.signIn(through: upstream, as: ["sub": "y", "email": "y@example.org"])
        try await expectEqual(site.get("/user/profile", bearer: signedIn.access).json["emailVerified"], false)
        await site.close()
    }

    @Test(arguments: ["", "<html>", #"{"email":"y@example.org","email_verified":true}"#, #"{"sub":"z"}"#])
    func `A sign-in through another provider needs no user info if its token has an address`(content: String)
        async throws
    {
        let upstream = try ScriptedUpstream()
        upstream.deviate {
            $0.response = {
                $0.path != "/userinfo"
                    ? nil : HTTPResponse(status: content.isEmpty ? .internalServerError : .ok, body: HTTPBody(content))
            }
        }
        let site = try await Site.brokering(
            upstream, "staff;issuer=https://sso.example.com;client_id=latch;email_domains=example.org")
        let signedIn = try await site.signIn(through: upstream, as: ["sub": "y", "email": "y@example.org"])
        try await expectEqual(site.get("/user/profile", bearer: signedIn.access).json["emailVerified"], false)
        await site.close()
    }

    @Test
    func `A sign-in through another provider asks for the address only of a user without an account`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        for _ in 0..<3 { try await expectEqual(site.signIn(through: upstream, as: ["sub": "carol"]).status, 200) }
        expectEqual(upstream.requests.count { $0.path == "/userinfo" }, 1)
        await site.close()
    }

    @Test(.tags(.upstreamFailure), .timeLimit(.minutes(1)))
    func `A sign-in through another provider uses the known metadata while the provider's is unavailable`() async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        try await expectEqual(site.signIn(through: upstream).status, 200)
        let document = "/.well-known/openid-configuration"
        let noMetadata: @Sendable (HTTPRequest) throws -> HTTPResponse? = {
            $0.path == document ? HTTPResponse(status: .internalServerError) : nil
        }
        upstream.deviate { $0.response = noMetadata }
        site.clock.advance(by: 86_401)
        let later = Date(timeIntervalSince1970: noon.timeIntervalSince1970 + 86_401)
        // The tokens of a day later.
        upstream.deviate {
            $0.sign = { [key = upstream.key] claims in
                var claims = claims
                (claims.issuedAt, claims.expiry) = (later, later.addingTimeInterval(600))
                return try JWT.sign(claims, with: key)
            }
        }
        func fetched() -> Int { upstream.requests.count { $0.path == document } }
        let before = fetched()
        for _ in 0..<3 { try await expectEqual(site.signIn(through: upstream).status, 200) }
        try await eventually { fetched() != before }
        expectEqual(fetched(), before + 1)
        // Ten minutes later one request tries again, and the new endpoint is used.
        upstream.deviate {
            $0.response = { $0.path == "/token" ? HTTPResponse(status: .notFound) : nil }
            $0.metadata = { $0["token_endpoint"] = "https://sso.example.com/token2" }
        }
        site.clock.advance(by: 601)
        while upstream.requests.last?.path != "/token2" { _ = try await site.signIn(through: upstream) }
        expectEqual(fetched(), before + 2)
        await site.close()
    }

    @Test
    func `A sign-in through another provider repeats the app's state, and refuses one that fits no URL`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let returned = try await site.visit(
            &agent, upstream, UpstreamApp(), "staff", as: Site.ada, [("state", "a&b=c")])
        #expect(Set(returned.parameters.keys) == ["code", "state"] && returned.parameters["state"] == "a&b=c")
        // Within what a cookie holds.
        let long = String(repeating: "s", count: 1000)
        let again = try await site.visit(&agent, upstream, UpstreamApp(), "staff", as: Site.ada, [("state", long)])
        expectEqual(again.parameters["state"], long)
        for state in ["\r\n", "\u{e9}", String(repeating: "x", count: 1001)] {
            try await expectEqual(agent.get(UpstreamApp().path("staff", [("state", state)])).status, 400)
        }
        await site.close()
    }

    @Test func `A sign-in through another provider needs an address`() async throws {
        let upstream = try ScriptedUpstream()
        upstream.deviate { $0.metadata = { $0["userinfo_endpoint"] = nil } }
        let site = try await Site.brokering(upstream)
        for email in ["", "nobody", "a@b\r\nBcc: c@d", "ada@example.com>"] {
            let page = try await site.signIn(through: upstream, as: ["sub": "x", "email": .string(email)])
            expectEqual(page.status, 403)
            #expect(page.text.contains("notes://auth/callback?error=email_missing"))
        }
        await site.close()
    }

    @Test func `A sign-in through another provider ends with an account that is disabled`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        _ = try await site.signIn(through: upstream)
        let id = try #require(try await site.accountID("ada@example.com"))
        _ = try await site.identity.administration.setStatus(of: id, to: .suspended, by: nil)
        let page = try await site.signIn(through: upstream)
        expectEqual(page.status, 403)
        #expect(page.text.contains("notes://auth/callback?error=account_suspended"))
        try await expectEqual(site.metric(#"latch_upstream_sign_ins_total{result="failed"}"#), 1)
        await site.close()
    }

    @Test func `A sign-in through another provider counts new accounts as sign-ups do`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.signUpLimitPerHour = 2 }
        for number in 0..<2 {
            let claims: Claims = ["sub": .string("\(number)"), "email": .string("\(number)@example.com")]
            try await expectEqual(site.signIn(through: upstream, as: claims).status, 200)
        }
        let third = try await site.signIn(through: upstream, as: ["sub": "3", "email": "3@example.com"])
        expectEqual(third.status, 429)
        #expect(third.field(.retryAfter) != nil)
        // The others sign in as before.
        try await expectEqual(site.signIn(through: upstream, as: ["sub": "0", "email": "0@example.com"]).status, 200)
        await site.close()
    }

    @Test func `A sign-in through another provider passes on only the app's prompt`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path("staff", [("prompt", "select_account")]))
        expectEqual(begun.parameters["prompt"], "select_account")
        try await expectEqual(agent.get(UpstreamApp().path("staff", [("prompt", "none")])).status, 400)
        await site.close()
    }

    @Test func `A sign-in through another provider lets a user who refuses return to the app at once`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path())
        let query = FormEncoding.encode([("error", "access_denied"), ("state", begun.parameters["state"] ?? "")])
        let returned = try await agent.get("/api/auth/staff/callback?\(query)")
        expectEqual(returned.status, 302)
        expectEqual(returned.location, "notes://auth/callback?error=access_denied")
        try await expectEqual(site.metric(#"latch_upstream_sign_ins_total{result="denied"}"#), 1)
        try await expectEqual(site.metric(#"latch_upstream_sign_ins_total{result="failed"}"#), 0)
        #expect(agent.cookies.isEmpty)
        await site.close()
    }

    @Test
    func `A sign-in through another provider is recent since the stated authentication at the provider`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var claims = Site.ada
        claims["auth_time"] = .integer(Int64(noon.timeIntervalSince1970) - 3600)
        let old = try await site.signIn(through: upstream, as: claims)
        let removal = try await site.call(.delete, "/api/auth/links/staff", bearer: old.access)
        expectEqual(removal.status, 401)
        expectEqual(removal.string("code"), "signInAgain")
        await site.close()
    }

    @Test func `A sign-in through another provider is counted, and limited as every route is`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.loginLimitPerMinute = 1 }
        try await expectEqual(site.signIn(through: upstream).status, 200)
        try await expectEqual(site.metric(#"latch_upstream_sign_ins_total{result="success"}"#), 1)
        var statuses: [Int] = []
        for _ in 0..<61 { statuses.append(try await site.get(UpstreamApp().path()).status) }
        expectEqual(statuses.last, 429)
        let exchange = try await site.post("/api/auth/exchange", [:])
        expectEqual(exchange.field("RateLimit")?.hasPrefix("\"token\""), true)
        await site.close()
    }
}

@Suite struct KnownProviderTests {
    @Test func `GitHub as a provider of sign-ins is known by its interface and its number`() async throws {
        let upstream = try ScriptedUpstream()
        upstream.deviate {
            $0.resources = [
                "https://api.github.com/user": ["id": 4711, "login": "ada", "name": .null, "email": "x@example.com"],
                "https://api.github.com/user/emails": [
                    ["email": "spam@example.com", "primary": false, "verified": true],
                    ["email": "ada@example.com", "primary": true, "verified": true],
                ],
            ]
        }
        let site = try await Site.brokering(
            upstream, "github;client_id=g;email_domains=example.com", secrets: "github=s")
        let signedIn = try await site.signIn(through: upstream, "github")
        let profile = try await site.get("/user/profile", bearer: signedIn.access)
        #expect(profile.string("email") == "ada@example.com" && profile.string("name") == "ada")
        expectEqual(profile.json["emailVerified"], true)
        let links = try await site.identity.services.store.links(of: profile.string("id"))
        expectEqual(links.first?.identity.subject, "4711")
        expectEqual(links.first?.identity.issuer, "https://github.com/login/oauth")
        await site.close()
    }

    @Test
    func `GitHub as a provider of sign-ins can keep the addresses from its app, and has the public one`() async throws {
        let upstream = try ScriptedUpstream()
        upstream.deviate {
            $0.resources = ["https://api.github.com/user": ["id": 4711, "login": "ada", "email": "ada@example.com"]]
            $0.response = { $0.path == "/user/emails" ? HTTPResponse(status: .forbidden) : nil }
        }
        let site = try await Site.brokering(upstream, "github;client_id=g", secrets: "github=s")
        let signedIn = try await site.signIn(through: upstream, "github")
        let profile = try await site.get("/user/profile", bearer: signedIn.access)
        #expect(profile.string("email") == "ada@example.com" && profile.json["emailVerified"] == false)
        await site.close()
    }

    @Test
    func `Facebook as a provider of sign-ins is known by its interface, whose user is that of the token`() async throws
    {
        let upstream = try ScriptedUpstream(issuer: "https://www.facebook.com")
        upstream.deviate {
            $0.resources = ["https://graph.facebook.com/me": ["id": "77", "name": "Ada", "email": "ada@example.com"]]
        }
        let site = try await Site.brokering(upstream, "facebook;client_id=f", secrets: "facebook=s")
        try await expectEqual(site.signIn(through: upstream, "facebook", as: ["sub": "77"]).status, 200)
        let proof = upstream.requests.last { $0.authority == "graph.facebook.com" && $0.method == .get }
        expectEqual(proof?.path.contains("appsecret_proof="), true)
        let other = try await site.signIn(through: upstream, "facebook", as: ["sub": "78"])
        #expect(other.text.contains("error=server_error"))
        await site.close()
    }

    @Test func `Apple as a provider of sign-ins posts its response, with a name the first time`() async throws {
        let upstream = try ScriptedUpstream(issuer: "https://appleid.apple.com")
        let key = try Key.generate(.es256).pemWithSecretsForStorage().split(separator: "\n").dropFirst().dropLast()
            .joined()
        let site = try await Site.brokering(
            upstream, "apple;client_id=a;team_id=T;key_id=K", secrets: "apple=\(key)")
        let app = UpstreamApp()
        var agent = UserAgent(site)
        let begun = try await agent.get(app.path("apple"))
        expectEqual(begun.parameters["response_mode"], "form_post")
        expectEqual(agent.received.first?.contains("; SameSite=None; Secure"), true)
        let claims: Claims = ["sub": "a-1", "email": "ada@privaterelay.appleid.com", "email_verified": "true"]
        let query = try upstream.approve(begun.location, as: claims)
        try await expectEqual(agent.get("/api/auth/apple/callback?\(query)").status, 405)
        let user = FormEncoding.encode([("user", #"{"name":{"firstName":"Ada","lastName":"Byron"}}"#)])
        let returned = try await agent.post("/api/auth/apple/callback", form: "\(query)&\(user)")
        let signedIn = try await site.exchange(returned.parameters["code"] ?? "", app)
        try await expectEqual(site.get("/user/profile", bearer: signedIn.access).string("name"), "Ada Byron")
        let request = upstream.requests.first { $0.path == "/auth/token" }
        let secret = try #require(ScriptedUpstream.parameters("?\(request?.body.text ?? "")")["client_secret"])
        try expectEqual(JWT(unverified: secret).claims.issuer, "T")
        await site.close()
    }
}
