// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Glibc
import LatchTesting
import TestSupport
import Testing

@testable import LatchHTTP

/// Connections that a change of the network has ended without a word.
@Suite(.timeLimit(.minutes(2))) struct SilentConnectionTests {
    private func request(_ server: RawHTTPServer, limit: Duration = .seconds(20)) -> HTTPRequest {
        var request = server.request()
        request.timeout = limit
        return request
    }

    private func request(_ listener: RawListener, limit: Duration = .seconds(20)) -> HTTPRequest {
        var request = HTTPRequest(scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/")
        request.timeout = limit
        return request
    }

    private func answer(_ peer: RawClient) async {
        _ = await peer.receive(through: "\r\n\r\n")
        await peer.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood".utf8))
    }

    @Test
    func `A pooled connection that is silent costs one request its time, and older connections end with it`()
        async throws
    {
        let listener = try RawListener()
        let transport = CurlTransport()
        async let one = transport.respond(to: request(listener))
        async let other = transport.respond(to: request(listener))
        let old = try await [#require(listener.accept()), #require(listener.accept())]
        for peer in old { await answer(peer) }
        let both = try await [one, other]
        expectEqual(both.map(\.body.text), ["good", "good"])
        await #expect(throws: HTTPError.timeout) {
            try await transport.respond(to: request(listener, limit: .milliseconds(2_100)))
        }
        async let second = transport.respond(to: request(listener))
        let new = try #require(await listener.accept())
        await answer(new)
        try await expectEqual(second.body.text, "good")
        // Once the silence is a second old, which is libcurl's unit of age, the new connection is used again.
        let silent = try RawListener()
        await #expect(throws: HTTPError.timeout) {
            try await transport.respond(to: request(silent, limit: .milliseconds(1_100)))
        }
        async let third = transport.respond(to: request(listener))
        await answer(new)
        try await expectEqual(third.body.text, "good")
    }

    @Test(.enabled(if: HTTP2Server.isInstalled))
    func `A pooled connection that is silent gets no further request of HTTP/2, even while one is on it`() async throws
    {
        let server = try await HTTP2Server(files: ["good": "good"])
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = server.certificate
        let transport = CurlTransport(configuration: configuration)
        var request = server.request(.get, "/good")
        request.timeout = .seconds(20)
        try await expectEqual(transport.respond(to: request).body.text, "good")
        server.pause()
        let patient = request
        request.timeout = .milliseconds(2_100)
        let hasty = request
        async let waiting = transport.respond(to: patient)
        await #expect(throws: HTTPError.timeout) { try await transport.respond(to: hasty) }
        async let next = transport.respond(to: patient)
        server.goOn()
        let answers = try await [waiting, next]
        expectEqual(answers.map(\.body.text), ["good", "good"])
        let connections = await server.connectionsInAll()
        expectEqual(connections, 2)
    }

    @Test
    func `A pooled connection that is silent ends after two minutes in which the peer acknowledges nothing`()
        async throws
    {
        let server = try RawHTTPServer { _ in .response(body: "good") }
        let transport = CurlTransport()
        _ = try await transport.respond(to: request(server))
        let limits = (3..<1_024 as Range<CInt>).compactMap { descriptor -> CUnsignedInt? in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isPeer = withUnsafeMutableBytes(of: &address) { bytes in
                getpeername(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size) == 0
            }
            guard isPeer, Int(UInt16(bigEndian: address.sin_port)) == server.port else { return nil }
            var limit: CUnsignedInt = 0
            var length = socklen_t(MemoryLayout<CUnsignedInt>.size)
            return getsockopt(descriptor, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, &length) == 0 ? limit : nil
        }
        expectEqual(limits, [120_000])
    }
}
#endif
