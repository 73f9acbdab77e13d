// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import TestSupport
import Testing

/// libcurl sends a request again by itself if a reused connection is closed before the response.
@Suite struct RepeatedRequestTests {
    /// Sends a request on a connection that has served another, and that ends with this one.
    private func respond(to request: (HTTPRequest) -> HTTPRequest) async throws -> (Result<String, HTTPError>, Int) {
        let server = try RawHTTPServer { request in
            request.connection == 0 && request.number == 1 ? .closing(after: "") : .response(body: "served")
        }
        let transport = CurlTransport()
        _ = try await transport.respond(to: server.request())
        do {
            let response = try await transport.respond(to: request(server.request()))
            return (.success(response.body.text ?? ""), server.requests.count)
        } catch let error as HTTPError {
            return (.failure(error), server.requests.count)
        }
    }

    @Test(arguments: [HTTPMethod.get, .put, .delete])
    func `A request on a lost connection is sent again if it can happen twice`(method: HTTPMethod) async throws {
        let (result, count) = try await respond { request in
            var request = request
            request.method = method
            return request
        }
        try expectEqual(result.get(), "served")
        expectEqual(count, 3)
    }

    @Test func `A request on a lost connection is sent again if its caller says that this does no harm`() async throws {
        let (result, count) = try await respond { request in
            var request = request
            (request.method, request.body, request.isSafeToRetry) = (.post, HTTPBody("content"), true)
            return request
        }
        try expectEqual(result.get(), "served")
        expectEqual(count, 3)
    }

    /// RFC 9110 §9.2.2: the server may have executed it.
    @Test(arguments: [HTTPMethod.post, .patch], [HTTPBody("content"), .empty, .stream(of: "content")])
    func `A request on a lost connection is not sent again if it cannot happen twice`(
        method: HTTPMethod, body: HTTPBody
    ) async throws {
        let (result, count) = try await respond { request in
            var request = request
            (request.method, request.body) = (method, body)
            return request
        }
        let error = try #require(throws: HTTPError.self) { try result.get() }
        expectEqual(error.code, HTTPError.offline.code)
        #expect(!error.isUnsent)
        expectEqual(count, 2)
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `A request on a lost connection counts as sent, although there is no other connection`(method: HTTPMethod)
        async throws
    {
        var server: RawHTTPServer? = try RawHTTPServer { $0.number == 1 ? .stall : .response() }
        let transport = CurlTransport()
        var request = try #require(server).request()
        _ = try await transport.respond(to: request)
        request.method = method
        let call = Task { [request] in try await transport.respond(to: request) }
        for await event in try #require(server).events {
            if case .received(let received) = event, received.number == 1 { break }
        }
        // Closes the port, and then the connection.
        server = nil
        let error = try #require(await #expect(throws: HTTPError.self) { try await call.value })
        expectEqual(error.code, HTTPError.offline.code)
        #expect(!error.isUnsent)
    }

    @Test(arguments: [true, false])
    func `A request on a lost connection is sent once on a new one if nothing of it was sent`(isReset: Bool)
        async throws
    {
        let listener = try RawListener()
        let transport = CurlTransport()
        func request(_ method: HTTPMethod, _ body: HTTPBody = .empty) -> HTTPRequest {
            HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/", body: body)
        }
        async let first = transport.respond(to: request(.get))
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        try await expectEqual(first.status, .ok)
        if isReset { peer.reset() } else { peer.endSending() }
        async let second = transport.respond(to: request(.post, HTTPBody("content")))
        let next = try #require(await listener.accept())
        _ = await next.receive(through: "content")
        await next.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await expectEqual(second.status, .noContent)
    }

    @Test func `A request on a connection that never existed is not one on a lost connection`() async throws {
        // RFC 1078's port, where nobody listens.
        let request = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:1", path: "/")
        let error = try #require(
            await #expect(throws: HTTPError.self) { try await CurlTransport().respond(to: request) })
        #expect(error.isUnsent)
    }
}

extension HTTPBody {
    /// Content that comes as a stream, which can be read again.
    fileprivate static func stream(of text: String) -> HTTPBody { HTTPBody(HTTPBodyStream(Array(text.utf8))) }
}
