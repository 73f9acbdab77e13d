// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

/// What RFC 9113 requires of a server, section by section.
@Suite struct HTTP2ConformanceTests {
    /// Sends frames and expects the end of the connection with one of the codes.
    static func connectionEnds(
        _ codes: ErrorCode..., after frames: [RawFrame], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            for frame in frames { await client.send(frame) }
            let code = await client.end()
            #expect(
                codes.map(\.rawValue).contains(code ?? .max), "\(String(describing: code))", sourceLocation: location)
        }
    }

    /// Sends frames, expects a stream to be reset with one of the codes, and the connection to go on.
    static func streamEnds(
        _ codes: ErrorCode..., stream: UInt32 = 1, after frames: [RawFrame],
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            for frame in frames { await client.send(frame) }
            await client.receive { $0.answers[stream]?.reset != nil }
            let answer = client.answers[stream]
            #expect(
                codes.map(\.rawValue).contains(answer?.reset ?? .max), "\(String(describing: answer))",
                sourceLocation: location)
            expectNil(answer?.status, sourceLocation: location)
            await client.send(.get(101))
            await expectEqual(client.answer(to: 101).status, 200, sourceLocation: location)
        }
    }

    /// Expects an answer to the last stream of the frames.
    static func answers(
        _ status: Int, stream: UInt32 = 1, to frames: [RawFrame], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            for frame in frames { await client.send(frame) }
            await expectEqual(client.answer(to: stream).status, status, sourceLocation: location)
        }
    }

    // MARK: - Starting and frames

    @Test
    func `RFC 9113 3.4: SETTINGS come first on both sides, and another preface ends the connection`() async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await expectEqual(client.receive()?.type, 4)
            #expect(await client.receive { $0.settings.contains { $0.flags & 1 != 0 } }, "they are acknowledged")
            let wrong = try await FrameClient(address, settings: nil)
            await wrong.send(bytes: FrameClient.preface.dropLast() + [0x20] + RawFrame.settings().bytes)
            await expectNil(wrong.receive())
            let silent = try await FrameClient(address, settings: nil)
            await silent.send(bytes: FrameClient.preface + RawFrame.get(1).bytes)
            await expectEqual(silent.end(), ErrorCode.protocol.rawValue)
        }
    }

    @Test func `RFC 9113 4.1, 5.5: unknown frames and flags are ignored`() async throws {
        try await Self.answers(
            200,
            to: [
                RawFrame(type: 0xB0, flags: 0xFF, stream: 0, payload: [1, 2]), RawFrame(type: 0xB0, stream: 9),
                RawFrame(type: 6, flags: 0xFE, payload: Array("12345678".utf8)),
                .headers(1, HPACK.request("GET", "/"), flags: 0x5 | 0x92),
            ])
    }

    @Test
    func `RFC 9113 4.2: a frame larger than 16,384 bytes is FRAME_SIZE_ERROR, and one of that size is not`()
        async throws
    {
        try await Self.answers(200, to: [.post(1), .data(1, [UInt8](repeating: 1, count: 16_384))])
        try await Self.connectionEnds(.frameSize, after: [.post(1), .data(1, [UInt8](repeating: 1, count: 16_385))])
        try await Self.connectionEnds(
            .frameSize, after: [.headers(1, HPACK.request("GET", "/", [("x", String(repeating: "a", count: 20_000))]))])
    }

    @Test func `RFC 9113 4.3, 6.10: a header block is one sequence of frames`() async throws {
        let block = HPACK.request("GET", "/")
        try await Self.answers(
            200,
            to: [
                .headers(1, Array(block[..<5]), flags: 1), .continuation(1, Array(block[5..<9]), flags: 0),
                .continuation(1, Array(block[9...])),
            ])
        for intruder in [RawFrame.ping, .get(3), .data(1, []), .continuation(3, []), RawFrame(type: 0xB0)] {
            try await Self.connectionEnds(.protocol, after: [.headers(1, block, flags: 1), intruder])
        }
        try await Self.connectionEnds(.protocol, after: [.continuation(1, block)])
        try await Self.connectionEnds(.protocol, after: [.get(1), .continuation(1, block)])
        try await Self.connectionEnds(.protocol, after: [.continuation(0, block)])
    }

    @Test func `RFC 9113 4.3: a block that cannot be decoded is COMPRESSION_ERROR`() async throws {
        try await Self.connectionEnds(.compression, after: [.headers(1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])])
    }

    // MARK: - Streams

    @Test func `RFC 9113 5.1: frames on an idle stream end the connection`() async throws {
        for frame in [RawFrame.data(1, [1]), .reset(1), .windowUpdate(1, 5), .data(3, [])] {
            try await Self.connectionEnds(.protocol, .streamClosed, after: [frame])
        }
    }

    @Test func `RFC 9113 5.1: frames after the end of a request are STREAM_CLOSED`() async throws {
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let waiting = ClosureHandler { _ in
            enter.yield()
            let (endless, kept) = AsyncStream<Void>.makeStream()
            for await _ in endless {}
            kept.finish()
            return HTTPResponse(status: .ok)
        }
        for frame in [RawFrame.data(1, [1]), .get(1)] {
            try await serving(waiting, configuration: .patient) { address in
                let client = try await FrameClient(address)
                await client.send(.get(1))
                for await _ in entered { break }
                await client.send(frame)
                await client.receive { $0.answers[1]?.reset != nil || !$0.goAways.isEmpty }
                expectEqual(
                    client.answers[1]?.reset ?? client.goAways.first?.goAwayCode, ErrorCode.streamClosed.rawValue)
                client.reset()
            }
        }
    }

    @Test func `RFC 9113 5.1: HEADERS on a stream that the client has reset are STREAM_CLOSED`() async throws {
        try await Self.connectionEnds(
            .streamClosed, after: [.post(1), .reset(1), .headers(1, HPACK.request("GET", "/late"))])
    }

    @Test(arguments: [[RawFrame.post(1), .reset(1)], [.get(1)]])
    func `RFC 9113 6.1: DATA on a stream that is closed is STREAM_CLOSED, and the others continue`(frames: [RawFrame])
        async throws
    {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            for frame in frames { await client.send(frame) }
            if frames.count == 1 { await expectEqual(client.answer(to: 1).status, 200) }
            await client.send(.data(1, [1]), .data(1, [1]), .get(3))
            await expectEqual(client.answer(to: 3).status, 200)
            expectEqual(client.answers[1]?.reset, ErrorCode.streamClosed.rawValue)
        }
    }

    @Test func `RFC 9113 5.1: DATA in flight when the server reset its stream is ignored`() async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(.post(1), .windowUpdate(1, 0x7FFF_FFFF))
            await client.receive { $0.answers[1]?.reset != nil }
            await client.send(.data(1, [1]), .get(3))
            await expectEqual(client.answer(to: 3).status, 200)
            expectEqual(client.answers[1]?.reset, ErrorCode.flowControl.rawValue)
        }
    }

    @Test func `RFC 9113 5.1.1: streams of clients are odd and ascend`() async throws {
        try await Self.connectionEnds(.protocol, after: [.get(2)])
        try await Self.connectionEnds(.protocol, .streamClosed, after: [.get(5), .get(3)])
        try await Self.connectionEnds(.protocol, after: [.get(0)])
    }

    /// A handler that waits for its cancellation, except at `/over`.
    static let waiting = ClosureHandler { request in
        let (endless, kept) = AsyncStream<Void>.makeStream()
        if request.path != "/over" { for await _ in endless {} }
        kept.finish()
        return HTTPResponse(status: .ok)
    }

    @Test func `RFC 9113 5.1.2: content in flight of many refused requests is ignored`() async throws {
        var configuration = Server.Configuration.patient
        configuration.maximumStreamsPerConnection = 2
        try await serving(Self.waiting, configuration: configuration) { address in
            let client = try await FrameClient(address)
            client.acknowledges = false
            let ids = (0..<60).map { UInt32(2 * $0 + 1) }
            await client.send(bytes: ids.flatMap { RawFrame.post($0).bytes })
            await client.send(bytes: ids.flatMap { RawFrame.data($0, [1], flags: 0).bytes })
            // The acknowledgement of a PING may come before the resets, and those before GOAWAY.
            #expect(
                await client.receive {
                    $0.answers.values.count { $0.reset == ErrorCode.refused.rawValue } == 58
                })
            #expect(await client.settle())
            #expect(client.goAways.isEmpty)
        }
    }

    @Test(arguments: [2, 100], [true, false])
    func `RFC 9113 5.1.2: a stream over the limit is refused, and the others continue`(limit: Int, acknowledges: Bool)
        async throws
    {
        var configuration = Server.Configuration.patient
        configuration.maximumStreamsPerConnection = limit
        try await serving(Self.waiting, configuration: configuration) { address in
            let client = try await FrameClient(address)
            client.acknowledges = acknowledges
            #expect(await client.receive { $0.settings.contains { $0.flags & 1 != 0 } })
            expectEqual(client.settings[0].payload.prefix(6), [0, 3, 0, 0, 0, UInt8(limit)])
            let over = UInt32(2 * limit + 1)
            for id in stride(from: 1, to: over, by: 2) { await client.send(.get(id)) }
            await client.send(.get(over, "/over"), .post(over + 2, "/over"))
            await expectEqual(client.answer(to: over).reset, ErrorCode.refused.rawValue)
            await expectEqual(client.answer(to: over + 2).reset, ErrorCode.refused.rawValue)
            expectEqual(client.answers.count, 2)
            // What was on its way does no harm, and an end makes room (RFC 9113 §5.1.2).
            await client.send(.data(over + 2, [1]), .reset(1), .reset(3))
            var next = over + 2
            // The place is free when the cancelled handlers have ended.
            repeat {
                next += 2
                await client.send(.get(next, "/over"))
            } while await client.answer(to: next).reset == ErrorCode.refused.rawValue && next < over + 100
            expectEqual(client.answers[next]?.status, 200)
            #expect(client.goAways.isEmpty)
            client.reset()
        }
    }

    @Test
    func `RFC 9113 5.1.2: a refused request with trailers does not end the connection`()
        async throws
    {
        let uptime = ManualUptime()
        var configuration = Server.Configuration.kept(by: uptime)
        configuration.maximumStreamsPerConnection = 1
        try await serving(Self.waiting, configuration: configuration) { address in
            let client = try await FrameClient(address)
            let end = HPACK.block([("checksum", "1")])
            await client.send(
                .get(1), .headers(3, HPACK.request("POST", "/over"), flags: 4), .data(3, [1], flags: 0),
                .headers(3, end))
            await expectEqual(client.answer(to: 3).reset, ErrorCode.refused.rawValue)
            // The head of another one comes in two frames.
            await client.send(.headers(5, HPACK.request("GET", "/over"), flags: 1), .continuation(5, end))
            await expectEqual(client.answer(to: 5).reset, ErrorCode.refused.rawValue)
            #expect(await client.settle())
            uptime.advance(bySeconds: 11)
            #expect(await client.settle())
            #expect(client.goAways.isEmpty)
            client.reset()
        }
    }

    @Test func `RFC 9113 5.1.2: the end of a response makes room for the next request`() async throws {
        var configuration = Server.Configuration.patient
        configuration.maximumStreamsPerConnection = 1
        try await serving(.telling, configuration: configuration) { address in
            let client = try await FrameClient(address)
            for number in 0..<20 {
                let id = UInt32(2 * number + 1)
                await client.send(.get(id))
                await expectEqual(client.answer(to: id).status, 200)
            }
        }
    }

    @Test func `RFC 9113 5.3.1, 6.3: priorities are checked and ignored`() async throws {
        let onNothing: [UInt8] = [0, 0, 0, 0, 16]
        try await Self.answers(
            200,
            to: [
                RawFrame(type: 2, stream: 1, payload: onNothing), RawFrame(type: 2, stream: 99, payload: onNothing),
                .headers(1, onNothing + HPACK.request("GET", "/"), flags: 0x25),
            ])
        try await Self.connectionEnds(.protocol, after: [RawFrame(type: 2, stream: 0, payload: onNothing)])
        try await Self.connectionEnds(.frameSize, after: [RawFrame(type: 2, stream: 1, payload: [0, 0, 0, 0])])
    }

    // MARK: - Frame definitions

    @Test func `RFC 9113 6.1, 6.2: DATA and HEADERS need a stream, and padding that fits`() async throws {
        try await Self.connectionEnds(.protocol, after: [.data(0, [1])])
        try await Self.connectionEnds(.protocol, after: [.headers(0, HPACK.request("GET", "/"))])
        try await Self.connectionEnds(.protocol, after: [.post(1), .data(1, [9, 1, 2], flags: 0x9)])
        try await Self.connectionEnds(.protocol, after: [.headers(1, [200] + HPACK.request("GET", "/"), flags: 0xD)])
        try await Self.answers(200, to: [.post(1), .data(1, [2, 65, 0, 0], flags: 0x9)])
    }

    @Test func `RFC 9113 6.4: RST_STREAM needs a stream and four bytes`() async throws {
        try await Self.connectionEnds(.protocol, after: [.reset(0)])
        try await Self.connectionEnds(.frameSize, after: [.post(1), RawFrame(type: 3, stream: 1, payload: [0, 0, 0])])
    }

    @Test func `RFC 9113 6.5: SETTINGS are checked and acknowledged in order`() async throws {
        try await Self.connectionEnds(.frameSize, after: [RawFrame(type: 4, flags: 1, payload: [0, 3, 0, 0, 0, 1])])
        try await Self.connectionEnds(.protocol, after: [RawFrame(type: 4, stream: 1)])
        try await Self.connectionEnds(.frameSize, after: [RawFrame(type: 4, payload: [0, 3, 0])])
        try await Self.connectionEnds(.protocol, after: [.settings([(2, 2)])])
        try await Self.connectionEnds(.flowControl, after: [.settings([(4, 0x8000_0000)])])
        try await Self.connectionEnds(.protocol, after: [.settings([(5, 16_383)])])
        try await Self.connectionEnds(.protocol, after: [.settings([(5, 1 << 24)])])
        try await Self.answers(200, to: [.settings([(0xFF, 1), (1, 0), (6, 1), (5, 16_384)]), .get(1)])
    }

    @Test func `RFC 9113 6.6, 8.4: a client cannot push`() async throws {
        let promise = RawFrame(type: 5, flags: 4, stream: 1, payload: [0, 0, 0, 2] + HPACK.request("GET", "/"))
        try await Self.connectionEnds(.protocol, after: [.post(1), promise])
    }

    @Test func `RFC 9113 6.7: PING is answered with its bytes, and needs eight of them on no stream`() async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(RawFrame(type: 6, flags: 1, payload: [UInt8](repeating: 0, count: 8)), .ping)
            #expect(await client.receive { !$0.pings.isEmpty })
            expectEqual(client.pings, [RawFrame(type: 6, flags: 1, payload: RawFrame.ping.payload)])
        }
        try await Self.connectionEnds(.frameSize, after: [RawFrame(type: 6, payload: [1])])
        try await Self.connectionEnds(.protocol, after: [RawFrame(type: 6, stream: 1, payload: RawFrame.ping.payload)])
    }

    @Test func `RFC 9113 6.8: GOAWAY is taken, and needs no stream`() async throws {
        try await Self.answers(
            200, to: [.get(1), RawFrame(type: 7, payload: [UInt8](repeating: 0, count: 8))])
        try await Self.connectionEnds(
            .protocol, after: [RawFrame(type: 7, stream: 1, payload: [UInt8](repeating: 0, count: 8))])
    }

    @Test func `RFC 9113 6.9: WINDOW_UPDATE is checked, and applied to what waits`() async throws {
        try await Self.connectionEnds(.protocol, after: [.windowUpdate(0, 0)])
        try await Self.connectionEnds(.protocol, after: [.post(1), .windowUpdate(1, 0)])
        try await Self.connectionEnds(.frameSize, after: [RawFrame(type: 8, payload: [0, 0, 1])])
        try await Self.connectionEnds(.flowControl, after: [.windowUpdate(0, 0x7FFF_FFFF), .windowUpdate(0, 1)])
        try await Self.streamEnds(
            .flowControl, after: [.post(1), .windowUpdate(1, 0x7FFF_FFFF), .windowUpdate(1, 0x7FFF_FFFF)])
    }

    @Test
    func `RFC 9113 6.9.2: a change of the initial window applies to open streams, also below zero`() async throws {
        let handler = ClosureHandler { _ in HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 1, count: 100)))
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address, settings: [(4, 10)])
            await client.send(.get(1))
            #expect(await client.receive { $0.answers[1]?.content.count == 10 })
            await client.send(.settings([(4, 2)]), .windowUpdate(1, 5))
            #expect(await client.settle())
            expectEqual(client.answers[1]?.content.count, 10)
            await client.send(.windowUpdate(1, 4))
            #expect(await client.receive { $0.answers[1]?.content.count == 11 })
            await client.send(.settings([(4, 500)]))
            await expectEqual(client.answer(to: 1).content.count, 100)
        }
    }

    @Test func `RFC 9113 7: unknown error codes are taken`() async throws {
        try await Self.answers(
            200, stream: 3,
            to: [
                .post(1), .reset(1, 0xFFFF), .get(3),
                RawFrame(type: 7, payload: RawFrame.number(0) + RawFrame.number(77)),
            ])
    }

    // MARK: - Messages

    @Test func `RFC 9113 8.1: a second header section must end the request`() async throws {
        try await Self.streamEnds(
            .protocol, after: [.post(1), .headers(1, HPACK.block([("x", "y")]), flags: RawFrame.endHeaders)])
    }

    @Test func `RFC 9113 8.1.1: content must have the announced length`() async throws {
        try await Self.streamEnds(.protocol, after: [.post(1, "/", [("content-length", "1")]), .data(1, [1, 2])])
        try await Self.streamEnds(.protocol, after: [.post(1, "/", [("content-length", "3")]), .data(1, [1, 2])])
        try await Self.streamEnds(
            .protocol, after: [.headers(1, HPACK.request("POST", "/", [("content-length", "3")]))])
        try await Self.answers(200, to: [.post(1, "/", [("content-length", "2")]), .data(1, [1, 2])])
    }

    @Test(arguments: [
        ("X-Upper", "a"), ("x y", "a"), ("x:y", "a"), ("", "a"), ("x", "a\r\nb"), ("x", "a\0"), ("x", " a"),
        ("x", "a "),
        ("é", "a"),
    ])
    func `RFC 9113 8.2.1: names are lower-case tokens, and values have no controls or space around them`(
        name: String, value: String
    ) async throws {
        try await Self.streamEnds(.protocol, after: [.headers(1, HPACK.request("GET", "/", [(name, value)]))])
    }

    @Test(arguments: [
        ("connection", "keep-alive"), ("keep-alive", "1"), ("proxy-connection", "x"), ("transfer-encoding", "chunked"),
        ("upgrade", "h2c"), ("te", "trailers, deflate"),
    ])
    func `RFC 9113 8.2.2: fields of a connection malform a request`(name: String, value: String) async throws {
        try await Self.streamEnds(.protocol, after: [.headers(1, HPACK.request("GET", "/", [(name, value)]))])
    }

    @Test func `RFC 9113 8.2.2: te can be trailers`() async throws {
        try await Self.answers(200, to: [.headers(1, HPACK.request("GET", "/", [("te", "trailers")]))])
    }

    @Test(arguments: [
        [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":unknown", "a")],
        [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":status", "200")],
        [(":method", "GET"), (":scheme", "http"), ("x", "y"), (":path", "/")],
        [(":method", "GET"), (":method", "GET"), (":scheme", "http"), (":path", "/")],
        [(":method", "GET"), (":scheme", "http"), (":scheme", "http"), (":path", "/")],
        [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":path", "/")],
        [(":method", "GET"), (":scheme", "http"), (":path", "")],
        [(":scheme", "http"), (":path", "/")], [(":method", "GET"), (":path", "/")],
        [(":method", "GET"), (":scheme", "http")],
    ])
    func `RFC 9113 8.3, 8.3.1: pseudo-header fields are known, first, single and complete`(fields: [(String, String)])
        async throws
    {
        try await Self.streamEnds(.protocol, after: [.headers(1, HPACK.block(fields + [("host", "a")]))])
    }

    @Test func `RFC 9113 8.3: trailers have no pseudo-header fields`() async throws {
        try await Self.streamEnds(.protocol, after: [.post(1), .headers(1, HPACK.block([(":method", "GET")]))])
    }

    @Test(arguments: [
        ("GET", "x", "a", [] as [(String, String)]), ("GET", "/a b", "a", []), ("GET", "/#f", "a", []),
        ("GET", "*", "a", []), ("GET", "/", "u@a", []), ("GET", "/", "a/b", []), ("GET", "/", "a", [("host", "b")]),
        ("GET", "/", "a", [("content-length", "0"), ("content-length", "0")]),
        ("GET", "/", "a", [("content-length", "+1")]),
        ("GET", "/", "a", [("authorization", "x"), ("authorization", "y")]), ("GET", "/é", "a", []),
        ("CONNECT", "/", "a", []), ("GET", "/", "a:443", [("host", "a")]),
    ])
    func `RFC 9113 8.3.1, 8.5: a request that HTTP/1.1 would refuse is refused`(
        method: String, path: String, authority: String, fields: [(String, String)]
    ) async throws {
        let block = HPACK.block(
            [(":method", method), (":scheme", "http"), (":authority", authority), (":path", path)] + fields)
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(.headers(1, block))
            await client.receive { $0.answers[1]?.isComplete == true || $0.answers[1]?.reset != nil }
            let answer = client.answers[1]
            #expect(answer?.status == 400 || answer?.status == nil && answer?.reset == ErrorCode.protocol.rawValue)
            await client.send(.get(3))
            await expectEqual(client.answer(to: 3).status, 200)
        }
    }

    @Test func `RFC 9113 8.5: CONNECT opens no tunnel`() async throws {
        let block = HPACK.block([(":method", "CONNECT"), (":authority", "a:443")])
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(.headers(1, block))
            let answer = await client.answer(to: 1)
            #expect(answer.status == 400 || answer.reset == ErrorCode.protocol.rawValue)
        }
    }

    @Test func `RFC 9113 8.3.1: the authority can be only in Host, or in both alike`() async throws {
        let rest = [(":method", "GET"), (":scheme", "http"), (":path", "/")]
        try await Self.answers(200, to: [.headers(1, HPACK.block(rest + [("host", "a")]))])
        try await Self.answers(200, to: [.headers(1, HPACK.block(rest + [(":authority", "a"), ("host", "A")]))])
        try await Self.answers(200, to: [.headers(1, HPACK.block(rest + [(":authority", "a:80"), ("host", "a")]))])
    }
}

#endif
