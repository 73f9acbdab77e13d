// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct ConnectionTests {
    static let echo = ClosureHandler { request in
        HTTPResponse(status: .ok, fields: ["X-Path": request.path], body: request.body)
    }

    static func exchange(_ bytes: String, with handler: any Handler = echo) async throws -> [HTTPResponse] {
        try await serving(handler) { address in
            let client = try RawClient(port: address.port)
            await client.send(bytes)
            client.endSending()
            return await client.receiveResponses()
        }
    }

    @Test func `A connection serves one request after another`() async throws {
        try await serving(Self.echo) { address in
            let client = try RawClient(port: address.port)
            for number in 0..<20 {
                await client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                await expectEqual(client.receiveResponse()?.fields["X-Path"], "/\(number)")
            }
        }
    }

    @Test func `A connection answers pipelined requests in their order, each with its own content`() async throws {
        var bytes = ""
        for number in 0..<300 {
            switch number % 3 {
            case 0: bytes += "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n"
            case 1: bytes += "POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n" + String(1000 + number)
            default:
                bytes += "POST /\(number) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                bytes += "2;x=y\r\n\(10 + number % 80)\r\n2\r\nzz\r\n0\r\nTrailer: t\r\n\r\n"
            }
        }
        let responses = try await Self.exchange(bytes)
        expectEqual(responses.map { $0.fields["X-Path"] }, (0..<300).map { "/\($0)" })
        expectEqual(responses[1].body.text, "1001")
        expectEqual(responses[2].body.text, "12zz")
    }

    @Test func `A connection answers pipelined requests in their order when handlers suspend`() async throws {
        let slowFirst = ClosureHandler { request in
            for _ in 0..<(request.path == "/0" ? 1000 : 1) { await Task.yield() }
            return HTTPResponse(status: .ok, fields: ["X-Path": request.path])
        }
        let bytes = (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
        let responses = try await Self.exchange(bytes, with: slowFirst)
        expectEqual(responses.map { $0.fields["X-Path"] }, (0..<50).map { "/\($0)" })
    }

    @Test func `A connection accepts a request that arrives byte by byte`() async throws {
        try await serving(Self.echo) { address in
            let client = try RawClient(port: address.port)
            let request = "POST /slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            for byte in request.utf8 { await client.send([byte]) }
            await expectEqual(client.receiveResponse()?.body.text, "abc")
        }
    }

    @Test func `A connection carries long content both ways`() async throws {
        var configuration = Server.Configuration.patient
        configuration.maximumBodyBytes = 16 << 20
        let bytes = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try await serving(Self.echo, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            let head = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8)
            await client.send(head + bytes)
            await expectEqual(client.receiveResponse()?.body.bytes, bytes)

            var chunked = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            for start in stride(from: 0, to: bytes.count, by: 10_000) {
                let chunk = bytes[start..<min(start + 10_000, bytes.count)]
                chunked += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + [13, 10]
            }
            await client.send(chunked + Array("0\r\n\r\n".utf8))
            await expectEqual(client.receiveResponse()?.body.bytes, bytes)
        }
    }

    @Test func `A connection ends when the client asks for it, and with HTTP/1.0`() async throws {
        let next = "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
        for first in ["GET /1 HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", "GET /1 HTTP/1.0\r\n\r\n"] {
            let responses = try await Self.exchange(first + next)
            expectEqual(responses.map { $0.fields["X-Path"] }, ["/1"])
            expectEqual(responses.first?.fields["Connection"], "close")
        }
    }

    @Test func `A connection ends when the handler asks for it`() async throws {
        let last = ClosureHandler { _ in HTTPResponse(status: .ok, fields: ["Connection": "close"]) }
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        try await expectEqual(Self.exchange(request + request, with: last).count, 1)
    }

    @Test func `A connection skips one empty line before a request`() async throws {
        let request = "\r\nGET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
        try await expectEqual(Self.exchange(request + request).map(\.status), [.ok, .ok])
    }

    @Test func `A connection accepts the absolute form`() async throws {
        let seen = ClosureHandler { HTTPResponse(status: .ok, body: HTTPBody($0.authority + " " + $0.path)) }
        let responses = try await Self.exchange(
            "GET http://a:8080/p?q HTTP/1.1\r\nHost: a:8080\r\n\r\n", with: seen)
        expectEqual(responses.first?.body.text, "a:8080 /p?q")
    }

    @Test func `A connection passes the client's address, the scheme and the host to the handler`() async throws {
        let seen = ClosureHandler { request in
            HTTPResponse(
                status: .ok, body: HTTPBody("\(request.remoteAddress ?? "-") \(request.scheme) \(request.authority)"))
        }
        let responses = try await Self.exchange("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", with: seen)
        expectEqual(responses.first?.body.text, "127.0.0.1 http [::1]:80")
    }

    @Test(arguments: [
        "a", "A.example", "a:80", "a:", "127.0.0.1:8080", "[::1]", "[2001:db8::7]:443", "xn--caf-dma.example", "a_b",
        "a%20b",
    ])
    func `A connection accepts a valid Host`(host: String) async throws {
        let seen = ClosureHandler { HTTPResponse(status: .ok, body: HTTPBody($0.authority)) }
        let responses = try await Self.exchange("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n", with: seen)
        expectEqual(responses.first?.body.text, host)
    }

    @Test func `A connection passes fields unchanged, without surrounding whitespace`() async throws {
        let seen = ClosureHandler { request in
            let lines = request.fields.map { "\($0.name)=\($0.value)" }
            return HTTPResponse(status: .ok, body: HTTPBody(lines.joined(separator: "|")))
        }
        let head = "GET / HTTP/1.1\r\nHost: a\r\nX-a:  b\tc \t\r\nx-A:\r\nX-\u{7E}: d:e\r\nX-a: 2\r\n\r\n"
        try await expectEqual(Self.exchange(head, with: seen).first?.body.text, "Host=a|X-a=b\tc|x-A=|X-~=d:e|X-a=2")
    }

    @Test func `A connection sends each answer with a date and without the server's name`() async throws {
        let named = ClosureHandler { _ in
            HTTPResponse(status: .ok, fields: ["Server": "x", "Transfer-Encoding": "chunked", "Content-Length": "99"])
        }
        let response = try await #require(Self.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n", with: named).first)
        expectEqual(response.fields[.date]?.hasSuffix(" GMT"), true)
        expectNil(response.fields["Server"])
        expectNil(response.fields["Transfer-Encoding"])
        expectEqual(response.fields.values(of: .contentLength), ["0"])
    }

    @Test(arguments: [HTTPStatus(rawValue: 204), HTTPStatus(rawValue: 304)])
    func `A connection sends no content with a status that has none`(status: HTTPStatus) async throws {
        let wrong = ClosureHandler { _ in HTTPResponse(status: status, body: HTTPBody("GARBAGE")) }
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let responses = try await Self.exchange(request + request, with: wrong)
        expectEqual(responses.map(\.status), [status, status])
        #expect(responses.allSatisfy { $0.fields[.contentLength] == nil })
    }

    @Test(arguments: [0, 99, 101, 1000, -1])
    func `A response with an invalid status becomes 500`(status: Int) async throws {
        let wrong = ClosureHandler { _ in HTTPResponse(status: HTTPStatus(rawValue: status)) }
        try await expectEqual(
            Self.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n", with: wrong).map(\.status), [.internalServerError])
    }

    @Test(arguments: ["a\r\nSet-Cookie: x=1", "a\nb", "a\rb", "a\0b"])
    func `A response with an invalid field becomes 500`(value: String) async throws {
        let wrong = ClosureHandler { _ in HTTPResponse(status: .ok, fields: ["X-Bad": value]) }
        let responses = try await Self.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n", with: wrong)
        expectEqual(responses.map(\.status), [.internalServerError])
        expectEqual(responses.first?.fields.values(of: .setCookie), [])
    }
}
