// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@Suite(.timeLimit(.minutes(2))) struct UploadStreamTests {
    private let transport = CurlTransport()

    private func request(
        to port: Int, _ stream: HTTPBodyStream, _ method: HTTPMethod = .post
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: "/", body: HTTPBody(stream))
    }

    private static let echo = ClosureHandler { request in
        HTTPResponse(status: .ok, fields: ["X-Method": request.method.rawValue], body: request.body)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete, .get], [true, false])
    func `Streamed content arrives whole with any method`(method: HTTPMethod, isAnnounced: Bool) async throws {
        try await serving(Self.echo) { address in
            let stream = counting(to: 300_001, announced: isAnnounced)
            let response = try await transport.respond(to: request(to: address.port, stream, method))
            expectEqual(response.fields["X-Method"], method.rawValue)
            expectEqual(response.body.bytes, countingBytes(0..<300_001))
        }
    }

    @Test func `Streamed content is announced by its length if that is known`() async throws {
        let server = try RawHTTPServer { .response(body: String($0.body.count)) }
        let stream = counting(to: 100_000, announced: true)
        let response = try await transport.respond(to: request(to: server.port, stream))
        expectEqual(response.body.text, "100000")
        let sent = try #require(server.requests.first)
        expectEqual(sent.values(of: "Content-Length"), ["100000"])
        expectEqual(sent.values(of: "Transfer-Encoding"), [])
        expectEqual(sent.values(of: "Expect"), [])
        expectEqual(sent.body, countingBytes(0..<100_000))
    }

    @Test func `Streamed content travels in chunks if its length is not known`() async throws {
        let listener = try RawListener()
        let source = Piecewise()
        let request = request(to: listener.port, source.stream())
        let task = Task { try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        let head = String(decoding: try #require(await peer.receive(through: "\r\n\r\n")), as: UTF8.self)
        #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(!head.contains("Content-Length"))
        #expect(head.contains("\r\nExpect: 100-continue\r\n"))
        await peer.send("HTTP/1.1 100 Continue\r\n\r\n")
        // Each piece goes out as it comes, without waiting for the next.
        source.give("hello")
        await expectEqual(peer.receive(through: "hello\r\n"), Array("5\r\nhello\r\n".utf8))
        source.give(" world")
        await expectEqual(peer.receive(through: "world\r\n"), Array("6\r\n world\r\n".utf8))
        source.end()
        await expectEqual(peer.receive(through: "\r\n\r\n"), Array("0\r\n\r\n".utf8))
        await peer.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await expectEqual(task.value.status, .noContent)
        await source.isLetGo()
    }

    /// curl/curl#4949, haiwen/seafile#1230.
    @Test(arguments: [true, false], ["", "Connection: close\r\n"])
    func `Streamed content is sent without an expectation if the server refuses that`(isAnnounced: Bool, field: String)
        async throws
    {
        let listener = try RawListener()
        var configuration = CurlTransport.Configuration()
        configuration.continueTimeout = .seconds(600)
        let transport = CurlTransport(configuration: configuration)
        for isReplayable in [true, false] {
            let pieces = Recording<Int>()
            let next: HTTPBodyStream.Source = {
                pieces.add(1)
                return pieces.entries.count > 20 ? nil : [UInt8](repeating: 0x61, count: isAnnounced ? 100_000 : 100)
            }
            let length = isAnnounced ? 2_000_000 : nil
            let stream =
                isReplayable ? HTTPBodyStream(length: length) { next } : HTTPBodyStream(length: length, once: next)
            let request = request(to: listener.port, stream)
            let task = Task { try await transport.respond(to: request) }
            let refusing = try #require(await listener.accept())
            let head = String(decoding: try #require(await refusing.receive(through: "\r\n\r\n")), as: UTF8.self)
            #expect(head.contains("\r\nExpect: 100-continue\r\n"))
            await refusing.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\(field)\r\nno")
            let peer = try #require(await listener.accept())
            // Until now: the end of a connection that comes with its response may be seen first.
            refusing.endSending()
            let begun = try #require(await peer.receive(through: "\r\n\r\n"))
            let end = try #require(begun.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
            #expect(!String(decoding: begun[..<end], as: UTF8.self).contains("Expect:"))
            // The content may have come with the head, and its end with its beginning.
            var (count, last) = (begun.count - end, Array(begun[end...].suffix(5)))
            while isAnnounced ? count < 2_000_000 : last != Array("0\r\n\r\n".utf8) {
                let bytes = try #require(await peer.receive())
                (count, last) = (count + bytes.count, Array((last + bytes.suffix(5)).suffix(5)))
            }
            await peer.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            try await expectEqual(task.value.status, .noContent)
        }
    }

    @Test(arguments: [HTTPBody("small"), HTTPBody(HTTPBodyStream(Array("small".utf8)))])
    func `Streamed content passes on a 417 for another reason`(body: HTTPBody) async throws {
        let server = try RawHTTPServer { _ in .response(417) }
        try await expectEqual(transport.respond(to: server.request(.post, body: body)).status, 417)
        expectEqual(server.requests.count, 1)
    }

    @Test func `Streamed content without bytes is not a stream`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        _ = try await transport.respond(to: request(to: server.port, HTTPBodyStream(length: 0) { { nil } }))
        expectEqual(server.requests.first?.values(of: "Content-Length"), ["0"])
    }

    @Test func `Streamed content is not opened if the server refuses the request by its head`() async throws {
        let listener = try RawListener()
        let source = Piecewise()
        let request = request(to: listener.port, source.stream(isReplayable: true))
        var configuration = CurlTransport.Configuration()
        configuration.continueTimeout = .seconds(60)
        let transport = CurlTransport(configuration: configuration)
        let task = Task { try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        await peer.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        let response = try await task.value
        expectEqual(response.status, .unauthorized)
        expectEqual(response.body.text, "no")
        expectEqual(source.openingCount, 0)
    }

    @Test func `Streamed content ends if the server answers before it was sent`() async throws {
        let listener = try RawListener()
        let source = Piecewise()
        let request = request(to: listener.port, source.stream(length: 1_000_000))
        let task = Task { try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        source.give("first")
        _ = await peer.receive(through: "first")
        await peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig")
        let response = try await task.value
        expectEqual(response.status, .contentTooLarge)
        expectEqual(response.body.text, "big")
        await source.isLetGo()
    }

    @Test
    func `Streamed content ends if the server answered with success and closed before it was sent`() async throws {
        let listener = try RawListener()
        let source = Piecewise()
        let request = request(to: listener.port, source.stream(length: 100))
        let task = Task { try await transport.respond(to: request) }
        var peer = await listener.accept()
        source.give("first")
        _ = await peer?.receive(through: "first")
        await peer?.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nenough")
        peer = nil
        let response = try await task.value
        expectEqual(response.status, .ok)
        expectEqual(response.body.text, "enough")
        await source.isLetGo()
    }

    @Test func `Streamed content ends if the server closes without an answer`() async throws {
        let listener = try RawListener()
        let source = Piecewise()
        let request = request(to: listener.port, source.stream(length: 1_000_000))
        let task = Task { try await transport.respond(to: request) }
        var peer = await listener.accept()
        source.give("first")
        _ = await peer?.receive(through: "first")
        peer = nil
        await #expect(throws: HTTPError.offline) { try await task.value }
        await source.isLetGo()
    }

    @Test(arguments: [true, false])
    func `Streamed content of a source that fails ends the request with that error`(isAnnounced: Bool) async throws {
        let listener = try RawListener()
        let source = Piecewise()
        let request = request(to: listener.port, source.stream(length: isAnnounced ? 100 : nil))
        let task = Task { try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        if !isAnnounced { await peer.send("HTTP/1.1 100 Continue\r\n\r\n") }
        source.give("some")
        _ = await peer.receive(through: "some")
        source.fail()
        await #expect(throws: Piecewise.Broken.self) { try await task.value }
        // Not the end of the content, but of the connection.
        let rest = String(decoding: await peer.receiveAll(), as: UTF8.self)
        #expect(!rest.contains("0\r\n\r\n"))
    }

    @Test(arguments: [99, 101])
    func `Streamed content of another length than announced ends the request`(length: Int) async throws {
        let server = try RawHTTPServer { _ in .response() }
        let bytes = [UInt8](repeating: 1, count: length / 3)
        let pieces = Mutex([bytes, bytes, [UInt8](repeating: 1, count: length - 2 * bytes.count)])
        let stream = HTTPBodyStream(length: 100, once: { pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
        await #expect(throws: HTTPError.lengthMismatch) {
            try await transport.respond(to: request(to: server.port, stream))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `Streamed content is aborted with its task at any point`() async throws {
        let listener = try RawListener()
        let source = Piecewise()
        let request = request(to: listener.port, source.stream(length: 100))
        let task = Task { try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        source.give("some")
        _ = await peer.receive(through: "some")
        task.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        await expectEqual(peer.receiveAll(), [])
        await source.isLetGo()
    }

    @Test func `Streamed content is read no faster than the server takes it`() async throws {
        let listener = try RawListener()
        let pieces = Mutex(0)
        let stream = HTTPBodyStream(
            length: 64 << 20,
            once: {
                pieces.withLock { $0 += 1 }
                return [UInt8](repeating: 1, count: 1 << 20)
            })
        let request = request(to: listener.port, stream)
        let task = Task { try await transport.respond(to: request) }
        let peer = try #require(await listener.accept(receiveBuffer: 4096))
        // Until the server reads, the sockets hold some, libcurl one buffer and the feed two pieces.
        _ = await peer.receive(upTo: 1)
        #expect(pieces.withLock { $0 } < 16)
        task.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
    }

    @Test func `Streamed content waits without a limit for its source, and with a limit for the server`() async throws {
        let (listener, silent) = (try RawListener(), try RawHTTPServer { _ in .stall })
        let source = Piecewise()
        var request = request(to: listener.port, source.stream(length: 2))
        request.timeout = .milliseconds(500)
        let task = Task { [request] in try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        source.give("1")
        #expect(await peer.receive(through: "\r\n\r\n1") != nil)
        // The time of this one passes while the other waits for its source.
        var other = silent.request()
        other.timeout = .milliseconds(1200)
        await #expect(throws: HTTPError.timeout) { try await transport.respond(to: other) }
        source.give("2")
        source.end()
        #expect(await peer.receive(through: "2") != nil)
        // Now it is the server that lets nothing move.
        await #expect(throws: HTTPError.timeout) { try await task.value }
    }

    @Test(.tags(.multipartForms))
    func `Streamed content of a file of 100 MB is never far ahead of the server`() async throws {
        let size = 100 << 20
        let listener = try RawListener()
        try await withTemporaryFolder { folder in
            try await HTTPBodyStream([]).write(to: folder + "/file")
            try #require(FileHandle(forWritingAtPath: folder + "/file")).truncate(atOffset: UInt64(size))
            let given = Mutex(0)
            let most = Mutex(0)
            let file = try HTTPBodyStream.file(at: folder + "/file")
            let stream = HTTPBodyStream(length: file.length) {
                let iterator = Reader(file)
                return {
                    let piece = try await iterator.next()
                    given.withLock { $0 += piece?.count ?? 0 }
                    return piece
                }
            }
            let request = request(to: listener.port, stream)
            let task = Task { try await transport.respond(to: request) }
            let peer = try #require(await listener.accept())
            let head = try #require(await peer.receive(through: "\r\n\r\n"))
            if String(decoding: head, as: UTF8.self).contains("100-continue") {
                await peer.send("HTTP/1.1 100 Continue\r\n\r\n")
            }
            var taken = 0
            while taken < size, let bytes = await peer.receive() {
                taken += bytes.count
                let ahead = given.withLock { $0 } - taken
                most.withLock { $0 = max($0, ahead) }
            }
            expectEqual(taken, size)
            await peer.send("HTTP/1.1 204 No Content\r\n\r\n")
            try await expectEqual(task.value.status, .noContent)
            // The buffers of the two sockets, which the system sizes, and a few pieces.
            #expect(most.withLock { $0 } < 32 << 20)
        }
    }
}

/// Reads a stream from a closure, one call at a time.
private final class Reader: @unchecked Sendable {
    private var iterator: HTTPBodyStream.Iterator

    init(_ stream: HTTPBodyStream) { iterator = stream.makeAsyncIterator() }

    func next() async throws -> [UInt8]? { try await iterator.next() }
}
