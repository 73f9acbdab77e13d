// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import LatchCore
import LatchHTTP
import Synchronization
import TestSupport
import Testing

@testable import LatchServer

@Suite(.timeLimit(.minutes(2))) struct HTTP2ReleaseTests {
    private final class Token: Sendable {}

    @Test func `The memory of an HTTP/2 stream is freed with the server, also after arriving content`() async throws {
        weak var token: Token?
        do {
            let kept = Token()
            token = kept
            let handler = ClosureHandler { [kept] request in
                defer { withExtendedLifetime(kept) {} }
                return HTTPResponse(status: .ok, body: HTTPBody(try await request.body.collected(upTo: 100)))
            }
            var configuration = Server.Configuration.patient
            configuration.streamedContent = ["/"]
            let shared = try EngineConfiguration(handler, configuration, ConnectionLimiter(configuration))
            let (engine, address) = (try Engine.start(shared, loops: 1), shared.address)
            let client = try await FrameClient(address)
            await client.send(.post(1), .data(1, [65], flags: 0))
            #expect(await client.settle())
            await client.send(.data(1, [66]))
            await expectEqual(client.answer(to: 1).text, "AB")
            await engine.stop(grace: .zero)
        }
        try await eventually { token == nil }
    }

    @Test
    func `The memory of an HTTP/2 stream counts until its handler has ended, also after a malformed trailer`()
        async throws
    {
        let (handlers, handler) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let waiting = ClosureHandler { request in
            await withCheckedContinuation { handler.yield($0) }
            return HTTPResponse(status: .ok, body: HTTPBody(try await request.body.collected(upTo: 100_000)))
        }
        var configuration = Server.Configuration.patient
        configuration.streamedContent = ["/"]
        let shared = try EngineConfiguration(waiting, configuration, ConnectionLimiter(configuration))
        let (engine, address) = (try Engine.start(shared, loops: 1), shared.address)
        let client = try await FrameClient(address)
        await client.send(.post(1), .data(1, [UInt8](repeating: 65, count: 16_000), flags: 0))
        var running = handlers.makeAsyncIterator()
        let held = await running.next()
        await client.send(.headers(1, HPACK.block([("x y", "z")])))
        await expectEqual(client.answer(to: 1).reset, 1)
        #expect(await client.settle())
        #expect(shared.memory.heldBytes >= 16_000)
        held?.resume()
        try await eventually { shared.memory.heldBytes == 0 }
        await engine.stop(grace: .zero)
    }

    @Test func `The memory of an HTTP/2 stream counts with the trailers of its request`() async throws {
        let (handlers, handler) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let waiting = ClosureHandler { request in
            await withCheckedContinuation { handler.yield($0) }
            return HTTPResponse(status: .ok, body: HTTPBody(request.body.trailers["x"] ?? ""))
        }
        let shared = try EngineConfiguration(waiting, .patient, ConnectionLimiter(.patient))
        let (engine, address) = (try Engine.start(shared, loops: 1), shared.address)
        let client = try await FrameClient(address)
        let text = String(repeating: "x", count: 12_000)
        await client.send(.post(1), .headers(1, HPACK.block([("x", text)])))
        var running = handlers.makeAsyncIterator()
        let held = await running.next()
        #expect(shared.memory.heldBytes >= 12_000)
        held?.resume()
        await expectEqual(client.answer(to: 1).text, text)
        try await eventually { shared.memory.heldBytes == 0 }
        await engine.stop(grace: .zero)
    }

    @Test
    func `HTTP/2 requests that arrived before a stop are answered`() async throws {
        let blocker = LoopBlocker()
        let shared = try EngineConfiguration(blocker.handler, .patient, ConnectionLimiter(.patient))
        let (engine, address) = (try Engine.start(shared, loops: 2), shared.address)
        let blocking = try await FrameClient(address)
        await blocking.send(.get(1, "/block"))
        await blocker.waitUntilBlocked()
        let other = try await FrameClient(address)
        await other.send(.get(1))
        await expectEqual(other.answer(to: 1).status, 200)
        let stop = Task { await engine.stop(grace: .seconds(600)) }
        await expectEqual(other.end(), 0)
        // Nobody accepts these before the blocked loop begins to stop.
        var clients: [FrameClient] = []
        for _ in 0..<8 {
            clients.append(try await FrameClient(address))
            await clients.last?.send(.get(1))
        }
        blocker.release()
        for client in clients + [blocking] { await expectEqual(client.answer(to: 1).status, 200) }
        await stop.value
    }

    @Test
    func `The memory of an HTTP/2 stream also counts beside the first if only the response has a source`() async throws
    {
        let handler = ClosureHandler { _ in
            let isBegun = Mutex(false)
            let stream = HTTPBodyStream(once: {
                let isFirst = isBegun.withLock { isBegun in
                    defer { isBegun = true }
                    return !isBegun
                }
                guard !isFirst else { return [65] }
                let (endless, kept) = AsyncStream<Void>.makeStream()
                for await _ in endless {}
                kept.finish()
                return nil
            })
            return HTTPResponse(status: .ok, body: HTTPBody(stream))
        }
        let shared = try EngineConfiguration(handler, .patient, ConnectionLimiter(.patient))
        let (engine, address) = (try Engine.start(shared, loops: 1), shared.address)
        let client = try await FrameClient(address)
        for (index, stream) in [UInt32(1), 3, 5].enumerated() {
            await client.send(.get(stream))
            #expect(await client.receive { $0.answers[stream]?.content == [65] })
            #expect(shared.memory.heldBytes >= index * HTTP2Limits.waitingStreamBytes)
            #expect(shared.memory.heldBytes < (index + 1) * HTTP2Limits.waitingStreamBytes)
        }
        for stream in [UInt32(1), 3, 5] { await client.send(.reset(stream)) }
        try await eventually { shared.memory.heldBytes == 0 }
        await engine.stop(grace: .zero)
    }
}

#endif
