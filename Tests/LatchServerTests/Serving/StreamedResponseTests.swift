// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct StreamedResponseTests {
    /// A source that a test controls, and that reports its release.
    private final class Source: Sendable {
        let (pieces, feed) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let (endings, ending) = AsyncStream<Void>.makeStream()
        let openings = Mutex(0)

        func response(_ status: HTTPStatus = .ok, length: Int? = nil) -> HTTPResponse {
            let stream = HTTPBodyStream(length: length) { [self] in
                openings.withLock { $0 += 1 }
                let held = Held { [ending] in _ = ending.yield() }
                let iterator = Iterator(pieces.makeAsyncIterator())
                return {
                    defer { withExtendedLifetime(held) {} }
                    return try await iterator.next()
                }
            }
            return HTTPResponse(status: status, body: HTTPBody(stream))
        }

        func give(_ text: String) { feed.yield(Array(text.utf8)) }

        func isLetGo() async { for await _ in endings { return } }
    }

    private final class Held: Sendable {
        let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    private final class Iterator: @unchecked Sendable {
        private var iterator: AsyncThrowingStream<[UInt8], any Error>.Iterator

        init(_ iterator: AsyncThrowingStream<[UInt8], any Error>.Iterator) { self.iterator = iterator }

        func next() async throws -> [UInt8]? { try await iterator.next() }
    }

    private struct Broken: Error {}

    /// Serves the response of the source, and requests it over a connection.
    private func withDialogue(
        _ source: Source, _ response: HTTPResponse, request: String = "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        receiveBuffer: Int? = nil, _ body: (RawClient) async throws -> Void
    ) async throws {
        try await serving(ClosureHandler { _ in response }) { address in
            let client = try RawClient(port: address.port, receiveBuffer: receiveBuffer)
            await client.send(request)
            try await body(client)
        }
    }

    private func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

    @Test func `A streamed response of known length states it, and is sent piece by piece`() async throws {
        let source = Source()
        try await withDialogue(source, source.response(length: 10)) { client in
            let head = text(await client.receive(through: "\r\n\r\n"))
            #expect(head.contains("\r\nContent-Length: 10\r\n"))
            #expect(!head.contains("Transfer-Encoding"))
            source.give("hello")
            expectEqual(text(await client.receive(through: "hello")), "hello")
            source.give("world")
            source.feed.finish()
            expectEqual(text(await client.receive(through: "world")), "world")
            // The connection serves the next request.
            await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(text(await client.receive(through: "\r\n\r\n")).hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    /// RFC 9110 §8.6: a length is that of the content of GET, or none.
    @Test(arguments: [nil, 10])
    func `A streamed response is not read for HEAD, whose response does not claim to have none`(
        length: Int?
    ) async throws {
        let source = Source()
        var router = Router()
        router.get("/") { _ in source.response(length: length) }
        try await serving(router) { address in
            let client = try RawClient(port: address.port)
            await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = text(await client.receive(through: "\r\n\r\n"))
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
            expectEqual(head.contains("\r\nContent-Length: "), length != nil)
            expectEqual(head.contains("\r\nContent-Length: 10\r\n"), length == 10)
            await client.send("HEAD /other HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(text(await client.receive(through: "\r\n\r\n")).hasPrefix("HTTP/1.1 404 "))
            expectEqual(source.openings.withLock { $0 }, 0)
        }
    }

    @Test func `A streamed response of unknown length is sent in chunks`() async throws {
        let source = Source()
        try await withDialogue(source, source.response()) { client in
            let head = text(await client.receive(through: "\r\n\r\n"))
            #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n"))
            #expect(!head.contains("Content-Length"))
            source.give("hello world, hello")
            expectEqual(text(await client.receive(through: "hello world, hello")), "12\r\nhello world, hello")
            source.give("!")
            source.feed.finish()
            expectEqual(text(await client.receive(through: "0\r\n\r\n")), "\r\n1\r\n!\r\n0\r\n\r\n")
        }
    }

    @Test func `A streamed response without a piece is an empty one`() async throws {
        let source = Source()
        source.feed.finish()
        try await withDialogue(source, source.response()) { client in
            #expect(text(await client.receive(through: "0\r\n\r\n")).hasSuffix("\r\n\r\n0\r\n\r\n"))
        }
    }

    @Test func `A streamed response to HTTP/1.0 ends with the connection`() async throws {
        let source = Source()
        let request = "GET / HTTP/1.0\r\nHost: a\r\n\r\n"
        try await withDialogue(source, source.response(), request: request) { client in
            source.give("hello")
            source.give("world")
            source.feed.finish()
            let all = text(await client.receiveAll())
            #expect(all.hasSuffix("\r\n\r\nhelloworld"))
            #expect(all.contains("\r\nConnection: close\r\n"))
            #expect(!all.contains("Transfer-Encoding"))
        }
    }

    @Test(arguments: [("HEAD", HTTPStatus.ok), ("GET", .noContent), ("GET", 304), ("GET", 205)])
    func `A streamed response that must have no content is not read`(method: String, status: HTTPStatus) async throws {
        let source = Source()
        let request = "\(method) / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        try await withDialogue(source, source.response(status), request: request) { client in
            let all = text(await client.receiveAll())
            #expect(all.hasPrefix("HTTP/1.1 \(status) "))
            #expect(all.hasSuffix("\r\n\r\n"))
            expectEqual(source.openings.withLock { $0 }, 0)
        }
    }

    @Test(arguments: [5, nil], ["1.1", "1.0"])
    func `A streamed response whose source fails has no clean end`(length: Int?, version: String) async throws {
        let source = Source()
        let request = "GET / HTTP/\(version)\r\nHost: a\r\n\r\n"
        try await withDialogue(source, source.response(length: length), request: request) { client in
            source.give("some")
            #expect(await client.receive(through: "some") != nil)
            source.feed.finish(throwing: Broken())
            expectEqual(text(await client.receiveAll()), "")
        }
    }

    @Test(arguments: [4, 6])
    func `A streamed response of another length than announced has no clean end`(length: Int) async throws {
        let source = Source()
        try await withDialogue(source, source.response(length: length)) { client in
            source.give("fi")
            #expect(await client.receive(through: "fi") != nil)
            source.give("ve!")
            source.feed.finish()
            let rest = text(await client.receiveAll())
            #expect(rest == (length == 4 ? "" : "ve!") || rest == "")
        }
    }

    @Test func `A streamed response fails at the client where it failed at its source`() async throws {
        let source = Source()
        try await serving(ClosureHandler { _ in source.response(length: 10) }) { address in
            var request = HTTPRequest(scheme: "http", authority: address.authority, path: "/")
            request.wantsStream = true
            var iterator = try await Transport.live.respond(to: request).body.chunks.makeAsyncIterator()
            source.give("some")
            try await expectEqual(iterator.next(), Array("some".utf8))
            source.feed.finish(throwing: Broken())
            await #expect(throws: HTTPError.offline) { try await iterator.next() }
        }
    }

    @Test func `A streamed response ends its source when the client leaves`() async throws {
        let source = Source()
        try await serving(ClosureHandler { _ in source.response() }) { address in
            var client: RawClient? = try RawClient(port: address.port)
            await client?.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            source.give("some")
            #expect(await client?.receive(through: "some") != nil)
            // Nothing is being written, so nothing but the end of the connection tells.
            client = nil
            await source.isLetGo()
        }
    }

    @Test func `A streamed response makes its source wait for a slow client`() async throws {
        let pieces = Mutex(0)
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        let stream = HTTPBodyStream(length: 64 << 20) {
            let left = Mutex(64)
            return {
                pieces.withLock { $0 += 1 }
                return left.withLock { left in
                    left -= 1
                    return left < 0 ? nil : piece
                }
            }
        }
        let response = HTTPResponse(status: .ok, body: HTTPBody(stream))
        try await withDialogue(Source(), response, receiveBuffer: 4096) { client in
            var (taken, most) = (0, 0)
            while taken < 64 << 20, let bytes = await client.receive() {
                taken += bytes.count
                most = max(most, pieces.withLock { $0 } - taken >> 20)
            }
            #expect(taken > 64 << 20)
            // The socket's buffers, which the system sizes, and a piece.
            #expect(most < 16)
        }
    }

    @Test
    func `A streamed response is completed while the server drains, and cut off after its grace period`() async throws {
        for isFinished in [true, false] {
            let source = Source()
            let server = Server(handler: ClosureHandler { _ in source.response() }, configuration: .patient)
            let address = try await server.start()
            let client = try RawClient(port: address.port)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            source.give("some")
            #expect(await client.receive(through: "some") != nil)
            async let shutdown: Void = server.shutdown(grace: isFinished ? .seconds(60) : .zero)
            if isFinished {
                source.give("more")
                source.feed.finish()
                #expect(text(await client.receiveAll()).hasSuffix("more\r\n0\r\n\r\n"))
            } else {
                expectEqual(text(await client.receiveAll()), "")
                await source.isLetGo()
            }
            await shutdown
        }
    }

    @Test
    func `A streamed response ends without a reset while the server drains, whatever the client has sent`() async throws
    {
        let source = Source()
        var configuration = Server.Configuration.patient
        configuration.uptime = { 1 }
        configuration.loops = 1
        let handler = ClosureHandler { request in
            request.path == "/" ? source.response() : HTTPResponse(status: .ok)
        }
        let server = Server(handler: handler, configuration: configuration)
        let port = try await server.start().port
        let (client, idle) = (try RawClient(port: port), try RawClient(port: port))
        await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        source.give("some")
        #expect(await client.receive(through: "some") != nil)
        await idle.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n")
        await expectEqual(idle.receiveResponse()?.status, .ok)
        async let shutdown: Void = server.shutdown(grace: .seconds(600))
        // The end of an idle connection shows that the server drains.
        #expect(await idle.receiveAll().isEmpty)
        source.feed.finish()
        #expect(await client.receive(through: "\r\n0\r\n\r\n") != nil)
        #expect(await client.receiveAll().isEmpty)
        // The server reads on for a moment, since the response did not say that it is the last.
        for _ in 0..<3 { #expect(await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) }
        client.endSending()
        await shutdown
    }

    @Test func `A streamed response does not block others while it is sent`() async throws {
        let endless = HTTPBodyStream { { [UInt8](repeating: 1, count: 65_536) } }
        let router = ClosureHandler { request in
            request.path == "/endless"
                ? HTTPResponse(status: .ok, body: HTTPBody(endless))
                : HTTPResponse(status: .ok, body: HTTPBody("hello"))
        }
        var configuration = Server.Configuration.patient
        configuration.loops = 1
        try await serving(router, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            let reader = Task { while !Task.isCancelled, await client.receive() != nil {} }
            let transport = Transport.live
            for _ in 0..<20 {
                let request = HTTPRequest(scheme: "http", authority: address.authority, path: "/")
                try await expectEqual(transport.respond(to: request).body.text, "hello")
            }
            reader.cancel()
            await reader.value
            client.reset()
        }
    }

    @Test func `A streamed response is logged when it is released, with the bytes that were read`() async throws {
        let (entries, entry) = AsyncStream<AccessLogEntry>.makeStream()
        let log = AccessLogInterceptor { entry.yield($0) }
        let source = Source()
        let handler = ClosureHandler { _ in source.response(length: 10) }.intercepted(by: [log])
        try await serving(handler) { address in
            let client = try RawClient(port: address.port)
            await client.send("GET /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n")
            source.give("01234")
            #expect(await client.receive(through: "01234") != nil)
            source.give("56789")
            source.feed.finish()
            for await entry in entries {
                expectEqual(entry.contentLength, 10)
                expectEqual(entry.path, "/a")
                expectEqual(entry.status, .ok)
                break
            }
        }
    }
}
