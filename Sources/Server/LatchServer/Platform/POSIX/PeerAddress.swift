// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The address of the other end of a connection.
struct PeerAddress {
    /// The address in its textual form, without the port; empty for another address family.
    let text: String
    /// The key by which connections are counted: an IPv4 address, or the /64 prefix of an IPv6 address.
    ///
    /// A single customer has a whole /64.
    let key: UInt64

    init(_ storage: sockaddr_storage) {
        // The offsets of sin_addr and sin6_addr (ip(7), ipv6(7)), which Linux and BSD share.
        let range: Range<Int>? =
            switch Int32(storage.ss_family) {
            case AF_INET: 4..<8
            case AF_INET6: 8..<24
            default: nil
            }
        let address = range.map { range in IPAddress(networkBytes: withUnsafeBytes(of: storage) { Array($0[range]) }) }
        text = address?.text ?? ""
        key = address.map { $0.isIPv4 ? $0.high >> 32 : $0.high } ?? 0
    }

    /// Returns the port of a socket address.
    static func port(of storage: sockaddr_storage) -> Int {
        // The port has the same offset in both families.
        withUnsafeBytes(of: storage) { Int($0[2]) << 8 | Int($0[3]) }
    }
}
