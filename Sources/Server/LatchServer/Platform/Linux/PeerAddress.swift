// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc

/// The address of the other end of a connection.
struct PeerAddress {
    /// The address in its textual form, without the port; empty for another address family.
    let text: String
    /// The key by which connections are counted: an IPv4 address, or the /64 prefix of an IPv6 address, since a single
    /// customer has a whole one of those.
    let key: UInt64

    init(_ storage: sockaddr_storage) {
        var storage = storage
        let address: IPAddress? = withUnsafePointer(to: &storage) { pointer in
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET:
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    IPAddress(networkBytes: withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) })
                }
            case AF_INET6:
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    IPAddress(networkBytes: withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) })
                }
            default: nil
            }
        }
        text = address?.text ?? ""
        key = address?.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } ?? 0
    }

    /// Returns the port of a socket address.
    static func port(of storage: sockaddr_storage) -> Int {
        var storage = storage
        return withUnsafePointer(to: &storage) { pointer in
            // The port has the same offset in both families.
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }
}

#endif
