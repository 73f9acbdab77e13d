// SPDX-License-Identifier: Apache-2.0

import LatchServer

/// The part of an address that identifies a subscriber: all of IPv4, the first 64 bits of IPv6.
///
/// A subscriber gets a whole IPv6 network of 64 bits or more (RFC 6177 §2, RFC 4291 §2.5.1). Each request can come from
/// another address of it, so limits per address would not limit anything.
package struct NetworkPrefix: Sendable, Hashable {
    private enum Form: Hashable {
        case ipv4(UInt32, length: Int)
        case ipv6(UInt64, length: Int)
        /// A text that is not an address, such as that of a caller in process.
        case other(String)
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    /// Creates the prefix of an address in any spelling of RFC 4291 §2.2.
    ///
    /// It may have a zone (RFC 4007 §11). An IPv4-mapped address counts as the IPv4 address.
    package init(of address: String) {
        guard let address = IPAddress(address) else {
            // Bounded in bytes, since one character can have any number of them.
            form = .other(String(decoding: address.utf8.prefix(100), as: UTF8.self))
            return
        }
        form = address.isIPv4 ? .ipv4(UInt32(address.high >> 32), length: 32) : .ipv6(address.high, length: 64)
    }

    /// The network around the prefix that probably has one owner: 24 bits of IPv4, 48 of IPv6.
    package var wide: NetworkPrefix {
        switch form {
        case .ipv4(let bits, _): NetworkPrefix(.ipv4(bits & 0xFFFF_FF00, length: 24))
        case .ipv6(let bits, _): NetworkPrefix(.ipv6(bits & 0xFFFF_FFFF_FFFF_0000, length: 48))
        case .other: self
        }
    }

    /// The network around the prefix that probably has one provider: 16 bits of IPv4, 32 of IPv6.
    package var region: NetworkPrefix {
        switch form {
        case .ipv4(let bits, _): NetworkPrefix(.ipv4(bits & 0xFFFF_0000, length: 16))
        case .ipv6(let bits, _): NetworkPrefix(.ipv6(bits & 0xFFFF_FFFF_0000_0000, length: 32))
        case .other: self
        }
    }

    /// The prefix as text, such as `2001:db8:0:7::/64`; a whole address and any other text stay unchanged.
    package var text: String {
        switch form {
        case .ipv4(let bits, let length):
            let address = [24, 16, 8, 0].map { String(bits >> $0 & 0xFF) }.joined(separator: ".")
            return length == 32 ? address : "\(address)/\(length)"
        case .ipv6(let bits, let length):
            let groups = stride(from: 48, through: 64 - length, by: -16).map {
                String(bits >> UInt64($0) & 0xFFFF, radix: 16)
            }
            return "\(groups.joined(separator: ":"))::/\(length)"
        case .other(let text): return text
        }
    }
}
