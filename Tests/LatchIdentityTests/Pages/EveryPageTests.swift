// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchHTTP
import LatchTexts
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct EveryPageTests {
    /// The pages on the way of a user who signs up, resets a password, and signs in an app and a device.
    private func pages(_ language: String) async throws -> [Response] {
        let site = try await Site.authorizing {
            $0.serviceName = #"<b>"Acme"&"#
            $0.defaultLanguage = language
        }
        var agent = UserAgent(site)
        var pages: [Response] = []
        func keep(_ page: Response) -> Response {
            pages.append(page)
            return page
        }
        for path in [
            "/", "/forgot", "/resend", "/signup", "/device", "/verify", "/verify?token=x", "/reset", "/confirm-change",
        ] {
            _ = keep(try await agent.get(path))
        }
        let email = Site.encoded("o'brien&co@example.com")
        for path in ["/forgot", "/resend"] {
            _ = keep(try await agent.post(path, form: "email=\(email)"))
            _ = keep(try await agent.post(path, form: "email=%22%3E%3Cscript%3E"))
        }
        _ = keep(try await agent.post("/verify", form: "email=\(email)&code=%22%3E%3Cscript%3E"))
        try await site.signUp("o'brien&co@example.com", isVerified: false)
        let token = try #require(await site.mailedToken(to: "o'brien&co@example.com"))
        _ = keep(try await agent.get("/verify?token=\(token)"))
        _ = keep(try await agent.post("/verify", form: "token=\(token)&new=yes"))
        _ = keep(try await agent.post("/verify", form: "token=\(token)&password=wrong"))
        _ = keep(try await agent.post("/verify", form: "token=\(token)&password=\(Site.encoded(Site.password))"))
        _ = try await agent.post("/forgot", form: "email=\(email)")
        let reset = try #require(await site.mailedToken(to: "o'brien&co@example.com"))
        _ = keep(try await agent.get("/reset?token=\(reset)"))
        _ = keep(try await agent.post("/reset", form: "token=\(reset)&password=12345678"))
        _ = keep(try await agent.post("/reset", form: "token=\(reset)&password=Another+456%21"))
        let tool = SignInApp(clientID: "tool", redirect: "http://127.0.0.1:4000/callback")
        let signIn = keep(
            try await agent.get(SignInApp(clientID: "foreign", redirect: "https://foreign.example/back").path()))
        _ = keep(try await agent.signIn(signIn, #""><script>"#))
        _ = keep(try await agent.signIn(signIn))
        _ = keep(try await agent.get(tool.path()))
        for path in ["", "/name", "/email", "/password", "/activity", "/deletion"] {
            _ = keep(try await agent.get("/account\(path)"))
        }
        let factor = keep(try await agent.get("/account/factor"))
        _ = keep(try await agent.submit(keep(try await agent.submit(factor)), [("code", "12345678")]))
        _ = keep(try await agent.submit(try await agent.get("/account"), [("withdraw", #""><script>"#)]))
        _ = keep(try await agent.submit(try await agent.get("/account/email"), [("email", #""><script>"#)]))
        _ = keep(try await agent.get("/oauth/logout"))
        let address = try await agent.submit(try await agent.get("/signup"), [("email", "o'neil&co@example.com")])
        _ = keep(address)
        _ = keep(try await agent.submit(address, [("code", "1234 5678")]))
        _ = keep(try await agent.submit(address, [("again", "yes")]))
        let code = try #require(await site.mailedCode(to: "o'neil&co@example.com"))
        let details = keep(try await agent.submit(address, [("code", code)]))
        _ = keep(try await agent.submit(details, [("name", "<script>"), ("password", "12345678")]))
        _ = try await agent.submit(details, [("name", "<b>"), ("password", Site.password)])
        _ = keep(try await agent.get("/account"))
        _ = keep(try await agent.get("/oauth/authorize?client_id=%3Cb%3E"))
        _ = keep(try await agent.post("/device", form: "user_code=%22%3E%3Cscript%3E"))
        await site.close()
        return pages
    }

    @Test(.tags(.mailInjection), arguments: Texts.languages)
    func `Every page is in one language, under the name of the service, and holds foreign text as text`(
        language: String
    )
        async throws
    {
        let pages = try await pages(language)
        expectEqual(pages.count, 45)
        for page in pages {
            let name = "\(page.status) \(page.location): \(page.text)"
            #expect(page.text.contains("<html lang=\"\(language)\">"), "\(name)")
            #expect(page.text.contains(#"<p class="brand">&lt;b&gt;&quot;Acme&quot;&amp;</p>"#), "\(name)")
            let text = page.text.replacing(/<script src="[^"<>]*\/password\.js" defer><\/script>/, with: "")
            #expect(
                !text.contains("<b>") && !text.contains("<script") && !text.contains("o'brien")
                    && !text.contains("o'neil"))
            let shown = page.text.components(separatedBy: "</style>").last ?? ""
            expectNil(shown.firstMatch(of: /\b(?:page|problem|mail|event)\.[a-z]/), "\(name)")
        }
    }

    @Test(arguments: Texts.languages)
    func `Every page has one heading, a label for each field, and its problem tied to the field that has it`(
        language: String
    )
        async throws
    {
        let errors = ["de": "Fehler: ", "en": "Error: ", "es": "Error: ", "fr": "Erreur\u{A0}: "]
        for page in try await pages(language) {
            let text = page.content
            expectEqual(text.components(separatedBy: "<h1>").count, 2, "\(page.title)")
            for match in text.matches(of: /<input id="([a-z_]+)"([^>]*)>/) where !match.2.contains("hidden") {
                #expect(
                    text.contains("<label for=\"\(match.1)\">") && match.2.contains("autocomplete=")
                        || text.contains("<label class=\"box\">\(match.0)"), "\(page.title)")
            }
            for match in text.matches(of: /aria-describedby="([^"]*)"/) {
                for id in match.1.split(separator: " ") { #expect(text.contains("id=\"\(id)\""), "\(page.title)") }
            }
            let focused = text.components(separatedBy: "autofocus").count - 1
            #expect(focused <= 1, "\(page.title)")
            guard text.contains(#"role="alert""#) else { continue }
            #expect(text.contains("<title>\(errors[language] ?? "?")"), "\(page.title)")
            expectEqual(focused, 1, "\(page.title)")
        }
    }
}

@Suite struct MailPageTests {
    @Test(.tags(.resetEnumeration), arguments: ["/forgot", "/resend"])
    func `A page that requests a mail answers the same for every address, and emails only if necessary`(path: String)
        async throws
    {
        let site = try await Site()
        try await site.signUp(isVerified: path == "/forgot")
        _ = await site.mailedToken()
        let before = site.mailer.messages.count
        let answers = try await [
            site.post(path, form: "email=ada@example.com"), site.post(path, form: "email=bob@example.com"),
        ]
        expectEqual(answers.map(\.status), [200, 200])
        let texts = answers.map { $0.text.replacing($0.formToken, with: "TOKEN").replacing("bob@", with: "ada@") }
        expectEqual(texts[0], texts[1])
        _ = await site.mailedToken()
        expectEqual(site.mailer.messages.dropFirst(before).map(\.recipient), ["ada@example.com"])
        await site.close()
    }

    @Test(.tags(.mailFlood)) func `A page that requests a mail has the limits of the route for apps`() async throws {
        let site = try await Site { $0.mailLimitPerHour = 2 }
        for _ in 0..<2 { try await expectEqual(site.post("/forgot", form: "email=ada@example.com").status, 200) }
        let refused = try await site.post("/forgot", form: "email=ada@example.com")
        #expect(refused.status == 429 && refused.title == "There were too many attempts")
        try await expectEqual(site.get("/forgot").status, 200)
        await site.close()
    }

    @Test func `A page that requests a mail returns to the request from which its user came`() async throws {
        let site = try await Site.authorizing { $0.requireVerifiedEmail = true }
        try await site.signUp("eve@example.com", isVerified: false)
        _ = await site.mailedToken(to: "eve@example.com")
        let app = SignInApp()
        var agent = UserAgent(site)
        let page = try await agent.get(app.path())
        let forgot = try await agent.submit(page, [("name", "ada@example.com"), ("forgot", "yes")])
        #expect(forgot.title == "Reset your password" && forgot.text.contains(#"value="ada@example.com""#))
        try await expectEqual(agent.submit(forgot, [("email", "ada")]).status, 400)
        try await expectEqual(agent.submit(forgot, [("signin", "yes")]).title, "Sign in")
        let sent = try await agent.submit(forgot, [("email", "ada@example.com")])
        expectEqual(sent.title, "Check your email")
        try await expectEqual(agent.submit(sent, [("again", "yes")]).title, "Reset your password")
        // The link may open on another device.
        let token = try #require(await site.mailedToken(to: "ada@example.com"))
        try await expectEqual(site.post("/reset", form: "token=\(token)&password=Another+456%21").status, 200)
        let done = try await agent.signIn(try await agent.submit(sent), password: "Another 456!")
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)

        var other = UserAgent(site)
        let unverified = try await other.signIn(try await other.get(app.path()), "eve@example.com")
        let resend = try await other.submit(unverified, [("name", "eve@example.com"), ("resend", "yes")])
        expectEqual(resend.title, "Request another email")
        let resent = try await other.submit(resend, [("email", "eve@example.com")])
        let link = try #require(await site.mailedToken(to: "eve@example.com"))
        let password = Site.encoded(Site.password)
        try await expectEqual(site.post("/verify", form: "token=\(link)&password=\(password)").status, 200)
        #expect(try await other.signIn(try await other.submit(resent), "eve@example.com").parameters["code"] != nil)
        await site.close()
    }

    @Test func `A page that requests a mail takes no form of another site`() async throws {
        let site = try await Site()
        let fields: HTTPFields = [
            .contentType: "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site",
        ]
        let page = try await site.send(.post, "/forgot", fields: fields, body: HTTPBody("email=ada@example.com"))
        #expect(page.status == 403 && page.title == "This form comes from another site")
        await site.close()
    }
}
