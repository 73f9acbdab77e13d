// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct HandlerTaskTests {
    static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// A handler that waits until it is cancelled, and reports it.
    struct Waiting: Handler {
        let started = AsyncStream<Void>.makeStream()
        let cancelled = AsyncStream<Void>.makeStream()

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            started.continuation.yield()
            for await _ in AsyncStream<Never>.makeStream().stream {}
            cancelled.continuation.yield()
            return HTTPResponse(status: .ok)
        }
    }

    @Test func `A handler's task can wait for another thread`() async throws {
        let elsewhere = ClosureHandler { _ in
            let text = await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: "from elsewhere") }
            }
            return HTTPResponse(status: .ok, body: HTTPBody(text))
        }
        try await serving(elsewhere) { address in
            let client = try RawClient(port: address.port)
            for _ in 0..<200 {
                await client.send(Self.request)
                await expectEqual(client.receiveResponse()?.body.text, "from elsewhere")
            }
        }
    }

    actor Counter {
        private var count = 0
        func next() -> Int {
            count += 1
            return count
        }
    }

    @Test func `A handler's task can use actors, child tasks and detached tasks`() async throws {
        let counter = Counter()
        let handler = ClosureHandler { _ in
            async let first = counter.next()
            let sum = await withTaskGroup { group in
                for number in 1...3 { group.addTask { number } }
                return await group.reduce(0, +)
            }
            let detached = await Task.detached { 4 }.value
            return HTTPResponse(status: .ok, body: HTTPBody("\(sum + detached) \(await first > 0)"))
        }
        try await serving(handler) { address in
            let client = try RawClient(port: address.port)
            for _ in 0..<50 {
                await client.send(Self.request)
                await expectEqual(client.receiveResponse()?.body.text, "10 true")
            }
        }
    }

    @Test(arguments: [1, 2])
    func `A handler's task serves 1,000 requests over 64 connections`(loops: Int) async throws {
        let counter = Counter()
        let handler = ClosureHandler { request in
            let count = await counter.next()
            return HTTPResponse(status: .ok, fields: ["X-Count": String(count)], body: HTTPBody(request.path))
        }
        var configuration = Server.Configuration.patient
        configuration.loops = loops
        let counts = try await serving(handler, configuration: configuration) { address in
            try await withThrowingTaskGroup(of: [String].self) { group in
                for connection in 0..<64 {
                    group.addTask {
                        let client = try RawClient(port: address.port)
                        var counts: [String] = []
                        for number in 0..<(connection < 40 ? 16 : 15) {
                            await client.send("GET /\(connection)/\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                            let response = await client.receiveResponse()
                            expectEqual(response?.body.text, "/\(connection)/\(number)")
                            counts.append(response?.fields["X-Count"] ?? "")
                        }
                        return counts
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
        expectEqual(Set(counts), Set((1...1000).map(String.init)))
    }

    @Test func `A handler's task is canceled when the client goes away`() async throws {
        for leave in [{ (client: RawClient) in client.endSending() }, { $0.reset() }] {
            let waiting = Waiting()
            try await serving(waiting) { address in
                let client = try RawClient(port: address.port)
                await client.send(Self.request)
                for await _ in waiting.started.stream { break }
                leave(client)
                for await _ in waiting.cancelled.stream { break }
            }
        }
    }

    @Test func `A handler's task responds to a client that only ended its own side`() async throws {
        let handler = ClosureHandler { _ in
            await Task.yield()
            return HTTPResponse(status: .ok)
        }
        try await serving(handler) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.request)
            client.endSending()
            await expectEqual(client.receiveResponses().map(\.status), [.ok])
        }
    }

    @Test func `A handler's task is not disturbed when many other clients go away`() async throws {
        let slow = ClosureHandler { _ in
            for _ in 0..<10 { await Task.yield() }
            return HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 65, count: 100_000)))
        }
        let server = Server(handler: slow, configuration: .patient)
        let address = try await server.start()
        for _ in 0..<200 {
            let client = try RawClient(port: address.port)
            await client.send(Self.request + Self.request)
            client.reset()
        }
        let client = try RawClient(port: address.port)
        await client.send(Self.request)
        await expectEqual(client.receiveResponse()?.body.bytes.count, 100_000)
        client.reset()
        try await eventually { server.connectionCount == 0 }
        await server.shutdown(grace: .zero)
    }
}
