// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Testing

@testable import LatchHTTP

@Suite struct ResponseHeadTests {
    private func parse(_ text: String) throws -> HTTPResponse { try ResponseHead.parse(Array(text.utf8)) }

    private func lines(_ response: HTTPResponse) -> [String] {
        response.fields.map { "\($0.name.rawName)=\($0.value)" }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", 200), ("HTTP/2 204\r\n", 204), ("HTTP/1.0 404 \r\n", 404),
        ("HTTP/1.1 599 a b c\r\n", 599),
        ("HTTP/1.1 000 x\r\n", 0), ("HTTP/1.1 301", 301), ("HTTP/1.1 200 OK\n", 200),
    ])
    func `The head of a response has a status of three digits`(text: String, code: Int) throws {
        try expectEqual(parse(text).status.rawValue, code)
    }

    @Test(arguments: [
        "", "\r\n", "HTTP/1.1\r\n", "HTTP/1.1 \r\n", "HTTP/1.1 20", "HTTP/1.1 2x0 OK\r\n", "HTTP/1.1 -20 OK\r\n", "200",
    ])
    func `The head of a response without such a status is malformed`(text: String) {
        #expect(throws: HTTPError.malformedMessage) { try parse(text) }
    }

    @Test
    func `The head of a response keeps fields in order, with their spelling and without the blanks around them`() throws
    {
        let text =
            "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a:\t 2 \t\r\nEmpty:\r\nBlank: \r\nColon: a:b\r\nInner: a  b\r\nBare: x\n"
        expectEqual(
            lines(try parse(text)), ["X-A=1", "x-a=2", "Empty=", "Blank=", "Colon=a:b", "Inner=a  b", "Bare=x"])
    }

    @Test(arguments: [": no name", "no colon", "a b: x", "ä: x", "(a): x", "\u{0}: x"])
    func `The head of a response leaves out lines that are not fields and keeps those around them`(line: String) throws
    {
        expectEqual(lines(try parse("HTTP/1.1 200 OK\r\nA: 1\r\n\(line)\r\nB: 2\r\n")), ["A=1", "B=2"])
    }

    // RFC 9112 §5.2; report 14 in Documentation/PublicReports.md.
    @Test(arguments: [
        ("X: a\r\n b\r\n", "a b"), ("X: a \t\r\n\t  b\r\n", "a b"), ("X:\r\n a\r\n b: c\r\n", "a b: c"),
        ("X: a\r\n \r\n", "a"), ("X: a\n b\n", "a b"), ("X: a\r\n b", "a b"), ("no colon\r\n X: a\r\nX: b\r\n", "b"),
    ])
    func `The head of a response joins the lines of a folded field by one space`(lines: String, value: String) throws {
        let response = try parse("HTTP/1.1 200 OK\r\nA: 1\r\n\(lines)")
        expectEqual(self.lines(response), ["A=1", "X=\(value)"])
        expectEqual(ResponseHead.fields(Array(lines.utf8)).map(\.value), [value])
    }

    @Test func `The head of a response begins with no folded line`() throws {
        expectEqual(lines(try parse("HTTP/1.1 200 OK\r\n folded: x\r\nA: 1\r\n")), ["A=1"])
    }

    // RFC 9110 §5.5; report R7 in Documentation/PublicReports.md.
    @Test func `The head of a response reads a value that is not UTF-8 as ISO-8859-1`() throws {
        let head = Array("HTTP/1.1 200 OK\r\nX: a".utf8) + [0xFF] + Array("b\r\n".utf8)
        try expectEqual(ResponseHead.parse(head).fields["X"], "a\u{FF}b")
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `The head of a response with random fields reads back as written`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        for _ in 0..<200 {
            let names = (0..<random.below(20)).map { _ in random.pick(["A", "b-c", "X_1", "Set-Cookie", "!"]) }
            let fields = names.map { (name: $0, value: random.pick(["", "x", "a: b", "é", "\"q\"", "1, 2"])) }
            let text = fields.map {
                "\($0.name):\(random.pick(["", " ", "  ", "\t"]))\($0.value)\(random.pick(["", " "]))\r\n"
            }
            let response = try parse("HTTP/1.1 200 OK\r\n\(text.joined())")
            expectEqual(lines(response), fields.map { "\($0.name)=\($0.value)" }, "seed \(seed)")
            try response.fields.validate()
        }
    }
}

@Suite struct MailServerAddressTests {
    @Test(arguments: [
        ("smtp://mail.example.com", "smtp://mail.example.com", false), ("SMTPS://h:465/", "SMTPS://h:465", false),
        ("smtp://127.0.0.1:2525", "smtp://127.0.0.1:2525", true), ("smtp://[::1]:25", "smtp://[::1]:25", true),
        ("smtp://localhost", "smtp://localhost", true), ("smtp://localhost.example", "smtp://localhost.example", false),
    ])
    func `The address of a mail server is kept as given, and known as local or not`(
        url: String, kept: String, isLoopback: Bool
    )
        throws
    {
        let server = try MailServer(url)
        expectEqual(server.url, kept)
        expectEqual(server.isLoopback, isLoopback)
    }

    @Test(arguments: [
        (String(repeating: "a", count: 64) + "@b", true), (String(repeating: "a", count: 65) + "@b", false),
        ("a@" + String(repeating: "b", count: 252), true), ("a@" + String(repeating: "b", count: 253), false),
        ("!#$%&'*+-/=?^_`{|}~.@b", true), ("a@b_c", false), ("a\"b@c", false), ("a@b\n", false), ("a@b:25", false),
    ])
    func `The address of a mail server takes envelopes with addresses that RFC 5321 allows`(
        address: String, isAllowed: Bool
    ) {
        expectEqual(MailServer.isAddress(address), isAllowed)
    }
}
