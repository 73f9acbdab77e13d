// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct EventStreamParserTests {
    private func events(_ text: String) throws -> [ServerSentEvent] {
        var parser = EventStreamParser()
        return try parser.consume(Array(text.utf8))
    }

    /// The examples of HTML §9.2.6.
    @Test func `The parser of event streams reads the examples of the specification`() throws {
        try expectEqual(events("data: YHOO\ndata: +2\ndata: 10\n\n"), [ServerSentEvent(data: "YHOO\n+2\n10")])
        try expectEqual(
            events(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"),
            [
                ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
                ServerSentEvent(data: " third event"),
            ])
        try expectEqual(
            events("data\n\ndata\ndata\n\ndata:"), [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")])
        try expectEqual(
            events("data:test\n\ndata: test\n\n"), Array(repeating: ServerSentEvent(data: "test"), count: 2))
    }

    @Test(
        arguments: [
            ("event: add\ndata: x\n\n", [ServerSentEvent(type: "add", data: "x")]),
            ("event: add\n\ndata: x\n\n", [ServerSentEvent(data: "x")]),
            ("event: a\nevent: b\ndata: x\n\n", [ServerSentEvent(type: "b", data: "x")]),
            ("event:\ndata: x\n\n", [ServerSentEvent(data: "x")]),
            ("Data: x\n\ndat: x\n\n data: x\n\n", []), ("data : x\n\n", []),
            ("data: a:b: c\n\n", [ServerSentEvent(data: "a:b: c")]), ("data:\tx\n\n", [ServerSentEvent(data: "\tx")]),
            (":data: x\n\n:\n\n", []), ("data: x", []), ("data: x\n", []), ("data: x\r", []),
            ("data: x\n\n\n\n", [ServerSentEvent(data: "x")]),
            ("\u{FEFF}data: x\n\n", [ServerSentEvent(data: "x")]), ("\u{FEFF}\u{FEFF}data: x\n\n", []),
            ("\n\u{FEFF}data: x\n\n", []), ("data: é🦊\u{0}\n\n", [ServerSentEvent(data: "é🦊\u{0}")]),
            ("data: a\u{2028}b\u{85}c\u{B}d\n\n", [ServerSentEvent(data: "a\u{2028}b\u{85}c\u{B}d")]),
            ("data: \u{301}\n\n", [ServerSentEvent(data: "\u{301}")]),
        ])
    func `The parser of event streams reads fields, comments and empty lines correctly`(
        text: String, expected: [ServerSentEvent]
    ) throws {
        try expectEqual(events(text), expected)
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `The parser of event streams takes any kind of line break`(lineBreak: String) throws {
        let text = ["event: a", "data: 1", "data: 2", "", "data: 3", "", ""].joined(separator: lineBreak)
        try expectEqual(events(text), [ServerSentEvent(type: "a", data: "1\n2"), ServerSentEvent(data: "3")])
    }

    @Test func `The parser of event streams keeps an identifier until another one comes`() throws {
        var parser = EventStreamParser(lastEventID: "0")
        func ids(_ text: String) throws -> [String] { try parser.consume(Array(text.utf8)).map(\.id) }
        try expectEqual(ids("data: x\n\n"), ["0"])
        try expectEqual(ids("id: 7\ndata: x\n\ndata: y\n\n"), ["7", "7"])
        try expectEqual(ids("id: 8\u{0}\ndata: x\n\n"), ["7"])
        try expectEqual(ids("id: 8\n"), [])
        expectEqual(parser.lastEventID, "7")
        // Without data there is no event, and the identifier counts nevertheless.
        try expectEqual(ids("\n"), [])
        expectEqual(parser.lastEventID, "8")
        try expectEqual(ids("id\ndata: x\n\n"), [""])
        #expect(parser.lastEventID.isEmpty)
    }

    @Test(
        arguments: [
            ("1500", .milliseconds(1_500)), ("0", .zero), ("007", .milliseconds(7)), ("", nil), ("-1", nil),
            ("1.5", nil), ("1 ", nil), ("+1", nil), ("١", nil), ("0x1", nil), ("1s", nil),
        ] as [(String, Duration?)])
    func `The parser of event streams reads a wait from digits only`(value: String, expected: Duration?) throws {
        var parser = EventStreamParser()
        _ = try parser.consume(Array("retry:\(value)\n".utf8))
        expectEqual(parser.retry, expected)
    }

    @Test func `The parser of event streams takes a wait that no number holds for a very long one`() throws {
        var parser = EventStreamParser()
        _ = try parser.consume(Array("retry: \(String(repeating: "9", count: 40))\n".utf8))
        #expect(try #require(parser.retry) > .seconds(1_000_000_000))
    }

    @Test func `The parser of event streams puts replacement characters for invalid UTF-8`() throws {
        var parser = EventStreamParser()
        let events = try parser.consume(Array("data: a".utf8) + [0xFF, 0xC3] + Array("b\n\n".utf8))
        expectEqual(events, [ServerSentEvent(data: "a\u{FFFD}\u{FFFD}b")])
    }

    @Test func `The parser of event streams refuses a line and an event without end`() throws {
        var limits = EventStreamParser.Limits()
        limits.lineBytes = 100
        limits.eventBytes = 1_000
        var parser = EventStreamParser(limits: limits)
        _ = try parser.consume([UInt8](repeating: 0x61, count: 100))
        #expect(throws: HTTPError.tooLarge) { try parser.consume([0x61]) }
        var second = EventStreamParser(limits: limits)
        let line = Array("data: \(String(repeating: "x", count: 80))\n".utf8)
        for _ in 0..<12 { _ = try second.consume(line) }
        #expect(throws: HTTPError.tooLarge) { try second.consume(line) }
        var third = EventStreamParser(limits: limits)
        for _ in 0..<1_000 { _ = try third.consume(Array(": comment\nevent: x\nid: 1\n".utf8)) }
    }

    /// a2aproject/a2a-java#1123.
    @Test func `The parser of event streams takes an event of 4 MiB in one line, and stops at a longer one`() throws {
        var parser = EventStreamParser()
        let data = String(repeating: "x", count: 4 << 20)
        try expectEqual(parser.consume(Array("data: \(data)\n\n".utf8)), [ServerSentEvent(data: data)])
        try expectEqual(parser.consume(Array("data: first\n\ndata: \(data)x".utf8)), [ServerSentEvent(data: "first")])
        expectEqual(parser.failure, .tooLarge)
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `The parser of event streams reads the same however the stream is cut`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let scraps = [
            "data: x", "data:", "data", "event: e", "id: 1", "id", "retry: 10", ":", "\n", "\r", "\r\n", "\n\n", "é",
            "\u{FEFF}", "🦊", "\u{0}", " ",
        ]
        for _ in 0..<50 {
            let bytes = Array((0..<random.below(40)).map { _ in random.pick(scraps) }.joined().utf8)
            var whole = EventStreamParser()
            let expected = try whole.consume(bytes)
            var cut = EventStreamParser()
            var read: [ServerSentEvent] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + random.below(4))
                rest = rest.dropFirst(piece.count)
                read += try cut.consume(Array(piece))
            }
            expectEqual(read, expected, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            expectEqual(cut.lastEventID, whole.lastEventID, "seed \(seed)")
            expectEqual(cut.retry, whole.retry, "seed \(seed)")
        }
    }
}
