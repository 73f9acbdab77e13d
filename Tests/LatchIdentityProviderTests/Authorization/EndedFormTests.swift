// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@testable import LatchIdentity

@Suite struct EndedFormTests {
    private static let advice = "It was open for too long"

    /// The URL to which the page leads back; nil if it names none.
    private func returnURL(_ page: Response) -> String? {
        let start = #"<a class="button" href=""#
        guard page.text.contains(start) else { return nil }
        return page.between(start, "\"").replacing("&amp;", with: "&")
    }

    @Test(arguments: ["https://notes.example.com/callback", "tool://callback", "http://127.0.0.1:51234/callback"])
    func `An expired sign-in page leads back to the app with its state`(redirect: String) async throws {
        let site = try await Site.authorizing()
        var app = SignInApp()
        (app.clientID, app.redirect) = (redirect.hasPrefix("https") ? "notes" : "tool", redirect)
        var agent = UserAgent(site)
        let page = try await agent.get(app.path())
        site.clock.advance(by: 3601)
        let ended = try await agent.signIn(page)
        #expect(ended.status == 400 && ended.title == "This sign-in has ended" && ended.text.contains(Self.advice))
        let url = try #require(returnURL(ended))
        #expect(url.hasPrefix(redirect + "?"))
        let query = ScriptedUpstream.parameters(url)
        #expect(query["error"] == "temporarily_unavailable" && query["state"] == app.state && query["code"] == nil)
        await site.close()
    }

    @Test func `An expired sign-in page leads nowhere without a registered client`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let page = try await agent.get(SignInApp().path())
        site.clock.advance(by: 3601)
        let forged = try await agent.post("/login", form: "token=nonsense&name=a&password=b")
        #expect(forged.status == 400 && returnURL(forged) == nil && forged.text.contains("home page"))
        var configuration = site.identity.services.configuration
        (configuration.clients, configuration.clientSecretDigests) = ([], [:])
        let reconfigured = try await site.identity.reconfigured(configuration)
        let request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:8080", path: "/login",
            fields: [.contentType: FormEncoding.mediaType],
            body: HTTPBody(FormEncoding.encode([("token", page.formToken), ("name", "a"), ("password", "b")])))
        let ended = Response(try await reconfigured.handler.respond(to: request))
        #expect(ended.title == "This sign-in has ended" && returnURL(ended) == nil)
        await site.close()
    }

    @Test(arguments: ["/login", "/consent"])
    func `An expired sign-in page can be left by its refusal`(path: String) async throws {
        let site = try await Site.authorizing()
        var (agent, app) = (UserAgent(site), SignInApp())
        if path == "/consent" { (app.clientID, app.redirect) = ("foreign", "https://foreign.example/back") }
        var page = try await agent.get(app.path())
        if path == "/consent" { page = try await agent.signIn(page) }
        expectEqual(page.formAction, path)
        site.clock.advance(by: 3601)
        let left = try await agent.submit(page, [("refuse", "yes")])
        #expect(left.status == 303 && left.parameters["error"] == "access_denied")
        await site.close()
    }
}
