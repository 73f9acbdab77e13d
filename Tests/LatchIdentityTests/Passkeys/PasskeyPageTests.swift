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

@Suite struct PasskeyPageTests {
    private func text(_ assertion: JSONValue) -> String { String(decoding: assertion.serialized(), as: UTF8.self) }

    @Test
    func `A passkey on the sign-in page is a button by script, and an offer in the field of the name`() async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        var agent = UserAgent(site)
        let page = try await agent.get(SignInApp().path())
        let button = #"<button type="button" id="passkey" class="second" hidden>Sign in with a passkey</button>"#
        #expect(page.text.contains(button))
        #expect(page.text.contains(#"autocomplete="username webauthn""#))
        // A browser that restores the form must not send the response of an earlier visit.
        #expect(page.text.contains(#"<input type="hidden" name="credential" id="credential" autocomplete="off">"#))
        #expect(page.text.contains(#"<p class="wrong" id="passkey-problem" role="alert" hidden>Error: The passkey"#))
        let policy = page.field("Content-Security-Policy") ?? ""
        #expect(policy.hasSuffix("; script-src 'self'; connect-src 'self'") && policy.hasPrefix("default-src 'none'"))
        let script = try await agent.get("/passkey.js")
        #expect(script.status == 200 && script.field(.contentType) == "text/javascript; charset=utf-8")
        expectEqual(script.field("X-Content-Type-Options"), "nosniff")
        #expect(script.text.contains("navigator.credentials.get") && script.text.contains("mediation: \"conditional\""))
        let german = try await agent.send(.get, SignInApp().path(), fields: ["Accept-Language": "de"])
        #expect(german.text.contains(">Mit Passkey anmelden<"))
        await site.close()
    }

    @Test func `A passkey on the sign-in page is not offered if the public URL permits none`() async throws {
        let site = try await Site.authorizing { $0.issuer = nil }
        var agent = UserAgent(site)
        let login = try await agent.get(SignInApp().path())
        #expect(login.title == "Sign in" && !login.text.contains("script") && !login.text.contains("webauthn"))
        expectEqual(login.field("Content-Security-Policy")?.contains("script-src"), false)
        await site.close()
    }

    @Test func `A passkey on the sign-in page signs the browser in, and the app gets its code`() async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        let user = PasskeyUser(
            site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(user.register().status, 201)
        var agent = UserAgent(site)
        let app = SignInApp()
        let page = try await agent.get(app.path())
        let redirect = try await agent.submit(page, [("credential", text(try await user.assertion()))])
        let tokens = try await site.exchange(redirect.parameters["code"] ?? "", app)
        let claims = try JWT(unverified: tokens.string("id_token")).claims
        #expect(claims.strings("amr") == ["mfa"] && claims.string("acr") == "2")
        let known = try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json
        expectEqual(known["email"], "ada@example.com")
        await site.close()
    }

    @Test func `A user without an address sees that a client takes only mailed codes`() async throws {
        let site = try await Site.authorizing {
            $0.issuer = Site.issuer
            $0.guests = true
            $0.signInWays = [.password, .passkey, .code]
            for index in $0.clients.indices { $0.clients[index].signInWays = [.code] }
        }
        let guest = try await site.post("/api/auth/guest", [:])
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: guest.access)
        try await expectEqual(user.register().status, 201)
        var agent = UserAgent(site)
        let page = try await agent.get("/account")
        _ = try await agent.submit(page, [("credential", text(try await user.assertion()))])
        let refused = try await agent.get(SignInApp().path())
        #expect(refused.status == 403 && refused.title == "Your account cannot sign in to this app")
        await site.close()
    }

    @Test(.tags(.loginForgery))
    func `A passkey on the sign-in page signs no user in by the form of another browser`() async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        let user = PasskeyUser(
            site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(user.register().status, 201)
        var attacker = UserAgent(site)
        let page = try await attacker.get(SignInApp().path())
        var victim = UserAgent(site)
        let shown = try await victim.submit(page, [("credential", text(try await user.assertion()))])
        #expect(shown.title == "Sign in" && shown.location.isEmpty)
        try await expectEqual(victim.get(SignInApp().path(["prompt": "none"])).parameters["error"], "login_required")
        await site.close()
    }

    @Test func `A passkey on the sign-in page shows the page again if it is refused`() async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        let user = PasskeyUser(
            site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(user.register().status, 201)
        var agent = UserAgent(site)
        var page = try await agent.get(SignInApp().path())
        for credential in ["{", "[]", "{}"] {
            page = try await agent.submit(page, [("credential", credential)])
            #expect(page.status == 400 && page.text.contains("This passkey doesn&#39;t work here"))
        }
        let assertion = text(try await user.assertion())
        site.clock.advance(by: 300)
        page = try await agent.submit(page, [("credential", assertion)])
        #expect(page.status == 400 && page.text.contains("The request for the passkey has expired"))
        let redirect = try await agent.submit(page, [("credential", text(try await user.assertion()))])
        #expect(redirect.parameters["code"] != nil)
        await site.close()
    }

    /// OpenID Connect Core §5.5.1.1, RFC 9470 §5.
    @Test func `A request for two factors signs a user in again who came with a password, and has a passkey`()
        async throws
    {
        let app = SignInApp(scope: "openid")
        let essential = #"{"id_token":{"acr":{"essential":true,"values":["2"]}}}"#
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        func acr(_ response: Response) async throws -> String? {
            let tokens = try await site.exchange(response.parameters["code"] ?? "", app)
            return try JWT(unverified: tokens.string("id_token")).claims.string("acr")
        }
        let user = PasskeyUser(
            site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(user.register().status, 201)
        var agent = UserAgent(site)
        _ = try await agent.authorize(app)
        var page = try await agent.get(app.path(["acr_values": "2"]))
        expectEqual(page.formAction, "/login")
        // It is a wish: the user may come with the password again.
        try await expectEqual(acr(try await agent.signIn(page)), "1")
        let silent = try await agent.get(app.path(["acr_values": "2", "prompt": "none"]))
        try await expectEqual(acr(silent), "1")
        page = try await agent.get(app.path(["claims": essential]))
        expectEqual(page.formAction, "/login")
        page = try await agent.signIn(page)
        #expect(page.formAction == "/login" && page.text.contains("This app needs a second factor"))
        let refused = try await agent.submit(page, [("refuse", "1")])
        expectEqual(refused.parameters["error"], "access_denied")
        let none = try await agent.get(app.path(["claims": essential, "prompt": "none"]))
        expectEqual(none.parameters["error"], "login_required")
        page = try await agent.get(app.path(["claims": essential]))
        let assertion = text(try await user.assertion())
        try await expectEqual(acr(try await agent.submit(page, [("credential", assertion)])), "2")
        await site.close()
    }
}
