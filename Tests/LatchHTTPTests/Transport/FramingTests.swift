// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct FramingTests {
    private let transport = CurlTransport()

    private func sent(
        _ method: HTTPMethod, fields: HTTPFields = [:], body: HTTPBody = .empty
    ) async throws -> RawHTTPServer.Request {
        let server = try RawHTTPServer { _ in .response() }
        _ = try await transport.respond(to: server.request(method, "/x", fields: fields, body: body))
        return try #require(server.requests.first)
    }

    @Test func `A request on the wire holds the given fields and few others`() async throws {
        let request = try await sent(.get, fields: ["X-A": "1", "x-a": "2", "X-Empty": "", .authorization: "Bearer t"])
        let lines = request.head.split(separator: "\r\n")
            .filter { !$0.hasPrefix("Host:") && !$0.hasPrefix("Accept-Encoding:") }
        expectEqual(
            lines, ["GET /x HTTP/1.1", "Accept: */*", "X-A: 1", "x-a: 2", "X-Empty:", "Authorization: Bearer t"])
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `A request on the wire states that it has no content if content is usual`(method: String) async throws {
        let request = try await sent(HTTPMethod(rawValue: method))
        expectEqual(request.line, "\(method) /x HTTP/1.1")
        expectEqual(request.values(of: "Content-Length"), ["0"])
        expectEqual(request.values(of: "Content-Type"), [])
    }

    @Test(arguments: ["GET", "DELETE", "OPTIONS", "HEAD", "PURGE", "get"])
    func `A request on the wire states nothing of content if none is usual`(method: String) async throws {
        let request = try await sent(HTTPMethod(rawValue: method))
        expectEqual(request.line, "\(method) /x HTTP/1.1")
        expectEqual(request.values(of: "Content-Length"), [])
        expectEqual(request.values(of: "Transfer-Encoding"), [])
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET", "REPORT"])
    func `A request on the wire carries content with any method`(method: String) async throws {
        let bytes: [UInt8] = [0, 13, 10, 255, 65]
        let request = try await sent(HTTPMethod(rawValue: method), body: HTTPBody(bytes))
        expectEqual(request.line, "\(method) /x HTTP/1.1")
        expectEqual(request.body, bytes)
        expectEqual(request.values(of: "Content-Type"), [])
        expectEqual(request.values(of: "Expect"), [])
    }

    @Test func `A request on the wire of a HEAD waits for no content`() async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") }
        for _ in 0..<3 {
            let response = try await transport.respond(to: server.request(.head))
            #expect(response.body.isEmpty)
            expectEqual(response.fields[.contentLength], "1000")
        }
        expectEqual(server.connectionCount, 1)
    }

    @Test func `A request on the wire takes nothing over from the one before on the same handle`() async throws {
        let server = try RawHTTPServer { request in
            guard request.line.hasPrefix("HEAD") else { return .response(body: "answer \(request.number)") }
            return .text("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
        }
        let secret: HTTPFields = [.authorization: "Bearer secret", "X-Secret": "secret", .contentType: "secret/x"]
        let first = server.request(.put, "/secret?q=secret", fields: secret, body: HTTPBody("secret"))
        _ = try await transport.respond(to: first)
        _ = try await transport.respond(to: server.request(.head))
        _ = try await transport.respond(to: server.request(.post))
        let last = try await transport.respond(to: server.request())
        expectEqual(server.connectionCount, 1)
        expectEqual(server.requests.map(\.line).dropFirst(), ["HEAD / HTTP/1.1", "POST / HTTP/1.1", "GET / HTTP/1.1"])
        for request in server.requests.dropFirst() {
            #expect(!request.head.contains("secret"))
            #expect(request.body.isEmpty)
        }
        expectEqual(server.requests.last?.values(of: "Content-Length"), [])
        expectEqual(last.body.text, "answer 3")
    }

    @Test(arguments: [
        ("X-A", "a\r\nX-B: b"), ("X-A", "a\nb"), ("X-A", "a\rb"), ("X-A", "a\u{0}b"), ("X-A\r\nX-B", "a"), ("", "a"),
        ("X A", "a"), ("X:A", "a"), ("Ünï", "a"), ("Transfer-Encoding", "chunked"), ("Content-Length", "5"),
        ("Host", "evil.example"),
    ])
    func `A request on the wire is refused if a field would change its framing`(name: String, value: String)
        async throws
    {
        let server = try RawHTTPServer { _ in .response() }
        var fields = HTTPFields()
        fields.append(value, for: HTTPFieldName(name))
        let error = await #expect(throws: HTTPError.self) {
            try await transport.respond(to: server.request(.post, fields: fields, body: HTTPBody("abc")))
        }
        expectEqual(error?.code, HTTPError.invalidField.code)
        expectEqual(error?.description.contains("evil"), false)
        expectEqual(server.connectionCount, 0)
    }

    @Test(arguments: [
        "", "x", "/a b", "/a\r\nX-B: b", "/a\u{0}", "/é", "/a#b", "/a\tb", "http://evil.example/",
    ])
    func `A request on the wire is refused if its path is not a path`(path: String) async throws {
        let server = try RawHTTPServer { _ in .response() }
        let error = await #expect(throws: HTTPError.self) {
            try await transport.respond(to: server.request(.get, path))
        }
        expectEqual(error?.code, HTTPError.invalidURL.code)
        expectEqual(server.connectionCount, 0)
    }

    @Test(arguments: [
        "", "a@b", "user:pw@127.0.0.1", "127.0.0.1/x", "127.0.0.1?x", "127.0.0.1#x", "a b", "a\r\nb", "%31", "a\\b",
        "ä",
    ])
    func `A request on the wire is refused if its host is not a host`(authority: String) async throws {
        let error = await #expect(throws: HTTPError.self) {
            try await transport.respond(to: HTTPRequest(scheme: "http", authority: authority, path: "/"))
        }
        expectEqual(error?.code, HTTPError.invalidURL.code)
    }

    @Test(arguments: ["ftp", "file", "HTTP", ""])
    func `A request on the wire is refused if its scheme is not http or https`(scheme: String) async throws {
        let error = await #expect(throws: HTTPError.self) {
            try await transport.respond(to: HTTPRequest(scheme: scheme, authority: "127.0.0.1:1", path: "/"))
        }
        expectEqual(error?.code, HTTPError.invalidURL.code)
    }

    @Test(arguments: ["", "G T", "GET\r\nX", "GÉT", "GET /evil HTTP/1.1\r\nX:"])
    func `A request on the wire is refused if its method is not a token`(method: String) async throws {
        let server = try RawHTTPServer { _ in .response() }
        await #expect(throws: HTTPError.self) {
            try await transport.respond(to: server.request(HTTPMethod(rawValue: method)))
        }
        expectEqual(server.connectionCount, 0)
    }

    @Test func `A request on the wire keeps the dots that its path has`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        _ = try await transport.respond(to: server.request(.get, "/a/../b/./c"))
        expectEqual(server.requests.first?.line, "GET /a/../b/./c HTTP/1.1")
    }
}
