// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@Suite(.timeLimit(.minutes(5))) struct ArrivingContentTests {
    static let streaming: Server.Configuration = {
        var configuration = Server.Configuration.patient
        configuration.streamedContent = ["/up"]
        configuration.maximumBodyBytes = 10
        return configuration
    }()

    static let head = "POST /up HTTP/1.1\r\nHost: a\r\n"
    static let next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Counts the content, and reports each piece before it reads on.
    static func counting(_ pieces: AsyncStream<String>.Continuation? = nil) -> ClosureHandler {
        ClosureHandler { request in
            var total = 0
            for try await piece in request.body.chunks {
                total += piece.count
                pieces?.yield(String(decoding: piece, as: UTF8.self))
            }
            return HTTPResponse(status: .ok, body: HTTPBody("\(total) \(request.body.trailers["X-End"] ?? "-")"))
        }
    }

    /// Counts the content of `/up` once a gate is open, and answers everything else immediately.
    static func counting(behind gate: Gate) -> ClosureHandler {
        let counting = counting()
        return ClosureHandler { request in
            guard request.path == "/up" else { return HTTPResponse(status: .ok) }
            await gate.pass()
            return try await counting.respond(to: request)
        }
    }

    @Test func `Arriving HTTP/1.1 content reaches its handler piece by piece, with a length`() async throws {
        let (pieces, piece) = AsyncStream<String>.makeStream()
        try await serving(Self.counting(piece), configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Content-Length: 12\r\n\r\n")
            var seen = pieces.makeAsyncIterator()
            for part in ["abcd", "efgh"] {
                await client.send(part)
                await expectEqual(seen.next(), part)
            }
            await client.send("ijkl" + Self.next)
            var rest: [UInt8] = []
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "12 -")
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "0 -")
        }
    }

    @Test func `Arriving HTTP/1.1 content reaches its handler piece by piece, in chunks with trailers`() async throws {
        let (pieces, piece) = AsyncStream<String>.makeStream()
        try await serving(Self.counting(piece), configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            var seen = pieces.makeAsyncIterator()
            for part in ["abcd", "efgh"] {
                await client.send("4\r\n\(part)\r\n")
                await expectEqual(seen.next(), part)
            }
            await client.send("4;x=y\r\nijkl\r\n0\r\nX-Start: 1\r\nX-End: \t yes \r\n\r\n" + Self.next)
            var rest: [UInt8] = []
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "12 yes")
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "0 -")
        }
    }

    /// Nothing can ask for the content once the head of the response is sent.
    @Test func `Arriving HTTP/1.1 content is requested before a response whose source reads it`() async throws {
        let mirror = ClosureHandler { HTTPResponse(status: .ok, body: HTTPBody($0.body.chunks)) }
        try await serving(mirror, configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Content-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
            let interim = try #require(await client.receive(through: "\r\n\r\n"))
            #expect(String(decoding: interim, as: UTF8.self).hasPrefix("HTTP/1.1 100 Continue\r\n\r\n"))
            await client.send("hello")
            let rest = String(decoding: interim + (await client.receiveAll()), as: UTF8.self)
            #expect(rest.contains("HTTP/1.1 200 OK\r\n") && rest.hasSuffix("hello"))
        }
    }

    @Test func `Arriving HTTP/1.1 content is complete when it comes with its head`() async throws {
        try await serving(Self.counting(), configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            let chunked = "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\nX-End: e\r\n\r\n"
            await client.send(
                Self.head + "Content-Length: 3\r\n\r\nabc" + Self.head + chunked + Self.head + chunked + Self.next)
            var rest: [UInt8] = []
            for text in ["3 -", "4 e", "4 e", "0 -"] {
                await expectEqual(client.receiveResponse(rest: &rest)?.body.text, text)
            }
        }
    }

    @Test(.tags(.decompressionBomb))
    func `Arriving HTTP/1.1 content waits in the socket while it is not read, and holds no memory in the end`()
        async throws
    {
        let gate = Gate()
        let handler = Self.counting(behind: gate)
        let server = Server(handler: handler, configuration: Self.streaming)
        let address = try await server.start()
        let client = try RawClient(port: address.port)
        let count = 20 << 20
        async let isSent = client.send(
            Array((Self.head + "Content-Length: \(count)\r\n\r\n").utf8) + [UInt8](repeating: 65, count: count))
        await gate.reached()
        // Each answer shows that the server has come by again, and would have read on.
        for _ in 0..<20 { try await DeadlineTests.settle(address) }
        let memory = try #require(server.memory)
        #expect(memory.heldBytes > 0 && memory.heldBytes <= 256 << 10)
        gate.open()
        #expect(await isSent)
        await expectEqual(client.receiveResponse()?.body.text, "\(count) -")
        #expect(memory.peakBytes <= 256 << 10)
        try await eventually { memory.heldBytes == 0 }
        await server.shutdown(grace: .zero)
    }

    @Test func `Arriving HTTP/1.1 content is requested by 100 when the handler first reads`() async throws {
        let gate = Gate()
        let handler = Self.counting(behind: gate)
        let uptime = ManualUptime()
        var configuration = Server.Configuration.kept(by: uptime)
        configuration.streamedContent = ["/up"]
        try await serving(handler, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            await gate.reached()
            // The server causes this delay, and not the client.
            uptime.advance(bySeconds: 100)
            try await DeadlineTests.settle(address)
            gate.open()
            var rest: [UInt8] = []
            await expectEqual(client.receiveResponse(rest: &rest)?.status, 100)
            await client.send("abc" + Self.next)
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "3 -")
            await expectEqual(client.receiveResponse(rest: &rest)?.status, .ok)
        }
    }

    @Test func `Arriving HTTP/1.1 content is not requested if the handler responds without it`()
        async throws
    {
        let handler = ClosureHandler { _ in HTTPResponse(status: .forbidden) }
        try await serving(handler, configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            let responses = await client.receiveResponses()
            expectEqual(responses.map(\.status), [.forbidden])
            expectEqual(responses.first?.fields[.connection], "close")
        }
    }

    @Test(arguments: ["Content-Length: 100000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nab"])
    func `Arriving HTTP/1.1 content is never parsed as a request if the handler has responded without it`(
        beginning: String
    ) async throws {
        let served = Mutex<[String]>([])
        let handler = ClosureHandler { request in
            served.withLock { $0.append(request.path) }
            return HTTPResponse(status: .forbidden)
        }
        try await serving(handler, configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + beginning)
            var rest: [UInt8] = []
            let response = await client.receiveResponse(rest: &rest)
            expectEqual(response?.status, .forbidden)
            expectEqual(response?.fields[.connection], "close")
            await client.send(Self.next)
            client.endSending()
            #expect(await client.receiveResponses().isEmpty)
        }
        expectEqual(served.withLock { $0 }, ["/up"])
    }

    @Test
    func `Arriving HTTP/1.1 content is dropped if the handler responded without it, and the rest is short`()
        async throws
    {
        let handler = ClosureHandler { request in HTTPResponse(status: .ok, body: HTTPBody(request.path)) }
        try await serving(handler, configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Content-Length: \(Self.next.utf8.count)\r\n\r\n")
            var rest: [UInt8] = []
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "/up")
            await client.send(Self.next + "GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "/second")
            // Chunks that are there already end where they say.
            let chunk = "\(String(Self.next.utf8.count, radix: 16))\r\n\(Self.next)\r\n0\r\n\r\n"
            await client.send(
                Self.head + "Transfer-Encoding: chunked\r\n\r\n\(chunk)GET /third HTTP/1.1\r\nHost: a\r\n\r\n")
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "/up")
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "/third")
        }
    }

    @Test(arguments: ["g\r\n", "3\r\nabcd\r\n", "3\nabc\r\n", "0\r\nX y: 1\r\n\r\n", "0\r\nX: \u{1}\r\n\r\n"])
    func `Arriving HTTP/1.1 content that is malformed is 400, and ends the connection`(chunk: String) async throws {
        try await serving(Self.counting(), configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n" + chunk + Self.next)
            await expectEqual(client.receiveResponses().map(\.status), [.badRequest])
        }
    }

    @Test
    func `Arriving HTTP/1.1 content that breaks off is an error for the handler, whose task is canceled`() async throws
    {
        let (events, event) = AsyncStream<String>.makeStream()
        let handler = ClosureHandler { request in
            do {
                for try await piece in request.body.chunks { event.yield(String(decoding: piece, as: UTF8.self)) }
                event.yield("complete")
            } catch {
                event.yield("\((error as? HTTPError)?.code ?? "another") \(Task.isCancelled)")
            }
            return HTTPResponse(status: .ok)
        }
        for framing in ["Content-Length: 9\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"] {
            for resets in [true, false] {
                try await serving(handler, configuration: Self.streaming) { address in
                    let client = try RawClient(port: address.port)
                    await client.send(Self.head + framing)
                    var seen = events.makeAsyncIterator()
                    await expectEqual(seen.next(), "abc")
                    if resets { client.reset() } else { client.endSending() }
                    await expectEqual(seen.next(), "cancelled true")
                }
            }
        }
    }

    @Test(.tags(.slowClient))
    func `Arriving HTTP/1.1 content that comes too slowly is an error for the handler, and ends the connection`()
        async throws
    {
        let (pieces, piece) = AsyncStream<String>.makeStream()
        let counting = Self.counting(piece)
        let handler = ClosureHandler { request in
            do { return try await counting.respond(to: request) } catch HTTPError.timeout {
                return HTTPResponse(status: 418)
            }
        }
        let uptime = ManualUptime()
        var configuration = Server.Configuration.kept(by: uptime)
        configuration.streamedContent = ["/up"]
        try await serving(handler, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Content-Length: 1000000\r\n\r\n")
            var seen = pieces.makeAsyncIterator()
            // At the rate a client may take longer than the deadline of other content.
            for _ in 0..<4 {
                await client.send(String(repeating: "a", count: 256 * 20))
                var count = 0
                while count < 256 * 20 { count += await seen.next()?.utf8.count ?? .max / 2 }
                uptime.advance(bySeconds: 20)
                try await DeadlineTests.settle(address)
            }
            for _ in 0..<2 {
                await client.send("a")
                await expectEqual(seen.next(), "a")
                uptime.advance(bySeconds: 8)
                try await DeadlineTests.settle(address)
            }
            await expectEqual(client.receiveResponses().map(\.status.rawValue), [418])
        }
    }

    @Test func `Arriving HTTP/1.1 content can become the response while it arrives`() async throws {
        let handler = ClosureHandler { HTTPResponse(status: .ok, body: HTTPBody($0.body.chunks)) }
        try await serving(handler, configuration: Self.streaming) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            for part in ["abcd", "efgh"] {
                await client.send("4\r\n\(part)\r\n")
                #expect(await client.receive(through: part) != nil)
            }
            await client.send("0\r\n\r\n" + Self.next)
            expectEqual(String(decoding: await client.receiveAll(), as: UTF8.self), "\r\n0\r\n\r\n")
        }
    }
}
