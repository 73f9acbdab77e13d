// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import TestTags
import Testing

/// Tests with a clock that they advance themselves, and the default deadlines: 10 s for a head, 30 s for content, 60 s for a
/// response, and 75 s without a request.
@Suite struct HTTP2SlownessTests {
    static let calm = ErrorCode.calm.rawValue

    /// Sends a beginning and lets time pass; returns what came, and the code of the end.
    static func after(
        seconds: Int, _ beginning: [UInt8], handler: any Handler = .telling
    ) async throws -> (answer: StreamAnswer?, code: UInt32?) {
        let uptime = ManualUptime()
        return try await serving(handler, configuration: .kept(by: uptime)) { address in
            let client = try await FrameClient(address, settings: nil)
            client.acknowledges = false
            await client.send(bytes: beginning)
            let witness = try await FrameClient(address)
            await witness.send(.get(1))
            _ = await witness.answer(to: 1)
            uptime.advance(bySeconds: seconds)
            let code = await client.end()
            return (client.answers[1], code)
        }
    }

    static let begun = FrameClient.preface + RawFrame.settings().bytes

    @Test(.tags(.slowClient), arguments: [Array(FrameClient.preface.prefix(10)), FrameClient.preface])
    func `A trickling HTTP/2 client that does not end its preface is closed at the deadline of a head`(
        beginning: [UInt8]
    ) async throws {
        let (answer, _) = try await Self.after(seconds: 11, beginning)
        expectNil(answer?.status)
    }

    @Test(.tags(.slowClient))
    func `A trickling HTTP/2 client that does not end its head is closed at its deadline`() async throws {
        let head = RawFrame.headers(1, HPACK.request("GET", "/"), flags: 1).bytes
        let (answer, code) = try await Self.after(seconds: 11, Self.begun + head)
        expectNil(answer?.status)
        expectEqual(code, Self.calm)
    }

    @Test(.tags(.slowClient))
    func `A trickling HTTP/2 client that sends nothing gets GOAWAY after the idle time`() async throws {
        try await expectEqual(Self.after(seconds: 76, Self.begun).code, 0)
    }

    @Test(.tags(.slowClient)) func `A trickling HTTP/2 client that does not end its content gets 408`() async throws {
        let uptime = ManualUptime()
        try await serving(.telling, configuration: .kept(by: uptime)) { address in
            let client = try await FrameClient(address)
            await client.send(.post(1), .data(1, [1], flags: 0))
            #expect(await client.settle())
            uptime.advance(bySeconds: 31)
            await expectEqual(client.answer(to: 1).status, 408)
            await client.send(.get(3))
            await expectEqual(client.answer(to: 3).status, 200, "the connection goes on")
        }
    }

    @Test
    func `A trickling HTTP/2 client that sends on after its response is refused after two seconds`() async throws {
        let uptime = ManualUptime()
        var configuration = Server.Configuration.kept(by: uptime)
        configuration.maximumBodyBytes = 10
        try await serving(.telling, configuration: configuration) { address in
            let client = try await FrameClient(address)
            let content = [UInt8](repeating: 1, count: 11)
            for stream in [1, 3] as [UInt32] {
                await client.send(.post(stream), .data(stream, content, flags: 0))
                await expectEqual(client.answer(to: stream).status, 413)
                await client.send(.data(stream, content, flags: 0))
            }
            await client.send(.data(3, content))
            #expect(await client.settle())
            expectNil(client.answers[1]?.reset)
            uptime.advance(bySeconds: 3)
            #expect(await client.receive { $0.answers[1]?.reset == 0 })
            expectNil(client.answers[3]?.reset, "its request was complete in time")
        }
    }

    @Test(.tags(.slowClient))
    func `A trickling HTTP/2 client that keeps its window shut loses the stream`() async throws {
        let uptime = ManualUptime()
        let handler = ClosureHandler { _ in HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 1, count: 100)))
        }
        try await serving(handler, configuration: .kept(by: uptime)) { address in
            let client = try await FrameClient(address, settings: [(4, 10)])
            await client.send(.get(1))
            #expect(await client.receive { $0.answers[1]?.content.count == 10 })
            uptime.advance(bySeconds: 59)
            #expect(await client.settle())
            uptime.advance(bySeconds: 3)
            await expectEqual(client.answer(to: 1).reset, 8)
        }
    }

    @Test(.tags(.slowClient))
    func `A trickling HTTP/2 client that does not read is closed, for any request`() async throws {
        let uptime = ManualUptime()
        let big = ClosureHandler { _ in
            HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 1, count: 32 << 20)))
        }
        let server = Server(handler: big, configuration: .kept(by: uptime))
        let client = try await FrameClient(
            try await server.start(), settings: [(4, 0x7FFF_FFFF)], receiveBuffer: 4096)
        await client.send(.windowUpdate(0, 0x7FFF_0000), .get(1))
        #expect(await client.receive() != nil)
        while server.connectionCount > 0 {
            uptime.advance(bySeconds: 61)
            await Task.yield()
        }
        await server.shutdown(grace: .zero)
    }

    // MARK: - Silence

    /// Serves a handler that waits for its cancellation at `/call`, whose content arrives while it runs.
    private static func calling(
        limit: Int? = nil, _ body: @Sendable (Server.Address, ManualUptime) async throws -> Void
    ) async throws {
        let uptime = ManualUptime()
        var configuration = Server.Configuration.kept(by: uptime)
        configuration.streamedContent = ["/call"]
        if let limit { configuration.maximumContentBytes = limit }
        try await serving(HTTP2ConformanceTests.waiting, configuration: configuration) { address in
            try await body(address, uptime)
        }
    }

    /// Returns once the server has ended its turn of what was sent before on a connection, also after its last write.
    private static func settle(_ client: FrameClient, _ address: Server.Address) async throws {
        #expect(await client.settle())
        #expect(try await FrameClient(address).settle())
    }

    @Test(.tags(.slowClient)) func `A trickling HTTP/2 client that disappears loses its calls`() async throws {
        try await Self.calling { address, uptime in
            let client = try await FrameClient(address)
            await client.send(.post(1, "/call"))
            try await Self.settle(client, address)
            let asked = client.pings.count
            uptime.advance(bySeconds: 76)
            #expect(await client.receive { $0.pings.count > asked })
            expectEqual(client.pings.last?.flags, 0)
            #expect(try await FrameClient(address).settle())
            uptime.advance(bySeconds: 61)
            _ = await client.end()
            expectNil(client.answers[1]?.status)
        }
    }

    @Test func `A trickling HTTP/2 client that answers pings keeps its silent calls`() async throws {
        try await Self.calling { address, uptime in
            let client = try await FrameClient(address)
            await client.send(.post(1, "/call"))
            for _ in 0..<5 {
                try await Self.settle(client, address)
                let asked = client.pings.count
                uptime.advance(bySeconds: 76)
                #expect(await client.receive { $0.pings.count > asked })
                var answer = try #require(client.pings.last)
                answer.flags = 1
                await client.send(answer)
            }
            #expect(await client.settle())
            expectNil(client.answers[1])
            // It is still the server that answers.
            await client.send(.get(3, "/over"))
            await expectEqual(client.answer(to: 3).status, 200)
        }
    }

    @Test(.tags(.http2Flood))
    func `A trickling HTTP/2 client that has many calls wait is held to its share of the memory`() async throws {
        // A quarter of it is the share of an address: two calls, beside the first of each connection.
        try await Self.calling(limit: 4 * 60_000) { address, _ in
            let client = try await FrameClient(address)
            for id in [1, 3, 5] as [UInt32] { await client.send(.post(id, "/call")) }
            #expect(await client.settle())
            #expect(client.answers.isEmpty)
            await client.send(.post(7, "/call"))
            await expectEqual(client.answer(to: 7).status, 503)
            // A call makes room once its handler has ended.
            await client.send(.reset(5))
            var id = UInt32(7)
            repeat {
                id += 2
                await client.send(.post(id, "/call"))
                #expect(await client.settle())
            } while client.answers[id]?.status == 503
            // Another connection has its first call.
            let other = try await FrameClient(address)
            await other.send(.post(1, "/call"))
            #expect(await other.settle())
            expectNil(other.answers[1])
        }
    }

    // MARK: - Steady drips

    /// Returns once the server has taken in what was sent before on other connections.
    private static func settle(_ address: Server.Address) async throws {
        let witness = try await FrameClient(address)
        await witness.send(.get(1))
        #expect(await witness.answer(to: 1).status != nil)
    }

    /// Sends a beginning, then drips with time between them, and lets time pass; returns what came on stream 1, and the code of
    /// the end.
    private static func after(
        _ first: [RawFrame], drips: [[UInt8]], every seconds: Int = 3, then last: Int
    ) async throws -> (answer: StreamAnswer?, code: UInt32?) {
        let uptime = ManualUptime()
        return try await serving(.telling, configuration: .kept(by: uptime)) { address in
            let client = try await FrameClient(address)
            client.acknowledges = false
            for frame in first { await client.send(frame) }
            try await settle(address)
            for drip in drips {
                uptime.advance(bySeconds: seconds)
                await client.send(bytes: drip)
                try await settle(address)
            }
            uptime.advance(bySeconds: last)
            let answer = await client.answer(to: 1)
            return (answer, answer.isComplete ? nil : await client.end())
        }
    }

    private static let block = HPACK.request("GET", "/")
    private static let incomplete = RawFrame.headers(1, Array(block.prefix(4)), flags: RawFrame.endStream)

    @Test(.tags(.slowClient))
    func `The head of a trickling HTTP/2 client ends the connection at its deadline, with steady frames`()
        async throws
    {
        let drips = Self.block[4..<7].map { RawFrame.continuation(1, [$0], flags: 0).bytes }
        let (answer, code) = try await Self.after([Self.incomplete], drips: drips, then: 2)
        expectNil(answer?.status)
        expectEqual(code, Self.calm)
    }

    @Test(.tags(.slowClient))
    func `The head of a trickling HTTP/2 client ends the connection at its deadline, with steady bytes`()
        async throws
    {
        let bytes = RawFrame.headers(1, Self.block).bytes
        let drips = [Array(bytes[..<12]), [bytes[12]], [bytes[13]], [bytes[14]]]
        try await expectEqual(Self.after([], drips: drips, then: 2).code, Self.calm)
    }

    @Test(.tags(.slowClient))
    func `The trailers of a trickling HTTP/2 client end the connection at their deadline`() async throws {
        let trailers = HPACK.block([("x-end", "1")])
        let first = [RawFrame.post(1), .data(1, [1], flags: 0), .headers(1, Array(trailers.prefix(1)), flags: 1)]
        let drips = trailers[1..<4].map { RawFrame.continuation(1, [$0], flags: 0).bytes }
        try await expectEqual(Self.after(first, drips: drips, then: 2).code, Self.calm)
    }

    @Test(.tags(.slowClient)) func `The content of a trickling HTTP/2 client gets 408 at the deadline`() async throws {
        let drips = [[UInt8]](repeating: RawFrame.data(1, [1], flags: 0).bytes, count: 9)
        try await expectEqual(Self.after([.post(1)], drips: drips, then: 4).answer?.status, 408)
    }

    @Test(
        .tags(.slowClient),
        arguments: [
            RawFrame.ping, .settings([(3, 7)]), .windowUpdate(0, 1),
            RawFrame(type: 2, stream: 1, payload: [0, 0, 0, 0, 1]),
            RawFrame(type: 0xB0, payload: [1]), .settings(flags: 1),
        ])
    func `Frames without a request do not keep the connection of a trickling HTTP/2 client`(frame: RawFrame)
        async throws
    {
        // One acknowledgement is expected, and more are an error.
        let drips = [[UInt8]](repeating: frame.bytes, count: frame.flags == 1 ? 1 : 5)
        try await expectEqual(Self.after([], drips: drips, every: 10, then: 76 - 10 * drips.count).code, 0)
    }

    @Test(.tags(.slowClient))
    func `A frame that does not arrive does not keep the connection of a trickling HTTP/2 client`() async throws {
        let drips = RawFrame.ping.bytes.prefix(8).map { [$0] }
        try await expectEqual(Self.after([], drips: drips, every: 7, then: 20).code, 0)
    }

    @Test(.tags(.slowClient))
    func `A response that a trickling HTTP/2 client takes byte by byte is reset`() async throws {
        let uptime = ManualUptime()
        let content = ClosureHandler { _ in
            HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 1, count: 1000)))
        }
        try await serving(content, configuration: .kept(by: uptime)) { address in
            let client = try await FrameClient(address, settings: [(4, 0)])
            await client.send(.get(1))
            #expect(await client.receive { $0.answers[1]?.status == 200 })
            var count = 0
            while client.answers[1]?.reset == nil, count < 40 {
                count += 1
                uptime.advance(bySeconds: 3)
                await client.send(.windowUpdate(1, 1))
                #expect(await client.settle())
            }
            await expectEqual(client.answer(to: 1).reset, 8)
            #expect((20...22).contains(count), "after a minute, less what the bytes are worth")
            #expect(client.goAways.isEmpty)
        }
    }
}

#endif
