// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TimeLimitTests {
    private let configuration = {
        var configuration = CurlTransport.Configuration()
        configuration.maximumConnectionsPerHost = 1
        configuration.connectTimeout = .seconds(600)
        return configuration
    }()

    // With https, libcurl 7.88 waits for the other's handshake, to share its connection.
    @Test(arguments: ["http", "https"], [true, false])
    func `The time limit of a transfer covers the wait for a connection`(scheme: String, isStream: Bool) async throws {
        let server = try RawHTTPServer { _ in .stall }
        let transport = CurlTransport(configuration: configuration)
        var first = server.request()
        (first.scheme, first.timeout) = (scheme, .seconds(600))
        let busy = Task { [first] in try await transport.respond(to: first) }
        for await event in server.events {
            if case .opened = event { break }
        }
        var second = first
        (second.timeout, second.wantsStream) = (.milliseconds(100), isStream)
        let waiting = second
        await #expect(throws: HTTPError.timeout) { try await transport.respond(to: waiting) }
        busy.cancel()
        await #expect(throws: HTTPError.cancelled) { try await busy.value }
    }

    @Test func `The time limit of a transfer set by a deadline ends a stream that goes on forever`() async throws {
        let listener = try RawListener()
        let sending = Task {
            guard let peer = await listener.accept() else { return }
            _ = await peer.receive(through: "\r\n\r\n")
            await peer.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            while !Task.isCancelled { await peer.send([UInt8](repeating: 1, count: 1000)) }
        }
        let transport = CurlTransport().intercepted(by: [TimeoutInterceptor(.milliseconds(500))])
        var request = HTTPRequest(scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/")
        request.wantsStream = true
        let endless = request
        // On a busy machine the deadline may come before the head.
        await #expect(throws: HTTPError.timeout) {
            for try await _ in try await transport.respond(to: endless).body.chunks {}
        }
        sending.cancel()
        await sending.value
    }
}

@Suite(.timeLimit(.minutes(1))) struct IdleConnectionTests {
    private func request(_ listener: RawListener) -> HTTPRequest {
        HTTPRequest(scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/")
    }

    private static let good = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood".utf8)

    // A server says 408 before it closes an idle connection, and an attacker may say anything.
    @Test(arguments: ["", "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"], [true, false])
    func `An idle connection is closed when the server ends it or sends unrequested bytes`(
        text: String, isEnded: Bool
    ) async throws {
        guard isEnded || !text.isEmpty else { return }
        let listener = try RawListener()
        let transport = CurlTransport()
        async let first = transport.respond(to: request(listener))
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        await peer.send(Self.good)
        try await expectEqual(first.body.text, "good")
        await peer.send(Array(text.utf8))
        if isEnded { peer.endSending() }
        // Ends when the client has closed its side, although it sends no request.
        #expect(await peer.receiveAll().isEmpty)
        async let second = transport.respond(to: request(listener))
        let next = try #require(await listener.accept())
        _ = await next.receive(through: "\r\n\r\n")
        await next.send(Self.good)
        try await expectEqual(second.body.text, "good")
    }

    @Test func `An idle connection serves the next request if the server has said nothing more`() async throws {
        let server = try RawHTTPServer { _ in .response(body: "good") }
        let transport = CurlTransport()
        for _ in 0..<3 { try await expectEqual(transport.respond(to: server.request()).body.text, "good") }
        expectEqual(server.connectionCount, 1)
    }

    // RFC 9112 §6.3: the end of such a response is unclear.
    @Test(arguments: [true, false])
    func `No connection is kept after a response with two lengths`(isStream: Bool) async throws {
        let server = try RawHTTPServer { _ in
            .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 2\r\n\r\nhello")
        }
        var request = server.request()
        request.wantsStream = isStream
        let sent = request
        let error = await #expect(throws: HTTPError.self) { try await CurlTransport().respond(to: sent) }
        expectEqual(error?.code, HTTPError.malformedMessage.code)
    }
}
