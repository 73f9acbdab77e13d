// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import Glibc
import LatchHTTP
import TestTags
import Testing

@testable import LatchServer

@Suite struct PeerAddressTests {
    /// Returns the socket address of a text in a family, with the port 4660.
    static func address(_ text: String, _ family: Int32) -> PeerAddress {
        var storage = sockaddr_storage()
        withUnsafeMutablePointer(to: &storage) { pointer in
            if family == AF_INET {
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    address.pointee.sin_family = sa_family_t(AF_INET)
                    address.pointee.sin_port = in_port_t(4660).bigEndian
                    expectEqual(inet_pton(AF_INET, text, &address.pointee.sin_addr), 1)
                }
            } else {
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    address.pointee.sin6_family = sa_family_t(AF_INET6)
                    address.pointee.sin6_port = in_port_t(4660).bigEndian
                    expectEqual(inet_pton(AF_INET6, text, &address.pointee.sin6_addr), 1)
                }
            }
        }
        expectEqual(PeerAddress.port(of: storage), 4660)
        return PeerAddress(storage)
    }

    @Test func `The address of a client is the same for a client of a dual-stack socket`() {
        let (plain, mapped) = (Self.address("192.0.2.7", AF_INET), Self.address("::ffff:192.0.2.7", AF_INET6))
        expectEqual(plain.text, "192.0.2.7")
        expectEqual(mapped.text, plain.text)
        expectEqual(mapped.key, plain.key)
    }

    @Test func `The address of a client has one key for a /64 network of IPv6, and another for the next one`() {
        let (one, other) = (Self.address("2001:db8:0:1::1", AF_INET6), Self.address("2001:db8:0:1:ffff::2", AF_INET6))
        let neighbour = Self.address("2001:db8:0:2::1", AF_INET6)
        expectEqual(one.text, "2001:db8:0:1::1")
        expectEqual(one.key, other.key)
        expectNotEqual(one.key, neighbour.key)
    }

    @Test func `The address of a client is empty for another address family`() {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_UNIX)
        #expect(PeerAddress(storage).text.isEmpty)
    }

    @Test func `The address of a client is acquired and released, up to the limit per address and in total`() {
        let limiter = ConnectionLimiter(limit: 3, perAddress: 2, memory: MemoryBudget(limit: 100))
        let acquire = { (peer: PeerAddress) in limiter.acquire(peer) != nil }
        let (one, other) = (Self.address("192.0.2.7", AF_INET), Self.address("192.0.2.8", AF_INET))
        expectEqual([acquire(one), acquire(one), acquire(one)], [true, true, false])
        expectEqual([acquire(other), acquire(other)], [true, false])
        expectEqual(limiter.total, 3)
        limiter.release(one)
        expectEqual([acquire(one), acquire(one)], [true, false])
        for peer in [one, one, other] { limiter.release(peer) }
        expectEqual(limiter.statistics, ConnectionStatistics(open: 0, refused: 3, exhaustions: 0))
    }
}

@Suite struct RequestMemoryTests {
    @Test(.tags(.decompressionBomb))
    func `The memory of requests is shared by the addresses, and each gets a quarter`() throws {
        let memory = MemoryBudget(limit: 100)
        let limiter = ConnectionLimiter(limit: 10, perAddress: 5, memory: memory)
        let connection = { (text: String) in
            MemoryReservation(try #require(limiter.acquire(PeerAddressTests.address(text, AF_INET))))
        }
        let (first, second, other) = (
            try connection("192.0.2.7"), try connection("192.0.2.7"), try connection("192.0.2.8")
        )
        #expect(first.reserve(20) && second.reserve(5) && !second.reserve(1) && other.reserve(25))
        expectEqual(memory.heldBytes, 50)
        first.release(10)
        #expect(second.reserve(10) && !second.reserve(1))
        for reservation in [first, second, other] { reservation.releaseAll() }
        #expect(memory.heldBytes == 0 && second.reserve(25))
    }

    @Test(.tags(.decompressionBomb))
    func `The memory of requests is that of many clients if a trusted proxy connects`() throws {
        let proxies = TrustedProxies([try #require(NetworkRange("192.0.2.7"))])
        let limiter = ConnectionLimiter(
            limit: 10, perAddress: 5, memory: MemoryBudget(limit: 100), except: proxies)
        let proxy = try #require(limiter.acquire(PeerAddressTests.address("192.0.2.7", AF_INET)))
        #expect(MemoryReservation(proxy).reserve(100))
    }

    @Test(.tags(.decompressionBomb), arguments: [true, false])
    func `The memory of requests is shared by the clients of a network that has a trusted proxy`(isProxyFirst: Bool)
        throws
    {
        let proxies = TrustedProxies([try #require(NetworkRange("2001:db8::1"))])
        let limiter = ConnectionLimiter(
            limit: 10, perAddress: 1, memory: MemoryBudget(limit: 100), except: proxies)
        let (proxy, neighbour) = (
            PeerAddressTests.address("2001:db8::1", AF_INET6),
            PeerAddressTests.address("2001:db8::2", AF_INET6)
        )
        let memories = (isProxyFirst ? [proxy, neighbour] : [neighbour, proxy]).compactMap(limiter.acquire)
        let (ofProxy, ofNeighbour) = isProxyFirst ? (memories[0], memories[1]) : (memories[1], memories[0])
        #expect(limiter.acquire(proxy) != nil && limiter.acquire(neighbour) == nil)
        #expect(MemoryReservation(ofNeighbour).reserve(25) && !MemoryReservation(ofNeighbour).reserve(26))
        #expect(MemoryReservation(ofProxy).reserve(60))
        for peer in [proxy, proxy] { limiter.release(peer) }
        expectNil(limiter.acquire(neighbour))
        limiter.release(neighbour)
        #expect(limiter.acquire(neighbour) != nil)
    }
}

@Suite struct DescriptorExhaustionTests {
    static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `A server that runs out of descriptors keeps serving, and accepts waiting connections later`() async {
        // The limit is one of the process, so this is one of its own.
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await exhaustion()
        }
    }
}

#endif
