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

/// What a user has agreed to, and what it saves the user.
@Suite struct ConsentTests {
    private let foreign = SignInApp(
        clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid files:read")

    /// A browser whose user has agreed once.
    private func agreed(_ site: Site, _ app: SignInApp, _ name: String = "ada@example.com") async throws -> UserAgent {
        var agent = UserAgent(site)
        #expect(try await agent.authorize(app, [:], name).parameters["code"] != nil)
        return agent
    }

    private func consents(_ site: Site, _ access: String) async throws -> [JSONObject] {
        let response = try await site.get("/api/auth/consents", bearer: access)
        #expect(response.status == 200 && response.field(.cacheControl) == "no-store")
        return response.json["consents"]?.arrayValue?.compactMap(\.objectValue) ?? []
    }

    private func withdraw(_ site: Site, _ access: String, _ client: String = "foreign") async throws -> Response {
        try await site.call(.delete, "/api/auth/consents/\(client)", bearer: access)
    }

    @Test(arguments: Way.allCases)
    func `A kept consent replaces the page, also for a request that allows no page`(way: Way) async throws {
        let site = try await Site.authorizing(way)
        var agent = UserAgent(site)
        _ = try await agent.authorize(SignInApp())
        try await expectEqual(agent.get(foreign.path(["prompt": "none"])).parameters["error"], "consent_required")
        let page = try await agent.get(foreign.path())
        #expect(page.formAction == "/consent" && !page.text.contains("new:"))
        #expect(try await agent.submit(page).parameters["code"] != nil)
        for changes in [[:], ["scope": "openid"], ["prompt": "none"]] as [KeyValuePairs<String, String?>] {
            let next = try await agent.get(foreign.path(changes))
            expectEqual(next.status, 303, "\(changes)")
            let tokens = try await site.exchange(next.parameters["code"] ?? "", foreign)
            expectEqual(tokens.status, 200, "\(changes)")
        }
        // It is the user's and not the browser's.
        var other = UserAgent(site)
        let next = try await other.signIn(try await other.get(foreign.path()))
        #expect(next.parameters["code"] != nil)
        await site.close()
    }

    @Test(.tags(.keptConsent)) func `A kept consent of one user is none of another`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("bob@example.com")
        _ = try await agreed(site, foreign)
        var bob = UserAgent(site)
        let page = try await bob.signIn(try await bob.get(foreign.path()), "bob@example.com")
        expectEqual(page.formAction, "/consent")
        try await expectEqual(bob.get(foreign.path(["prompt": "none"])).parameters["error"], "consent_required")
        await site.close()
    }

    @Test(.tags(.keptConsent)) func `A kept consent does not cover more scopes, and the page names them`() async throws
    {
        let site = try await Site.authorizing()
        var agent = try await agreed(site, foreign)
        let wider: KeyValuePairs<String, String?> = ["scope": "openid files:read email"]
        let silent: KeyValuePairs<String, String?> = ["scope": "openid files:read email", "prompt": "none"]
        try await expectEqual(agent.get(foreign.path(silent)).parameters["error"], "consent_required")
        let page = try await agent.get(foreign.path(wider))
        expectEqual(page.formAction, "/consent")
        #expect(page.text.contains("<li>new: your email address</li>") && page.text.contains("<li>files:read</li>"))
        #expect(try await agent.submit(page).parameters["code"] != nil)
        #expect(try await agent.get(foreign.path(silent)).parameters["code"] != nil)
        // The decision on fewer scopes takes none away.
        let narrow = try await agent.get(foreign.path(["scope": "openid", "prompt": "consent"]))
        _ = try await agent.submit(narrow)
        #expect(try await agent.get(foreign.path(silent)).parameters["code"] != nil)
        await site.close()
    }

    @Test(.tags(.keptConsent)) func `A kept consent is by name, and does not cover a scope that another one implies`()
        async throws
    {
        let site = try await Site.authorizing()
        var app = foreign
        app.scope = "openid files:write"
        var agent = try await agreed(site, app)
        let silent = try await agent.get(app.path(["scope": "openid files:read", "prompt": "none"]))
        expectEqual(silent.parameters["error"], "consent_required")
        await site.close()
    }

    @Test(.tags(.keptConsent)) func `A kept consent ends with the first proof of the address, as all before it`()
        async throws
    {
        let site = try await Site.authorizing()
        try await site.signUp("bob@example.com", isVerified: false)
        _ = try await agreed(site, foreign, "bob@example.com")
        _ = try await site.post("/api/auth/forgot-password", ["email": "bob@example.com"])
        let token = try #require(await site.mailedToken(to: "bob@example.com"))
        let reset = try await site.post(
            "/api/auth/reset-password", ["token": .string(token), "password": "a horse walks out of town"])
        expectEqual(reset.status, 200)
        var owner = UserAgent(site)
        let login = try await owner.get(foreign.path())
        let page = try await owner.signIn(login, "bob@example.com", password: "a horse walks out of town")
        expectEqual(page.formAction, "/consent")
        try await expectEqual(owner.get(foreign.path(["prompt": "none"])).parameters["error"], "consent_required")
        await site.close()
    }

    @Test func `A kept consent does not replace the page that the client asks for`() async throws {
        let site = try await Site.authorizing()
        var agent = try await agreed(site, foreign)
        let page = try await agent.get(foreign.path(["prompt": "consent"]))
        expectEqual(page.formAction, "/consent")
        // A user who refuses has withdrawn nothing.
        try await expectEqual(agent.submit(page, [("refuse", "yes")]).parameters["error"], "access_denied")
        #expect(try await agent.get(foreign.path()).parameters["code"] != nil)
        await site.close()
    }

    @Test(.tags(.keptConsent), arguments: ["tool://callback", "http://127.0.0.1/callback", "http://[::1]/callback"])
    func `A kept consent does not replace the page of an app on the user's device`(redirect: String) async throws {
        let site = try await Site.authorizing {
            $0.clients.append(
                OAuthClient(
                    id: "native", grants: [.authorizationCode, .refreshToken],
                    redirectURIs: [redirect, "https://native.example/callback"], idTokenAlgorithm: .es256))
        }
        let app = SignInApp(clientID: "native", redirect: redirect)
        var agent = try await agreed(site, app)
        try await expectEqual(agent.get(app.path()).formAction, "/consent")
        try await expectEqual(agent.get(app.path(["prompt": "none"])).parameters["error"], "consent_required")
        // Nor does the program obtain the consent to the app's website.
        let web = SignInApp(clientID: "native", redirect: "https://native.example/callback")
        try await expectEqual(agent.get(web.path()).formAction, "/consent")
        let found = try await consents(site, try await site.logIn().access)
        let origin = redirect.hasPrefix("tool") ? "tool:" : redirect.replacing("/callback", with: "")
        expectEqual(found.map { $0["redirectOrigin"]?.stringValue }, [origin])
        await site.close()
    }

    @Test(.tags(.keptConsent))
    func `A kept consent is not for a client that was registered again with another redirect`() async throws {
        let site = try await Site.authorizing()
        _ = try await agreed(site, foreign)
        for (redirect, isKept) in [
            ("https://foreign.example/other", true), ("https://foreign.example.evil.example/back", false),
            ("https://foreign.example:8443/back", false), ("https://evil.example/foreign.example", false),
        ] {
            let next = try await Site(in: site.folder) {
                $0 = site.identity.services.configuration
                $0.clients.removeAll { $0.id == "foreign" }
                $0.clients.append(
                    OAuthClient(
                        id: "foreign", grants: [.authorizationCode], redirectURIs: [redirect],
                        idTokenAlgorithm: .es256))
            }
            var agent = UserAgent(next)
            let app = SignInApp(clientID: "foreign", redirect: redirect, scope: foreign.scope)
            let response = try await agent.signIn(try await agent.get(app.path()))
            expectEqual(response.parameters["code"] != nil, isKept, "\(redirect)")
            expectNotEqual(response.formAction == "/consent", isKept, "\(redirect)")
            await next.close()
        }
        await site.close()
    }

    @Test(.tags(.keptConsent)) func `A kept consent is shown to its user, and withdrawn by that user only`()
        async throws
    {
        let site = try await Site.authorizing()
        try await site.signUp("bob@example.com")
        let ada = try await site.logIn().access
        #expect(try await consents(site, ada).isEmpty)
        var agent = try await agreed(site, foreign)
        site.clock.advance(by: 60)
        _ = try await agent.submit(try await agent.get(foreign.path(["prompt": "consent"])))
        // The operator's own app asks for no consent.
        _ = try await agent.authorize(SignInApp())
        let (first, last) = (noon.formatted(.iso8601), (noon + 60).formatted(.iso8601))
        let expected: JSONObject = [
            "clientId": "foreign", "redirectOrigin": "https://foreign.example", "resources": [],
            "scopes": ["openid", "files:read"],
            "grantedAt": .string(first), "updatedAt": .string(last),
        ]
        try await expectEqual(consents(site, ada), [expected])
        let bob = try await site.logIn("bob@example.com").access
        #expect(try await consents(site, bob).isEmpty)
        try await expectEqual(withdraw(site, bob).status, 404)
        try await expectEqual(consents(site, ada), [expected])
        let withdrawn = try await withdraw(site, ada)
        #expect(withdrawn.status == 204 && withdrawn.text.isEmpty && withdrawn.field(.cacheControl) == "no-store")
        #expect(try await consents(site, ada).isEmpty)
        for client in ["foreign", "notes", "first-party", "%00", "x%2Fy"] {
            let again = try await withdraw(site, ada, client)
            #expect(again.status == 404 && again.string("code") == "noSuchConsent", "\(client)")
        }
        await site.close()
    }

    @Test func `A kept consent is only for sessions of the server's own client`() async throws {
        let site = try await Site.authorizing()
        let ownApp = SignInApp()
        let own = try await site.exchange(try await site.code(ownApp), ownApp)
        let other = try await site.exchange(try await site.code(foreign), foreign)
        for (token, status) in [(own.accessToken, 403), (other.accessToken, 403), ("x", 401)] {
            try await expectEqual(site.get("/api/auth/consents", bearer: token).status, status)
            try await expectEqual(withdraw(site, token).status, status)
        }
        try await expectEqual(site.refreshGrant(other.refreshToken, as: "foreign").status, 200)
        await site.close()
    }

    @Test(.tags(.keptConsent, .codeAfterLogout), arguments: Way.allCases)
    func `A kept consent that is withdrawn ends the client's tokens and codes, and the page asks again`(way: Way)
        async throws
    {
        let site = try await Site.authorizing(way)
        var agent = UserAgent(site)
        let tokens = try await site.exchange(
            try await agent.authorize(foreign).parameters["code"] ?? "", foreign)
        let code = try await agent.authorize(foreign).parameters["code"] ?? ""
        let ownApp = SignInApp()
        let own = try await site.exchange(try await site.code(ownApp), ownApp)
        let login = try await site.logIn()
        try await expectEqual(site.get("/oauth/userinfo", bearer: tokens.accessToken).status, 200)
        try await expectEqual(withdraw(site, login.access).status, 204)
        try await expectEqual(site.get("/oauth/userinfo", bearer: tokens.accessToken).status, 401)
        try await expectEqual(site.refreshGrant(tokens.refreshToken, as: "foreign").oauthError, "invalid_grant")
        try await expectEqual(site.exchange(code, foreign).oauthError, "invalid_grant")
        try await expectEqual(agent.get(foreign.path(["prompt": "none"])).parameters["error"], "consent_required")
        try await expectEqual(agent.get(foreign.path()).formAction, "/consent")
        // Other clients and the browser stay signed in.
        try await expectEqual(site.refreshGrant(own.refreshToken, as: "notes").status, 200)
        try await expectEqual(site.renew(login.refresh).status, 200)
        let record = try #require(
            try await site.identity.audit.records(limit: 20).first { $0.event == "consent.withdrawn" })
        expectEqual(record.detail, "foreign from \(way == .socket ? "127.0.0.1" : "in process")")
        await site.close()
    }

    @Test func `A kept consent outlives sign-outs and passwords, but not its account`() async throws {
        let site = try await Site.authorizing()
        _ = try await agreed(site, foreign)
        let everywhere = try await site.call(
            .post, "/auth/logout", bearer: try await site.logIn().access, ["allDevices": true])
        expectEqual(everywhere.status, 200)
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = await site.mailedToken() ?? ""
        let password = "another sentence to keep"
        _ = try await site.post("/api/auth/reset-password", ["token": .string(token), "password": .string(password)])
        var agent = UserAgent(site)
        let next = try await agent.signIn(try await agent.get(foreign.path()), password: password)
        #expect(next.parameters["code"] != nil)
        let access = try await site.logIn(password: password).access
        try await expectEqual(consents(site, access).count, 1)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        try await site.identity.services.store.perform(.delete(isFinal: true), on: account.id)
        #expect(try await site.identity.services.store.consents(of: account.id).isEmpty)
        await site.close()
    }

    @Test func `A kept consent does not decide on the sign-in of another device`() async throws {
        let site = try await Site.authorizing {
            for index in $0.clients.indices where $0.clients[index].id == "foreign" {
                $0.clients[index].grants.insert(.deviceCode)
            }
        }
        var agent = try await agreed(site, foreign)
        for _ in 0..<2 {
            let begun = try await site.form(
                "/oauth/device_authorization", ["client_id": "foreign", "scope": "openid files:read"])
            let page = try await agent.post("/device", form: "user_code=\(begun.string("user_code"))")
            #expect(page.formAction == "/device" && page.text.contains("files:read"))
            _ = try await agent.submit(page)
        }
        await site.close()
    }
}
