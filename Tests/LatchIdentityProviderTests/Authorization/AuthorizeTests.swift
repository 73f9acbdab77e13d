// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AuthorizeTests {
    @Test(arguments: Way.allCases)
    func `A sign-in on the server's pages satisfies our own client`(way: Way) async throws {
        let site = try await Site.authorizing(way)
        let issuer = try #require(site.identity.issuer.flatMap(URL.init(string:)))
        let client = AuthorizationClient(
            OAuthConfiguration(issuer: issuer, clientID: "notes"), transport: site.transport,
            clock: site.clock.wallClock())
        let callback = try #require(URL(string: "https://notes.example.com/callback"))
        let attempt = try await client.begin(redirectURI: callback)
        var agent = UserAgent(site)
        let page = try await agent.get("\(attempt.url.path())?\(attempt.url.query() ?? "")")
        #expect(page.status == 200 && page.title == "Sign in")
        let redirect = try await agent.signIn(page)
        expectEqual(redirect.status, 303)
        let response = try await client.finish(try #require(URL(string: redirect.location)))
        #expect(response.scopeChange.missing.elements.isEmpty)
        let user = try await client.userInfo(of: response.tokens)
        #expect(user.string("email") == "ada@example.com" && user.bool("email_verified") == true)
        #expect(try await site.accepts(response.tokens.access))
        await site.close()
    }

    @Test
    func `A sign-in on the server's pages returns to a URL with a query, and to one of a scheme with one slash`()
        async throws
    {
        for redirect in ["https://notes.example.com/callback?tenant=a%20b", "com.example.notes:/callback"] {
            let site = try await Site.authorizing { configuration in
                configuration.clients = [
                    OAuthClient(
                        id: "notes", grants: [.authorizationCode], redirectURIs: [redirect], isTrusted: true)
                ]
                configuration.clientSecretDigests = [:]
            }
            var agent = UserAgent(site)
            let response = try await agent.authorize(SignInApp(redirect: redirect))
            let start = redirect.contains("?") ? "\(redirect)&code=" : "\(redirect)?code="
            #expect(response.status == 303 && response.location.hasPrefix(start), "\(response.location)")
            await site.close()
        }
    }

    @Test
    func `A sign-in on the server's pages returns even a state that is too long, and ignores a long hint`() async throws
    {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let state = String(repeating: "s", count: 2_372)
        let refused = try await agent.get(SignInApp().path(["state": state]))
        #expect(refused.status == 303 && refused.parameters["state"] == state)
        expectEqual(refused.parameters["error"], "invalid_request")
        let page = try await agent.get(SignInApp().path(["login_hint": String(repeating: "h", count: 1_025)]))
        #expect(page.status == 200 && page.title == "Sign in")
        await site.close()
    }

    @Test
    func `A sign-in on the server's pages yields an ID token with the user, the time and the method`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        let redirect = try await agent.authorize(app)
        expectEqual(redirect.parameters["state"], app.state)
        site.clock.advance(by: 20)
        let code = try #require(redirect.parameters["code"])
        let response = try await site.exchange(code, app)
        expectEqual(response.status, 200)
        expectEqual(response.field(.cacheControl), "no-store")
        expectEqual(response.scopes, Scopes(parsing: app.scope ?? ""))
        let token = try JWT(unverified: response.string("id_token"))
        let claims = token.claims
        expectEqual(token.header.type, "JWT")
        #expect(claims.issuer == site.identity.issuer && claims.audience == ["notes"])
        expectEqual(claims.string("nonce"), app.nonce)
        #expect(claims.date("auth_time") == noon && claims.issuedAt == noon + 20)
        #expect(claims.strings("amr") == ["pwd"] && claims.string("acr") == "1")
        expectEqual(claims.string("azp"), "notes")
        expectEqual(claims.string("c_hash"), Base64URL.encode(code.digest.prefix(16)))
        expectEqual(claims.string("at_hash"), Base64URL.encode(response.accessToken.digest.prefix(16)))
        // An ID token opens nothing (attack H1).
        #expect(try await !site.accepts(response.string("id_token")))
        await site.close()
    }

    @Test
    func `A sign-in on the server's pages is refreshed with an ID token of the same sign-in, without its nonce`()
        async throws
    {
        let site = try await Site.authorizing()
        let app = SignInApp()
        let first = try await site.exchange(try await site.code(app), app)
        site.clock.advance(by: 600)
        let second = try await site.refreshGrant(first.refreshToken, as: "notes")
        expectEqual(second.status, 200)
        let (old, new) = (
            try JWT(unverified: first.string("id_token")).claims, try JWT(unverified: second.string("id_token")).claims
        )
        for name in ["iss", "sub", "aud", "auth_time", "sid", "amr"] { expectEqual(old[name], new[name], "\(name)") }
        #expect(new["nonce"] == nil && new.issuedAt == noon + 600)
        let narrowed = try await site.refreshGrant(second.refreshToken, scope: "files:read", as: "notes")
        #expect(narrowed.status == 200 && narrowed.json["id_token"] == nil)
        await site.close()
    }

    @Test(.tags(.factorBypass)) func `A sign-in on the server's pages asks for the second factor`() async throws {
        let site = try await Site.authorizing()
        let (authenticator, _) = try await site.enrol("bob@example.com")
        var agent = UserAgent(site)
        let app = SignInApp()
        let factorPage = try await agent.signIn(try await agent.get(app.path()), "bob@example.com")
        #expect(factorPage.title == "Enter your code" && factorPage.location.isEmpty)
        // The password alone has signed nobody in.
        try await expectEqual(agent.get(app.path(["prompt": "none"])).parameters["error"], "login_required")
        let wrong = try await agent.submit(factorPage, [("code", authenticator.wrongCode(at: site.clock.now))])
        #expect(wrong.status == 400 && wrong.title == "Enter your code")
        let redirect = try await agent.submit(wrong, [("code", authenticator.code(at: site.clock.now))])
        let tokens = try await site.exchange(redirect.parameters["code"] ?? "", app)
        try expectEqual(JWT(unverified: tokens.string("id_token")).claims.strings("amr"), ["mfa"])
        // The challenge belongs to the page, and no other surface takes it.
        try await expectEqual(
            agent.submit(wrong, [("code", authenticator.recoveryCodes[0])]).title, "This sign-in has ended")
        await site.close()
    }

    @Test
    func `A sign-in on the server's pages shows the page again after a wrong password, with the name`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        let page = try await agent.get(app.path(["login_hint": "ada@example.com"]))
        #expect(page.text.contains(#"value="ada@example.com""#))
        let again = try await agent.signIn(page, "ada@example.com\"><script>", password: "wrong")
        expectEqual(again.status, 400)
        #expect(again.text.contains("The email address or the password is wrong."))
        #expect(!again.text.contains("<script>"))
        try await expectEqual(agent.signIn(again).parameters["code"]?.isEmpty, false)
        await site.close()
    }

    @Test(.tags(.accountEnumeration))
    func `A sign-in on the server's pages explains a closed account only after the right password`() async throws {
        let site = try await Site.authorizing { $0.requireVerifiedEmail = true }
        try await site.signUp("bob@example.com", isVerified: false)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        _ = try await site.identity.administration.setStatus(of: account.id, to: .suspended)
        var agent = UserAgent(site)
        var page = try await agent.get(SignInApp().path())
        for name in ["ada@example.com", "bob@example.com"] {
            page = try await agent.signIn(page, name, password: "wrong")
            #expect(page.status == 400 && page.text.contains("The email address or the password is wrong."))
            #expect(!page.text.contains(#"name="resend""#))
        }
        page = try await agent.signIn(page)
        #expect(page.status == 403 && page.title == "Sign in" && page.text.contains("This account is suspended."))
        page = try await agent.signIn(page, "bob@example.com")
        #expect(page.status == 403 && page.text.contains("Confirm your email address first."))
        #expect(page.text.contains(#"name="resend""#))
        await site.close()
    }

    @Test func `A sign-in on the server's pages limits guesses as every login does`() async throws {
        let site = try await Site.authorizing { $0.loginLimitPerMinute = 3 }
        var agent = UserAgent(site)
        var page = try await agent.get(SignInApp().path())
        for _ in 0..<3 { page = try await agent.signIn(page, password: "wrong") }
        let limited = try await agent.signIn(page)
        #expect(limited.status == 429 && limited.field(.retryAfter) != nil)
        expectEqual(limited.formAction, "/login")
        await site.close()
    }

    @Test
    func `A sign-in on the server's pages keeps the browser signed in for an hour, or until a sign-out`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        _ = try await agent.authorize(app)
        try await expectEqual(agent.get(app.path()).parameters["code"]?.isEmpty, false)
        let access = try await site.logIn().access
        _ = try await site.call(.post, "/auth/logout", bearer: access, ["allDevices": true])
        try await expectEqual(agent.get(app.path()).title, "Sign in")
        _ = try await agent.authorize(app)
        site.clock.advance(by: 3601)
        try await expectEqual(agent.get(app.path()).title, "Sign in")
        await site.close()
    }

    @Test(arguments: SharedStore.all)
    func `A sign-in on the server's pages continues on another node, and in no other browser`(store: SharedStore)
        async throws
    {
        let location = try await store.location()
        let site = try await Site.authorizing(storedAt: location)
        let other = try await Site.authorizing(in: site.folder, storedAt: location)
        let app = SignInApp()
        var agent = UserAgent(site)
        let page = try await agent.get(app.path())
        var second = UserAgent(other)
        second.cookies = agent.cookies
        let redirect = try await second.signIn(page)
        let tokens = try await site.exchange(redirect.parameters["code"] ?? "", app)
        expectEqual(tokens.status, 200)
        agent.cookies = second.cookies
        #expect(try await agent.get(app.path()).parameters["code"] != nil)
        await other.close()
        await site.close()
    }

    @Test func `A sign-in on the server's pages also takes the request by POST`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        let redirect = try await agent.post(
            "/oauth/authorize", form: FormEncoding.encode(app.parameters(["login_hint": "ada@example.com"])))
        expectEqual(redirect.status, 303)
        // Neither a history nor a log has the parameters.
        for text in ["ada@", "ada%40", "nonce=", "state=", "client_id=", "redirect_uri=", app.nonce ?? ""] {
            #expect(!redirect.location.contains(text))
        }
        let path = String(redirect.location.dropFirst(try #require(site.identity.issuer).count))
        let login = try await agent.get(path)
        #expect(login.title == "Sign in" && login.text.contains("ada@example.com"))
        try await expectEqual(site.exchange(try await agent.signIn(login).parameters["code"] ?? "", app).status, 200)
        // A user who is signed in sees no page, as after a GET.
        #expect(try await agent.get(path).parameters["code"] != nil)
        for changed in ["posted=x", "posted=\(login.formToken)"] {
            try await expectEqual(agent.get("/oauth/authorize?\(changed)").title, "This sign-in has ended")
        }
        site.clock.advance(by: 3600)
        try await expectEqual(agent.get(path).title, "This sign-in has ended")
        await site.close()
    }

    @Test func `A sign-in on the server's pages issues no code for a HEAD request`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        _ = try await agent.authorize(SignInApp())
        let response = try await agent.send(.head, SignInApp().path())
        #expect(response.status == 200 && response.location.isEmpty)
        await site.close()
    }
}

@Suite struct UserClaimsTests {
    @Test func `The claims of a user are those that the scopes permit`() async throws {
        let site = try await Site.authorizing()
        var app = SignInApp()
        app.scope = "openid"
        let tokens = try await site.exchange(try await site.code(app), app)
        let claims = try await site.get("/oauth/userinfo", bearer: tokens.accessToken)
        expectEqual(Set(claims.json.keys), ["sub"])
        expectEqual(claims.field(.cacheControl), "no-store")
        try await expectEqual(site.call(.post, "/oauth/userinfo", bearer: tokens.accessToken).json, claims.json)
        try await expectEqual(site.get("/oauth/userinfo").status, 401)
        let other = try await site.passwordGrant(scope: "files:read")
        try await expectEqual(site.get("/oauth/userinfo", bearer: other.accessToken).status, 403)
        await site.close()
    }

    @Test func `The claims of a user have a preferred user name, which is never a part of the address`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        var app = SignInApp()
        app.scope = "openid profile"
        let code = try #require(try await agent.authorize(app).parameters["code"])
        let tokens = try await site.exchange(code, app)
        let claims = try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json
        let subject = try #require(claims["sub"]?.stringValue)
        expectEqual(claims["preferred_username"], .string(Username.substitute(for: subject)))
        await site.close()
    }

    @Test func `The claims of a user are also given for a token in a form`() async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        let tokens = try await site.exchange(try await site.code(app), app)
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let content = HTTPBody("access_token=\(tokens.accessToken)")
        let response = try await site.send(.post, "/oauth/userinfo", fields: form, body: content)
        #expect(response.status == 200 && response.json["sub"] != nil)
        var both = form
        both[.authorization] = "Bearer \(tokens.accessToken)"
        try await expectEqual(site.send(.post, "/oauth/userinfo", fields: both, body: content).status, 400)
        let inURL = "/oauth/userinfo?access_token=\(tokens.accessToken)"
        try await expectEqual(site.send(.post, inURL, fields: form, body: content).status, 400)
        let wrong = HTTPBody("access_token=x")
        try await expectEqual(site.send(.post, "/oauth/userinfo", fields: form, body: wrong).status, 401)
        await site.close()
    }

    @Test func `The claims of a user are given to no client that signs no user in`() async throws {
        let site = try await Site.authorizing()
        try await expectEqual(site.passwordGrant(scope: "openid").oauthError, "invalid_scope")
        await site.close()
    }
}
