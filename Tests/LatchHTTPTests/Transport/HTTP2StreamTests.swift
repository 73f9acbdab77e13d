// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Testing

@Suite(
    .enabled(if: HTTP2Server.isInstalled, "needs nghttpd (package nghttp2-server) and openssl"),
    .timeLimit(.minutes(2)))
struct HTTP2StreamTests {
    private func transport(trusting server: HTTP2Server) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = server.certificate
        return CurlTransport(configuration: configuration)
    }

    @Test(arguments: [true, false])
    func `A stream over HTTP/2 is sent and received whole`(isAnnounced: Bool) async throws {
        let server = try await HTTP2Server(files: [:])
        var request = server.request(
            .post, "/echo", body: HTTPBody(counting(to: 3_000_001, announced: isAnnounced)))
        request.wantsStream = true
        let response = try await transport(trusting: server).respond(to: request)
        expectEqual(response.status, .ok)
        try await expectEqual(response.body.collected(upTo: 4_000_000), countingBytes(0..<3_000_001))
    }

    @Test(arguments: [true, false], [true, false])
    func `A stream over HTTP/2 has the trailers after content of a known length, if they are requested`(
        isPlain: Bool, isStreamed: Bool
    ) async throws {
        let server = try await HTTP2Server(files: ["a.txt": "12345"], isPlain: isPlain, trailer: "x-after: 7")
        let transport = transport(trusting: server)
        for _ in 0..<3 {
            var request = server.request(.get, "/a.txt")
            request.assumesHTTP2 = isPlain
            request.wantsStream = isStreamed
            request.fields["te"] = "trailers"
            let response = try await transport.respond(to: request)
            expectEqual(response.fields[.contentLength], "5")
            try await expectEqual(response.body.collected(upTo: 100), Array("12345".utf8))
            expectEqual(response.body.trailers["x-after"], "7")
            // A length counts again for the next request on the same handle.
            var plain = server.request(.get, "/a.txt")
            plain.assumesHTTP2 = isPlain
            try await expectEqual(transport.respond(to: plain).body.text, "12345")
        }
    }

    @Test func `A stream over HTTP/2 waits for a source that is slow`() async throws {
        let server = try await HTTP2Server(files: [:])
        let source = Piecewise()
        let request = server.request(.post, "/echo", body: HTTPBody(source.stream()))
        let transport = transport(trusting: server)
        let task = Task { try await transport.respond(to: request) }
        for number in 0..<10 {
            // The answers to others, on the same connection, come between the pieces.
            _ = try await transport.respond(to: server.request(.get, "/"))
            source.give("piece \(number);")
        }
        source.end()
        let expected = (0..<10).map { "piece \($0);" }.joined()
        try await expectEqual(task.value.body.text, expected)
    }

    @Test func `A stream over HTTP/2 ends with the error of its source, and the connection continues`() async throws {
        let server = try await HTTP2Server(files: ["hello.txt": "hello"])
        let transport = transport(trusting: server)
        let source = Piecewise()
        let request = server.request(.post, "/echo", body: HTTPBody(source.stream(length: 100)))
        let task = Task { try await transport.respond(to: request) }
        source.give("some")
        source.fail()
        await #expect(throws: Piecewise.Broken.self) { try await task.value }
        try await expectEqual(transport.respond(to: server.request(.get, "/hello.txt")).body.text, "hello")
    }

    @Test func `A stream over HTTP/2 is paused by a slow reader while others continue`() async throws {
        let size = 8 << 20
        let text = String(repeating: "0123456789abcdef", count: size / 16)
        let server = try await HTTP2Server(files: ["big.txt": text, "hello.txt": "hello"])
        let transport = transport(trusting: server)
        var request = server.request(.get, "/big.txt")
        request.wantsStream = true
        var iterator = try await transport.respond(to: request).body.chunks.makeAsyncIterator()
        var count = 0
        while let piece = try await iterator.next() {
            count += piece.count
            try await expectEqual(transport.respond(to: server.request(.get, "/hello.txt")).body.text, "hello")
        }
        expectEqual(count, size)
        await expectEqual(server.connectionsInAll(), 1)
    }

    @Test func `A stream over HTTP/2 is released without harm to the connection`() async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 18)
        let server = try await HTTP2Server(files: ["big.txt": text])
        let transport = transport(trusting: server)
        var request = server.request(.get, "/big.txt")
        request.wantsStream = true
        for _ in 0..<5 {
            let response = try await transport.respond(to: request)
            for try await _ in response.body.chunks { break }
        }
        await expectEqual(server.connectionsInAll(), 1)
    }

    @Test func `A stream over HTTP/2 needs no TLS if the server is known to speak HTTP/2`() async throws {
        let server = try await HTTP2Server(files: ["hello.txt": "hello"], isPlain: true)
        let transport = CurlTransport()
        var request = server.request(.get, "/hello.txt")
        request.assumesHTTP2 = true
        try await expectEqual(transport.respond(to: request).body.text, "hello")
        var upload = server.request(.post, "/echo", body: HTTPBody(counting(to: 100_001, announced: false)))
        upload.assumesHTTP2 = true
        upload.wantsStream = true
        try await expectEqual(transport.respond(to: upload).body.collected(upTo: 200_000), countingBytes(0..<100_001))
        // Without being told, a transport speaks HTTP/1.1, of which this server knows nothing.
        request.assumesHTTP2 = false
        let another = CurlTransport()
        await #expect(throws: HTTPError.self) { try await another.respond(to: request) }
        #expect(await server.connectionsInAll() >= 1)
    }
}
