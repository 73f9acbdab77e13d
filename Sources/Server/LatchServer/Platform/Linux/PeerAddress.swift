// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc

/// The other end of a connection: as text for people, and as the key by which connections are counted.
struct PeerAddress {
    /// The address without its port.
    let text: String
    /// An IPv4 address, or the /64 of an IPv6 address: a single customer has a whole one of those.
    let key: UInt64

    init(_ storage: sockaddr_storage) {
        var storage = storage
        (text, key) = withUnsafePointer(to: &storage) { pointer in
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET: pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Self.ipv4($0.pointee) }
            case AF_INET6: pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { Self.ipv6($0.pointee) }
            default: ("", 0)
            }
        }
    }

    /// The address is in network order.
    private static func ipv4(_ address: sockaddr_in) -> (String, UInt64) {
        let number = UInt32(bigEndian: address.sin_addr.s_addr)
        return (dotted(number), UInt64(number))
    }

    /// RFC 5952 is what the system writes.
    private static func ipv6(_ address: sockaddr_in6) -> (String, UInt64) {
        var address = address
        let bytes = withUnsafeBytes(of: &address.sin6_addr) { Array($0) }
        // RFC 4291 §2.5.5.2: an IPv4 client on a socket for both families.
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            let number = bytes[12...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return (dotted(number), UInt64(number))
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(AF_INET6, &address.sin6_addr, &text, socklen_t(text.count))
        let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (name, bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// The same text for an IPv4 client on either kind of socket.
    private static func dotted(_ number: UInt32) -> String {
        "\(number >> 24).\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
    }
}

extension PeerAddress {
    /// The port of a socket's address.
    static func port(of storage: sockaddr_storage) -> Int {
        var storage = storage
        return withUnsafePointer(to: &storage) { pointer in
            // The port stands at the same place for both families.
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }
}

#endif
