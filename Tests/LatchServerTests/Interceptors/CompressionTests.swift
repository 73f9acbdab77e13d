// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite struct CompressionTests {
    static let text = String(repeating: #"{"name":"Ada","text":"compressible"}"#, count: 200)

    static func response(_ type: String, _ body: HTTPBody = HTTPBody(text), _ fields: HTTPFields = [:]) -> HTTPResponse
    {
        var response = HTTPResponse(status: .ok, fields: fields, body: body)
        response.fields[.contentType] = type
        return response
    }

    static func answer(
        _ response: HTTPResponse, accepting coding: String? = "gzip, deflate, br", _ method: HTTPMethod = .get
    ) async throws -> HTTPResponse {
        var router = Router(interceptors: [CompressionInterceptor()])
        router.get("/x") { _ in response }
        var request = HTTPRequest(method: method, authority: "localhost", path: "/x")
        request.fields["Accept-Encoding"] = coding
        return try await router.respond(to: request)
    }

    @Test func `A compressed response decodes at a client to the original`() async throws {
        var router = Router(interceptors: [CompressionInterceptor()])
        router.get("/json") { _ in Self.response("application/json", HTTPBody(Self.text), ["ETag": "\"a\""]) }
        router.get("/large") { _ in
            Self.response("text/plain; charset=utf-8", HTTPBody(String(repeating: Self.text, count: 100)))
        }
        router.get("/live") { _ in
            let pieces = Mutex(["one ", "two ", "three"])
            return Self.response(
                "application/x-ndjson",
                HTTPBody(HTTPBodyStream(once: { pieces.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } })))
        }
        try await serving(router) { address in
            let client = Client(baseURL: URL(string: address.url)!)
            let json = try await client.respond(to: client.request(.get, "json"))
            expectEqual(json.body.text, Self.text)
            expectEqual(json.fields["ETag"], "W/\"a\"")
            expectEqual(json.fields["Vary"], "Accept-Encoding")
            let large = try await client.respond(to: client.request(.get, "large"))
            expectEqual(large.body.text, String(repeating: Self.text, count: 100))
            try await expectEqual(client.respond(to: client.request(.get, "live")).body.text, "one two three")
            // What is on the wire.
            let raw = try RawClient(port: address.port)
            await raw.send("GET /json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n")
            let response = try #require(await raw.receiveResponse())
            expectEqual(response.fields["Content-Encoding"], "gzip")
            #expect(response.body.bytes.starts(with: [0x1F, 0x8B]))
            #expect(response.body.bytes.count < Self.text.utf8.count / 10)
        }
    }

    @Test func `A compressed response of a stream passes each piece on when it comes`() async throws {
        let gate = Gate()
        var router = Router(interceptors: [CompressionInterceptor()])
        router.get("/live") { _ in
            let count = Mutex(0)
            return Self.response(
                "text/plain",
                HTTPBody(
                    HTTPBodyStream(once: {
                        let index = count.withLock { count in
                            count += 1
                            return count
                        }
                        if index == 2 { await gate.pass() }
                        return index > 2 ? nil : Array("piece \(index);".utf8)
                    })))
        }
        try await serving(router) { address in
            let client = Client(baseURL: URL(string: address.url)!)
            var request = try client.request(.get, "live")
            request.wantsStream = true
            var pieces = try await client.respond(to: request).body.chunks.makeAsyncIterator()
            try await expectEqual(pieces.next(), Array("piece 1;".utf8))
            gate.open()
            try await expectEqual(pieces.next(), Array("piece 2;".utf8))
            try await expectNil(pieces.next())
        }
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP;q=0.5", true), ("x-gzip", true), ("*", true), ("br, *;q=0.1", true),
        ("deflate, br", false),
        ("gzip;q=0", false), ("*, gzip;q=0", false), ("identity", false), ("", false), (nil, false),
        ("gzip;q=x", false),
    ])
    func `A compressed response goes to a client that accepts gzip`(coding: String?, isCompressed: Bool) async throws {
        let response = try await Self.answer(Self.response("text/css"), accepting: coding)
        expectEqual(response.fields["Content-Encoding"] == "gzip", isCompressed)
        // A cache must not give either one to every client.
        expectEqual(response.fields["Vary"], "Accept-Encoding")
    }

    @Test(arguments: [
        ("text/html", true), ("Application/JSON ; charset=utf-8", true), ("application/problem+json", true),
        ("image/svg+xml", true), ("image/png", false), ("application/zip", false), ("text/event-stream", false),
        ("application/octet-stream", false), ("font/woff2", false),
    ])
    func `A compressed response has a media type that becomes smaller`(type: String, isCompressed: Bool) async throws {
        let response = try await Self.answer(Self.response(type))
        expectEqual(response.fields["Content-Encoding"] == "gzip", isCompressed)
        expectEqual(response.fields["Vary"] != nil, isCompressed)
    }

    @Test func `A compressed response is left unchanged if it is short, coded, partial, or marked so`() async throws {
        for response in [
            Self.response("text/plain", HTTPBody("short")),
            Self.response("text/plain", HTTPBody(Self.text), ["Content-Encoding": "br"]),
            Self.response("text/plain", HTTPBody(Self.text), ["Content-Range": "bytes 0-1/2"]),
            Self.response("text/plain", HTTPBody(Self.text), ["Content-Digest": "sha-256=:AA==:"]),
            Self.response("text/plain", HTTPBody(Self.text), ["Cache-Control": "private, no-transform"]),
            HTTPResponse(status: .ok, body: HTTPBody(Self.text)),
        ] {
            let sent = try await Self.answer(response)
            expectEqual(sent.body, response.body)
            expectEqual(sent.fields["Content-Encoding"], response.fields["Content-Encoding"])
        }
    }

    @Test func `A compressed response has the fields of GET for HEAD`() async throws {
        let response = try await Self.answer(Self.response("text/plain"), .head)
        expectEqual(response.fields["Content-Encoding"], "gzip")
        expectEqual(response.fields["Vary"], "Accept-Encoding")
        #expect(response.body.isEmpty || response.body.length == nil)
    }

    @Test(arguments: [("Origin", "Origin, Accept-Encoding"), ("accept-encoding", "accept-encoding"), ("*", "*")])
    func `A compressed response adds to the fields that a response depends on`(vary: String, expected: String)
        async throws
    {
        let response = try await Self.answer(Self.response("text/plain", HTTPBody(Self.text), ["Vary": vary]))
        expectEqual(response.fields["Vary"], expected)
    }

    /// A cache that has the compressed one must not take the bytes of the other for it.
    @Test func `A compressed response has the whole one's fields if it is partial, or not modified`() async throws {
        for status in [206, 304] as [HTTPStatus] {
            let response = HTTPResponse(status: status, fields: ["ETag": "\"a\""])
            let sent = try await Self.answer(response)
            expectEqual(sent.fields["Vary"], "Accept-Encoding")
            expectEqual(sent.fields["ETag"], status == 304 ? "W/\"a\"" : "\"a\"")
            try await expectEqual(Self.answer(response, accepting: nil).fields["ETag"], "\"a\"")
        }
    }

    @Test func `A compressed response of a source that fails is broken off`() async throws {
        struct Failure: Error {}
        let response = try await Self.answer(
            Self.response("text/plain", HTTPBody(HTTPBodyStream(once: { throw Failure() }))))
        await #expect(throws: Failure.self) { try await response.body.collected(upTo: 1 << 20) }
    }
}
