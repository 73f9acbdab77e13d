// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct DecodingTests {
    private let transport = CurlTransport()

    private static func answer(_ coding: String, _ content: [UInt8]) -> RawHTTPServer.Response {
        var answer = RawHTTPServer.Response.text(
            "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(content.count)\r\nETag: \"a\"\r\n\r\n")
        answer.bytes += content
        return answer
    }

    private static let hello = Array("hello".utf8)

    /// RFC 1952, RFC 7932 and RFC 8878, each with the content as it is.
    private static let codings: [(name: String, bytes: [UInt8])] = [
        ("gzip", Deflated.gzip(hello)), ("deflate", Deflated.zlib(hello)),
        ("br", [0x0B, 0x02, 0x80] + hello + [0x03]),
        ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x20, 5, 0x29, 0, 0] + hello),
    ]

    @Test func `A response with a content coding is requested, and is decoded`() async throws {
        let server = try RawHTTPServer { request in
            let coding = Self.codings.first { $0.name == request.line.split(separator: "/")[1].prefix { $0 != " " } }
            return Self.answer(coding?.name ?? "", coding?.bytes ?? [])
        }
        for coding in Self.codings {
            let response = try await transport.respond(to: server.request(.get, "/" + coding.name))
            let accepted = try #require(server.requests.last?.values(of: "Accept-Encoding").first)
            try #require(accepted.contains("gzip"))
            // What libcurl was built without is not asked for.
            guard accepted.contains(coding.name) else { continue }
            expectEqual(response.body.text, "hello")
            expectNil(response.fields[.contentEncoding])
            expectNil(response.fields[.contentLength])
            expectEqual(response.fields["ETag"], "\"a\"")
        }
        expectEqual(server.requests.count, Self.codings.count)
    }

    @Test func `A response with a content coding is decoded as a stream of unknown length`() async throws {
        let server = try RawHTTPServer { _ in Self.answer("gzip", Deflated.gzip(Self.hello)) }
        var request = server.request()
        request.wantsStream = true
        let response = try await transport.respond(to: request)
        expectNil(response.fields[.contentEncoding])
        expectNil(response.body.length)
        try await expectEqual(response.body.collected(upTo: 5), Self.hello)
    }

    @Test(arguments: [("Accept-Encoding", "gzip"), ("accept-encoding", "identity"), ("Range", "bytes=0-9")])
    func `A response with a content coding stays encoded if the request names the coding`(field: (String, String))
        async throws
    {
        let content = Deflated.gzip(Self.hello)
        let server = try RawHTTPServer { _ in Self.answer("gzip", content) }
        for _ in 0..<2 {
            let fields = HTTPFields(dictionaryLiteral: (HTTPFieldName(field.0), field.1))
            let response = try await transport.respond(to: server.request(fields: fields))
            expectEqual(response.body.bytes, content)
            expectEqual(response.fields[.contentEncoding], "gzip")
            expectEqual(response.fields[.contentLength], String(content.count))
            // The same handle decodes again for the next request.
            try await expectEqual(transport.respond(to: server.request()).body.text, "hello")
        }
        let expected = field.0 == "Range" ? [] : [field.1]
        expectEqual(server.requests.first?.values(of: "Accept-Encoding"), expected)
    }

    @Test func `A response with a content coding to HEAD has the fields of GET`() async throws {
        let server = try RawHTTPServer { _ in
            .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 28\r\n\r\n")
        }
        let response = try await transport.respond(to: server.request(.head))
        expectEqual(response.fields[.contentEncoding], "gzip")
        expectEqual(response.fields[.contentLength], "28")
    }

    @Test(arguments: [
        Array("hello".utf8), Array(Deflated.gzip(hello).dropLast(12)) + [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9],
    ])
    func `A response without its stated content coding is malformed`(content: [UInt8]) async throws {
        let server = try RawHTTPServer { _ in Self.answer("gzip", content) }
        await #expect(throws: HTTPError.malformedMessage) { try await transport.respond(to: server.request()) }
    }

    // Report 9 in Documentation/PublicReports.md.
    @Test(arguments: ["UTF-8", "aws-chunked", "binary", "compress", "gzip, aws-chunked", "x, gzip"])
    func `A response with an unknown content coding stays encoded`(coding: String) async throws {
        let server = try RawHTTPServer { _ in Self.answer(coding, Self.hello) }
        for streams in [false, true] {
            var request = server.request()
            request.wantsStream = streams
            let response = try await transport.respond(to: request)
            try await expectEqual(response.body.collected(upTo: 5), Self.hello)
            expectEqual(response.fields[.contentEncoding], coding)
            expectEqual(response.fields[.contentLength], "5")
        }
    }

    /// Sends a bomb for as long as somebody takes it, and says how much of it was sent.
    private func explode(at listener: RawListener) async -> Int {
        guard let peer = await listener.accept() else { return 0 }
        _ = await peer.receive(through: "\r\n\r\n")
        await peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
        var (bomb, sent) = (Bomb(), 0)
        while sent < 64 << 20 {
            let piece = bomb.next(65_536)
            guard await peer.send(piece) else { break }
            sent += piece.count
        }
        return sent
    }

    @Test func `A response with a content coding that expands without end is too large at the limit`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.maximumResponseBytes = 8 << 20
        let transport = CurlTransport(configuration: configuration)
        let listener = try RawListener()
        async let sent = explode(at: listener)
        let request = HTTPRequest(scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/")
        await #expect(throws: HTTPError.tooLarge) { try await transport.respond(to: request) }
        // Ten gigabytes would be 64 MB of it.
        #expect(await sent < 32 << 20)
    }

    @Test
    func `A response with a content coding that expands without end is too large at the limit of a stream`()
        async throws
    {
        var configuration = CurlTransport.Configuration()
        configuration.maximumStreamedBytes = 32 << 20
        let transport = CurlTransport(configuration: configuration)
        let listener = try RawListener()
        async let sent = explode(at: listener)
        var request = HTTPRequest(scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/")
        request.wantsStream = true
        let response = try await transport.respond(to: request)
        var count = 0
        await #expect(throws: HTTPError.tooLarge) {
            for try await piece in response.body.chunks { count += piece.count }
        }
        #expect(count <= 32 << 20)
        #expect(count > 31 << 20)
        _ = await sent
    }
}
