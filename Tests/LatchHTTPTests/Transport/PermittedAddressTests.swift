// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchServer
import Synchronization
import TestSupport
import TestTags
import Testing

@testable import LatchHTTP

/// The addresses that a transport may connect to.
///
/// libcurl knows both addresses of `localhost` without a name server.
@Suite(.timeLimit(.minutes(2))) struct PermittedAddressTests {
    private static let loopback4: [UInt8] = [127, 0, 0, 1]

    private static func transport(_ permits: @escaping @Sendable ([UInt8]) -> Bool) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        (configuration.proxy, configuration.permitsAddress) = (nil, permits)
        return CurlTransport(configuration: configuration)
    }

    private static func request(_ host: String, _ server: RawHTTPServer) -> HTTPRequest {
        HTTPRequest(scheme: "http", authority: "\(host):\(server.port)", path: "/x")
    }

    @Test(
        .tags(.serverSideRequest),
        arguments: ["127.0.0.1", "localhost", "a.localhost", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"])
    func `An address that is not permitted gets no connection, however its host is written`(host: String) async throws {
        let server = try RawHTTPServer { _ in .response(body: "inside") }
        let seen = Mutex<[[UInt8]]>([])
        let transport = Self.transport { address in
            seen.withLock { $0.append(address) }
            return false
        }
        let error = await #expect(throws: HTTPError.self) {
            try await transport.respond(to: Self.request(host, server))
        }
        #expect(error?.code == "forbiddenAddress" && error?.isUnsent == true, "\(String(describing: error))")
        #expect(seen.withLock { !$0.isEmpty && $0.allSatisfy { $0.count == 4 || $0.count == 16 } })
        expectEqual(server.connectionCount, 0)
    }

    @Test(.tags(.serverSideRequest))
    func `An address that is permitted is used, and never another one of the same name`() async throws {
        let server = try RawHTTPServer { _ in .response(body: "outside") }
        let seen = Mutex<Set<[UInt8]>>([])
        let transport = Self.transport { address in
            seen.withLock { _ = $0.insert(address) }
            return address == Self.loopback4
        }
        let response = try await transport.respond(to: Self.request("localhost", server))
        expectEqual(response.body.text, "outside")
        expectEqual(server.requests.first?.values(of: "Host"), ["localhost:\(server.port)"])
        #expect(seen.withLock { $0.contains(Self.loopback4) })
    }

    @Test(.tags(.serverSideRequest))
    func `An address is checked at each connection, so that a name that changes its answer leads nowhere`() async throws
    {
        let server = try RawHTTPServer { _ in .closing(after: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        // The first answer of the name is a permitted address, the next one is not.
        let answers = Mutex(0)
        let transport = Self.transport { address in
            guard address == Self.loopback4 else { return false }
            return answers.withLock { count in
                count += 1
                return count == 1
            }
        }
        try await expectEqual(transport.respond(to: Self.request("localhost", server)).body.text, "ok")
        let error = await #expect(throws: HTTPError.self) {
            try await transport.respond(to: Self.request("localhost", server))
        }
        expectEqual(error?.code, "forbiddenAddress")
        expectEqual(server.connectionCount, 1)
    }

    @Test func `An address that is permitted and refuses the connection is not called forbidden`() async throws {
        let transport = Self.transport { _ in true }
        // Nothing listens on the port of a server that has ended.
        var server: RawHTTPServer? = try RawHTTPServer { _ in .stall }
        let port = server?.port ?? 0
        server = nil
        let error = await #expect(throws: HTTPError.self) {
            try await transport.respond(to: HTTPRequest(scheme: "http", authority: "127.0.0.1:\(port)", path: "/"))
        }
        expectEqual(error?.code, HTTPError.offline.code)
    }
}
