// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct `The bytes of a mail` {
    private func lines(_ message: MailMessage, at date: Date = noon) -> [String] {
        let bytes = message.bytes(from: "no-reply@id.example.com", at: date, id: "abc")
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test func `begin with the fields of RFC 5322, each once and in one line`() throws {
        let head = lines(try MailMessage(to: "a@example.com", subject: "Hello", text: "x")).prefix { !$0.isEmpty }
        #expect(
            Array(head) == [
                "Date: Fri, 15 Jan 2027 08:00:00 +0000", "From: <no-reply@id.example.com>", "To: <a@example.com>",
                "Subject: Hello", "Message-ID: <abc@id.example.com>", "MIME-Version: 1.0",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64",
                "Auto-Submitted: auto-generated",
            ])
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 +0000"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 +0000"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 +0000"), (1_784_600_000, "Tue, 21 Jul 2026 02:13:20 +0000"),
    ])
    func `carry the date in UTC, in English`(seconds: Double, text: String) throws {
        let message = try MailMessage(to: "a@example.com", subject: "x", text: "x")
        #expect(lines(message, at: Date(timeIntervalSince1970: seconds))[0] == "Date: " + text)
    }

    @Test(arguments: [0, 1, 56, 57, 58, 1000])
    func `carry the text in base64 lines of 76 characters at most, and give it back`(count: Int) throws {
        let text = String(repeating: "ä\r\n.", count: count)
        let all = lines(try MailMessage(to: "a@example.com", subject: "x", text: text))
        let content = try #require(all.firstIndex(of: "")).advanced(by: 1)
        #expect(all[content...].allSatisfy { $0.utf8.count <= 76 })
        // RFC 5321 §4.5.2: a line of one dot would end the mail; base64 has no dots.
        #expect(!all[content...].contains("."))
        #expect(Data(base64Encoded: all[content...].joined()).map { String(decoding: $0, as: UTF8.self) } == text)
    }

    @Test(arguments: ["", "two\r\nBcc: b@example.com", "tab\tbed", "ümlaut", "nul\u{0}"])
    func `have no subject that could be more than one field`(subject: String) {
        #expect(throws: IdentityError.self) { try MailMessage(to: "a@example.com", subject: subject, text: "x") }
    }

    @Test(arguments: [
        "", "a", "a@b@c d", "a@example.com\r\nBcc: b@example.com", "<a@example.com>", "a@example.com, b@c",
    ])
    func `have no recipient but one address`(recipient: String) {
        #expect(throws: IdentityError.self) { try MailMessage(to: recipient, subject: "x", text: "x") }
    }

    @Test(.tags(.p12)) func `are not printed, for they hold a token`() throws {
        let account = try Account.example()
        for message in [
            try MailTemplates.verification(to: account, token: "t0ken", issuer: "https://id.example.com"),
            try MailTemplates.reset(to: account, token: "t0ken", issuer: "https://id.example.com/"),
        ] {
            var dumped = ""
            dump(message, to: &dumped)
            #expect(!"\(message) \(String(reflecting: message)) \(dumped)".contains("t0ken"))
            #expect(message.text.contains("https://id.example.com/"))
            #expect(!message.text.contains("com//"))
            #expect(message.text.contains("?token=t0ken\n"))
            #expect(message.text.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func `hold nothing that a person typed but the address`() throws {
        var account = try Account.example()
        account.name = "<b>Click https://evil.example</b>"
        for message in [
            try MailTemplates.verification(to: account, token: "t", issuer: "https://id.example.com"),
            try MailTemplates.reset(to: account, token: "t", issuer: "https://id.example.com"),
        ] {
            #expect(!(message.subject + message.text).contains("evil"))
            #expect(message.recipient == account.email.text)
        }
    }
}
