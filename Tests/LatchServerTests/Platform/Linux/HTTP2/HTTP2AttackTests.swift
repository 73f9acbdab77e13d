// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@Suite struct `An attacker that speaks HTTP/2` {
    static let calm: UInt32 = 11

    /// Returns the code by which the connection ends while frames are sent; nil when it bears them all.
    static func end(
        _ frames: [RawFrame], times: Int, first: [RawFrame] = [], handler: any Handler = .telling
    ) async throws -> UInt32? {
        try await serving(handler, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            for frame in first { await client.send(frame) }
            let bytes = frames.flatMap(\.bytes)
            async let sent: Void = {
                for _ in 0..<(times / 50) {
                    guard await client.send(bytes: [[UInt8]](repeating: bytes, count: 50).flatMap { $0 }) else {
                        return
                    }
                }
                client.endSending()
            }()
            let code = await client.end()
            await sent
            return code
        }
    }

    @Test(.tags(.attackK11)) func `that opens streams and resets them is cut off before it has had many handled`()
        async throws
    {
        let running = Mutex((now: 0, most: 0))
        let total = Mutex(0)
        let handler = ClosureHandler { _ in
            total.withLock { $0 += 1 }
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            let (endless, kept) = AsyncStream<Void>.makeStream()
            for await _ in endless {}
            kept.finish()
            running.withLock { $0.now -= 1 }
            return HTTPResponse(status: .ok)
        }
        try await serving(handler, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            async let sent: Void = {
                for number in 0..<2000 {
                    let id = UInt32(2 * number + 1)
                    guard await client.send(.get(id), .reset(id)) else { return }
                }
            }()
            #expect(await client.end() == Self.calm)
            await sent
        }
        #expect(total.withLock { $0 } <= 210)
        #expect(running.withLock { $0.most } <= 100)
    }

    @Test(.tags(.attackK11)) func `that makes the server reset its streams is cut off, too`() async throws {
        try await serving(.telling, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            var count = 0
            while client.goAways.isEmpty, count < 1000 {
                let id = UInt32(2 * count + 1)
                count += 1
                await client.send(.post(id), .windowUpdate(id, 0x7FFF_FFFF))
                await client.receive { $0.answers[id]?.reset != nil || !$0.goAways.isEmpty }
            }
            #expect(client.goAways.last?.goAwayCode == Self.calm)
            #expect(count <= 210)
        }
    }

    @Test(.tags(.attackK11)) func `that never ends a header block is cut off`() async throws {
        let frames = [RawFrame.continuation(1, [], flags: 0)]
        let begin = [RawFrame.headers(1, HPACK.request("GET", "/"), flags: 1)]
        #expect(try await Self.end(frames, times: 50, first: begin) == Self.calm)
    }

    @Test(.tags(.attackK11)) func `that sends fields without end gets 431, and is cut off when it goes on`()
        async throws
    {
        let line = [UInt8(0x40)] + HPACK.text("bomb") + HPACK.text(String(repeating: "x", count: 3900))
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(.headers(1, HPACK.request("GET", "/") + line + [UInt8](repeating: 0xBE, count: 5)))
            #expect(await client.answer(to: 1).status == 431)
            await client.send(.headers(3, HPACK.request("GET", "/", (0..<150).map { ("x\($0)", "") })))
            #expect(await client.answer(to: 3).status == 431)
            await client.send(.get(5))
            #expect(await client.answer(to: 5).status == 200)
            await client.send(.headers(7, HPACK.request("GET", "/") + [UInt8](repeating: 0xBE, count: 16_000)))
            #expect(await client.end() == Self.calm)
        }
    }

    @Test(
        .tags(.attackK11),
        arguments: [
            [RawFrame.ping], [.settings([(3, 7)])], [RawFrame(type: 2, stream: 1, payload: [0, 0, 0, 0, 1])],
            [.windowUpdate(0, 1)], [.settings(flags: 1)],
        ])
    func `that floods with frames without a message is cut off`(frames: [RawFrame]) async throws {
        #expect(try await Self.end(frames, times: 20_000) != nil)
    }

    @Test(.tags(.attackK11)) func `that sends empty DATA without end is cut off`() async throws {
        #expect(try await Self.end([.data(1, [], flags: 0)], times: 20_000, first: [.post(1)]) == Self.calm)
    }

    @Test(.tags(.attackK11)) func `that opens its window by single bytes gets its response, and is cut off`()
        async throws
    {
        let handler = ClosureHandler { _ in
            HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 1, count: 1 << 20)))
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address, settings: [(4, 0)])
            await client.send(.get(1))
            let update = [[UInt8]](repeating: RawFrame.windowUpdate(0, 1).bytes, count: 100).flatMap { $0 }
            async let sent: Void = {
                for _ in 0..<100 { guard await client.send(bytes: update) else { return } }
            }()
            #expect(await client.end() == Self.calm)
            await sent
        }
    }

    // MARK: - Slowness

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

    @Test(.tags(.attackK2), arguments: [Array(FrameClient.preface.prefix(10)), FrameClient.preface])
    func `that does not end its preface is closed at the deadline of a head`(beginning: [UInt8]) async throws {
        let (answer, _) = try await Self.after(seconds: 11, beginning)
        #expect(answer?.status == nil)
    }

    @Test(.tags(.attackK2)) func `that does not end its head is closed at its deadline`() async throws {
        let head = RawFrame.headers(1, HPACK.request("GET", "/"), flags: 1).bytes
        let (answer, code) = try await Self.after(seconds: 11, Self.begun + head)
        #expect(answer?.status == nil)
        #expect(code == Self.calm)
    }

    @Test(.tags(.attackK2)) func `that sends nothing is told so after the idle time`() async throws {
        #expect(try await Self.after(seconds: 61, Self.begun).code == 0)
    }

    @Test(.tags(.attackK2)) func `that does not end its content gets 408`() async throws {
        let uptime = ManualUptime()
        try await serving(.telling, configuration: .kept(by: uptime)) { address in
            let client = try await FrameClient(address)
            await client.send(.post(1), .data(1, [1], flags: 0))
            #expect(await client.settle())
            uptime.advance(bySeconds: 31)
            #expect(await client.answer(to: 1).status == 408)
            await client.send(.get(3))
            #expect(await client.answer(to: 3).status == 200, "the connection goes on")
        }
    }

    @Test(.tags(.attackK2)) func `that keeps its window shut loses the stream`() async throws {
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
            #expect(await client.answer(to: 1).reset == 8)
        }
    }

    @Test(.tags(.attackK2)) func `that does not read is closed, whatever it asks for`() async throws {
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

    @Test(.tags(.attackK11)) func `that keeps content in many streams is held to its share of the memory`() async throws
    {
        var configuration = Server.Configuration.patient
        configuration.maximumContentBytes = 400_000  // A quarter for each address.
        try await serving(.telling, configuration: configuration) { address in
            let client = try await FrameClient(address)
            for number in 0..<20 {
                let id = UInt32(2 * number + 1)
                await client.send(.post(id), .data(id, [UInt8](repeating: 1, count: 16_000), flags: 0))
            }
            #expect(await client.answer(to: 39).status == 503)
        }
    }
}

#endif
