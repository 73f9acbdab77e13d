// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite struct FailureTests {
    private func failure(
        _ request: HTTPRequest, _ configuration: CurlTransport.Configuration = .init()
    ) async throws -> HTTPError {
        let transport = CurlTransport(configuration: configuration)
        return try #require(await #expect(throws: HTTPError.self) { try await transport.respond(to: request) })
    }

    private func request(port: Int, scheme: String = "http") -> HTTPRequest {
        HTTPRequest(scheme: scheme, authority: "127.0.0.1:\(port)", path: "/secret?token=secret")
    }

    @Test func `A transfer to a port without a listener fails as offline`() async throws {
        // RFC 1078's port, where nobody listens; one that a server has left may be another's by now.
        let error = try await failure(request(port: 1))
        expectEqual(error.code, HTTPError.offline.code)
        #expect(error.isConnectivity)
        #expect(!error.description.contains("secret"))
    }

    @Test func `A transfer to a host without an address fails as offline`() async throws {
        let error = try await failure(HTTPRequest(scheme: "http", authority: "host.invalid", path: "/"))
        // A machine whose name server does not answer reaches the time limit first.
        #expect(error.isConnectivity)
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ])
    func `A transfer that the server closes before the end fails as offline`(bytes: String) async throws {
        let server = try RawHTTPServer { _ in .closing(after: bytes) }
        try await expectEqual(failure(server.request()).code, HTTPError.offline.code)
    }

    @Test(arguments: [
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", "hello\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\n",
    ])
    func `A transfer from a server that does not speak HTTP fails as a malformed message`(bytes: String) async throws {
        let server = try RawHTTPServer { _ in .closing(after: bytes) }
        try await expectEqual(failure(server.request()).code, HTTPError.malformedMessage.code)
    }

    @Test(.timeLimit(.minutes(10)))
    func `A transfer without an answer in time fails as a timeout, and the connection is closed`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        var request = server.request()
        request.timeout = .milliseconds(30)
        // On a busy machine the time may be over before there is a connection; then the next request brings one.
        let isClosed = Mutex(false)
        let asking = Task { [request] in
            repeat {
                let error = try await failure(request)
                expectEqual(error.code, HTTPError.timeout.code)
                #expect(error.isConnectivity)
            } while !isClosed.withLock { $0 }
        }
        for await event in server.events {
            if case .closedByClient = event { break }
        }
        isClosed.withLock { $0 = true }
        try await asking.value
    }

    /// Ends each connection of HTTP/2 by GOAWAY with NO_ERROR before it has answered, and answers on the last one.
    private func leave(_ count: Int, at listener: RawListener) async {
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        // RFC 9113 §6.8: the last stream is 0, so the request was not processed.
        let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        for number in 0...count {
            guard let peer = await listener.accept() else { return }
            _ = await peer.receive(through: "\r\n\r\nSM\r\n\r\n")
            // RFC 9113 §6.2: `:status: 200` on stream 1, which is its end.
            await peer.send(settings + (number < count ? goAway : [0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88]))
            if number < count { peer.endSending() }
            // Closed before all was read, the connection would be reset.
            _ = await peer.receiveAll()
        }
    }

    // Report 6 in Documentation/PublicReports.md.
    @Test
    func `A transfer that the server leaves in good order fails as a connection, and is tried again`() async throws {
        let listeners = (once: try RawListener(), twice: try RawListener())
        async let once: Void = leave(1, at: listeners.once)
        async let twice: Void = leave(2, at: listeners.twice)
        var request = request(port: listeners.once.port)
        request.assumesHTTP2 = true
        let transport = CurlTransport()
        do {
            // libcurl 8.14 repeats such a request by itself.
            try await expectEqual(transport.respond(to: request).status, .ok)
        } catch let error as HTTPError {
            expectEqual(error.code, HTTPError.offline.code)
            try await expectEqual(transport.respond(to: request).status, .ok)
        }
        request.authority = "127.0.0.1:\(listeners.twice.port)"
        let retrying = CurlTransport().intercepted(by: [
            RetryInterceptor(RetryPolicy(maximumAttempts: 4, baseDelay: .milliseconds(1)))
        ])
        try await expectEqual(retrying.respond(to: request).status, .ok)
        _ = await (once, twice)
    }

    @Test func `A transfer with an endless answer fails as a timeout`() async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
        var configuration = CurlTransport.Configuration()
        configuration.timeout = .milliseconds(30)
        try await expectEqual(failure(server.request(), configuration).code, HTTPError.timeout.code)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n",
    ])
    func `A transfer with too much content fails as too large`(head: String) async throws {
        let server = try RawHTTPServer { _ in .text(head + String(repeating: "x", count: 1001)) }
        var configuration = CurlTransport.Configuration()
        configuration.maximumResponseBytes = 1000
        try await expectEqual(failure(server.request(), configuration).code, HTTPError.tooLarge.code)
    }

    @Test func `A transfer with content of exactly the allowed size succeeds`() async throws {
        let server = try RawHTTPServer { _ in .response(body: String(repeating: "x", count: 1000)) }
        var configuration = CurlTransport.Configuration()
        configuration.maximumResponseBytes = 1000
        let response = try await CurlTransport(configuration: configuration).respond(to: server.request())
        expectEqual(response.body.bytes.count, 1000)
    }

    @Test func `A transfer with an endless head fails as too large`() async throws {
        let line = "X-Long: " + String(repeating: "x", count: 1000) + "\r\n"
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 400)) }
        try await expectEqual(failure(server.request()).code, HTTPError.tooLarge.code)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
    ])
    func `A transfer with an endless field line says so`(head: String) async throws {
        let server = try RawHTTPServer { _ in .text("\(head)X-Long: " + String(repeating: "x", count: 200_000)) }
        let error = try await failure(server.request())
        expectEqual(error.code, HTTPError.tooLarge.code)
        expectEqual(error.message, "The response header fields of 127.0.0.1:\(server.port) are too large.")
    }

    @Test func `A transfer from a server without TLS fails as tls`() async throws {
        let server = try RawHTTPServer(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { _ in .stall }
        let error = try await failure(request(port: server.port, scheme: "https"))
        expectEqual(error.code, HTTPError.tls.code)
        #expect(!error.isConnectivity)
    }

    // libcurl before 8.2 would write to the memory of the response before, which it has freed. The system notices that for
    // sizes that nothing else has taken meanwhile.
    @Test func `A transfer whose first field is folded does not touch an earlier response`() async throws {
        let transport = CurlTransport()
        let server = try RawHTTPServer { request in
            guard let size = Int(request.line.split(separator: "/")[1].prefix { $0.isNumber }) else {
                return .text(
                    "HTTP/1.1 200 OK\r\n X: \(String(repeating: "x", count: 2000))\r\nContent-Length: 0\r\n\r\n")
            }
            return .response(fields: ["X-A: \(String(repeating: "a", count: size))"], body: "good")
        }
        for size in stride(from: 50, through: 950, by: 50) {
            try await expectEqual(transport.respond(to: server.request(.get, "/\(size)")).body.text, "good")
            do {
                // libcurl 8.2 and later leaves the line out.
                let response = try await transport.respond(to: server.request(.get, "/folded"))
                #expect(response.status == .ok && response.fields["X"] == nil)
            } catch let error as HTTPError {
                expectEqual(error.code, HTTPError.malformedMessage.code)
            }
        }
    }

    @Test func `A transfer that fails leaves the transport able to do the next`() async throws {
        let transport = CurlTransport()
        let bad = try RawHTTPServer { _ in .closing(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
        let good = try RawHTTPServer { _ in .response(body: "good") }
        for _ in 0..<10 {
            await #expect(throws: HTTPError.self) { try await transport.respond(to: bad.request()) }
            try await expectEqual(transport.respond(to: good.request()).body.text, "good")
        }
        expectEqual(good.connectionCount, 1)
    }
}
