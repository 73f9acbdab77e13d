// SPDX-License-Identifier: Apache-2.0

import Expectations
import Glibc
import LatchHTTP
import TestSupport
import Testing

@Suite struct KeepAliveTests {
    /// The sockets of this process that are connected to a port of 127.0.0.1.
    private func sockets(to port: Int) -> [CInt] {
        (0..<4_096 as Range<CInt>).filter { socket in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) }
            }
            return result == 0 && address.sin_family == AF_INET && Int(in_port_t(bigEndian: address.sin_port)) == port
        }
    }

    private func option(_ name: CInt, _ level: CInt, of socket: CInt) -> CInt {
        var value: CInt = -1
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(socket, level, name, &value, &length)
        return value
    }

    @Test
    func `A connection of a transport notices a peer that is gone, though no time limit ends the request`() async throws
    {
        let server = try RawHTTPServer { _ in .response() }
        let transport = CurlTransport()
        _ = try await transport.respond(to: server.request())
        let sockets = sockets(to: server.port)
        expectEqual(sockets.count, 1)
        let socket = try #require(sockets.first)
        expectEqual(option(SO_KEEPALIVE, SOL_SOCKET, of: socket), 1)
        expectEqual(option(TCP_KEEPIDLE, CInt(IPPROTO_TCP), of: socket), 30)
        expectEqual(option(TCP_KEEPINTVL, CInt(IPPROTO_TCP), of: socket), 10)
        withExtendedLifetime(transport) {}
    }
}
