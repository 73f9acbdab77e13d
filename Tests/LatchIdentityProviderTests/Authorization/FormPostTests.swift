// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The response mode `form_post` (OAuth 2.0 Form Post Response Mode).
@Suite struct FormPostTests {
    /// Returns the fields of the form that a page posts.
    private func fields(of page: Response) -> [String: String] {
        page.text.split(separator: "<input type=\"hidden\" ").dropFirst().reduce(into: [:]) { fields, part in
            let values = part.split(separator: "\"", omittingEmptySubsequences: false)
            guard values.count > 3 else { return }
            fields[String(values[1])] = String(values[3])
        }
    }

    @Test(.tags(.responseMode))
    func `A response by form_post is a page that posts code and state to the client`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        let page = try await agent.authorize(app, ["response_mode": "form_post"])
        #expect(page.status == 200 && page.field(.cacheControl) == "no-store")
        #expect(page.text.contains(#"<form method="post" action="\#(app.redirect)">"#))
        let fields = fields(of: page)
        expectEqual(Set(fields.keys), ["code", "state", "iss"])
        #expect(fields["state"] == "st ate&amp;&quot;&lt;&gt;ü" && fields["iss"] == site.origin.description)
        try await expectEqual(site.exchange(try #require(fields["code"]), app).status, 200)
        await site.close()
    }

    @Test func `A response by form_post runs one script, and may stand in the frame of a silent request`() async throws
    {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let page = try await agent.get(SignInApp().path(["response_mode": "form_post", "prompt": "none"]))
        expectEqual(fields(of: page)["error"], "login_required")
        let policy = try #require(page.field("Content-Security-Policy"))
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'sha256-"))
        #expect(!policy.contains("unsafe") && !policy.contains("form-action") && !policy.contains("frame-ancestors"))
        expectNil(page.field("X-Frame-Options"))
        // Receivers compare the field Origin with the issuer's.
        expectEqual(page.field("Referrer-Policy"), "origin")
        await site.close()
    }

    @Test func `A response by form_post also takes the errors of a request to the client`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let broken = try await agent.get(SignInApp().path(["response_mode": "form_post", "response_type": "token"]))
        expectEqual(fields(of: broken)["error"], "unsupported_response_type")
        // A form would return another state.
        let changed = try await agent.get(SignInApp().path(["response_mode": "form_post", "state": "a\nb"]))
        expectEqual(fields(of: changed)["error"], "invalid_request")
        let login = try await agent.get(SignInApp().path(["response_mode": "form_post"]))
        let refused = try await agent.submit(login, [("refuse", "yes")])
        expectEqual(fields(of: refused)["error"], "access_denied")
        await site.close()
    }

    @Test(.tags(.redirectMatching))
    func `A response by form_post goes to no custom scheme, and to no URL that is not registered`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let tool = SignInApp(clientID: "tool", redirect: "tool://callback")
        let response = try await agent.get(tool.path(["response_mode": "form_post"]))
        #expect(response.parameters["error"] == "invalid_request" && response.location.hasPrefix("tool://callback?"))
        let other = try await agent.get(
            SignInApp().path(["response_mode": "form_post", "redirect_uri": "https://evil.example/"]))
        #expect(!other.text.contains("evil.example"))
        await site.close()
    }

    @Test func `A response by form_post is in the language of the browser, with a button if scripts do not run`()
        async throws
    {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let path = SignInApp().path(["response_mode": "form_post", "prompt": "none"])
        let page = try await agent.send(.get, path, fields: [.acceptLanguage: "de"])
        #expect(page.title == "Zurück zur App" && page.text.contains("<button>Weiter</button>"))
        await site.close()
    }
}
