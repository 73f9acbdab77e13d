// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PageFooterTests {
    /// Sends the form that chooses a language.
    private func choose(
        _ language: String, on page: String, _ agent: inout UserAgent, from site: String = "same-origin"
    ) async throws -> Response {
        try await agent.send(
            .post, "/language",
            fields: [.contentType: "application/x-www-form-urlencoded", "Sec-Fetch-Site": site],
            body: HTTPBody(FormEncoding.encode([("language", language), ("page", page)])))
    }

    @Test func `The language that a user chooses stays, and the request that the user came from stays too`()
        async throws
    {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        let path = app.path(["ui_locales": "es"])
        let page = try await agent.get(path)
        #expect(page.text.contains("<html lang=\"es\">"))
        #expect(page.text.contains(#"<span aria-current="true">Español</span>"#))
        for (language, name) in [("de", "Deutsch"), ("en", "English"), ("fr", "Français")] {
            #expect(page.text.contains(#"<button name="language" value="\#(language)" lang="\#(language)">\#(name)<"#))
        }
        let back = page.between("name=\"page\" value=\"", "\"").replacing("&amp;", with: "&")
        let chosen = try await choose("fr", on: back, &agent)
        #expect(chosen.status == 303 && chosen.location == path)
        expectEqual(
            agent.received, ["latch-language=fr; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"])
        let french = try await agent.get(chosen.location)
        #expect(french.text.contains("<html lang=\"fr\">"))
        let done = try await agent.signIn(french)
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)
        let account = try await agent.send(.get, "/account", fields: [.acceptLanguage: "de"])
        #expect(account.text.contains("<html lang=\"fr\">"))
        await site.close()
    }

    @Test(arguments: [
        "https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example", "evil", "", "/a\r\nX: 1",
        "/\u{0}", "/é",
    ])
    func `The choice of a language leads to no other site`(page: String) async throws {
        let site = try await Site { $0.issuer = "https://example.com/auth/" }
        var agent = UserAgent(site)
        let chosen = try await choose("de", on: page, &agent)
        #expect(chosen.status == 303 && chosen.location == "/auth/")
        expectEqual(
            agent.received, ["latch-language=de; Path=/auth/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure"])
        await site.close()
    }

    @Test func `The choice of a language keeps a pushed request after its end`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let app = SignInApp()
        let pushed = try await site.post("/oauth/par", form: FormEncoding.encode(app.parameters()))
        let query = FormEncoding.encode([
            ("client_id", app.clientID), ("request_uri", try #require(pushed.json["request_uri"]?.stringValue)),
        ])
        let page = try await agent.get("/oauth/authorize?\(query)")
        #expect(page.title == "Sign in" && !page.text.contains("name=\"page\" value=\"/oauth/authorize?client_id"))
        site.clock.advance(by: 600)
        let back = page.between("name=\"page\" value=\"", "\"").replacing("&amp;", with: "&")
        let chosen = try await choose("de", on: back, &agent)
        let german = try await agent.get(chosen.location)
        expectEqual(german.title, "Anmelden")
        let done = try await agent.signIn(german)
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)
        await site.close()
    }

    @Test(arguments: ["", "nl", "de; Path=/x", "DE"])
    func `A language without texts is not kept`(language: String) async throws {
        let site = try await Site()
        var agent = UserAgent(site)
        try await expectEqual(choose(language, on: "/", &agent).status, 400)
        #expect(agent.received.isEmpty)
        await site.close()
    }

    @Test func `The choice of a language takes no form of another site, and no form's page offers it`() async throws {
        let site = try await Site()
        var agent = UserAgent(site)
        try await expectEqual(choose("de", on: "/", &agent, from: "cross-site").status, 403)
        #expect(try await agent.get("/forgot").text.contains("value=\"/forgot\""))
        #expect(try await !agent.post("/forgot", form: "email=%22").text.contains("name=\"language\""))
        await site.close()
    }

    @Test func `The chosen language is that of the emails`() async throws {
        let site = try await Site()
        try await site.signUp()
        var agent = UserAgent(site)
        _ = try await choose("es", on: "/forgot", &agent)
        let page = try await agent.get("/forgot")
        _ = try await agent.answer(page, [("email", "ada@example.com")])
        _ = await site.mailedToken()
        expectEqual(site.mailer.messages.last?.language, "es")
        await site.close()
    }
}
