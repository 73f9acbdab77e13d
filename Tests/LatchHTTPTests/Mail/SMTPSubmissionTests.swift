// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct SMTPSubmissionTests {
    private let message = Array("Subject: Hello\r\n\r\nHow are you?\r\n".utf8)

    private func failure(
        _ server: RawSMTPServer, from: String = "a@example.com", to: [String] = ["b@example.com"]
    ) async -> HTTPError? {
        await #expect(throws: HTTPError.self) {
            try await SMTPSubmission().send(message: message, from: from, to: to, via: server.url)
        }
    }

    @Test func `A mail submission hands over envelope and message unchanged`() async throws {
        let server = try RawSMTPServer()
        try await SMTPSubmission().send(
            message: message, from: "sender@example.com", to: ["a@example.com", "b.c+d@mail.example.org"],
            via: server.url)
        expectEqual(server.messages, [message])
        let commands = server.commands.filter { !$0.hasPrefix("EHLO") && $0 != "QUIT" }
        let envelope = commands.map { $0.split(separator: " SIZE=").first.map(String.init) ?? $0 }
        expectEqual(
            envelope,
            [
                "MAIL FROM:<sender@example.com>", "RCPT TO:<a@example.com>", "RCPT TO:<b.c+d@mail.example.org>", "DATA",
            ])
    }

    @Test(arguments: [
        (".", "..\r\n"), (".\r\n", "..\r\n"), ("a\r\n.\r\nb", "a\r\n..\r\nb\r\n"), ("\n.\nx", "\r\n..\r\nx\r\n"),
        ("a\n..b\n", "a\r\n...b\r\n"), ("a.b\r\n", "a.b\r\n"),
        ("x\n.\nMAIL FROM:<c@d>\n", "x\r\n..\r\nMAIL FROM:<c@d>\r\n"),
    ])
    func `A mail submission doubles a dot at the beginning of a line`(text: String, onTheWire: String) async throws {
        let server = try RawSMTPServer()
        try await SMTPSubmission().send(message: Array(text.utf8), from: "a@b", to: ["c@d"], via: server.url)
        expectEqual(server.messages.map { String(decoding: $0, as: UTF8.self) }, [onTheWire])
        expectEqual(server.commands.filter { $0.hasPrefix("MAIL") }.count, 1)
    }

    @Test func `A mail submission writes every line end as CRLF`() async throws {
        let server = try RawSMTPServer()
        try await SMTPSubmission().send(
            message: Array("a\nb\rc\r\nd\n\re\r\n".utf8), from: "a@b", to: ["c@d"], via: server.url)
        expectEqual(server.messages.map { String(decoding: $0, as: UTF8.self) }, ["a\r\nb\r\nc\r\nd\r\n\r\ne\r\n"])
    }

    @Test func `A mail submission takes a message that is larger than any buffer`() async throws {
        let server = try RawSMTPServer()
        let line = String(repeating: "x", count: 70) + "\n.\n"
        try await SMTPSubmission().send(
            message: Array(String(repeating: line, count: 10_000).utf8), from: "a@b", to: ["c@d"], via: server.url)
        expectEqual(server.messages.first?.count, 76 * 10_000)
    }

    @Test func `A mail submission signs in if there is a password`() async throws {
        let server = try RawSMTPServer()
        try await SMTPSubmission(user: "ada", password: "s3cret").send(
            message: message, from: "a@b", to: ["c@d"], via: server.url)
        // RFC 4616: NUL user NUL password, in base64.
        #expect(server.commands.contains { $0.hasPrefix("AUTH PLAIN") })
        #expect(server.commands.contains { $0.contains("AGFkYQBzM2NyZXQ=") })
    }

    /// curl/curl#22832, PHPMailer/PHPMailer#1224: challenges for which the server has no secrets.
    @Test(arguments: ["CRAM-MD5 DIGEST-MD5 NTLM LOGIN PLAIN", "GSSAPI NTLM LOGIN", "CRAM-MD5"])
    func `A mail submission signs in by the password itself if the server takes it`(mechanisms: String) async throws {
        let server = try RawSMTPServer(refusing: ["AUTH": "535 no"], extensions: ["AUTH \(mechanisms)"])
        let submission = SMTPSubmission(user: "ada", password: "secret")
        await #expect(throws: HTTPError.offline) {
            try await submission.send(
                message: Array("x".utf8), from: "a@example.com", to: ["b@example.com"], via: server.url)
        }
        let tried = server.commands.filter { $0.hasPrefix("AUTH") }
        let expected = ["PLAIN", "LOGIN"].first { mechanisms.contains($0) } ?? mechanisms
        expectEqual(tried.first?.hasPrefix("AUTH \(expected)"), true)
        #expect(tried.count == 1 || expected == "PLAIN" && tried.count == 2)
    }

    @Test(arguments: [
        "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b>\r\nRCPT TO:<evil@x", "a\r\n@b", "<a@b>", "a@b c", "a\u{0}@b",
        "a,b@c",
        "é@b", "a@é", "\"a b\"@c", "a@[127.0.0.1]",
    ])
    func `A mail submission refuses an invalid address before it connects`(address: String) async throws {
        let server = try RawSMTPServer()
        await expectEqual(failure(server, to: ["c@d", address])?.code, HTTPError.invalidField.code)
        await expectEqual(failure(server, from: address)?.code, HTTPError.invalidField.code)
        #expect(server.commands.isEmpty)
    }

    @Test func `A mail submission needs a recipient`() async throws {
        await expectEqual(failure(try RawSMTPServer(), to: [])?.code, HTTPError.invalidField.code)
    }

    @Test(arguments: [
        ("RCPT", "550 no such user", "(550)"), (".", "554 spam", "(554)"),
        ("RCPT", "550 5.1.1 no such user", "(550 5.1.1)"),
        ("RCPT", "554 5.7.1 <b@relay.example>: Recipient address rejected: Access denied", "(554 5.7.1)"),
        ("RCPT", "550 5.2.1 mailbox disabled", "(550 5.2.1)"),
    ])
    func `A mail submission fails for good when the server refuses the recipient or the message`(
        verb: String, reply: String, codes: String
    ) async throws {
        let server = try RawSMTPServer(refusing: [verb: reply])
        let error = await failure(server)
        expectEqual(error?.code, "mailRefused")
        expectEqual(error?.isConnectivity, false)
        #expect(error?.message.contains(codes) == true && error?.message.contains("relay") == false)
    }

    @Test(arguments: [
        ("MAIL", "553 not you", "(553)"), ("MAIL", "553 5.1.8 <a@example.com>: Sender address rejected", "(553 5.1.8)"),
        ("RCPT", "504 5.5.2 <vm>: Helo command rejected: need fully-qualified hostname", "(504 5.5.2)"),
        ("RCPT", "554 5.7.1 <b@example.com>: Relay access denied", "(554 5.7.1)"),
        ("RCPT", "550 5.7.1 Client host rejected: cannot find your hostname", "(550 5.7.1)"),
        ("RCPT", "550-5.7.26 This mail has been blocked\r\n550 5.7.26 by the policy", "(550 5.7.26)"),
        ("EHLO", "550 go away", "(550)"),
    ])
    func `A mail submission can succeed later when the server refuses this client or its sender`(
        verb: String, reply: String, codes: String
    ) async throws {
        let server = try RawSMTPServer(refusing: [verb: reply, "HELO": reply])
        let error = await failure(server)
        expectEqual(error?.isConnectivity, true)
        expectEqual(
            error?.message.contains("refuses this server or its sender \(codes)"), true, "\(error?.message ?? "")")
        expectEqual(error?.message.contains("example.com"), false)
    }

    @Test func `A mail submission greets with the given name`() async throws {
        let server = try RawSMTPServer()
        try await SMTPSubmission(helloName: "id.example.com").send(
            message: message, from: "a@b", to: ["c@d"], via: server.url)
        expectEqual(server.commands.first, "EHLO id.example.com")
    }

    @Test func `A mail submission recognizes a server without sign-in, if there is a user`() async throws {
        let submission = SMTPSubmission(user: "ada", password: "s3cret")
        let server = try RawSMTPServer(refusing: ["RCPT": "554 5.7.1 Relay access denied"], extensions: [])
        let failed = await #expect(throws: HTTPError.self) {
            try await submission.send(message: message, from: "a@b", to: ["c@d"], via: server.url)
        }
        let checked = await #expect(throws: HTTPError.self) {
            try await submission.checkConnection(from: "a@b", to: server.url)
        }
        for error in [failed, checked] {
            #expect(error?.isConnectivity == true && error?.message.contains("does not offer sign-in") == true)
        }
        try await SMTPSubmission().checkConnection(from: "a@b", to: server.url)
    }

    @Test(arguments: ["553 5.1.8 not you", "550 no", "451 later"])
    func `A mail submission checks whether the sender is accepted`(reply: String) async throws {
        let server = try RawSMTPServer(refusing: ["MAIL": reply])
        let error = await #expect(throws: HTTPError.self) {
            try await SMTPSubmission().checkConnection(from: "a%41@b", to: server.url)
        }
        expectEqual(error?.isConnectivity, true)
        #expect(server.commands.contains("MAIL FROM:<a%41@b>"))
        #expect(!server.commands.contains { $0.hasPrefix("RCPT") || $0 == "DATA" })
    }

    @Test(arguments: [("RCPT", "450 busy"), ("MAIL", "451 later"), (".", "452 full"), ("EHLO", "421 closing")])
    func `A mail submission can succeed later when the server refuses for now`(verb: String, reply: String) async throws
    {
        let server = try RawSMTPServer(refusing: [verb: reply, "HELO": reply])
        let error = await failure(server)
        expectEqual(error?.isConnectivity, true)
    }

    @Test(arguments: ["535 no", "534 a stronger one", "530 log in first"])
    func `A mail submission can succeed later when the password is refused, and does not show it`(reply: String)
        async throws
    {
        // The operator can change it, and the mails must not wait for hours then.
        let server = try RawSMTPServer(refusing: ["AUTH": reply])
        let error = await #expect(throws: HTTPError.self) {
            try await SMTPSubmission(user: "ada", password: "s3cret").send(
                message: message, from: "a@b", to: ["c@d"], via: server.url)
        }
        expectEqual(error?.isConnectivity, true)
        expectEqual(error?.description.contains("s3cret"), false)
        expectEqual(error?.message.contains("does not accept the user"), reply == "535 no")
        expectEqual(error?.message.contains("requires TLS before the user and password"), reply == "530 log in first")
        #expect(server.messages.isEmpty)
    }

    @Test func `A mail submission recognizes a server that requires a user or TLS`() async throws {
        let server = try RawSMTPServer(refusing: ["MAIL": "530 log in first"])
        let error = await failure(server)
        expectEqual(error?.isConnectivity, true)
        expectEqual(error?.message.contains("requires a user and password, or TLS"), true)
    }

    /// Scanners reply to a whole message after minutes, and have taken it: a client that gives up sends it again.
    @Test(.timeLimit(.minutes(5)))
    func `A mail submission waits longer for the reply to the whole message than for any other`()
        async throws
    {
        let (silences, silence) = AsyncStream.makeStream(of: Void.self)
        let slow = try RawSMTPServer(silentAfter: ".") { silence.yield() }
        let submission = SMTPSubmission(timeout: .milliseconds(1500))
        async let sent: Void = submission.send(message: message, from: "a@b", to: ["c@d"], via: slow.url)
        for await _ in silences { break }
        // A server that is silent before the message shows that the limit has passed meanwhile.
        let silent = try RawSMTPServer(silentAfter: "EHLO")
        await #expect(throws: HTTPError.timeout) {
            try await submission.send(message: message, from: "a@b", to: ["c@d"], via: silent.url)
        }
        silent.readOn()
        slow.readOn()
        try await sent
        expectEqual(slow.messages, [message])
    }

    @Test func `A mail submission without a server is offline`() async throws {
        let error = await #expect(throws: HTTPError.self) {
            try await SMTPSubmission(timeout: .seconds(120)).send(
                message: message, from: "a@b", to: ["c@d"], via: "smtp://127.0.0.1:1")
        }
        expectEqual(error?.isConnectivity, true)
    }

    /// 0.0.0.0 reaches this machine too, but is no loopback address and is treated as any other host.
    @Test(arguments: [([], "tls"), (["STARTTLS"], "offline")])
    func `A mail submission to another machine is refused before the password unless STARTTLS succeeds`(
        extensions: [String], code: String
    ) async throws {
        let server = try RawSMTPServer(refusing: ["STARTTLS": "454 not now"], extensions: extensions + ["AUTH PLAIN"])
        let error = await #expect(throws: HTTPError.self) {
            try await SMTPSubmission(user: "ada", password: "s3cret", timeout: .seconds(120)).send(
                message: message, from: "a@b", to: ["c@d"], via: "smtp://0.0.0.0:\(server.port)")
        }
        expectEqual(error?.code, code)
        #expect(!server.commands.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") })
    }

    /// Postfix with `smtpd_tls_auth_only` is such a server, and its certificate is one that it has made for itself.
    @Test(needsPostgres)
    func `A mail submission on this machine uses offered TLS, and requires no certificate`() async throws {
        let server = try await SubmissionServer(Certificate())
        try await SMTPSubmission(user: "ada", password: "s3cret").send(
            message: message, from: "a@b", to: ["c@d"], via: "smtp://127.0.0.1:\(server.port)")
        await expectEqual(server.message(), "Subject: Hello||How are you?")
        let implicit = try await SubmissionServer(Certificate(), isImplicit: true)
        let error = await #expect(throws: HTTPError.self) {
            try await SMTPSubmission(user: "ada", password: "s3cret").send(
                message: message, from: "a@b", to: ["c@d"], via: "smtps://127.0.0.1:\(implicit.port)")
        }
        expectEqual(error?.code, HTTPError.tls.code)
    }

    @Test func `A mail submission with smtps uses TLS at once`() async throws {
        let server = try RawSMTPServer()
        let error = await #expect(throws: HTTPError.self) {
            try await SMTPSubmission(timeout: .seconds(120)).send(
                message: message, from: "a@b", to: ["c@d"], via: "smtps://127.0.0.1:\(server.port)")
        }
        expectEqual(error?.code, HTTPError.tls.code)
        #expect(!server.commands.contains { $0.hasPrefix("MAIL") })
    }

    @Test(arguments: [
        "http://h", "smtp:/h", "smtp://", "smtp://u:p@h", "smtp://h/path", "smtp://h h", "file:///etc/passwd", "",
        "smtp://h:99999", "smtp://h\r\n",
    ])
    func `A mail submission goes to mail servers only`(url: String) async {
        let error = await #expect(throws: HTTPError.self) {
            try await SMTPSubmission().send(message: message, from: "a@b", to: ["c@d"], via: url)
        }
        expectEqual(error?.code, HTTPError.invalidURL.code)
    }

    @Test(.timeLimit(.minutes(10)))
    func `A mail submission ends as soon as its task is canceled, by the event that shows its progress`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let task = Task {
            try await SMTPSubmission().send(
                message: message, from: "a@b", to: ["c@d"], via: "smtp://127.0.0.1:\(server.port)")
        }
        // It says nothing, so the submission waits for its greeting until it is cancelled.
        for await event in server.events {
            if case .opened = event { task.cancel() }
            if case .closedByClient = event { break }
        }
        await #expect(throws: HTTPError.cancelled) { try await task.value }
    }

    /// The message is larger than what the system takes from a client whose server does not read.
    @Test(.timeLimit(.minutes(10)), arguments: ["EHLO", "MAIL", "RCPT", "DATA"])
    func `A mail submission that is canceled ends at once, and sends no part of a message as a whole one`(
        verb: String
    ) async throws {
        let (silences, silence) = AsyncStream.makeStream(of: Void.self)
        let server = try RawSMTPServer(silentAfter: verb) { silence.yield() }
        let large = message + Array(String(repeating: "line\r\n", count: 3_000_000).utf8)
        let task = Task {
            try await SMTPSubmission(timeout: .seconds(600)).send(
                message: large, from: "a@b", to: ["c@d"], via: server.url)
        }
        for await _ in silences { break }
        task.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        server.readOn()
        try await eventually { !server.messages.isEmpty }
        #expect(server.messages.allSatisfy { $0.firstRange(of: Array("\r\n.\r\n".utf8)) == nil })
    }
}
