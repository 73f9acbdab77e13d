// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAccounts
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

extension Site {
    fileprivate static let deepLink = "notes://auth/callback"

    fileprivate func authClient() throws -> AuthClient {
        AuthClient(
            baseURL: try #require(URL(string: Site.issuer)), store: InMemoryTokenStore(), transport: transport,
            clock: clock.wallClock())
    }

    /// A browser whose user signs in at the provider with these claims.
    fileprivate func browser(_ upstream: ScriptedUpstream, as claims: Claims = Site.ada) -> WebAuthenticationBrowser {
        WebAuthenticationBrowser(
            sessions: VisitingPages { [self] url in
                var agent = UserAgent(self)
                let begun = try await agent.get("\(url.path())?\(url.query(percentEncoded: true) ?? "")")
                var page = try await agent.get(
                    "\(url.path())/callback?\(try upstream.approve(begun.location, as: claims))")
                if page.title.hasPrefix("Continue to") { page = try await agent.answer(page) }
                return URL(string: page.location)
            })
    }

    /// The code of a provider's page for a repeated authentication.
    fileprivate func reauthenticationCode(
        _ upstream: ScriptedUpstream, _ app: UpstreamApp, as claims: Claims = Site.ada
    ) async throws -> Response {
        var agent = UserAgent(self)
        return try await visit(&agent, upstream, app, as: claims, [("intent", "reauthenticate")], confirming: false)
    }

    fileprivate func reauthenticate(
        _ code: String, _ app: UpstreamApp, bearer: String, otp: String? = nil
    ) async throws -> Response {
        var content: JSONObject = ["code": .string(code), "code_verifier": .string(app.verifier)]
        if let otp { content["otp"] = .string(otp) }
        return try await call(.post, "/api/auth/reauthenticate", bearer: bearer, .object(content))
    }
}

@Suite(.timeLimit(.minutes(1))) struct ReauthenticationTests {
    private let upstream: ScriptedUpstream

    init() throws { upstream = try ScriptedUpstream(now: { noon }) }

    @Test func `A user without a password authenticates again at the provider, by our client`() async throws {
        let site = try await Site.brokering(upstream) { $0.recentAuthentication = .seconds(60) }
        let auth = try site.authClient()
        let link = try #require(URL(string: Site.deepLink))
        try await auth.signIn(through: "staff", using: site.browser(upstream), redirectingTo: link)
        let methods = try await auth.signInMethods()
        #expect(!methods.hasPassword && !methods.hasSecondFactor && methods.providers == ["staff"])
        #expect(methods.links.map(\.provider) == ["staff"] && methods.links.first?.email == "ada@example.com")
        expectEqual(methods.links.first?.linkedAt, noon)
        site.clock.advance(by: 61)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        func isRecent() async throws -> Bool {
            let access = try #require(auth.session.currentState.credential?.access)
            let session = try await site.bearer(access)
            return await refusal { try await site.identity.secondFactors.enroll(session) } != "signInAgain"
        }
        _ = try await auth.profile()
        #expect(try await !isRecent())
        let ada = Site.ada.authenticated(at: site.clock.now)
        try await auth.reauthenticate(through: "staff", using: site.browser(upstream, as: ada), redirectingTo: link)
        #expect(try await isRecent())
        expectEqual(auth.account?.id, account.id)
        // The provider was asked to show its page.
        let app = UpstreamApp()
        let begun = try await site.get(app.path("staff", [("intent", "reauthenticate")]))
        expectEqual(begun.parameters["prompt"], "login")
        await site.close()
    }

    @Test(.tags(.upstreamState, .factorChange))
    func `A user without a password is not another user of the provider, or another app's`() async throws {
        let site = try await Site.brokering(upstream)
        let access = try await site.signIn(through: upstream).access
        let other: Claims = ["sub": "eve", "email": "eve@example.com", "email_verified": true]
        _ = try await site.signIn(through: upstream, as: other)
        let app = UpstreamApp()
        for claims in [other, ["sub": "nobody", "email": "nobody@example.com"]] {
            let code = try await site.reauthenticationCode(upstream, app, as: claims).parameters["code"] ?? ""
            let refused = try await site.reauthenticate(code, app, bearer: access)
            #expect(refused.status == 403 && refused.string("code") == "invalidSignInCode")
        }
        let code = try await site.reauthenticationCode(upstream, app).parameters["code"] ?? ""
        try await expectEqual(site.reauthenticate(code, UpstreamApp(), bearer: access).status, 403)
        try await expectEqual(site.reauthenticate(code, app, bearer: access).status, 403)
        // Codes of the three purposes are of no use for each other.
        let link = try await site.linkCode(upstream, app)
        try await expectEqual(site.reauthenticate(link, app, bearer: access).status, 403)
        let own = try await site.reauthenticationCode(upstream, app).parameters["code"] ?? ""
        try await expectEqual(site.exchange(own, app).status, 401)
        let again = try await site.reauthenticationCode(upstream, app).parameters["code"] ?? ""
        try await expectEqual(site.link(again, app, bearer: access).status, 403)
        let events = try await site.identity.audit.records(limit: 50).map(\.event)
        expectEqual(events.filter { $0 == "reauthentication.failed" }.count, 2)
        #expect(!events.contains("device.authenticated"))
        await site.close()
    }

    @Test
    func `A user without a password is asked by the provider, and not accepted from an earlier sign-in`() async throws {
        let site = try await Site.brokering(upstream)
        _ = try await site.signIn(through: upstream)
        let page = try await site.reauthenticationCode(
            upstream, UpstreamApp(), as: Site.ada.authenticated(at: noon - 3600))
        expectEqual(page.title, "The provider did not ask you to sign in")
        #expect(page.location.isEmpty)
        // Nor does a sign-in that asks for a login accept another one.
        let yesterday = Site.ada.authenticated(at: noon - 3600)
        for (prompt, isRefused) in [("login", true), ("select_account", false)] {
            var agent = UserAgent(site)
            let page = try await site.visit(
                &agent, upstream, UpstreamApp(), as: yesterday, [("prompt", prompt)], confirming: false)
            expectEqual(page.title == "The provider did not ask you to sign in", isRefused)
        }
        await site.close()
    }

    @Test(.tags(.upstreamState))
    func `A user without a password is not accepted from a provider that neither asks nor states the time`()
        async throws
    {
        let upstream = try ScriptedUpstream(issuer: "https://www.facebook.com")
        upstream.deviate {
            $0.resources = ["https://graph.facebook.com/me": ["id": "77", "name": "Ada", "email": "ada@example.com"]]
        }
        let site = try await Site.brokering(upstream, "facebook;client_id=f", secrets: "facebook=s")
        _ = try await site.signIn(through: upstream, "facebook", as: ["sub": "77"])
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path("facebook", [("intent", "reauthenticate")]))
        expectNil(begun.parameters["prompt"])
        let page = try await agent.get(
            "/api/auth/facebook/callback?\(try upstream.approve(begun.location, as: ["sub": "77"]))")
        #expect(page.title == "The provider did not ask you to sign in" && page.location.isEmpty)
        await site.close()
    }

    @Test(.tags(.factorChange)) func `A user without a password also shows the second factor`() async throws {
        let site = try await Site.brokering(upstream)
        let access = try await site.signIn(through: upstream).access
        let bearer = try await site.bearer(access)
        let factor = AuthenticatorApp(try await site.identity.secondFactors.enroll(bearer))
        try await site.identity.secondFactors.confirm(factor.code(at: site.clock.now), bearer, from: .tests)
        site.clock.advance(by: 30)
        let app = UpstreamApp()
        let code = try await site.reauthenticationCode(upstream, app).parameters["code"] ?? ""
        let missing = try await site.reauthenticate(code, app, bearer: access)
        #expect(missing.status == 403 && missing.string("code") == "mfaRequired")
        let otp = factor.code(at: site.clock.now)
        try await expectEqual(site.reauthenticate(code, app, bearer: access, otp: otp).status, 200)
        try await expectEqual(site.bearer(access).device.factorAt, site.clock.now)
        let next = try await site.reauthenticationCode(upstream, app).parameters["code"] ?? ""
        let wrong = try await site.reauthenticate(next, app, bearer: access, otp: otp)
        #expect(wrong.status == 403 && wrong.string("code") == "invalidCode")
        await site.close()
    }
}

@Suite(.timeLimit(.minutes(1))) struct AppleReauthenticationTests {
    /// Apple's dialog, which signs the nonce of the request.
    private struct Dialog: AppleIDProvider {
        let key: Key

        func credential(for request: AppleIDRequest) async throws -> AppleIDCredential {
            var claims: Claims = [
                "sub": "001.ada", "email": "ada@privaterelay.appleid.com", "email_verified": "true",
                "nonce": .string(request.nonce),
            ]
            claims.issuer = "https://appleid.apple.com"
            claims.audience = ["com.example.notes"]
            claims.issuedAt = noon
            claims.expiry = noon.addingTimeInterval(600)
            return AppleIDCredential(
                user: "001.ada", identityToken: try JWT.sign(claims, with: key), state: request.state,
                name: AppleUserName(given: "Ada", family: "Byron"))
        }

        func state(ofUser user: String) async throws -> AppleIDState { .authorized }

        func revocations() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }

    @Test
    func `Sign in with Apple on the device, by our client, signs the session in, once for each dialog`() async throws {
        let upstream = try ScriptedUpstream(issuer: "https://appleid.apple.com")
        let key = try Key.generate(.es256).pemWithSecretsForStorage().split(separator: "\n").dropFirst().dropLast()
            .joined()
        let site = try await Site.brokering(
            upstream,
            "apple;client_id=com.example.web;app_ids=com.example.notes;team_id=T;key_id=K;"
                + "email_domains=privaterelay.appleid.com", secrets: "apple=\(key)")
        let apple = AppleSignIn(
            clientID: "com.example.notes", provider: Dialog(key: upstream.key), transport: upstream,
            clock: site.clock.wallClock())
        let auth = try site.authClient()
        let user = try await apple.signIn()
        try await auth.signIn(with: user)
        let profile = try await auth.profile()
        #expect(profile.name == "Ada Byron" && profile.email == "ada@privaterelay.appleid.com")
        try await expectEqual(auth.signInMethods().links.map(\.provider), [.apple])
        let other = try site.authClient()
        await #expect(throws: AccountError.self) { try await other.signIn(with: user) }
        #expect(!other.session.currentState.isSignedIn)
        await site.close()
    }
}

extension Claims {
    /// The claims of a user who has authenticated at a time.
    fileprivate func authenticated(at date: Date) -> Claims {
        var claims = self
        claims["auth_time"] = .integer(Int64(date.timeIntervalSince1970))
        return claims
    }
}
