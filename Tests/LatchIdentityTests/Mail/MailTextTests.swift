// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchTexts
import TestTags
import TestVectors
import Testing

@testable import LatchIdentity

@Suite struct MailTextTests {
    private func lines(_ message: MailMessage, at date: Date = noon) throws -> [String] {
        let bytes = try message.bytes(from: "no-reply@id.example.com", at: date)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test func `The bytes of a mail begin with the fields of RFC 5322, each once and in one line`() throws {
        let head = try lines(MailMessage(to: "a@example.com", subject: "Hello", text: "x", id: "abc"))
            .prefix { !$0.isEmpty }
        expectEqual(
            Array(head),
            [
                "Date: Mon, 15 Jan 2035 08:00:00 +0000", "From: <no-reply@id.example.com>", "To: <a@example.com>",
                "Subject: Hello", "Message-ID: <abc@id.example.com>", "MIME-Version: 1.0",
                "Auto-Submitted: auto-generated", "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable",
            ])
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 +0000"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 +0000"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 +0000"), (1_784_600_000, "Tue, 21 Jul 2026 02:13:20 +0000"),
    ])
    func `The bytes of a mail carry the date in UTC, in English`(seconds: Double, text: String) throws {
        let message = try MailMessage(to: "a@example.com", subject: "x", text: "x")
        try expectEqual(lines(message, at: Date(timeIntervalSince1970: seconds))[0], "Date: " + text)
    }

    @Test(arguments: [
        "", "x", "ä\n", "a=b", " trailing \n tab\t", ".", ".\n..\n.x", String(repeating: "x", count: 77),
        String(repeating: "ä.=", count: 100), String(repeating: "x", count: 74) + "..end", "a\n\nb\n",
        "From here\n--=_abc--\n",
    ])
    func `The bytes of a mail carry the text in short lines of ASCII, and another program reads it back`(text: String)
        async throws
    {
        let all = try lines(MailMessage(to: "a@example.com", subject: "x", text: text))
        let content = all[try #require(all.firstIndex(of: "")).advanced(by: 1)...]
        for line in content {
            #expect(line.utf8.count <= 76 && line.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0D && $0 != 0x0A })
            // RFC 5321 §4.5.2: a line of one dot would end the mail.
            #expect(!line.hasPrefix(".") && !line.hasPrefix("--=_"))
        }
        try await expectEqual(Self.parsed(content.joined(separator: "\r\n")), text)
    }

    @Test(arguments: Texts.languages, [MailMessage.Encoding.ascii, .utf8])
    func `The bytes of a mail are plain text and HTML with the same link, as another program reads them`(
        language: String, encoding: MailMessage.Encoding
    ) async throws {
        let template = ComposedMail(
            .verifyEmail, to: "a@example.com", token: "t0ken", code: "012345", issuer: "https://id.example.com",
            at: noon,
            texts: Texts(languages: [language]))
        let message = try MailMessage(
            to: "a@example.com", subject: template.subject, text: template.text, html: template.html,
            language: language, id: "abc")
        let bytes = try message.bytes(from: "no-reply@id.example.com", at: noon, as: encoding)
        let script = """
            import email, email.policy, json, sys
            m = email.message_from_bytes(open(sys.argv[1], "rb").read(), policy=email.policy.default)
            print(json.dumps([m.get_content_type(), m["Message-ID"], m["Subject"], len(m.defects)]
                + [[p.get_content_type(), p.get_content().replace("\\r\\n", "\\n"), len(p.defects)] for p in m.iter_parts()]))
            """
        let found = try JSONValue(
            parsing: Array(try await PythonCommand.run(script, input: String(decoding: bytes, as: UTF8.self)).utf8))
        expectEqual(
            found,
            .array([
                "multipart/alternative", "<abc@id.example.com>", .string(template.subject), 0,
                .array(["text/plain", .string(template.text), 0]),
                .array(["text/html", .string(template.html), 0]),
            ]))
        #expect(template.text.contains("https://id.example.com/verify?token=t0ken\n"))
        #expect(template.html.contains(#"href="https://id.example.com/verify?token=t0ken""#))
    }

    /// Decodes quoted-printable with Python.
    private static func parsed(_ text: String) async throws -> String? {
        let script = """
            import json, quopri, sys
            text = quopri.decodestring(open(sys.argv[1], "rb").read()).decode()
            print(json.dumps(text.replace("\\r\\n", "\\n")))
            """
        let output = try await PythonCommand.run(script, input: text)
        return try JSONValue(parsing: Array(output.utf8)).stringValue.map { String($0.dropLast()) }
    }

    @Test(arguments: ["", "two\r\nBcc: b@example.com", "tab\tbed", "line\u{2028}", "nul\u{0}"])
    func `The bytes of a mail have no subject that could be more than one field`(subject: String) {
        #expect(throws: IdentityError.self) { try MailMessage(to: "a@example.com", subject: subject, text: "x") }
    }

    @Test(arguments: [
        "", "a", "a@b@c d", "a@example.com\r\nBcc: b@example.com", "<a@example.com>", "a@example.com, b@c",
    ])
    func `The bytes of a mail have exactly one address as the recipient`(recipient: String) {
        #expect(throws: IdentityError.self) { try MailMessage(to: recipient, subject: "x", text: "x") }
    }

    @Test(.tags(.silentTokens), arguments: OutboxMail.Purpose.allCases)
    func `The bytes of a mail are not printed, for they hold a token`(purpose: OutboxMail.Purpose) throws {
        let template = ComposedMail(
            purpose, to: "a@example.com", token: "t0ken", code: "012345", issuer: "https://id.example.com/",
            at: noon)
        let message = try MailMessage(
            to: "a@example.com", subject: template.subject, text: template.text, html: template.html)
        var dumped = ""
        dump(message, to: &dumped)
        #expect(!"\(message) \(String(reflecting: message)) \(dumped)".contains("t0ken"))
        let hasLink = [.verifyEmail, .resetPassword, .newAddress, .oldAddress, .invitation].contains(purpose)
        expectEqual(message.text.contains("?token=t0ken\n"), hasLink)
        let isAboutAccount = purpose.page == .account
        expectEqual(message.html?.contains("https://id.example.com/"), hasLink || isAboutAccount)
        expectEqual(message.text.contains("at https://id.example.com/verify:\n"), purpose == .verifyEmail)
        expectEqual(message.text.contains("\nGo to your account:\nhttps://id.example.com/account\n"), isAboutAccount)
        let hasCode = [.addressCode, .signUpCode, .signInCode, .verifyEmail, .factorRecoveryCode].contains(purpose)
        expectEqual(message.text.contains("\n012 345\n"), hasCode)
        expectEqual(message.html?.contains("012 345"), hasCode)
        #expect(!template.text.contains("com//") && !template.html.contains("com//"))
        #expect((template.text + template.html).utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func `The bytes of a mail escape the issuer in HTML`() {
        let template = ComposedMail(
            .verifyEmail, to: "a@example.com", token: "t", code: "012345", issuer: #"https://id.example.com/"><b>&"#,
            at: noon)
        #expect(!template.html.contains("<b>"))
    }
}
