// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import LatchTexts
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct MailTemplateTests {
    private static let purposesAndLanguages = OutboxMail.Purpose.allCases.flatMap { purpose in
        Texts.languages.map { (purpose, $0) }
    }

    /// Reads templates from files.
    private static func templates(_ files: [String: String]) async throws -> MailTemplates {
        try await withTemporaryFolder { folder in
            for (name, content) in files { try Data(content.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
            return try MailTemplates(folder: folder)
        }
    }

    private static func mail(
        _ purpose: OutboxMail.Purpose, in language: String = "en", service: String = "Acme",
        templates: MailTemplates? = nil
    ) -> ComposedMail {
        var configuration = IdentityConfiguration()
        configuration.serviceName = service
        configuration.mailTemplates = templates
        return ComposedMail(
            purpose, to: "a+b@example.com", token: "t0ken", code: "012345", issuer: "https://id.example.com",
            providers: ["Google"], at: noon, causedBy: MailCause(address: "192.0.2.1"), configuration: configuration,
            texts: Texts(languages: [language]))
    }

    @Test(arguments: purposesAndLanguages)
    func `The text of an email that is written to a file makes the same email`(
        purpose: OutboxMail.Purpose, language: String
    ) async throws {
        let texts = Texts(languages: [language])
        let template = MailTemplate(purpose, texts: texts)
        let name = "\(purpose.rawValue).\(language)"
        let text = try await Self.templates(["\(name).txt": template.source])
        let both = try await Self.templates([
            "\(name).txt": template.source, "\(name).html": template.htmlSource(purpose, texts: texts),
        ])
        let known = Self.mail(purpose, in: language)
        for templates in [text, both] {
            let mail = Self.mail(purpose, in: language, templates: templates)
            expectEqual(mail.subject, known.subject)
            expectEqual(mail.text, known.text)
            expectEqual(mail.html, known.html)
        }
    }

    @Test func `An operator's text is the plain text, and the HTML in the layout of the server`() async throws {
        let mail = Self.mail(
            .resetPassword,
            templates: try await Self.templates([
                "resetPassword.en.txt": """
                Subject: {{ service }}: A new password\r
                \r
                Hello <you>,\r
                it lasts {{lifetime}}.\r
                  \r
                Choose it here:\r
                {{link}}\r
                \r

                {{details}}

                {{service}}
                {{support}}

                """,
                // Files of editors and desktops.
                ".DS_Store": "\u{1}",
            ]))
        expectEqual(mail.subject, "Acme: A new password")
        expectEqual(
            mail.text,
            """
            Hello <you>,
            it lasts 1 hour.

            Choose it here:
            https://id.example.com/reset?token=t0ken

            Account: a+b@example.com
            Time: 2035-01-15 08:00 UTC
            IP address: 192.0.2.1

            Acme

            """)
        #expect(mail.html.contains(">A new password</h1>"))
        #expect(mail.html.contains("margin:0 0 20px;color:#5b6472\">Hello &lt;you&gt;,\nit lasts 1 hour.</p>"))
        #expect(mail.html.contains(#"<a class="button" href="https://id.example.com/reset?token=t0ken""#))
        #expect(mail.html.contains(">Choose it here</a>"))
        #expect(mail.html.contains("Account: a+b@example.com<br>\nTime:"))
        // Other emails, and other languages, have the texts of the server.
        #expect(Self.mail(.verifyEmail).subject.contains("Confirm your email address"))
    }

    @Test func `A value with a field in it is not filled again, and is escaped in HTML`() async throws {
        let mail = Self.mail(
            .signInCode, service: #"{{code}} & "Sons""#,
            templates: try await Self.templates([
                "signInCode.en.txt": "Subject: For {{service}}\n\nCode of {{service}}: {{code}}\n",
                "signInCode.en.html": #"<p title="{{service}}">{{code}}</p>"#,
            ]))
        expectEqual(mail.subject, #"For {{code}} & "Sons""#)
        expectEqual(mail.text, "Code of {{code}} & \"Sons\": 012 345\n")
        expectEqual(mail.html, #"<p title="{{code}} &amp; &quot;Sons&quot;">012 345</p>"#)
    }

    static let unusable: [(name: String, content: String, reason: String)] = [
        ("verifyMail.en.txt", "Subject: x\n\n{{link}}\n", "is for no email"),
        ("verifyEmail.xx.txt", "Subject: x\n\n{{link}}\n", "is for no email"),
        ("verifyEmail.en.md", "Subject: x\n\n{{link}}\n", "is for no email"),
        ("verifyEmail.txt", "Subject: x\n\n{{link}}\n", "is for no email"),
        ("verifyEmail.en.txt", "", "it must begin with 'Subject: '"),
        ("verifyEmail.en.txt", "Confirm\n\n{{link}}\n", "it must begin with 'Subject: '"),
        ("verifyEmail.en.txt", "Subject: \n\n{{link}}\n", "it must begin with 'Subject: '"),
        ("verifyEmail.en.txt", "Subject: a\u{1}b\n\n{{link}}\n", "it must begin with 'Subject: '"),
        (
            "verifyEmail.en.txt", "Subject: \(String(repeating: "x", count: 201))\n\n{{link}}\n",
            "it must begin with 'Subject: '"
        ),
        ("verifyEmail.en.txt", "Subject: x\n{{link}}\n", "an empty line and a text must follow its subject"),
        ("verifyEmail.en.txt", "Subject: x\n\n \n", "an empty line and a text must follow its subject"),
        ("verifyEmail.en.txt", "Subject: x\n\nNo link, but {{code}}.\n", "{{link}} is missing"),
        ("signInCode.en.txt", "Subject: x\n\nNo code.\n", "{{code}} is missing"),
        ("signInCode.en.txt", "Subject: x\n\n{{link}} {{code}}\n", "'{{link}}' has no value in it, only {{service}}"),
        ("signedUp.en.txt", "Subject: x\n\n{{lifetime}}\n", "'{{lifetime}}' has no value in it"),
        ("signedUp.en.txt", "Subject: x\n\n{{user}}\n", "'{{user}}' has no value in it"),
        ("signedUp.en.txt", "Subject: x\n\nHello {{service, \n", "'{{service,' has no value in it"),
        ("signInCode.en.txt", "Subject: {{code}}\n\n{{code}}\n", "its subject can have {{service}}, {{recipient}} and"),
        (
            "signInCode.en.txt", "Subject: {{recipient}}{{recipient}}\n\n{{code}}\n",
            "its subject can have {{service}}, {{recipient}} and"
        ),
        ("signedUp.en.html", "<p>Hello</p>", "'signedUp.en.txt' with its subject and plain text is missing"),
        ("signedUp.en.txt", "Subject: x\n\na\u{0}b\n", "it has a NUL byte"),
        ("signedUp.en.txt", "Subject: x\n\n\(String(repeating: "x", count: 100 << 10))\n", "it is larger than 100 KiB"),
    ]

    @Test(arguments: unusable)
    func `A file that cannot be an email stops the start, and says why`(
        name: String, content: String, reason: String
    ) async throws {
        try await withTemporaryFolder { folder in
            try Data(content.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            let problem = #expect(throws: SettingProblem.self) {
                () throws(SettingProblem) in try MailTemplates(reading: folder)
            }
            guard case .stated(let text, _, _)? = problem else { return }
            #expect(text.contains("\(folder)/\(name)") && text.contains(reason), "\(text)")
        }
    }

    @Test func `HTML without the link is not an email with it`() async throws {
        try await withTemporaryFolder { folder in
            for (ending, content) in [("txt", "Subject: x\n\n{{link}}\n"), ("html", "<p>Hello</p>")] {
                try Data(content.utf8).write(to: URL(filePath: "\(folder)/verifyEmail.en.\(ending)"))
            }
            let problem = #expect(throws: SettingProblem.self) {
                () throws(SettingProblem) in try MailTemplates(reading: folder)
            }
            guard case .stated(let text, _, _)? = problem else { return }
            #expect(text.hasSuffix("/verifyEmail.en.html' cannot be used: {{link}} is missing."), "\(text)")
        }
    }

    @Test func `Bytes that are not UTF-8 are refused`() async throws {
        try await withTemporaryFolder { folder in
            try Data("Subject: Gr".utf8 + [0xFC, 0xDF] + "e\n\nx\n".utf8)
                .write(to: URL(filePath: "\(folder)/signedUp.de.txt"))
            #expect(throws: IdentityError.self) { try MailTemplates(folder: folder) }
        }
    }

    @Test func `A server sends the operator's emails in the user's language`() async throws {
        let templates = try await Self.templates([
            "verifyEmail.de.txt": "Subject: Willkommen bei {{service}}\n\nHier entlang:\n{{link}}\n"
        ])
        let site = try await Site {
            $0.issuer = "https://id.example.com"
            $0.mailTemplates = templates
        }
        let body: JSONValue = ["email": "ada@example.com", "password": .string(Site.password)]
        let response = try await site.post("/api/clients/register", body, fields: ["Accept-Language": "de-AT"])
        expectEqual(response.status, 201)
        await expectEqual(site.subjects(), ["Willkommen bei Latchwork"])
        let token = try #require(await site.mailedToken())
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(token)]).status, 200)
    }
}
