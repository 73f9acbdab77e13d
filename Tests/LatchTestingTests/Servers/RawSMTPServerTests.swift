// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import TestSupport
import Testing

@Suite struct RawSMTPServerTests {
    /// Says each line after the answer to the last, and gives the answers.
    static func dialogue(_ server: RawSMTPServer, _ lines: [String]) async throws -> [String] {
        let client = try RawClient(port: server.port)
        var answers: [String] = []
        for line in [""] + lines {
            if !line.isEmpty { await client.send(line + "\r\n") }
            var answer = ""
            // The last line of an answer has a blank behind its code (RFC 5321 §4.2.1).
            repeat {
                guard let bytes = await client.receive() else { return answers }
                answer += String(decoding: bytes, as: UTF8.self)
            } while !(answer.hasSuffix("\r\n") && answer.split(separator: "\r\n").last?.dropFirst(3).first == " ")
            answers.append(String(answer.prefix(3)))
        }
        return answers
    }

    @Test func `A raw mail server records its commands and keeps the message to the byte`() async throws {
        let server = try RawSMTPServer()
        let answers = try await Self.dialogue(
            server,
            ["EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA", "Subject: x\r\n\r\n..dot\r\n.", "QUIT"])
        expectEqual(answers, ["220", "250", "250", "250", "354", "250", "221"])
        expectEqual(server.messages.map { String(decoding: $0, as: UTF8.self) }, ["Subject: x\r\n\r\n..dot\r\n"])
        expectEqual(server.commands.first, "EHLO me")
        #expect(server.commands.contains("RCPT TO:<c@d>"))
        expectEqual(server.url, "smtp://127.0.0.1:\(server.port)")
    }

    @Test func `A raw mail server refuses exactly the configured commands`() async throws {
        let server = try RawSMTPServer(refusing: ["RCPT": "550 no such user"])
        let answers = try await Self.dialogue(server, ["EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "QUIT"])
        expectEqual(answers, ["220", "250", "250", "550", "221"])
        #expect(server.messages.isEmpty)
    }

    @Test func `A raw mail server serves one client after another`() async throws {
        let server = try RawSMTPServer()
        for number in 0..<3 {
            try await expectEqual(Self.dialogue(server, ["EHLO c\(number)", "QUIT"]), ["220", "250", "221"])
        }
        expectEqual(server.commands.filter { $0.hasPrefix("EHLO") }, ["EHLO c0", "EHLO c1", "EHLO c2"])
    }
}
