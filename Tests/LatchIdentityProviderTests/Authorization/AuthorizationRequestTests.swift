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

@Suite struct RedirectURITests {
    @Test(
        .tags(.redirectMatching, .errorRedirect),
        arguments: [
            "https://notes.example.com/callback/", "https://notes.example.com/callbac",
            "https://notes.example.com/callbackx",
            "https://notes.example.com.evil.example/callback", "https://notes.example.com@evil.example/callback",
            "https://notes.example.com/callback/../other2", "https://notes.example.com/%2e%2e/callback",
            "https://notes.example.com/callback%2F", "https://notes.example.com/callback#x",
            "https://notes.example.com/callback?x=1", "https://notes.example.com/CALLBACK",
            "HTTPS://notes.example.com/callback", "https://notes.example.com:443/callback",
            "https://notes.example.com:8443/callback", "http://notes.example.com/callback", "javascript:alert(1)",
            "https://notes.example.com/callback\u{301}", "//notes.example.com/callback", "",
            "https://evil.example/", "https://foreign.example/back",
        ])
    func `The redirect URI of a request is exactly one of the client's, and errors go nowhere else`(redirect: String)
        async throws
    {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        _ = try await agent.authorize(SignInApp())
        for changes in [
            ["redirect_uri": redirect], ["redirect_uri": redirect, "prompt": "none"],
            ["redirect_uri": redirect, "response_type": "token"],
        ] as [KeyValuePairs<String, String?>] {
            let page = try await agent.get(SignInApp().path(changes))
            #expect(page.status == 400 && page.location.isEmpty)
            expectEqual(page.title, "This sign-in cannot begin")
            #expect(redirect.isEmpty || !page.text.contains(redirect))
        }
        await site.close()
    }

    @Test(
        .tags(.redirectMatching),
        arguments: [
            ("http://127.0.0.1:49152/callback", true), ("http://127.0.0.1/callback", true),
            ("http://[::1]:8080/callback", true), ("tool://callback", true), ("http://localhost:49152/callback", false),
            ("http://127.0.0.1:49152/other", false), ("http://127.0.0.1:0/callback", false),
            ("http://127.0.0.1:070/callback", false), ("http://127.0.0.1:65536/callback", false),
            ("http://127.0.0.1:/callback", false), ("http://127.0.0.1:80@evil.example/callback", false),
            ("http://127.0.0.1.evil.example:80/callback", false), ("https://127.0.0.1:49152/callback", false),
            ("http://127.0.0.2:49152/callback", false), ("tool://callback:80", false),
        ])
    func `The redirect URI of a request has any port on this machine, and on no other`(
        redirect: String, isAccepted: Bool
    ) async throws {
        let tool = try #require(SignInApp.registrations.first { $0.id == "tool" })
        expectEqual(tool.allows(redirect: redirect), isAccepted)
        let site = try await Site.authorizing()
        let app = SignInApp(clientID: "tool", redirect: redirect)
        var agent = UserAgent(site)
        let response = try await agent.authorize(app)
        expectEqual(response.location.hasPrefix("\(redirect)?code=ac1."), isAccepted)
        if isAccepted {
            try await expectEqual(site.exchange(response.parameters["code"] ?? "", app).status, 200)
        }
        await site.close()
    }

    @Test func `The redirect URI of a request of a client without pages is refused`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        for id in ["first-party", "nobody", "", "latch:pages"] {
            let page = try await agent.get(SignInApp().path(["client_id": id]))
            #expect(page.status == 400 && page.location.isEmpty, "\(id)")
        }
        await site.close()
    }
}

@Suite struct AuthorizationRequestTests {
    @Test(
        .tags(.duplicateParameters),
        arguments: [
            "client_id=notes", "redirect_uri=https%3A%2F%2Fnotes.example.com%2Fcallback", "state=x", "scope=openid",
        ])
    func `A request for a sign-in has each parameter once`(parameter: String) async throws {
        let site = try await Site.authorizing()
        let page = try await site.get("\(SignInApp().path())&\(parameter)")
        #expect(page.status == 400 && page.location.isEmpty)
        await site.close()
    }

    static let mistakes: [(KeyValuePairs<String, String?>, String)] = [
        (["response_type": "token"], "unsupported_response_type"),
        (["response_type": "code id_token"], "unsupported_response_type"),
        (["response_type": nil], "invalid_request"), (["response_mode": "query.form"], "invalid_request"),
        (["response_mode": "fragment"], "invalid_request"), (["request": "e30."], "request_not_supported"),
        (["request_uri": "https://evil.example"], "request_uri_not_supported"),
        (["prompt": "none login"], "invalid_request"), (["prompt": "none create"], "invalid_request"),
        (["max_age": "-1"], "invalid_request"), (["max_age": "soon"], "invalid_request"),
        (["scope": "\""], "invalid_scope"), (["resource": "https://other.example"], "invalid_target"),
        (["id_token_hint": "e30.e30.x"], "invalid_request"),
        (["nonce": String(repeating: "n", count: 1025)], "invalid_request"), (["prompt": "none"], "login_required"),
    ]

    @Test(.tags(.responseMode, .mixUp), arguments: 0..<mistakes.count)
    func `A request for a sign-in returns its errors to the client, with state and issuer`(index: Int) async throws {
        let (changes, code) = Self.mistakes[index]
        let site = try await Site.authorizing()
        let response = try await site.get(SignInApp().path(changes))
        expectEqual(response.status, 303)
        #expect(response.location.hasPrefix("https://notes.example.com/callback?"))
        expectEqual(response.parameters["error"], code)
        expectEqual(response.parameters["state"], SignInApp().state)
        expectEqual(response.parameters["iss"], site.identity.issuer)
        expectNil(response.parameters["code"])
        #expect(response.field("Referrer-Policy") == "no-referrer" && response.field(.cacheControl) == "no-store")
        await site.close()
    }

    @Test(.tags(.mixUp)) func `A request for a sign-in is answered in the name of the issuer`() async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        var agent = UserAgent(site)
        try await expectEqual(agent.authorize(SignInApp()).parameters["iss"], Site.issuer)
        await site.close()
    }

    @Test(.tags(.silentAuthorization))
    func `A request for a sign-in that allows no page reveals no user, and lets no other user in`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("bob@example.com")
        let app = SignInApp()
        var agent = UserAgent(site)
        let tokens = try await site.exchange(try await agent.authorize(app).parameters["code"] ?? "", app)
        let hint = tokens.string("id_token")
        let silent = try await agent.get(app.path(["prompt": "none", "id_token_hint": hint]))
        expectEqual(silent.parameters["code"]?.isEmpty, false)
        // A client whose users must agree learns only that.
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back")
        try await expectEqual(agent.get(foreign.path(["prompt": "none"])).parameters["error"], "consent_required")
        // The hint of one user, in the browser of another.
        var other = UserAgent(site)
        _ = try await other.authorize(app, [:], "bob@example.com")
        let refused = try await other.get(app.path(["prompt": "none", "id_token_hint": hint]))
        expectEqual(refused.parameters["error"], "login_required")
        let page = try await other.get(app.path(["id_token_hint": hint]))
        expectEqual(page.title, "Sign in")
        try await expectEqual(other.signIn(page, "bob@example.com").parameters["error"], "login_required")
        // zitadel/zitadel#7035: one whose key was replaced proves nothing, and still keeps other users out.
        let old = String(hint.dropLast(4) + "AAAA")
        try await expectEqual(agent.get(app.path(["id_token_hint": old])).parameters["code"]?.isEmpty, false)
        let again = try await agent.get(app.path(["prompt": "none", "id_token_hint": old]))
        expectEqual(again.parameters["code"]?.isEmpty, false)
        let unproved = try await other.get(app.path(["prompt": "none", "id_token_hint": old]))
        expectEqual(unproved.parameters["error"], "login_required")
        try await expectEqual(other.get(app.path(["id_token_hint": old])).title, "Sign in")
        // That of another client says nothing.
        try await expectEqual(agent.get(foreign.path(["id_token_hint": hint])).parameters["error"], "invalid_request")
        await site.close()
    }

    @Test(.tags(.silentAuthorization))
    func `A request for a sign-in states the maximum age of the sign-in`() async throws {
        let site = try await Site.authorizing()
        let app = SignInApp()
        var agent = UserAgent(site)
        _ = try await agent.authorize(app)
        site.clock.advance(by: 100)
        #expect(try await agent.get(app.path(["max_age": "100"])).parameters["code"] != nil)
        try await expectEqual(
            agent.get(app.path(["max_age": "99", "prompt": "none"])).parameters["error"], "login_required")
        for changes in [["max_age": "99"], ["prompt": "login"], ["prompt": "select_account"]]
            as [KeyValuePairs<String, String?>]
        {
            let page = try await agent.get(app.path(changes))
            expectEqual(page.title, "Sign in")
            let tokens = try await site.exchange(try await agent.signIn(page).parameters["code"] ?? "", app)
            try expectEqual(JWT(unverified: tokens.string("id_token")).claims.date("auth_time"), site.clock.now)
            site.clock.advance(by: 100)
        }
        await site.close()
    }
}
