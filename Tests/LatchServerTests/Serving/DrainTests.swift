// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite struct DrainTests {
    /// Sends requests until the connection ends; returns the number of responses, and whether one was cut off.
    static func hammer(_ port: Int) async -> (answered: Int, isCut: Bool) {
        guard let client = try? RawClient(port: port) else { return (0, false) }
        var (answered, rest): (Int, [UInt8]) = (0, [])
        while await client.send("GET /\(answered) HTTP/1.1\r\nHost: a\r\n\r\n") {
            guard let response = await client.receiveResponse(rest: &rest) else { break }
            if response.status == .ok, response.body.bytes.count == 3000 { answered += 1 }
            if response.fields["Connection"] == "close" { break }
        }
        return (answered, !rest.isEmpty)
    }

    @Test(arguments: [1, 2])
    func `A server that stops under load completes every response of a handler`(loops: Int) async throws {
        let handled = Mutex(0)
        let (reached, reach) = AsyncStream<Void>.makeStream()
        let handler = ClosureHandler { _ in
            if handled.withLock({
                $0 += 1; return $0
            }) == 500 {
                reach.yield()
            }
            await Task.yield()
            return HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 65, count: 3000)))
        }
        var configuration = Server.Configuration.patient
        configuration.loops = loops
        let server = Server(handler: handler, configuration: configuration)
        let address = try await server.start()
        let outcomes = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { await Self.hammer(address.port) } }
            for await _ in reached { break }
            await server.shutdown(grace: .seconds(600))
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { !$0.isCut })
        expectEqual(outcomes.map(\.answered).reduce(0, +), handled.withLock { $0 })
    }

    @Test
    func `A server that stops under load lets each call that stops it wait for the first, whose grace counts`()
        async throws
    {
        let (entered, enter) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let hasEnded = Mutex(false)
        let handler = ClosureHandler { _ in
            await withCheckedContinuation { enter.yield($0) }
            hasEnded.withLock { $0 = true }
            return HTTPResponse(status: .ok)
        }
        let server = Server(handler: handler, configuration: .patient)
        let client = try RawClient(port: try await server.start().port)
        await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        var waiting = entered.makeAsyncIterator()
        let continuation = await waiting.next()
        let first = Task { await server.shutdown(grace: .seconds(600)) }
        try await eventually { server.address == nil }
        let second = Task {
            await server.shutdown(grace: .zero)
            return hasEnded.withLock { $0 }
        }
        // It has had its turn many times before the handler ends.
        for _ in 0..<1000 { await Task.yield() }
        continuation?.resume()
        await expectEqual(client.receiveResponse()?.status, .ok)
        #expect(await second.value)
        await first.value
    }

    @Test(.timeLimit(.minutes(2)), arguments: [1, 2])
    func `A server that stops under load refuses connections while an earlier request is handled`(loops: Int)
        async throws
    {
        let (entered, enter) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let handler = ClosureHandler { _ in
            await withCheckedContinuation { enter.yield($0) }
            return HTTPResponse(status: .ok)
        }
        var configuration = Server.Configuration.patient
        configuration.loops = loops
        let server = Server(handler: handler, configuration: configuration)
        let port = try await server.start().port
        let client = try RawClient(port: port)
        await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        var waiting = entered.makeAsyncIterator()
        let continuation = await waiting.next()
        let stop = Task { await server.shutdown(grace: .seconds(600)) }
        // A client that connects and gets no response waits for nothing.
        try await eventually { (try? RawClient(port: port)) == nil }
        continuation?.resume()
        await expectEqual(client.receiveResponse()?.status, .ok)
        await stop.value
    }

    @Test(.timeLimit(.minutes(2)))
    func `A server that stops under load waits a moment for the request of a client that has just connected`()
        async throws
    {
        var configuration = Server.Configuration.patient
        configuration.loops = 1
        // No moment passes.
        configuration.uptime = { 1 }
        let server = Server(handler: ClosureHandler { _ in HTTPResponse(status: .ok) }, configuration: configuration)
        let port = try await server.start().port
        let (idle, new) = (try RawClient(port: port), try RawClient(port: port))
        await idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await expectEqual(idle.receiveResponse()?.status, .ok)
        let stop = Task { await server.shutdown(grace: .seconds(600)) }
        // A connection that has had a request is closed, and the other is not.
        #expect(await idle.receiveAll().isEmpty)
        await new.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = await new.receiveResponse()
        #expect(response?.status == .ok && response?.fields["Connection"] == "close")
        new.endSending()
        await stop.value
    }

    @Test(.timeLimit(.minutes(2)))
    func `A server that stops under load does not wait long for a request that does not come`() async throws {
        // A second passes with each look at the clock, of which there are a few in a turn of the loop.
        let uptime = Mutex<UInt64>(0)
        var configuration = Server.Configuration.patient
        configuration.uptime = {
            uptime.withLock {
                $0 += 1_000_000_000
                return $0
            }
        }
        let server = Server(handler: ClosureHandler { _ in HTTPResponse(status: .ok) }, configuration: configuration)
        let client = try RawClient(port: try await server.start().port)
        let start = uptime.withLock { $0 }
        await server.shutdown(grace: .seconds(600))
        #expect(uptime.withLock { $0 } < start + 60_000_000_000)
        #expect(await client.receiveAll().isEmpty)
    }

    @Test func `A server that stops under load lets a task that ignores its cancellation complete`() async throws {
        let (entered, enter) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let stubborn = ClosureHandler { _ in
            await withCheckedContinuation { enter.yield($0) }
            await Task.yield()
            end.yield()
            return HTTPResponse(status: .ok)
        }
        let server = Server(handler: stubborn, configuration: .patient)
        let client = try RawClient(port: try await server.start().port)
        await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        var waiting = entered.makeAsyncIterator()
        let continuation = await waiting.next()
        await server.shutdown(grace: .zero)
        #expect(await client.receiveAll().isEmpty)
        continuation?.resume()
        for await _ in ended { break }
    }
}
