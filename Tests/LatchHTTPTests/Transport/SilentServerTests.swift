// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchTesting
import TestSupport
import Testing

@testable import LatchHTTP

/// The tests of a server that accepts and says nothing; `make interop` runs them with another libcurl, too.
@Suite(.timeLimit(.minutes(2))) struct SilentServerTests {
    /// The time after which a call that still waits has failed.
    private static let limit = Duration.seconds(20)

    @Test func `A transfer to a silent server is made with the libcurl that make interop asks for`() {
        let major = ProcessInfo.processInfo.environment["LATCH_LIBCURL"]
        #expect(major == nil || (major == "7") == CurlLoop.sharesUnansweredConnections)
    }

    /// A connection before its server's first bytes.
    enum Wire: CaseIterable {
        case http1, http2WithoutTLS, tls
    }

    private func request(_ wire: Wire, to server: RawHTTPServer) -> HTTPRequest {
        var request = server.request()
        if wire == .tls { request.scheme = "https" }
        request.assumesHTTP2 = wire == .http2WithoutTLS
        request.timeout = Self.limit
        return request
    }

    /// A server that says nothing on its first `silent` connections, and answers on the next ones.
    private func server(_ wire: Wire, silent: Int = 1) throws -> RawHTTPServer {
        try RawHTTPServer { request in
            guard request.connection >= silent else { return .stall }
            guard wire == .http2WithoutTLS else { return .response() }
            // RFC 9113 §3.4: the preface looks like two requests. SETTINGS, and HEADERS of stream 1: ":status: 200".
            guard request.number == 1 else { return .stall }
            var response = RawHTTPServer.Response.stall
            response.bytes = [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88]
            return response
        }
    }

    /// Waits until the server has the request, or with TLS a connection, for the number of times.
    private func isReached(_ server: RawHTTPServer, _ wire: Wire, times: Int = 1) async {
        var count = 0
        for await event in server.events {
            switch event {
            case .opened where wire == .tls: count += 1
            case .received(let request) where request.number == 0: count += 1
            default: break
            }
            if count == times { return }
        }
    }

    @Test(arguments: Wire.allCases)
    func `A transfer to a silent server is canceled, and the next call does not wait for it`(
        wire: Wire
    ) async throws {
        let server = try server(wire)
        let transport = CurlTransport()
        let first = Task { try await transport.respond(to: request(wire, to: server)) }
        await isReached(server, wire)
        first.cancel()
        await #expect(throws: HTTPError.cancelled) { try await first.value }
        try await expectAnswer(wire, from: server, by: transport)
    }

    @Test(arguments: Wire.allCases)
    func `A transfer to a silent server runs into its limit, and the next call does not wait for it`(
        wire: Wire
    ) async throws {
        let server = try server(wire)
        let transport = CurlTransport()
        var first = request(wire, to: server)
        first.timeout = .seconds(1)
        await #expect(throws: HTTPError.timeout) { try await transport.respond(to: first) }
        try await expectAnswer(wire, from: server, by: transport)
    }

    @Test(arguments: Wire.allCases)
    func `A transfer to a silent server is released while many others wait for the same host`(
        wire: Wire
    ) async throws {
        let server = try server(wire, silent: 3)
        let transport = CurlTransport()
        let first = (0..<3).map { _ in Task { try await transport.respond(to: request(wire, to: server)) } }
        await isReached(server, wire, times: wire == .tls && CurlLoop.sharesUnansweredConnections ? 1 : 3)
        for task in first { task.cancel() }
        for task in first { await #expect(throws: HTTPError.cancelled) { try await task.value } }
        try await expectAnswer(wire, from: server, by: transport)
    }

    /// Expects that the next call reaches the server on a connection of its own.
    private func expectAnswer(
        _ wire: Wire, from server: RawHTTPServer, by transport: CurlTransport
    ) async throws {
        guard wire == .tls else {
            try await expectEqual(transport.respond(to: request(wire, to: server)).status, .ok)
            return
        }
        // This server never shakes hands; what counts is that it is asked again.
        let count = server.connectionCount
        var next = request(wire, to: server)
        next.timeout = .seconds(1)
        await #expect(throws: HTTPError.timeout) { try await transport.respond(to: next) }
        try await eventually { server.connectionCount > count }
    }
}

@Suite(
    .enabled(if: HTTP2Server.isInstalled, "needs nghttpd (package nghttp2-server) and openssl"),
    .timeLimit(.minutes(2)))
struct SilentTransferTests {
    private let sent = AsyncStream<Void>.makeStream()
    private let silence = AsyncStream<Void>.makeStream()

    /// A mebibyte, more than any buffer holds, and then nothing for ever: the server has the head when it ends.
    private func stalledContent() -> HTTPBodyStream {
        let rest = Recording<Int>()
        return HTTPBodyStream(
            length: nil,
            once: {
                rest.add(1)
                if rest.entries.count <= 64 { return [UInt8](repeating: 1, count: 16 << 10) }
                sent.continuation.yield()
                for await _ in silence.stream {}
                return nil
            })
    }

    private func transport(trusting server: HTTP2Server) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = server.certificate
        configuration.timeout = .seconds(20)
        return CurlTransport(configuration: configuration)
    }

    private func request(_ server: HTTP2Server, _ body: HTTPBody? = nil) -> HTTPRequest {
        var request = server.request(body == nil ? .get : .post, body == nil ? "/a.txt" : "/echo", body: body ?? .empty)
        request.assumesHTTP2 = true
        return request
    }

    @Test(arguments: [true, false])
    func `An unanswered HTTP/2 transfer delays no other call to the host`(isPlain: Bool) async throws {
        let server = try await HTTP2Server(files: ["a.txt": "a"], isPlain: isPlain)
        let transport = transport(trusting: server)
        let first = Task { try await transport.respond(to: request(server, HTTPBody(stalledContent()))) }
        for await _ in sent.stream { break }
        for _ in 0..<3 { try await expectEqual(transport.respond(to: request(server)).body.text, "a") }
        first.cancel()
        await #expect(throws: HTTPError.cancelled) { try await first.value }
        try await expectEqual(transport.respond(to: request(server)).body.text, "a")
    }

    @Test(arguments: [true, false])
    func `An unanswered HTTP/2 transfer is canceled, and the next calls are answered`(isPlain: Bool) async throws {
        let server = try await HTTP2Server(files: ["a.txt": "a"], isPlain: isPlain)
        let transport = transport(trusting: server)
        let first = Task { try await transport.respond(to: request(server, HTTPBody(stalledContent()))) }
        for await _ in sent.stream { break }
        first.cancel()
        await #expect(throws: HTTPError.cancelled) { try await first.value }
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<8 { group.addTask { try await transport.respond(to: request(server)).body.text } }
            for try await text in group { expectEqual(text, "a") }
        }
    }
}
