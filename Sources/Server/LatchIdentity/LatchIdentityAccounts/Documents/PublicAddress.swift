// SPDX-License-Identifier: Apache-2.0

package import LatchServer

extension IPAddress {
    /// Whether the address is one of the public Internet, as the IANA registries of special addresses say (RFC 6890).
    package var isPublic: Bool {
        // RFC 6052 §2.1: a translator connects to the IPv4 address in the last bits.
        if Self.translation.contains(self) { return Self.ipv4(low).isPublic }
        guard isIPv4 || Self.globalUnicast.contains(self) else { return false }
        return !Self.special.contains { $0.contains(self) }
    }

    /// The address with the last 32 bits of a word.
    private static func ipv4(_ word: UInt64) -> IPAddress {
        IPAddress(networkBytes: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) })
    }

    /// The well-known prefix of NAT64.
    private static let translation = ranges(["64:ff9b::/96"])
    /// The only block of IPv6 with public addresses (RFC 4291 §2.4).
    private static let globalUnicast = ranges(["2000::/3"])

    /// The blocks without public addresses, for IPv6 those within `globalUnicast`.
    private static let special = ranges([
        "0.0.0.0/8",  // this network (RFC 791 §3.2)
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private (RFC 1918)
        "100.64.0.0/10",  // carriers' NAT (RFC 6598)
        "127.0.0.0/8",  // loopback (RFC 1122 §3.2.1.3)
        "168.63.129.16",  // the platform of Azure, which each of its machines can reach
        "169.254.0.0/16",  // link-local (RFC 3927), where clouds have the credentials of a machine
        "192.0.0.0/24",  // IETF protocols (RFC 6890 §2.1)
        "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation (RFC 5737)
        "192.88.99.0/24",  // relays of 6to4 (RFC 7526)
        "198.18.0.0/15",  // benchmarks (RFC 2544)
        "224.0.0.0/4",  // multicast (RFC 5771)
        "240.0.0.0/4",  // reserved, and broadcast (RFC 1112 §4)
        "2001::/23",  // IETF protocols, also Teredo (RFC 4380), which contains any IPv4 address
        "2001:db8::/32", "3fff::/20",  // documentation (RFC 3849, RFC 9637)
        "2002::/16",  // 6to4 (RFC 3056), which contains any IPv4 address
    ])

    private static func ranges(_ texts: [String]) -> [NetworkRange] { texts.compactMap(NetworkRange.init) }
}

extension [NetworkRange] {
    /// Returns whether one of the ranges contains an address.
    package func contains(_ address: IPAddress) -> Bool { contains { $0.contains(address) } }
}
