// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct KeepAliveTests {
    static let seen = ClosureHandler { request in
        HTTPResponse(status: .ok, body: HTTPBody("\(request.method) \(request.authority) \(request.path)"))
    }

    static func bodies(of bytes: String) async throws -> [String?] {
        try await ConnectionTests.exchange(bytes, with: seen).map(\.body.text)
    }

    @Test
    func `A persistent connection skips an empty line before a request that arrives in two pieces`() async throws {
        try await serving(Self.seen) { address in
            let client = try RawClient(port: address.port)
            for byte in "\r\nGET /1 HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n".utf8 {
                await client.send([byte])
            }
            var rest: [UInt8] = []
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "GET a /1")
            await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "GET a /2")
        }
    }

    @Test
    func `A persistent connection has the whole head deadline for a head that begins late in the idle time`()
        async throws
    {
        let uptime = ManualUptime()
        var configuration = Server.Configuration.kept(by: uptime)
        configuration.keepAliveTimeout = .seconds(5)
        try await serving(Self.seen, configuration: configuration) { address in
            let (client, idle) = (try RawClient(port: address.port), try RawClient(port: address.port))
            await client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\n")
            await expectEqual(client.receiveResponse()?.status, .ok)
            await idle.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n")
            await expectEqual(idle.receiveResponse()?.status, .ok)
            uptime.advance(bySeconds: 6)
            // This one is closed for falling idle, so the idle time of the first is over too.
            #expect(await idle.receiveAll().isEmpty)
            await client.send("Host: a\r\n\r\n")
            await expectEqual(client.receiveResponse()?.body.text, "GET a /2")
        }
    }

    @Test
    func `A persistent connection gives an HTTP/1.0 request without a host the server's own address`() async throws {
        try await serving(Self.seen) { address in
            for (line, path) in [("GET /", "GET"), ("OPTIONS *", "OPTIONS")] {
                let client = try RawClient(port: address.port)
                await client.send("\(line) HTTP/1.0\r\n\r\n")
                let text = await client.receiveResponses().first?.body.text
                expectEqual(text, "\(path) \(address.authority) \(line.split(separator: " ")[1])")
            }
        }
    }

    @Test func `A persistent connection accepts every form of a target`() async throws {
        let forms = [
            ("GET /p?q=1", "GET a /p?q=1"), ("GET http://a/p?q=1", "GET a /p?q=1"), ("GET HTTP://A", "GET a /"),
            ("GET http://a?q", "GET a /?q"), ("OPTIONS *", "OPTIONS a *"), ("GET //a/b", "GET a //a/b"),
            ("GET http://a:80/", "GET a /"),
        ]
        for (line, expected) in forms {
            try await expectEqual(Self.bodies(of: "\(line) HTTP/1.1\r\nHost: a\r\n\r\n"), [expected], "\(line)")
        }
    }

    @Test func `A persistent connection delimits the responses to HEAD, and 204, 304 and 205`() async throws {
        let handler = ClosureHandler { request in
            let status = Int(request.path.dropFirst()) ?? 200
            return HTTPResponse(status: HTTPStatus(rawValue: status), body: HTTPBody("content"))
        }
        try await serving(handler) { address in
            let client = try RawClient(port: address.port)
            let rows: [(method: String, path: String, content: String)] = [
                ("HEAD", "/200", ""), ("GET", "/200", "content"), ("GET", "/204", ""), ("GET", "/304", ""),
                ("HEAD", "/404", ""), ("GET", "/205", ""), ("HEAD", "/204", ""), ("POST", "/404", "content"),
            ]
            let bytes = rows.map { "\($0.method) \($0.path) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
            await client.send(bytes)
            var rest: [UInt8] = []
            for row in rows {
                let response = await client.receiveResponse(rest: &rest, toHead: row.method == "HEAD")
                expectEqual(response.map { "/\($0.status.rawValue)" }, row.path)
                expectEqual(response?.body.text, row.content, "\(row.method) \(row.path)")
            }
        }
    }

    @Test func `A persistent connection ends with each spelling of close, and with no similar word`() async throws {
        let next = "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
        for value in [
            "close", "CLOSE", "keep-alive, close", "close,x", " , close ,", "\tclose\t", "x\r\nConnection: close",
        ] {
            let first = "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: \(value)\r\n\r\n"
            try await expectEqual(Self.bodies(of: first + next).count, 1, "\(value)")
        }
        for value in ["closed", "\"close\"", "not-close", "keep-alive", "", "close;x"] {
            let first = "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: \(value)\r\n\r\n"
            try await expectEqual(Self.bodies(of: first + next).count, 2, "\(value)")
        }
    }

    @Test func `A persistent connection ends with close before a comma and an accent`() async throws {
        // A combining accent makes one character with the comma before it, and a reader of bytes sees the comma.
        let first = "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close,\u{301}x\r\n\r\n"
        try await expectEqual(Self.bodies(of: first + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n").count, 1)
    }

    @Test func `A persistent connection does not send 100 for content that has begun or is empty`() async throws {
        let head = "POST /1 HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n"
        let eager = head + "Content-Length: 3\r\n\r\nabc"
        let empty = head + "Content-Length: 0\r\n\r\n"
        let old = "POST /1 HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc"
        for bytes in [eager, empty, old] {
            try await expectEqual(ConnectionTests.exchange(bytes, with: Self.seen).map(\.status), [.ok])
        }
    }
}
