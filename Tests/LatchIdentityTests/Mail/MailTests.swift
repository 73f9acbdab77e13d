// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct MailTests {
    private func message(_ text: String = "Hello") throws -> MailMessage {
        try MailMessage(to: "ada@example.com", subject: "Greetings", text: text, id: "abc")
    }

    @Test func `A mail is written with the fields that RFC 5322 asks for`() throws {
        let bytes = try message("Grüße\n").bytes(from: "no-reply@example.com", at: noon)
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.components(separatedBy: "\r\n")
        expectEqual(
            lines.prefix(10),
            [
                "Date: Mon, 15 Jan 2035 08:00:00 +0000", "From: <no-reply@example.com>", "To: <ada@example.com>",
                "Subject: Greetings", "Message-ID: <abc@example.com>", "MIME-Version: 1.0",
                "Auto-Submitted: auto-generated",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
            ])
        expectEqual(lines[10], "Gr=C3=BC=C3=9Fe")
    }

    @Test func `A mail has no long lines and no bare line ends, for any text`() throws {
        let text = String(repeating: "long \n.\nDATA\r\nquit ", count: 500)
        let bytes = try message(text).bytes(from: "no-reply@example.com", at: noon)
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && !$0.contains("\n") && !$0.contains("\r") && $0 != "." })
    }

    @Test(
        .tags(.mailInjection),
        arguments: ["a@example.com\r\nBcc: x@example.com", "a@example.com, b@example.com", "A <a@example.com>", ""])
    func `A mail goes to exactly one address`(recipient: String) {
        #expect(throws: IdentityError.self) {
            try MailMessage(to: recipient, subject: "Hello", text: "")
        }
    }

    @Test(.tags(.mailInjection), arguments: ["two\r\nlines", "tab\t", "", "nul\u{0}"])
    func `A mail has one line as its subject`(subject: String) {
        #expect(throws: IdentityError.self) {
            try MailMessage(to: "a@example.com", subject: subject, text: "")
        }
    }

    @Test func `A mail has a subject of any language, which the wire carries in ASCII, and a file unchanged`() throws {
        let mail = try MailMessage(
            to: "a@example.com", subject: "Schlüssel für Zoë & Co. – bitte bestätigen, dass alles in Ordnung ist",
            text: "ü.\n.\n")
        let wire = try mail.bytes(from: "Ünal <a@example.com>", at: noon)
        #expect(wire.allSatisfy { $0 < 0x80 })
        let lines = String(decoding: wire, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
        expectEqual(lines[1], "From: =?utf-8?Q?=C3=9Cnal?= <a@example.com>")
        #expect(lines[3].hasPrefix("Subject: =?utf-8?Q?Schl=C3=BCssel_f=C3=BCr_Zo=C3=AB"))
        let file = String(decoding: try mail.bytes(from: "Ünal <a@example.com>", at: noon, as: .utf8), as: UTF8.self)
        #expect(file.contains("\r\nFrom: Ünal <a@example.com>\r\n") && file.contains("Subject: Schlüssel für Zoë"))
        #expect(file.contains("Content-Transfer-Encoding: 8bit\r\n\r\nü.\r\n.\r\n"))
    }

    @Test(.tags(.silentTokens)) func `A mail does not print its text, which holds a token`() throws {
        let message = try message("https://id.example.com/reset?token=SECRET")
        var dumped = ""
        dump(message, to: &dumped)
        #expect(!"\(message) \(String(reflecting: message)) \(dumped)".contains("SECRET"))
    }
}

@Suite struct MailerTests {
    @Test
    func `A mailer that writes files makes the folder, sorts by time, and lets only the owner read`() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock(noon)
        let mailer = FileMailer(
            folder: folder.file("mails"), sender: "no-reply@example.com", clock: clock.wallClock())
        for number in 0..<3 {
            try await mailer.send(MailMessage(to: "a@example.com", subject: "Mail \(number)", text: "x"))
            clock.advance(by: 1)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("mails")).sorted()
        expectEqual(names.count, 3)
        for (number, name) in names.enumerated() {
            #expect(name.hasSuffix(".eml"))
            try expectEqual(folder.permissions(of: "mails/\(name)"), 0o600)
            let text = String(decoding: try folder.bytes(of: "mails/\(name)"), as: UTF8.self)
            #expect(text.contains("Subject: Mail \(number)\r\n"))
        }
    }

    @Test func `A mailer that cannot write says so`() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.file("file")))
        let mailer = FileMailer(folder: folder.file("file"), sender: "no-reply@example.com")
        await #expect {
            try await mailer.send(MailMessage(to: "a@example.com", subject: "x", text: "x"))
        } throws: { error in
            if case IdentityError.mailNotSent = error { true } else { false }
        }
    }

    @Test func `A mailer that submits hands the mail to the server`() async throws {
        let server = try RawSMTPServer()
        let mailer = try SMTPMailer(url: server.url, sender: "no-reply@example.com")
        try await mailer.send(MailMessage(to: "a@example.com", subject: "Hello", text: "x"))
        let text = try #require(server.messages.first.map { String(decoding: $0, as: UTF8.self) })
        #expect(text.contains("To: <a@example.com>\r\n"))
        #expect(server.commands.contains { $0.hasPrefix("RCPT TO:<a@example.com>") })
    }

    @Test func `A mailer that submits checks its connection, and sends nothing`() async throws {
        let server = try RawSMTPServer()
        let url = "smtp://ada:hunter2@127.0.0.1:\(server.port)"
        try await SMTPMailer(url: url, sender: "no-reply@example.com").checkConnection()
        #expect(server.commands.contains { $0.hasPrefix("EHLO") })
        #expect(server.commands.contains("AUTH PLAIN") && server.messages.isEmpty)
        #expect(server.commands.contains("MAIL FROM:<no-reply@example.com>"))
        #expect(!server.commands.contains { $0.hasPrefix("RCPT") || $0 == "DATA" })
    }

    @Test(arguments: [
        (["issuer": "https://id.example.com:8443/auth"], "id.example.com"),
        (["issuer": "https://id.example.com", "mail_hello_name": "mx.example.org"], "mx.example.org"),
        (["issuer": "http://127.0.0.1:8080", "mail_sender": "Acme <no-reply@example.net>"], "example.net"),
        (["issuer": "https://[::1]", "mail_sender": "a@example.net"], "example.net"),
        (["issuer": "http://localhost", "mail_sender": "no-reply@localhost"], nil), ([:], nil),
    ])
    func `A mailer that submits greets with the host of the issuer, or the domain of the sender`(
        values: [String: String], name: String?
    ) async throws {
        let server = try RawSMTPServer()
        let configuration = try IdentityConfiguration(values: values.merging(["smtp_url": server.url]) { $1 })
        let message = try MailMessage(to: "a@example.com", subject: "x", text: "x")
        try await configuration.mailer().send(message)
        let greeting = try #require(server.commands.first)
        if let name { expectEqual(greeting, "EHLO \(name)") } else { #expect(!greeting.contains("example")) }
    }

    @Test(arguments: [
        ("504 5.5.2 <vm>: Helo command rejected", IdentityError.mailNotSent.code, "(504 5.5.2)"),
        ("550 5.1.1 <a@example.com>: no such user", IdentityError.mailRefused.code, "(550 5.1.1)"),
    ])
    func `A mailer that submits reports the codes of a refusal, and no address`(
        reply: String, code: String, codes: String
    ) async throws {
        let server = try RawSMTPServer(refusing: ["RCPT": reply])
        let mailer = try SMTPMailer(url: server.url, sender: "no-reply@example.com")
        let error = try await #require(throws: IdentityError.self) {
            try await mailer.send(MailMessage(to: "a@example.com", subject: "Hello", text: "x"))
        }
        #expect(error.code == code && error.message.contains(codes))
        #expect(!error.message.contains("a@example.com") && !error.message.contains(".."))
    }

    @Test(arguments: [
        (["EHLO": "421 busy", "HELO": "421 busy"], "offline"), (["AUTH": "535 no"], "offline"),
    ])
    func `A mailer that submits reports a server that does not take its connection`(
        refusals: [String: String], code: String
    ) async throws {
        let server = try RawSMTPServer(refusing: refusals, extensions: ["AUTH LOGIN"])
        let url = "smtp://ada:hunter2@127.0.0.1:\(server.port)"
        let mailer = try SMTPMailer(url: url, sender: "no-reply@example.com")
        let error = try await #require(throws: HTTPError.self) { try await mailer.checkConnection() }
        #expect(error.code == code && !"\(error.message)".contains("hunter2"))
    }

    @Test(.tags(.silentTokens)) func `A mailer that submits does not print its password`() throws {
        let mailer = try SMTPMailer(url: "smtps://user:hunter2@mail.example.com", sender: "a@example.com")
        var dumped = ""
        dump(mailer, to: &dumped)
        #expect(!"\(mailer) \(dumped)".contains("hunter2"))
        #expect("\(mailer)".contains("mail.example.com"))
    }

    @Test(arguments: ["", "http://mail.example.com", "mail.example.com:25", "smtp://%zz:x@mail.example.com"])
    func `A mailer that submits refuses a URL of another kind`(url: String) {
        #expect(throws: IdentityError.self) { try SMTPMailer(url: url, sender: "a@example.com") }
    }

    @Test func `A mailer that is not configured fails visibly and delays no user`() async throws {
        let mailer = try IdentityConfiguration().mailer()
        await #expect {
            try await mailer.send(MailMessage(to: "a@example.com", subject: "x", text: "x"))
        } throws: { error in
            if case IdentityError.mailNotSent = error { true } else { false }
        }
    }
}

@Suite struct FullOutboxTests {
    @Test(.tags(.resetEnumeration))
    func `A full outbox refuses requests for emails, but no change of a password`() async throws {
        let site = try await Site()
        let account = try await site.signUp()
        let store = site.identity.services.store
        try await store.write { db throws(IdentityError) -> Void in
            try db.run(
                """
                WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
                INSERT INTO mail (id, purpose, email, email_key, created_at, due_at, attempts)
                SELECT 'm' || n, 'resetPassword', 'e' || n, 'e' || n, $1, $1 + 3600000, 0 FROM number
                """, [.date(noon)])
        }
        try await expectEqual(site.post("/api/auth/forgot-password", ["email": "ada@example.com"]).status, 503)
        let device = Device.example(of: account)
        #expect(try await store.insert(device, for: account))
        let changed = try await store.changePassword(
            of: account, to: "$new", on: device.id, signingOutOthers: false, at: noon)
        #expect(changed)
        await site.identity.flushMails()
        expectEqual(site.mailer.messages.map(\.subject), ["Latchwork: Your password was changed"])
        await site.close()
    }
}
