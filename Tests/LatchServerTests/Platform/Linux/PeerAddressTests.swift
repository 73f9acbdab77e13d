// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc
import Testing

@testable import LatchServer

@Suite struct `The address of a client` {
    /// Returns the socket address of a text in a family, with the port 4660.
    static func address(_ text: String, _ family: Int32) -> PeerAddress {
        var storage = sockaddr_storage()
        withUnsafeMutablePointer(to: &storage) { pointer in
            if family == AF_INET {
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    address.pointee.sin_family = sa_family_t(AF_INET)
                    address.pointee.sin_port = in_port_t(4660).bigEndian
                    #expect(inet_pton(AF_INET, text, &address.pointee.sin_addr) == 1)
                }
            } else {
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    address.pointee.sin6_family = sa_family_t(AF_INET6)
                    address.pointee.sin6_port = in_port_t(4660).bigEndian
                    #expect(inet_pton(AF_INET6, text, &address.pointee.sin6_addr) == 1)
                }
            }
        }
        #expect(PeerAddress.port(of: storage) == 4660)
        return PeerAddress(storage)
    }

    @Test func `is the same for a client of a dual-stack socket`() {
        let (plain, mapped) = (Self.address("192.0.2.7", AF_INET), Self.address("::ffff:192.0.2.7", AF_INET6))
        #expect(plain.text == "192.0.2.7")
        #expect(mapped.text == plain.text)
        #expect(mapped.key == plain.key)
    }

    @Test func `has one key for a /64 network of IPv6, and another for the next one`() {
        let (one, other) = (Self.address("2001:db8:0:1::1", AF_INET6), Self.address("2001:db8:0:1:ffff::2", AF_INET6))
        let neighbour = Self.address("2001:db8:0:2::1", AF_INET6)
        #expect(one.text == "2001:db8:0:1::1")
        #expect(one.key == other.key)
        #expect(one.key != neighbour.key)
    }

    @Test func `is empty for another address family`() {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_UNIX)
        #expect(PeerAddress(storage).text.isEmpty)
    }

    @Test func `is acquired and released, up to the limit per address and in total`() {
        let limiter = ConnectionLimiter(limit: 3, perAddress: 2)
        let (one, other) = (Self.address("192.0.2.7", AF_INET), Self.address("192.0.2.8", AF_INET))
        #expect([limiter.acquire(one), limiter.acquire(one), limiter.acquire(one)] == [true, true, false])
        #expect([limiter.acquire(other), limiter.acquire(other)] == [true, false])
        #expect(limiter.total == 3)
        limiter.release(one)
        #expect([limiter.acquire(one), limiter.acquire(one)] == [true, false])
        for peer in [one, one, other] { limiter.release(peer) }
        #expect(limiter.total == 0)
    }
}

@Suite struct `A server that runs out of descriptors` {
    static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `keeps serving, and accepts waiting connections when descriptors are free again`() async {
        // The limit is one of the process, so this is one of its own.
        await #expect(processExitsWith: .success) {
            try await exhaustion()
        }
    }
}

#endif
