// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTexts
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PageLanguageTests {
    @Test(arguments: [
        (nil, "en"), ("", "en"), ("de", "de"), ("de-CH, en;q=0.5", "de"), ("en;q=0.5, de;q=0.6", "de"),
        ("nl, de;q=0.1", "de"), ("de;q=0, en;q=0.1", "en"), ("*, de", "en"), ("DE-at", "de"), ("nl", "en"),
        ("fr-CA", "fr"), ("es-419", "es"),
        ("en, de", "en"), ("de;q=1.001, en;q=0.1", "en"), ("de;q=x, en;q=0.001", "en"), ("de ; q=0.9 , en;q=0.8", "de"),
        (";;,,de", "de"), (String(repeating: "nl,", count: 1000) + "de", "en"),
    ])
    func `The language of a page is the request's preferred one`(field: String?, expected: String) async throws {
        let site = try await Site()
        let page = try await site.send(.get, "/forgot", fields: field.map { ["Accept-Language": $0] } ?? [:])
        #expect(page.text.contains("<html lang=\"\(expected)\">"))
        #expect(page.field("Content-Language") == expected && page.field("Vary") == "Accept-Language, Cookie")
        await site.close()
    }

    @Test func `The language of a page leads to forms and links below the path of the public URL`() async throws {
        let site = try await Site {
            $0.issuer = "https://example.com/auth/"
            $0.clients = SignInApp.registrations
            $0.clientSecretDigests = ["web": ClientSecret.digest]
        }
        var agent = UserAgent(site)
        let page = try await agent.get(SignInApp().path())
        expectEqual(page.formAction, "/auth/login")
        #expect(page.text.contains(#"name="forgot""#) && page.text.contains(#"src="/auth/passkey.js""#))
        try await expectEqual(site.get("/forgot").formAction, "/auth/forgot")
        #expect(
            try await site.send(.get, "/nothing-here", fields: ["Accept": "text/html"]).text.contains(#"href="/auth/""#)
        )
        await site.close()
    }

    @Test func `The language of a page is the server's own if the request prefers none`() async throws {
        let site = try await Site { $0.defaultLanguage = "de" }
        try await expectEqual(site.get("/forgot").title, "Passwort zurücksetzen")
        let dutch = try await site.send(.get, "/forgot", fields: ["Accept-Language": "nl"])
        expectEqual(dutch.field("Content-Language"), "de")
        await site.close()
    }

    @Test func `The language of a page is that of the mail that a request causes, also after a restart`() async throws {
        let folder = try TemporaryFolder()
        let german: HTTPFields = ["Accept-Language": "de"]
        let first = try await Site(in: folder)
        try await first.signUp()
        let access = try await first.logIn().access
        first.identity.services.mails.use(
            MailContent(
                accessTokens: first.identity.services.accessTokens,
                tokens: MailedTokens(pepper: first.identity.services.pepper),
                configuration: first.identity.services.configuration, hooks: first.identity.services.hooks))
        _ = try await first.post("/api/auth/forgot-password", ["email": "ada@example.com"], fields: german)
        let token = try #require(await first.mailedToken())
        expectEqual(first.mailer.messages.last?.subject, "Neues Passwort für Latchwork")
        #expect(first.mailer.messages.last?.language == "de" && !access.isEmpty)
        // The notice is inserted by the transaction of the reset.
        let form = HTTPBody("token=\(token)&password=Another+456%21")
        let fields: HTTPFields = ["Accept-Language": "de", .contentType: "application/x-www-form-urlencoded"]
        try await expectEqual(first.send(.post, "/reset", fields: fields, body: form).status, 200)
        await first.identity.flushMails()
        expectEqual(first.mailer.messages.last?.subject, "Latchwork: Dein Passwort wurde geändert")
        // A mail that waits keeps its language.
        let store = first.identity.services.store
        try await store.insert(
            OutboxMail(
                .resetPassword, to: try EmailAddress("ada@example.com"), id: "waits", at: noon,
                causedBy: MailCause(language: "de")))
        let id = MailedTokens(pepper: first.identity.services.pepper).messageID(of: "waits")
        await first.close()
        let second = try await Site(in: folder)
        _ = await second.mailedToken()
        expectEqual((first.mailer.messages + second.mailer.messages).filter { $0.id == id }.map(\.language), ["de"])
        await second.close()
    }

    @Test
    func `The language of a page is also that of errors, which are pages for browsers and JSON for programs`()
        async throws
    {
        let site = try await Site { $0.requestLimitPerMinute = 4 }
        let browser: HTTPFields = [
            .accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Accept-Language": "de",
        ]
        let missing = try await site.send(.get, "/nowhere", fields: browser)
        #expect(missing.status == 404 && missing.title == "Diese Seite gibt es nicht")
        expectEqual(missing.field(.requestID)?.count, 32)
        let form = try await site.send(.get, "/login", fields: browser)
        #expect(form.status == 405 && form.field("Allow") != nil && form.title.hasPrefix("Unter dieser Adresse"))
        for accept in ["*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0"] {
            let answer = try await site.send(.get, "/nowhere", fields: [.accept: accept])
            #expect(answer.status == 404 && answer.title.isEmpty, "\(accept)")
        }
        for _ in 0..<4 { _ = try await site.get("/") }
        let limited = try await site.send(.get, "/forgot", fields: browser)
        #expect(limited.status == 429 && limited.title == "Das waren zu viele Versuche")
        #expect(limited.field(.retryAfter) != nil && limited.field("RateLimit") != nil)
        await site.close()
    }
}

@Suite struct PageTextTests {
    private let catalog = StringCatalog.latchwork
    private let prefixes = ["page.", "problem.", "mail.", "event."]

    /// Events of the audit log, and a column of the store.
    private static let others: Set = ["mail.abandoned", "mail.id", "mail.retried"]

    @Test func `The texts of pages and emails are exactly those that the sources use`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Server/LatchIdentity")
        var used: Set<String> = []
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /"((?:page|problem|mail)(?:\.[A-Za-z]+)+)"/)
            where !Self.others.contains(String(match.1)) {
                used.insert(String(match.1))
            }
        }
        for key in IdentityError.keysOnPages { used.formUnion(["problem.\(key).title", "problem.\(key).advice"]) }
        for purpose in OutboxMail.Purpose.allCases {
            used.formUnion(["subject", "introduction", "closing"].map { "mail.\(purpose.rawValue).\($0)" })
            if case .form = purpose.page { used.insert("mail.\(purpose.rawValue).button") }
        }
        used.formUnion(AuditRecord.eventsOnPages.map { "event.\($0)" } + ["event.other"])
        let keys = catalog.keys.filter { key in prefixes.contains { key.hasPrefix($0) } }
        #expect(used.subtracting(keys) == [] && Set(keys).subtracting(used) == [])
    }

    @Test(arguments: OutboxMail.Purpose.allCases, Texts.languages)
    func `The texts of pages and emails are all translated in a mail, and escaped`(
        purpose: OutboxMail.Purpose, language: String
    ) {
        var configuration = IdentityConfiguration()
        configuration.serviceName = #"<b>&"Acme""#
        let mail = ComposedMail(
            purpose, to: "a&'b@example.com", token: "t", code: "012345", issuer: "https://id.example.com",
            at: noon, configuration: configuration, texts: Texts(languages: [language]))
        expectNil((mail.subject + mail.text + mail.html).firstMatch(of: /\bmail\.[a-z]/))
        #expect(!mail.html.contains("<b>") && !mail.html.contains("a&'b") && mail.html.contains("&lt;b&gt;&amp;&quot;"))
        #expect(mail.html.contains("<html lang=\"\(language)\">") && mail.text.hasSuffix("\n\n<b>&\"Acme\"\n"))
        expectEqual(mail.html.components(separatedBy: "<h1").count, 2)
        let hour = ["de": "1 Stunde,", "en": "1 hour ", "es": "1 hora", "fr": "1 heure"]
        #expect(purpose != .resetPassword || mail.text.contains(hour[language] ?? "?"))
    }

    @Test(arguments: Texts.languages)
    func `The texts of pages and emails are all translated in the page of every error`(language: String) {
        for key in IdentityError.keysOnPages {
            var error = IdentityError(code: key, message: "m", form: .badRequest)
            error.detail = "<i>"
            let context = PageContext(IdentityConfiguration()).accepting([.acceptLanguage: language])
            let page = Response(context.failure(error))
            #expect(!page.text.contains("problem.") && !page.text.contains("<i>") && !page.title.isEmpty, "\(key)")
        }
    }
}
