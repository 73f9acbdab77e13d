// SPDX-License-Identifier: Apache-2.0

import LatchServer

/// The part of an address that identifies a subscriber: all of IPv4, the first 64 bits of IPv6.
///
/// A subscriber gets a whole IPv6 network of 64 bits or more (RFC 6177 §2, RFC 4291 §2.5.1) and can send each request from
/// another address, so limits per address would not limit anything.
struct NetworkPrefix: Sendable, Hashable {
    /// The prefix as text, such as `2001:db8:0:7::/64`; any other text stays as it is.
    let text: String

    /// Creates the prefix of an address in any of the spellings of RFC 4291 §2.2, with or without a zone (RFC 4007 §11); an
    /// IPv4-mapped address counts as the IPv4 address.
    init(of address: String) {
        guard let parsed = IPAddress(address) else {
            text = address
            return
        }
        let groups = stride(from: 0, to: 8, by: 2).lazy.map {
            UInt16(parsed.bytes[$0]) << 8 | UInt16(parsed.bytes[$0 + 1])
        }
        text =
            parsed.bytes.count == 16
            ? groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64" : parsed.text
    }
}
