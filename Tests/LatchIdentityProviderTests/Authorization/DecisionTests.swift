// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct DecisionTests {
    private let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back")

    private func records(_ site: Site) async throws -> [String] {
        try await site.identity.audit.records(limit: 100).reversed()
            .filter { $0.event.hasPrefix("consent.") || ["device.approved", "device.denied"].contains($0.event) }
            .map { "\($0.event) \($0.detail ?? "")" }
    }

    @Test(.tags(.consentForgery))
    func `A decision on a page grants the shown scopes, and nothing that came later`() async throws {
        let site = try await Site.authorizing()
        var app = foreign
        app.scope = "openid files:read widgets:admin"
        var agent = UserAgent(site)
        let consent = try await agent.signIn(try await agent.get(app.path()))
        #expect(consent.text.contains("files:read") && !consent.text.contains("widgets:admin"))
        let ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        _ = try await site.identity.administration.setRoles(of: ada.id, roles: ["admin"], permissions: [])
        let agreed = try await agent.submit(consent)
        let tokens = try await site.exchange(agreed.parameters["code"] ?? "", app)
        expectEqual(tokens.scopes, ["openid", "files:read"])
        #expect(try await agent.get(app.path()).text.contains("widgets:admin"))
        await site.close()
    }

    @Test(.tags(.consentForgery)) func `A decision on a page of a device grants the shown scopes`() async throws {
        let site = try await Site.authorizing()
        let begun = try await site.form(
            "/oauth/device_authorization", ["client_id": "tool", "scope": "files:read widgets:admin"])
        var agent = UserAgent(site)
        let page = try await agent.post("/device", form: "user_code=\(begun.string("user_code"))")
        let decision = try await agent.signIn(page)
        let ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        _ = try await site.identity.administration.setRoles(of: ada.id, roles: ["admin"], permissions: [])
        _ = try await agent.submit(decision)
        let tokens = try await site.token([
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": begun.string("device_code"),
            "client_id": "tool",
        ])
        expectEqual(tokens.scopes, ["files:read"])
        await site.close()
    }

    @Test func `A decision on a page is made once: a form that is sent again yields no further code`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let consent = try await agent.signIn(try await agent.get(foreign.path()))
        #expect(try await agent.submit(consent).parameters["code"] != nil)
        for more in [[], [("refuse", "yes")]] {
            let again = try await agent.submit(consent, more)
            #expect(again.title == "You have already answered this page" && again.location.isEmpty)
        }
        let other = try await agent.get(foreign.path(["prompt": "consent"]))
        try await expectEqual(agent.submit(other, [("refuse", "yes")]).parameters["error"], "access_denied")
        #expect(try await agent.submit(other).location.isEmpty)
        await site.close()
    }

    @Test(.tags(.auditTampering))
    func `A decision on a page is in the audit log, with the scopes and the address`() async throws {
        let site = try await Site.authorizing(.socket)
        var agent = UserAgent(site)
        var app = foreign
        app.scope = "openid files:read"
        _ = try await agent.authorize(app)
        let page = try await agent.get(app.path(["prompt": "consent"]))
        _ = try await agent.submit(page, [("refuse", "yes")])
        // The operator's own app shows no page: there is no decision.
        _ = try await agent.authorize(SignInApp())
        for more in [[], [("refuse", "yes")]] {
            let begun = try await site.form("/oauth/device_authorization", ["client_id": "tool", "scope": "email"])
            let page = try await agent.post("/device", form: "user_code=\(begun.string("user_code"))")
            _ = try await agent.submit(page, more)
        }
        let found = try await records(site)
        expectEqual(
            found,
            [
                "consent.granted foreign from 127.0.0.1: openid files:read", "consent.denied foreign from 127.0.0.1",
                "device.approved tool from 127.0.0.1: email", "device.denied tool from 127.0.0.1",
            ])
        // Nobody else writes there by a form that is not theirs.
        var stranger = UserAgent(site)
        let consent = try await agent.get(app.path(["prompt": "consent"]))
        _ = try await stranger.submit(consent, [("refuse", "yes")])
        try await expectEqual(records(site).count, 4)
        if case .intact = try await site.identity.audit.verify() {} else { Issue.record("The chain is damaged.") }
        await site.close()
    }
}

@Suite struct PageLoadTests {
    private static let parts = [
        ("Sec-Fetch-Dest", "iframe"), ("Sec-Fetch-Dest", "image"), ("Sec-Fetch-Dest", "script"),
        ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Mode", "cors"),
    ]

    @Test(.tags(.clickjacking, .hashFlood), arguments: parts)
    func `A page that is loaded as a part of another page is refused, and uses nothing up`(name: String, value: String)
        async throws
    {
        let site = try await Site.authorizing()
        let paths: [(HTTPMethod, String)] = [
            (.get, SignInApp().path()), (.post, "/oauth/authorize"), (.post, "/login"), (.post, "/consent"),
            (.get, "/device"), (.post, "/device"), (.get, "/oauth/logout"), (.get, "/verify"), (.post, "/reset"),
        ]
        for (method, path) in paths {
            let response = try await site.send(method, path, fields: [.init(name): value])
            #expect(response.status == 403 && response.field("RateLimit") == nil, "\(path)")
            expectEqual(response.title, "This page is not shown inside another one")
            expectNil(response.field(.setCookie))
        }
        // The second is what a service worker of the same origin fetches for a navigation.
        for destination in ["document", "empty"] {
            let whole: HTTPFields = ["Sec-Fetch-Dest": destination, "Sec-Fetch-Mode": "navigate"]
            try await expectEqual(site.send(.get, SignInApp().path(), fields: whole).title, "Sign in")
        }
        await site.close()
    }

    @Test(arguments: ["prefetch", "prefetch;prerender"])
    func `A page that is loaded ahead of its user is refused, so that the browser loads it later`(purpose: String)
        async throws
    {
        let site = try await Site.authorizing()
        for path in [SignInApp().path(), "/oauth/logout", "/verify?token=x", "/device"] {
            let fields: HTTPFields = [
                "Sec-Purpose": purpose, "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate",
            ]
            let response = try await site.send(.get, path, fields: fields)
            #expect(response.status == 503 && response.field(.setCookie) == nil, "\(path)")
            expectEqual(response.field(.cacheControl), "no-store")
        }
        await site.close()
    }

    @Test func `A page that is loaded in a frame with prompt=none gets a code or an error, at the app`() async throws {
        let site = try await Site.authorizing()
        let (app, frame): (SignInApp, HTTPFields) = (
            SignInApp(), ["Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate"]
        )
        var agent = UserAgent(site)
        let stranger = try await agent.send(.get, app.path(["prompt": "none"]), fields: frame)
        #expect(stranger.status == 303 && stranger.parameters["error"] == "login_required")
        #expect(stranger.parameters["state"] == app.state && stranger.field(.setCookie) == nil)
        _ = try await agent.authorize(app)
        let known = try await agent.send(.get, app.path(["prompt": "none"]), fields: frame)
        #expect(known.status == 303 && known.parameters["code"]?.isEmpty == false)
        // Everything else stays refused.
        let refused: [(String, HTTPFields)] = [
            (app.path(["prompt": "none login"]), frame), (app.path(["prompt": "login"]), frame),
            (app.path(["prompt": "none"]), ["Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "no-cors"]),
            (app.path(["prompt": "none"]), ["Sec-Fetch-Dest": "image"]), ("/device?prompt=none", frame),
        ]
        for (path, fields) in refused {
            try await expectEqual(agent.send(.get, path, fields: fields).status, 403, "\(path)")
        }
        await site.close()
    }

    @Test(.tags(.hashFlood)) func `A page that is loaded in a frame repeatedly uses up no pages`() async throws {
        let site = try await Site.authorizing()
        let path = SignInApp().path(["prompt": "none"])
        for _ in 0..<700 { _ = try await site.send(.get, path, fields: ["Sec-Fetch-Dest": "iframe"]) }
        try await expectEqual(site.get(SignInApp().path()).status, 200)
        await site.close()
    }

    @Test(.tags(.hashFlood)) func `A page that is loaded repeatedly keeps no neighbor from signing in`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let login = try await agent.get(SignInApp().path())
        for _ in 0..<700 { _ = try await site.get("/device") }
        try await expectEqual(site.get(SignInApp().path()).status, 429)
        #expect(try await agent.signIn(login).parameters["code"] != nil)
        await site.close()
    }

    @Test(.tags(.parallelTabs)) func `A page that is loaded late keeps its browser as long as its form`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        _ = try await agent.get(SignInApp().path())
        site.clock.advance(by: 3000)
        let login = try await agent.get(SignInApp().path())
        site.clock.advance(by: 3000)
        #expect(try await agent.signIn(login).parameters["code"] != nil)
        await site.close()
    }
}
