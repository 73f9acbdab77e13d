// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct ResponseStreamTests {
    private let transport = CurlTransport()

    private func request(to port: Int, _ method: HTTPMethod = .get) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: "/")
        request.wantsStream = true
        // Longer than the tests may take, so that it is not what aborts a response.
        request.timeout = .seconds(600)
        return request
    }

    /// A request under way, and the server's end of its connection, with the request's head read.
    private func dialogue() async throws -> (task: Task<HTTPResponse, any Error>, peer: RawClient) {
        let listener = try RawListener()
        let request = request(to: listener.port)
        let task = Task { try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        return (task, peer)
    }

    @Test func `A streamed response is returned with its head, and its content follows`() async throws {
        let (task, peer) = try await dialogue()
        await peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 10\r\n\r\n")
        let response = try await task.value
        expectEqual(response.status, .ok)
        expectEqual(response.fields["X-A"], "b")
        expectEqual(response.body.length, 10)
        expectEqual(response.body.isReplayable, false)
        var iterator = response.body.chunks.makeAsyncIterator()
        await peer.send("hello")
        try await expectEqual(iterator.next(), Array("hello".utf8))
        await peer.send("world")
        try await expectEqual(iterator.next(), Array("world".utf8))
        try await expectNil(iterator.next())
        await #expect(throws: HTTPError.streamSpent) { for try await _ in response.body.chunks {} }
    }

    @Test func `A streamed response comes in chunks without a length`() async throws {
        let (task, peer) = try await dialogue()
        await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        let body = try await task.value.body
        expectNil(body.length)
        await peer.send("5\r\nhello\r\n3\r\nyou\r\n0\r\nTrailer: x\r\n\r\n")
        try await expectEqual(body.collected(upTo: 100), Array("helloyou".utf8))
    }

    @Test func `A streamed response has released its transfer when it ends`() async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") }
        let (transport, port) = (transport, server.port)
        // Lanes beside each other keep the loop's thread driving; each takes immediately what its stream has given
        // back.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        let streamed = try await transport.respond(to: request(to: port))
                        try await expectEqual(streamed.body.collected(upTo: 100).count, 5)
                        var plain = request(to: port)
                        plain.wantsStream = false
                        try await expectEqual(transport.respond(to: plain).body.text, "hello")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [HTTPStatus.noContent, 304, .ok])
    func `A streamed response without content ends at once`(status: HTTPStatus) async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n") }
        let response = try await transport.respond(to: request(to: server.port))
        expectEqual(response.status, status)
        try await expectEqual(response.body.collected(upTo: 0), [])
    }

    @Test func `A streamed response to HEAD has no content, whatever length is announced`() async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n") }
        let response = try await transport.respond(to: request(to: server.port, .head))
        expectEqual(response.fields[.contentLength], "99")
        try await expectEqual(response.body.collected(upTo: 0), [])
    }

    @Test func `A streamed response leaves its connection for the next request`() async throws {
        let server = try RawHTTPServer { .response(body: "answer \($0.number)") }
        for number in 0..<20 {
            let response = try await transport.respond(to: request(to: server.port))
            expectEqual(
                String(decoding: try await response.body.collected(upTo: 100), as: UTF8.self), "answer \(number)")
        }
        expectEqual(server.connectionCount, 1)
    }

    @Test(arguments: ["Content-Length: 10\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"])
    func `A streamed response that breaks off in the middle throws there`(text: String) async throws {
        let server = try RawHTTPServer { _ in .closing(after: "HTTP/1.1 200 OK\r\n" + text) }
        let response = try await transport.respond(to: request(to: server.port))
        var iterator = response.body.chunks.makeAsyncIterator()
        try await expectEqual(iterator.next(), Array("half".utf8))
        let error = await #expect(throws: HTTPError.self) { try await iterator.next() }
        expectEqual(error?.code, HTTPError.offline.code)
        try await expectNil(iterator.next())
    }

    @Test func `A streamed response that never comes throws instead`() async throws {
        let server = try RawHTTPServer { _ in .closing(after: "HTTP/1.1 200 OK\r\nX-A: b") }
        await #expect(throws: HTTPError.offline) { try await transport.respond(to: request(to: server.port)) }
    }

    @Test func `A streamed response is aborted when its stream is released unread`() async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
        _ = try await transport.respond(to: request(to: server.port)).status
        for await event in server.events { if case .closedByClient = event { break } }
    }

    @Test
    func `A streamed response is aborted when its reader leaves early, though the response lives on`() async throws {
        let (task, peer) = try await dialogue()
        await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        let response = try await task.value
        for try await piece in response.body.chunks {
            expectEqual(piece, Array("half".utf8))
            break
        }
        await expectNil(peer.receive())
        expectEqual(response.status, .ok)
    }

    @Test func `A streamed response is aborted with the task that reads it`() async throws {
        let (task, peer) = try await dialogue()
        await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        let response = try await task.value
        let (pieces, piece) = AsyncStream<[UInt8]>.makeStream()
        let reader = Task { for try await bytes in response.body.chunks { piece.yield(bytes) } }
        for await _ in pieces { break }
        reader.cancel()
        await #expect(throws: HTTPError.cancelled) { try await reader.value }
        await expectNil(peer.receive())
    }

    @Test func `A streamed response is aborted with the task that waits for its head`() async throws {
        let (task, peer) = try await dialogue()
        task.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        await expectNil(peer.receive())
    }

    @Test func `A streamed response makes the server wait for a slow reader`() async throws {
        let (task, peer) = try await dialogue()
        await peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")
        let response = try await task.value
        let sent = Mutex(0)
        let sender = Task {
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 0..<64 {
                await peer.send(piece)
                sent.withLock { $0 += 1 }
            }
        }
        var (read, most) = (0, 0)
        for try await piece in response.body.chunks {
            read += piece.count
            #expect(piece.count <= 512 << 10)
            most = max(most, sent.withLock { $0 } - read >> 20)
        }
        await sender.value
        expectEqual(read, 64 << 20)
        // The sockets' own buffers, which the system sizes up to 36 MiB, and one of ours.
        #expect(most < 40)
    }

    @Test func `A streamed response over its limit is too large when it gets there`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.maximumStreamedBytes = 10
        let transport = CurlTransport(configuration: configuration)
        for (body, isAllowed) in [("0123456789", true), ("0123456789a", false)] {
            let server = try RawHTTPServer { _ in
                .closing(after: "HTTP/1.1 200 OK\r\n\r\n" + body)
            }
            let response = try await transport.respond(to: request(to: server.port))
            if isAllowed {
                try await expectEqual(response.body.collected(upTo: 99).count, 10)
            } else {
                await #expect(throws: HTTPError.tooLarge) { try await response.body.collected(upTo: 99) }
            }
        }
    }

    @Test func `A streamed response has its time until the head, and then for each pause`() async throws {
        let server = try RawHTTPServer { request in
            request.number == 0 && request.line.contains("/head") ? .stall : .text("HTTP/1.1 200 OK\r\n\r\nsome")
        }
        var request = request(to: server.port)
        request.timeout = .seconds(1)
        let response = try await transport.respond(to: request)
        var iterator = response.body.chunks.makeAsyncIterator()
        try await expectEqual(iterator.next(), Array("some".utf8))
        await #expect(throws: HTTPError.timeout) { try await iterator.next() }
        request.path = "/head"
        let other = request
        await #expect(throws: HTTPError.timeout) { try await transport.respond(to: other) }
    }

    /// A request of ten bytes, of which a peer has five, and has answered with the first three of six.
    private func answered(
        halfWayThrough source: Piecewise
    ) async throws -> (peer: RawClient, answer: Task<HTTPResponse, any Error>) {
        let listener = try RawListener()
        var request = request(to: listener.port, .post)
        request.body = HTTPBody(source.stream(length: 10))
        let task = Task { [request] in try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        source.give("01234")
        #expect(await peer.receive(through: "01234") != nil)
        await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nfir")
        return (peer, task)
    }

    @Test func `A streamed response answers while the request is still being sent`() async throws {
        let source = Piecewise()
        let (peer, task) = try await answered(halfWayThrough: source)
        let response = try await task.value
        var iterator = response.body.chunks.makeAsyncIterator()
        try await expectEqual(iterator.next(), Array("fir".utf8))
        source.give("56789")
        source.end()
        #expect(await peer.receive(through: "56789") != nil)
        await peer.send("st!")
        try await expectEqual(iterator.next(), Array("st!".utf8))
        try await expectNil(iterator.next())
        await source.isLetGo()
    }

    @Test func `A streamed response ends with the error of the request's source`() async throws {
        let source = Piecewise()
        let (peer, task) = try await answered(halfWayThrough: source)
        defer { withExtendedLifetime(peer) {} }
        var iterator = try await task.value.body.chunks.makeAsyncIterator()
        try await expectEqual(iterator.next(), Array("fir".utf8))
        source.fail()
        await #expect(throws: Piecewise.Broken.self) { try await iterator.next() }
    }

    @Test func `A streamed response comes to each of many that read at once`() async throws {
        let body = String(repeating: "0123456789", count: 50_000)
        let server = try RawHTTPServer { .response(body: $0.line + body) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    var request = request(to: server.port)
                    request.path = "/\(number)"
                    let response = try await transport.respond(to: request)
                    let bytes = try await response.body.collected(upTo: 1 << 20)
                    let line = "GET /\(number) HTTP/1.1"
                    expectEqual(bytes.count, line.utf8.count + body.utf8.count)
                    #expect(bytes.starts(with: line.utf8))
                }
            }
            try await group.waitForAll()
        }
    }
}
