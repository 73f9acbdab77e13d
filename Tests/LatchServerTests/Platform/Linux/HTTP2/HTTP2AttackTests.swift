// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@Suite struct HTTP2AttackTests {
    static let calm = ErrorCode.calm.rawValue

    /// Returns the code by which the connection ends while frames are sent; nil when it bears them all.
    static func end(
        _ frames: [RawFrame], times: Int, first: [RawFrame] = [], handler: any Handler = .telling
    ) async throws -> UInt32? {
        try await serving(handler, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            client.acknowledges = first.isEmpty
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

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that opens streams and resets them is cut off before many are handled`()
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
            await expectEqual(client.end(), Self.calm)
            await sent
        }
        #expect(total.withLock { $0 } <= 210)
        #expect(running.withLock { $0.most } <= 100)
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that makes the server reset its streams is also cut off`() async throws {
        try await serving(.telling, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            var count = 0
            while client.goAways.isEmpty, count < 1000 {
                let id = UInt32(2 * count + 1)
                count += 1
                await client.send(.post(id), .windowUpdate(id, 0x7FFF_FFFF))
                await client.receive { $0.answers[id]?.reset != nil || !$0.goAways.isEmpty }
            }
            expectEqual(client.goAways.last?.goAwayCode, Self.calm)
            #expect(count <= 210)
        }
    }

    @Test(.tags(.http2Flood)) func `An HTTP/2 attacker that never ends a header block is cut off`() async throws {
        let frames = [RawFrame.continuation(1, [], flags: 0)]
        let begin = [RawFrame.headers(1, HPACK.request("GET", "/"), flags: 1)]
        try await expectEqual(Self.end(frames, times: 50, first: begin), Self.calm)
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that sends fields without end gets 431, and is cut off when it continues`()
        async throws
    {
        let line = [UInt8(0x40)] + HPACK.text("bomb") + HPACK.text(String(repeating: "x", count: 3900))
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(.headers(1, HPACK.request("GET", "/") + line + [UInt8](repeating: 0xBE, count: 10)))
            await expectEqual(client.answer(to: 1).status, 431)
            await client.send(.headers(3, HPACK.request("GET", "/", (0..<150).map { ("x\($0)", "") })))
            await expectEqual(client.answer(to: 3).status, 431)
            await client.send(.get(5))
            await expectEqual(client.answer(to: 5).status, 200)
            await client.send(.headers(7, HPACK.request("GET", "/") + [UInt8](repeating: 0xBE, count: 16_000)))
            await expectEqual(client.end(), Self.calm)
        }
    }

    @Test(
        .tags(.http2Flood),
        arguments: [
            [RawFrame.ping], [.settings([(3, 7)])], [RawFrame(type: 2, stream: 1, payload: [0, 0, 0, 0, 1])],
            [.windowUpdate(0, 1)], [.settings(flags: 1)],
        ])
    func `An HTTP/2 attacker that floods with frames without a message is cut off`(frames: [RawFrame]) async throws {
        #expect(try await Self.end(frames, times: 20_000) != nil)
    }

    @Test(.tags(.http2Flood)) func `An HTTP/2 attacker that sends empty DATA without end is cut off`() async throws {
        try await expectEqual(Self.end([.data(1, [], flags: 0)], times: 20_000, first: [.post(1)]), Self.calm)
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that sends DATA of nothing but padding is cut off`() async throws {
        let padding = RawFrame.data(1, [3, 0, 0, 0], flags: 0x8)
        let acknowledgement = RawFrame(type: 6, flags: 1, payload: RawFrame.ping.payload)
        try await expectEqual(Self.end([padding], times: 20_000, first: [.post(1)]), Self.calm)
        try await expectEqual(Self.end([padding, acknowledgement], times: 20_000, first: [.post(1)]), Self.calm)
    }

    @Test(.tags(.http2Flood)) func `A client of HTTP/2 can send content in single bytes`() async throws {
        let content = (0..<5000).flatMap { _ in RawFrame.data(1, [7], flags: 0).bytes }
        try await serving(.telling, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            await client.send(bytes: RawFrame.post(1).bytes + content + RawFrame.data(1, []).bytes)
            await expectEqual(client.answer(to: 1).content.count, "POST a / ".utf8.count + 5000)
        }
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that opens its window by single bytes gets its response, and is cut off`()
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
            await expectEqual(client.end(), Self.calm)
            await sent
        }
    }

    @Test(.tags(.http2Flood)) func `An HTTP/2 attacker that opens streams over the limit is cut off`() async throws {
        let waiting = HTTP2ConformanceTests.waiting
        let frames = (0..<2000).map { RawFrame.get(UInt32(2 * $0 + 1)) }
        try await serving(waiting, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            async let sent: Bool = client.send(bytes: frames.flatMap(\.bytes))
            await expectEqual(client.end(), Self.calm)
            #expect(client.answers.values.count { $0.reset == ErrorCode.refused.rawValue } <= 201)
            _ = await sent
        }
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that sends DATA on streams that have ended is cut off`() async throws {
        try await serving(.telling, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            // Those below one that is open are closed (RFC 9113 §5.1.1).
            await client.send(.get(9001))
            await expectEqual(client.answer(to: 9001).status, 200)
            let frames = (0..<4000).flatMap { RawFrame.data(UInt32(2 * $0 + 1), []).bytes }
            async let sent = client.send(bytes: frames)
            await expectEqual(client.end(), Self.calm)
            _ = await sent
            #expect(client.answers.values.count { $0.reset == ErrorCode.streamClosed.rawValue } <= 200)
        }
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that sends empty DATA and trailers on a reset stream is cut off`()
        async throws
    {
        for frame in [RawFrame.data(1, [], flags: 0), .headers(1, HPACK.block([("t", "1")]))] {
            let first = [RawFrame.post(1), .windowUpdate(1, 0x7FFF_FFFF)]
            try await expectEqual(Self.end([frame], times: 20_000, first: first), Self.calm)
        }
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that floods with unknown frames has them ignored`() async throws {
        let unknown = [[UInt8]](repeating: RawFrame(type: 0xB0, stream: 1).bytes, count: 20_000).flatMap { $0 }
        try await serving(.telling, configuration: .kept(by: ManualUptime())) { address in
            let client = try await FrameClient(address)
            await client.send(bytes: unknown + RawFrame.get(1).bytes)
            await expectEqual(client.answer(to: 1).status, 200)
        }
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that keeps content in many streams is held to its share of the memory`() async throws {
        var configuration = Server.Configuration.patient
        configuration.maximumContentBytes = 400_000  // A quarter for each address.
        try await serving(.telling, configuration: configuration) { address in
            let client = try await FrameClient(address)
            for number in 0..<20 {
                let id = UInt32(2 * number + 1)
                await client.send(.post(id), .data(id, [UInt8](repeating: 1, count: 16_000), flags: 0))
            }
            await expectEqual(client.answer(to: 39).status, 503)
        }
    }

    @Test(.tags(.http2Flood))
    func `An HTTP/2 attacker that keeps trailers in many streams is also held to its share`() async throws {
        var configuration = Server.Configuration.patient
        configuration.maximumContentBytes = 400_000
        // No handler ends, since what it was given is no longer counted then.
        try await serving(HTTP2ConformanceTests.waiting, configuration: configuration) { address in
            let client = try await FrameClient(address)
            let line = [UInt8(0x40)] + HPACK.text("t") + HPACK.text(String(repeating: "x", count: 4000))
            for number in 0..<20 {
                let id = UInt32(2 * number + 1)
                let last = number == 0 ? line : [0xBE]
                await client.send(.post(id), .headers(id, last + [0xBE, 0xBE, 0xBE]))
            }
            // The heads of streams whose resets are still to be sent may leave no room for that of a further one.
            let last = await client.answer(to: 39)
            #expect(last.reset == Self.calm || last.status == 503)
            expectNil(client.answers[1]?.reset)
        }
    }
}

#endif
