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

/// Clients that take only some of the server's ways to sign in.
@Suite struct ClientSignInWayTests {
    private static let email = "ada@example.com"
    private let app = SignInApp(scope: "openid")

    /// A site with codes, whose clients take only these ways; the client `foreign` takes all.
    private func site(
        _ ways: Set<SignInWay>, change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await Site.authorizing {
            $0.signInWays = [.password, .passkey, .code]
            $0.issuer = Site.issuer
            for index in $0.clients.indices where $0.clients[index].id != "foreign" {
                $0.clients[index].signInWays = ways
            }
            change(&$0)
        }
    }

    /// Signs in with a mailed code, from the page of a sign-in, and returns the page after the code.
    private func signIn(byCode page: Response, _ agent: inout UserAgent) async throws -> Response {
        let address = try await agent.submit(page, [("mailed-code", "yes")])
        let code = try await agent.submit(address, [("email", Self.email)])
        let mailed = try #require(await agent.site.mailedCode(to: Self.email))
        return try await agent.submit(code, [("code", mailed)])
    }

    @Test(.tags(.factorBypass))
    func `A client gets no code for a session of another way, until its user signs in as it wants`() async throws {
        let site = try await site([.code])
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"))
        try await expectEqual(agent.get("/account").title, "Your account")
        let silent = try await agent.get(app.path(["prompt": "none"]))
        expectEqual(silent.parameters["error"], "login_required")
        let page = try await agent.get(app.path())
        #expect(page.title == "Sign in" && page.status == 200)
        #expect(!page.text.contains(#"name="password""#) && !page.text.contains("passkey.js"))
        let done = try await signIn(byCode: page, &agent)
        let tokens = try await site.exchange(try #require(done.parameters["code"]), app)
        let claims = try JWT(unverified: tokens.string("id_token")).claims
        expectEqual(claims.strings("amr"), ["otp"])
        // The next request needs no page, and neither does one of a client that takes all ways.
        #expect(try await agent.get(app.path()).parameters["code"] != nil)
        #expect(try await agent.get(app.path(["prompt": "none"])).parameters["code"] != nil)
        let other = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid")
        try await expectEqual(agent.get(other.path()).formAction, "/consent")
        await site.close()
    }

    @Test func `A client whose page has sent a password that it does not take shows the page again, with the reason`()
        async throws
    {
        let site = try await site([.code])
        var agent = UserAgent(site)
        let page = try await agent.get(app.path())
        let again = try await agent.signIn(page)
        #expect(again.status == 403 && again.title == "Sign in")
        #expect(again.text.contains("This app needs another way to sign in"))
        #expect(try await signIn(byCode: again, &agent).parameters["code"] != nil)
        await site.close()
    }

    @Test func `A client knows the way of a sign-in also if a second factor came between`() async throws {
        let site = try await site([.code])
        let bearer = try await site.bearer(try await site.logIn().access)
        let factor = AuthenticatorApp(try await site.identity.secondFactors.enroll(bearer))
        try await site.identity.secondFactors.confirm(factor.code(at: site.clock.now), bearer, from: .tests)
        site.clock.advance(by: 30)
        var agent = UserAgent(site)
        let challenge = try await signIn(byCode: try await agent.get(app.path()), &agent)
        expectEqual(challenge.title, "Enter your code")
        let done = try await agent.submit(challenge, [("code", factor.code(at: site.clock.now))])
        #expect(done.parameters["code"] != nil)
        site.clock.advance(by: 30)
        var other = UserAgent(site)
        let asked = try await other.signIn(try await other.get(app.path()))
        let refused = try await other.submit(asked, [("code", factor.code(at: site.clock.now))])
        #expect(refused.title == "Sign in" && refused.parameters["code"] == nil)
        await site.close()
    }

    @Test func `A user who has none of a client's ways sees that, and returns to the app with a refusal`() async throws
    {
        let site = try await site([.passkey])
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"))
        try await expectEqual(agent.get(app.path(["prompt": "none"])).parameters["error"], "login_required")
        let page = try await agent.get(app.path())
        #expect(page.status == 403 && page.title == "Your account cannot sign in to this app")
        #expect(page.text.contains(#"href="/account""#) || page.text.contains("/account\""))
        let signIn = try await agent.submit(page, [("signin", "yes")])
        #expect(signIn.title == "Sign in" && signIn.text.contains("passkey.js"))
        let refused = try await agent.submit(page, [("refuse", "yes")])
        #expect(refused.parameters["error"] == "access_denied" && refused.parameters["state"] == app.state)
        await site.close()
    }

    @Test(.tags(.grantRestriction))
    func `A client that takes no passwords has no password grant, and its refresh stays`() async throws {
        let earlier = try await Site.authorizing { $0.clients[2].grants.insert(.password) }
        let tool = SignInApp(clientID: "tool", redirect: "http://127.0.0.1:9/callback", scope: "openid offline_access")
        let tokens = try await earlier.exchange(try await earlier.code(tool), tool)
        let site = try await Site.authorizing(in: earlier.folder) {
            $0.signInCodes = true
            $0.clients[2].grants.insert(.password)
            $0.clients[2].signInWays = [.code]
        }
        let grant = try await site.passwordGrant(as: "tool")
        #expect(grant.status == 400 && grant.oauthError == "unauthorized_client")
        try await expectEqual(site.refreshGrant(tokens.refreshToken, as: "tool").status, 200)
        await site.close()
        await earlier.close()
    }

    @Test(.tags(.factorBypass))
    func `A sign-in of another device asks for the way that its client takes, and then goes on`() async throws {
        let site = try await site([.code])
        let begun = try await site.form("/oauth/device_authorization", ["client_id": "tool", "scope": "openid"])
        let form = FormEncoding.encode([("user_code", begun.string("user_code"))])
        var agent = UserAgent(site)
        let first = try await agent.post("/device", form: form)
        // The client is known only to a user who has signed in.
        let page = try await agent.signIn(first)
        #expect(page.title == "Sign in" && page.text.contains("This app needs another way to sign in"))
        #expect(!page.text.contains(#"name="password""#))
        let decision = try await signIn(byCode: page, &agent)
        expectEqual(decision.title, "Sign in another device?")
        try await expectEqual(agent.submit(decision).title, "The device is signed in")
        await site.close()
    }

    @Test func `A user who has none of the ways for another device sees that, and is offered another account`()
        async throws
    {
        let site = try await site([.passkey])
        let begun = try await site.form("/oauth/device_authorization", ["client_id": "tool", "scope": "openid"])
        let form = FormEncoding.encode([("user_code", begun.string("user_code"))])
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.post("/device", form: form))
        #expect(page.status == 403 && page.title == "Your account cannot sign in to this app")
        let other = try await agent.submit(page, [("signin", "yes")])
        #expect(other.title == "Sign in" && other.text.contains("passkey.js"))
        await site.close()
    }

    @Test func `A decision on another device is refused to a session of a way that its client no longer takes`()
        async throws
    {
        let before = try await Site.authorizing { $0.signInCodes = true }
        let begun = try await before.form("/oauth/device_authorization", ["client_id": "tool", "scope": "openid"])
        let form = FormEncoding.encode([("user_code", begun.string("user_code"))])
        var agent = UserAgent(before)
        let decision = try await agent.signIn(try await agent.post("/device", form: form))
        expectEqual(decision.title, "Sign in another device?")
        let site = try await Site.authorizing(in: before.folder) {
            $0.signInCodes = true
            $0.clients[2].signInWays = [.code]
        }
        var other = UserAgent(site)
        other.cookies = agent.cookies
        let refused = try await other.submit(decision)
        #expect(refused.status == 403 && refused.title == "This app needs another way to sign in")
        await site.close()
        await before.close()
    }

    @Test func `A client that takes only providers has their buttons, and no form and no sign-up`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) {
            $0.clients = SignInApp.registrations
            $0.clientSecretDigests = ["web": ClientSecret.digest]
            $0.clients[0].signInWays = [.provider]
        }
        var agent = UserAgent(site)
        for page in [try await agent.get(app.path()), try await agent.get(app.path(["prompt": "create"]))] {
            #expect(page.text.contains(#"value="staff""#) && !page.text.contains(#"name="password""#))
            #expect(!page.text.contains(#"name="signup""#), "\(page.title)")
        }
        let begun = try await agent.submit(try await agent.get(app.path()), [("provider", "staff")])
        let back = try await agent.get(
            "/api/auth/staff/callback?\(upstream.approve(begun.location, as: Site.ada))")
        let done = try await agent.get(String(back.location.dropFirst(Site.issuer.count)))
        #expect(done.parameters["code"] != nil)
        await site.close()
    }
}
