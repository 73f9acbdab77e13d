// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchServer
import Testing

/// The rules that h2spec 2.6 tests, each with its frames, over a real socket.
///
/// The identifiers are h2spec's, whose sections are those of RFC 7540; decision 0093 says where RFC 9113 has them. What takes more
/// than a list of frames is in `HTTP2ConformanceTests` (http2/3.5, 5.1/5 to 5.1/10, 5.1.2, 6.5.3, 6.7/1, 6.7/2, 6.9.2) and
/// `HTTP2ServingTests` (6.9.1/1, generic/4).
@Suite struct HTTP2SectionTests {
    static let onNothing: [UInt8] = [0, 0, 0, 0, 15]
    static let block = HPACK.request("GET", "/")
    static let head = Array(block.prefix(5))
    static let rest = Array(block.dropFirst(5))
    /// The beginning of a request whose header section is not complete.
    static let begun = RawFrame.headers(1, head, flags: RawFrame.endStream)

    static func priority(_ stream: UInt32, _ payload: [UInt8] = onNothing) -> RawFrame {
        RawFrame(type: 2, stream: stream, payload: payload)
    }

    static func goAway(_ code: UInt32, stream: UInt32 = 0) -> RawFrame {
        RawFrame(type: 7, stream: stream, payload: RawFrame.number(0) + RawFrame.number(code))
    }

    static func get(_ fields: [(String, String)]) -> [RawFrame] { [.headers(1, HPACK.block(fields))] }

    // MARK: - Frames and streams

    @Test(arguments: [
        ProtocolCase(
            "http2/4.1/1", "an unknown frame", [RawFrame(type: 0x16, payload: [1, 2]), .get(1)], .response(200)),
        ProtocolCase(
            "http2/4.1/2", "flags without a meaning",
            [RawFrame(type: 6, flags: 0x16, payload: RawFrame.ping.payload), .get(1)], .response(200)),
        ProtocolCase(
            "http2/4.1/3", "the reserved bit",
            [RawFrame(type: 6, stream: 0x8000_0000, payload: RawFrame.ping.payload), .get(1)], .response(200)),
        ProtocolCase(
            "http2/4.2/1", "DATA of 16,384 bytes", [.post(1), .data(1, [UInt8](repeating: 1, count: 16_384))],
            .response(200)),
        ProtocolCase(
            "http2/4.2/2", "DATA of 16,385 bytes", [.post(1), .data(1, [UInt8](repeating: 1, count: 16_385))],
            .error([.frameSize])),
        ProtocolCase(
            "http2/4.2/3", "HEADERS of more than 16,384 bytes",
            [.headers(1, block + HPACK.block([("x", String(repeating: "a", count: 16_384))]))],
            .connectionError([.frameSize])),
        ProtocolCase(
            "http2/4.3/1", "a block that cannot be decoded", [.headers(1, block + [0x40, 0x01])],
            .connectionError([.compression])),
        ProtocolCase("http2/4.3/2", "PRIORITY within a block", [begun, priority(1)], .connectionError([.protocol])),
        ProtocolCase("http2/4.3/3", "HEADERS within a block", [begun, .get(3)], .connectionError([.protocol])),
    ]) func `Frames follow section 4 of RFC 9113`(rule: ProtocolCase) async throws { try await rule.check() }

    @Test(arguments: [
        ProtocolCase("http2/5.1/1", "DATA, idle", [.data(1, [1])], .connectionError([.protocol, .streamClosed])),
        ProtocolCase("http2/5.1/2", "RST_STREAM, idle", [.reset(1)], .connectionError([.protocol])),
        ProtocolCase("http2/5.1/3", "WINDOW_UPDATE, idle", [.windowUpdate(1, 100)], .connectionError([.protocol])),
        ProtocolCase("http2/5.1/4", "CONTINUATION, idle", [.continuation(1, block)], .connectionError([.protocol])),
        ProtocolCase(
            "http2/5.1/7", "CONTINUATION, half-closed", [.get(1), .continuation(1, block)],
            .connectionError([.protocol, .streamClosed])),
        ProtocolCase(
            "http2/5.1/8", "DATA, reset", [.post(1), .reset(1), .data(1, [1])], .ignored([.streamClosed])),
        ProtocolCase(
            "http2/5.1/9", "HEADERS, reset", [.post(1), .reset(1), .get(1)], .ignored([.streamClosed])),
        ProtocolCase(
            "http2/5.1/10", "CONTINUATION, reset", [.post(1), .reset(1), .continuation(1, block)],
            .connectionError([.protocol, .streamClosed])),
        ProtocolCase("http2/5.1/11", "DATA, closed", first: [.get(1)], [.data(1, [1])], .ignored([.streamClosed])),
        ProtocolCase("http2/5.1/12", "HEADERS, closed", first: [.get(1)], [.get(1)], .connectionError([.streamClosed])),
        ProtocolCase(
            "http2/5.1/13", "CONTINUATION, closed", first: [.get(1)], [.continuation(1, block)],
            .connectionError([.protocol, .streamClosed])),
        ProtocolCase("http2/5.1.1/1", "an even number", [.get(2)], .connectionError([.protocol])),
        ProtocolCase(
            "http2/5.1.1/2", "a smaller number", [.get(5), .get(3)], .connectionError([.protocol, .streamClosed])),
        ProtocolCase(
            "http2/5.3.1/1", "HEADERS that depend on themselves",
            [.headers(1, [0, 0, 0, 1, 15] + block, flags: 0x25)], .error([.protocol])),
        ProtocolCase(
            "http2/5.3.1/2", "PRIORITY that depends on itself", [priority(3, [0, 0, 0, 3, 15])],
            .ignored([.protocol])),
        ProtocolCase(
            "http2/5.4.1/1", "an error of the connection, with GOAWAY",
            first: [.get(1)], [RawFrame(type: 6, stream: 3, payload: RawFrame.ping.payload)],
            .connectionError([.protocol])),
        ProtocolCase(
            "http2/5.5/1", "an extension's frame", [RawFrame(type: 0x16, stream: 1, payload: [0]), .get(1)],
            .response(200)),
        ProtocolCase(
            "http2/5.5/2", "an extension's frame within a block", [begun, RawFrame(type: 0x16, payload: [0])],
            .connectionError([.protocol])),
        ProtocolCase("generic/2/1", "PRIORITY, idle", [priority(1), .get(1)], .response(200)),
        ProtocolCase("generic/2/2", "WINDOW_UPDATE, half-closed", [.get(1), .windowUpdate(1, 1)], .response(200)),
        ProtocolCase("generic/2/3", "PRIORITY, half-closed", [.get(1), priority(1)], .response(200)),
        ProtocolCase("generic/2/4", "RST_STREAM, half-closed", [.get(1), .reset(1), .get(3)], on: 3, .response(200)),
        ProtocolCase("generic/2/5", "PRIORITY, closed", first: [.get(1)], [priority(1)], .ignored()),
        ProtocolCase("5.1", "WINDOW_UPDATE, closed", first: [.get(1)], [.windowUpdate(1, 1)], .ignored()),
        ProtocolCase("5.1", "RST_STREAM, closed", first: [.get(1)], [.reset(1)], .ignored()),
    ]) func `Streams follow section 5 of RFC 9113`(rule: ProtocolCase) async throws { try await rule.check() }

    // MARK: - Definitions of frames

    @Test(arguments: [
        ProtocolCase("http2/6.1/1", "DATA on no stream", [.data(0, [1])], .connectionError([.protocol])),
        ProtocolCase("http2/6.1/2", "DATA after the end", first: [.get(1)], [.data(1, [1])], .ignored([.streamClosed])),
        ProtocolCase(
            "http2/6.1/3", "DATA with too much padding", [.post(1), .data(1, [5, 1, 2, 3, 4], flags: 0x9)],
            .connectionError([.protocol])),
        ProtocolCase(
            "generic/3.1/2", "DATA with padding", [.post(1), .data(1, [2, 65, 0, 0], flags: 0x9)], .response(200)),
        ProtocolCase(
            "generic/3.1/1", "DATA in pieces", [.post(1), .data(1, [1], flags: 0), .data(1, [])], .response(200)),
        ProtocolCase(
            "http2/6.2/1", "PRIORITY before END_HEADERS", [begun, priority(1)], .connectionError([.protocol])),
        ProtocolCase("http2/6.2/2", "HEADERS before END_HEADERS", [begun, .get(3)], .connectionError([.protocol])),
        ProtocolCase("http2/6.2/3", "HEADERS on no stream", [.headers(0, block)], .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.2/4", "HEADERS with too much padding", [.headers(1, [200] + block, flags: 0xD)],
            .connectionError([.protocol])),
        ProtocolCase("generic/3.2/1", "HEADERS", [.get(1)], .response(200)),
        ProtocolCase(
            "generic/3.2/2", "HEADERS with padding", [.headers(1, [2] + block + [0, 0], flags: 0xD)], .response(200)),
        ProtocolCase(
            "generic/3.2/3", "HEADERS with a priority", [.headers(1, onNothing + block, flags: 0x25)], .response(200)),
        ProtocolCase("http2/6.3/1", "PRIORITY on no stream", [priority(0)], .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.3/2", "PRIORITY of four bytes", [.post(1), priority(1, [0, 0, 0, 0])], .error([.frameSize])),
        ProtocolCase(
            "generic/3.3/1", "PRIORITY of weight 1", [priority(1, [0, 0, 0, 0, 0]), .get(1)], .response(200)),
        ProtocolCase(
            "generic/3.3/2", "PRIORITY of weight 256", [priority(1, [0, 0, 0, 0, 255]), .get(1)], .response(200)),
        ProtocolCase(
            "generic/3.3/3", "PRIORITY with a parent", [priority(1, [0, 0, 0, 3, 15]), .get(1)], .response(200)),
        ProtocolCase(
            "generic/3.3/4", "PRIORITY that is exclusive", [priority(1, [0x80, 0, 0, 3, 15]), .get(1)], .response(200)),
        ProtocolCase(
            "generic/3.3/5", "PRIORITY of an idle stream, then its request", [priority(3), .get(3)], on: 3,
            .response(200)),
        ProtocolCase("http2/6.4/1", "RST_STREAM on no stream", [.reset(0)], .connectionError([.protocol])),
        ProtocolCase("http2/6.4/2", "RST_STREAM, idle", [.reset(1)], .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.4/3", "RST_STREAM of three bytes", [.post(1), RawFrame(type: 3, stream: 1, payload: [0, 0, 0])],
            .connectionError([.frameSize])),
        ProtocolCase("generic/3.4/1", "RST_STREAM", [.post(1), .reset(1), .get(3)], on: 3, .response(200)),
        ProtocolCase(
            "http2/6.6", "PUSH_PROMISE of a client (8.2/1)",
            [.post(1), RawFrame(type: 5, flags: 4, stream: 1, payload: [0, 0, 0, 2] + block)],
            .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.7/3", "PING on a stream", [RawFrame(type: 6, stream: 1, payload: RawFrame.ping.payload)],
            .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.7/4", "PING of six bytes", [RawFrame(type: 6, payload: [1, 2, 3, 4, 5, 6])],
            .connectionError([.frameSize])),
        ProtocolCase("generic/3.7/1", "PING", [.ping, .get(1)], .response(200)),
        ProtocolCase("http2/6.8/1", "GOAWAY on a stream", [goAway(0, stream: 1)], .connectionError([.protocol])),
        ProtocolCase(
            "generic/3.8/1", "GOAWAY, whose sender waits for its response", [.get(1), goAway(0)], .response(200)),
        ProtocolCase("http2/7/1", "GOAWAY with an unknown code", [.get(1), goAway(0xFF)], .response(200)),
        ProtocolCase(
            "http2/7/2", "RST_STREAM with an unknown code", [.post(1), .reset(1, 0xFF), .get(3)], on: 3, .response(200)),
    ])
    func `The definitions of frames follow section 6 of RFC 9113`(rule: ProtocolCase) async throws {
        try await rule.check()
    }

    @Test(arguments: [
        ProtocolCase(
            "http2/6.5/1", "an acknowledgement with settings", [.settings([(3, 1)], flags: 1)],
            .connectionError([.frameSize])),
        ProtocolCase(
            "http2/6.5/2", "SETTINGS on a stream", [RawFrame(type: 4, stream: 1)], .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.5/3", "SETTINGS of three bytes", [RawFrame(type: 4, payload: [0, 3, 0])],
            .connectionError([.frameSize])),
        ProtocolCase("http2/6.5.2/1", "ENABLE_PUSH of 2", [.settings([(2, 2)])], .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.5.2/2", "INITIAL_WINDOW_SIZE of 2^31", [.settings([(4, 0x8000_0000)])],
            .connectionError([.flowControl])),
        ProtocolCase(
            "http2/6.5.2/3", "MAX_FRAME_SIZE of 16,383", [.settings([(5, 16_383)])], .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.5.2/4", "MAX_FRAME_SIZE of 2^24", [.settings([(5, 1 << 24)])], .connectionError([.protocol])),
        ProtocolCase("http2/6.5.2/5", "an unknown setting", [.settings([(0xFF, 1)]), .get(1)], .response(200)),
        ProtocolCase(
            "http2/6.5.3/1", "a setting twice", [.settings([(4, 100), (4, 1)]), .settings([(4, 1 << 16)]), .get(1)],
            .response(200)),
        ProtocolCase("generic/3.5/1", "SETTINGS again", [.settings([(1, 0), (6, 100)]), .get(1)], .response(200)),
        ProtocolCase(
            "http2/6.9/1", "WINDOW_UPDATE of 0, connection", [.windowUpdate(0, 0)], .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.9/2", "WINDOW_UPDATE of 0, stream", [.post(1), .windowUpdate(1, 0)], .error([.protocol])),
        ProtocolCase(
            "http2/6.9/3", "WINDOW_UPDATE of three bytes", [RawFrame(type: 8, payload: [0, 0, 1])],
            .connectionError([.frameSize])),
        ProtocolCase(
            "http2/6.9.1/2", "a window over 2^31-1, connection", [.windowUpdate(0, 0x7FFF_FFFF), .windowUpdate(0, 1)],
            .connectionError([.flowControl])),
        ProtocolCase(
            "http2/6.9.1/3", "a window over 2^31-1, stream",
            [.post(1), .windowUpdate(1, 0x7FFF_FFFF), .windowUpdate(1, 0x7FFF_FFFF)], .error([.flowControl])),
        ProtocolCase(
            "http2/6.9.2/3", "an initial window that makes a window exceed 2^31-1",
            [.post(1), .windowUpdate(1, 0x7FFF_0000), .settings([(4, 0x7FFF_FFFF)])], .error([.flowControl])),
        ProtocolCase(
            "generic/3.9/1", "WINDOW_UPDATE, connection and stream",
            [.post(1), .windowUpdate(0, 1), .windowUpdate(1, 1), .data(1, [])], .response(200)),
        ProtocolCase(
            "http2/6.10/1", "CONTINUATION many times",
            [begun, .continuation(1, Array(rest.prefix(3)), flags: 0), .continuation(1, Array(rest.dropFirst(3)))],
            .response(200)),
        ProtocolCase(
            "http2/6.10/2", "CONTINUATION, then another frame", [begun, .continuation(1, [], flags: 0), .data(1, [1])],
            .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.10/3", "CONTINUATION on no stream", [begun, .continuation(0, rest)], .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.10/4", "CONTINUATION after HEADERS with END_HEADERS", [.post(1), .continuation(1, block)],
            .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.10/5", "CONTINUATION after the last one",
            [begun, .continuation(1, rest), .continuation(1, block)],
            .connectionError([.protocol])),
        ProtocolCase(
            "http2/6.10/6", "CONTINUATION after DATA", [.post(1), .data(1, [1]), .continuation(1, block)],
            .connectionError([.protocol])),
        ProtocolCase("generic/3.10/1", "CONTINUATION", [begun, .continuation(1, rest)], .response(200)),
    ])
    func `Settings and windows follow sections 6.5 to 6.10 of RFC 9113`(rule: ProtocolCase) async throws {
        try await rule.check()
    }

    // MARK: - Messages

    @Test(arguments: [
        ProtocolCase(
            "http2/8.1/1", "HEADERS in the middle", [.post(1), .headers(1, HPACK.block([("x", "y")]), flags: 4)],
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2/1", "a name in capitals", [.headers(1, HPACK.request("GET", "/", [("X-A", "1")]))],
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.1/1", "an unknown pseudo-header field",
            get([(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), (":test", "1")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.1/2", "a response's pseudo-header field",
            get([(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), (":status", "200")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.1/3", "a pseudo-header field in trailers",
            [.post(1), .headers(1, HPACK.block([(":method", "GET")]))],
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.1/4", "a pseudo-header field after others",
            get([(":method", "GET"), (":scheme", "http"), (":authority", "a"), ("x", "1"), (":path", "/")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.2/1", "a field of a connection",
            [.headers(1, HPACK.request("GET", "/", [("connection", "close")]))],
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.2/2", "TE other than trailers",
            [.headers(1, HPACK.request("GET", "/", [("te", "trailers, gzip")]))],
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.3/1", "an empty path",
            get([(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "")]), .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.3/2", "no method", get([(":scheme", "http"), (":authority", "a"), (":path", "/")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.3/3", "no scheme", get([(":method", "GET"), (":authority", "a"), (":path", "/")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.3/4", "no path", get([(":method", "GET"), (":scheme", "http"), (":authority", "a")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.3/5", "two methods",
            get([(":method", "GET"), (":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.3/6", "two schemes",
            get([(":method", "GET"), (":scheme", "http"), (":scheme", "http"), (":authority", "a"), (":path", "/")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.3/7", "two paths",
            get([(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/"), (":path", "/")]),
            .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.6/1", "a length that is not that of DATA",
            [.post(1, "/", [("content-length", "1")]), .data(1, Array("test".utf8))], .error([.protocol])),
        ProtocolCase(
            "http2/8.1.2.6/2", "a length that is not that of several DATA",
            [
                .post(1, "/", [("content-length", "1")]), .data(1, Array("te".utf8), flags: 0),
                .data(1, Array("st".utf8)),
            ],
            .error([.protocol])),
        ProtocolCase("generic/4/1", "GET", [.get(1)], .response(200)),
        ProtocolCase("generic/4/2", "HEAD", [.headers(1, HPACK.request("HEAD", "/"))], .response(200)),
        ProtocolCase("generic/4/3", "POST", [.post(1), .data(1, Array("test".utf8))], .response(200)),
        ProtocolCase(
            "generic/4/4", "POST with trailers",
            [.post(1), .data(1, [1], flags: 0), .headers(1, HPACK.block([("x-end", "1")]))],
            .response(200)),
    ]) func `Messages follow section 8 of RFC 9113`(rule: ProtocolCase) async throws { try await rule.check() }

    // MARK: - HPACK

    /// Examples of RFC 7541 appendix C.
    static let (customKey, customValue): ([UInt8], [UInt8]) = (
        [0x88, 0x25, 0xA8, 0x49, 0xE9, 0x5B, 0xA9, 0x7D, 0x7F],
        [0x89, 0x25, 0xA8, 0x49, 0xE9, 0x5B, 0xB8, 0xE8, 0xB4, 0xBF]
    )
    static let getExample: [UInt8] = [
        0x82, 0x86, 0x84, 0x41, 0x8C, 0xF1, 0xE3, 0xC2, 0xE5, 0xF2, 0x3A, 0x6B, 0xA0, 0xAB, 0x90, 0xF4, 0xFF,
    ]

    static func hpack(_ id: String, _ sentence: String, _ line: [UInt8], first: Bool = false) -> ProtocolCase {
        ProtocolCase("generic/5/" + id, sentence, [.headers(1, first ? line + block : block + line)], .response(200))
    }

    @Test(arguments: [
        hpack("1", "an indexed field", [0x80 | 0x30]),
        hpack("2", "indexing, an indexed name", [0x40 | 58] + HPACK.text("h2")),
        hpack("3", "indexing, an indexed name, Huffman", [0x40 | 58] + customValue),
        hpack("4", "indexing, a new name", [0x40] + HPACK.text("x-a") + HPACK.text("b")),
        hpack("5", "indexing, a new name, Huffman", [0x40] + customKey + customValue),
        hpack("6", "without indexing, an indexed name", [0x0F, 58 - 15] + HPACK.text("h2")),
        hpack("7", "without indexing, an indexed name, Huffman", [0x0F, 58 - 15] + customValue),
        hpack("8", "without indexing, a new name", [0x00] + HPACK.text("x-a") + HPACK.text("b")),
        hpack("9", "without indexing, a new name, Huffman", [0x00] + customKey + customValue),
        hpack("10", "never indexed, an indexed name", [0x1F, 58 - 15] + HPACK.text("h2")),
        hpack("11", "never indexed, an indexed name, Huffman", [0x1F, 58 - 15] + customValue),
        hpack("12", "never indexed, a new name", [0x10] + HPACK.text("x-a") + HPACK.text("b")),
        hpack("13", "never indexed, a new name, Huffman", [0x10] + customKey + customValue),
        hpack("14", "a change of the table's size", [0x3F, 0xE1, 0x1F], first: true),
        hpack("15", "two changes of the table's size", [0x20, 0x3F, 0xE1, 0x1F], first: true),
        ProtocolCase("RFC 7541 C.4.1", "a request of the appendix", [.headers(1, getExample)], .response(200)),
        ProtocolCase(
            "hpack/2.3.3/1", "an index beyond the tables", [.headers(1, block + [0xC6])],
            .connectionError([.compression])),
        ProtocolCase(
            "hpack/2.3.3/2", "a name's index beyond the tables",
            [.headers(1, block + [0x40 | 0x3F, 0x07] + HPACK.text("x"))],
            .connectionError([.compression])),
        ProtocolCase(
            "hpack/4.2/1", "a change of the table's size at the end", [.headers(1, block + [0x21])],
            .connectionError([.compression])),
        ProtocolCase(
            "hpack/5.2/1", "padding of more than seven bits",
            [.headers(1, block + [0x00] + HPACK.text("x-a") + [0x82, 0x1F, 0xFF])],
            .connectionError([.compression])),
        ProtocolCase(
            "hpack/5.2/2", "padding of zeros", [.headers(1, block + [0x00] + HPACK.text("x-a") + [0x81, 0x18])],
            .connectionError([.compression])),
        ProtocolCase(
            "hpack/5.2/3", "the end of string",
            [.headers(1, block + [0x00] + HPACK.text("x-a") + [0x84, 0xFF, 0xFF, 0xFF, 0xFF])],
            .connectionError([.compression])),
        ProtocolCase("hpack/6.1/1", "the index 0", [.headers(1, block + [0x80])], .connectionError([.compression])),
        ProtocolCase(
            "hpack/6.3/1", "a table larger than SETTINGS allow", [.headers(1, [0x3F, 0xE2, 0x1F] + block)],
            .connectionError([.compression])),
        ProtocolCase(
            "RFC 7541 5.1", "a number without end", [.headers(1, block + [UInt8](repeating: 0xFF, count: 30))],
            .connectionError([.compression])),
    ]) func `Compression follows RFC 7541`(rule: ProtocolCase) async throws { try await rule.check() }
}

#endif
