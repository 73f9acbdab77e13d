// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct RawHTTPServerTests {
    @Test func `A raw HTTP server records each request to the byte, and which connection it came on`() async throws {
        let server = try RawHTTPServer { _ in .response(body: "ok") }
        let (one, other) = (try RawClient(port: server.port), try RawClient(port: server.port))
        await one.send("POST /a HTTP/1.1\r\nContent-Length: 3\r\nX-a:  1\r\nx-A: 2\r\n\r\na\r\n")
        await expectEqual(one.receiveResponse()?.body.text, "ok")
        await other.send("GET /b HTTP/1.0\r\n\r\n")
        await expectEqual(other.receiveResponse()?.status, .ok)
        await one.send("GET /c HTTP/1.1\r\n\r\n")
        await expectEqual(one.receiveResponse()?.status, .ok)
        let requests = server.requests
        expectEqual(requests.map(\.line), ["POST /a HTTP/1.1", "GET /b HTTP/1.0", "GET /c HTTP/1.1"])
        expectEqual(requests[0].body, Array("a\r\n".utf8))
        expectEqual(requests[0].values(of: "X-A"), ["1", "2"])
        #expect(requests[0].values(of: "missing").isEmpty)
        expectEqual(requests[0].connection, requests[2].connection)
        expectEqual(requests.map(\.number), [0, 0, 1])
        expectEqual(server.connectionCount, 2)
        expectEqual(server.url, "http://127.0.0.1:\(server.port)")
    }

    @Test
    func `A raw HTTP server splits requests that come in one piece, and joins one that comes in many`() async throws {
        let server = try RawHTTPServer { .response(body: "\($0.number)") }
        let client = try RawClient(port: server.port)
        await client.send("GET /0 HTTP/1.1\r\n\r\nPOST /1 HTTP/1.1\r\ncontent-length: 2\r\n\r\nab")
        for byte in "GET /2 HTTP/1.1\r\n\r\n".utf8 { await client.send([byte]) }
        var rest: [UInt8] = []
        for number in 0..<3 { await expectEqual(client.receiveResponse(rest: &rest)?.body.text, "\(number)") }
        expectEqual(server.requests.map(\.head.last), ["1", "2", "1"])
    }

    @Test func `A raw HTTP server sends any configured bytes, right or wrong`() async throws {
        let nonsense = "HTTP/9 huh\r\n\0"
        let server = try RawHTTPServer { request in
            request.line.hasPrefix("GET") ? .closing(after: nonsense) : .trickle("HTTP/1.1 204 No\r\n\r\n")
        }
        let client = try RawClient(port: server.port)
        await client.send("HEAD / HTTP/1.1\r\n\r\n")
        await expectEqual(client.receiveResponse()?.status, .noContent)
        await client.send("GET / HTTP/1.1\r\n\r\n")
        await expectEqual(client.receiveAll(), Array(nonsense.utf8))
    }

    @Test func `A raw HTTP server greets before a request`() async throws {
        let server = try RawHTTPServer(greeting: "HTTP/1.1 408 Early\r\n\r\n") { _ in .stall }
        try await expectEqual(RawClient(port: server.port).receiveResponse()?.status, 408)
        #expect(server.requests.isEmpty)
    }

    @Test func `A raw HTTP server reports events in their order`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let client = try RawClient(port: server.port)
        await client.send("GET /x HTTP/1.1\r\n\r\n")
        var events: [String] = []
        for await event in server.events {
            switch event {
            case .opened(let connection): events.append("opened \(connection)")
            case .received(let request):
                events.append("received \(request.line)")
                client.reset()
            case .closedByClient(let connection): events.append("closed \(connection)")
            }
            if events.count == 3 { break }
        }
        expectEqual(events, ["opened 0", "received GET /x HTTP/1.1", "closed 0"])
    }

    @Test func `A raw HTTP server ends with the last reference to it`() async throws {
        var server: RawHTTPServer? = try RawHTTPServer { _ in .stall }
        let client = try RawClient(port: server?.port ?? 0)
        await client.send("GET / HTTP/1.1\r\n\r\n")
        for await event in try #require(server).events { if case .received = event { break } }
        server = nil
        #expect(await client.receiveAll().isEmpty)
    }
}

@Suite struct RawClientTests {
    @Test func `A raw client reports that no server listens`() {
        // RFC 1078's port; one that a server has left may be another's by now.
        #expect(throws: HTTPError.offline) { try RawClient(port: 1) }
    }

    @Test func `A raw client reads several responses from one piece, also those without content`() async throws {
        let server = try RawHTTPServer(
            greeting: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nA: b\r\na: c\r\n\r\nabcHTTP/1.1 204 No\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"
        ) { _ in .closing(after: "") }
        let client = try RawClient(port: server.port)
        var rest: [UInt8] = []
        let first = await client.receiveResponse(rest: &rest)
        expectEqual(first?.body.text, "abc")
        expectEqual(first?.fields.values(of: "a"), ["b", "c"])
        await expectEqual(client.receiveResponse(rest: &rest)?.status, .noContent)
        await expectEqual(client.receiveResponse(rest: &rest, toHead: true)?.fields[.contentLength], "9")
        await client.send("GET / HTTP/1.1\r\n\r\n")
        await expectNil(client.receiveResponse(rest: &rest), "a response that is cut off is none")
    }

    @Test func `A raw client takes no more at once than configured`() async throws {
        let server = try RawHTTPServer(greeting: "abcde") { _ in .stall }
        let client = try RawClient(port: server.port, receiveBuffer: 4096)
        await expectEqual(client.receive(upTo: 2)?.count, 2)
        await expectEqual(client.receive(upTo: 1), Array("c".utf8))
    }
}
