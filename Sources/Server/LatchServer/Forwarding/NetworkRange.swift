// SPDX-License-Identifier: Apache-2.0

/// A range of addresses, such as `10.0.0.0/8` or `2001:db8::/32` (CIDR, RFC 4632 §3.1, RFC 4291 §2.3).
public struct NetworkRange: Sendable, Hashable {
    private let address: IPAddress
    /// How many leading bits are those of the range.
    private let length: Int

    /// Reads a range, or one address alone; nil where the text is neither.
    ///
    /// Bits behind the range's own must be zero: `10.0.0.7/8` is a slip of somebody who meant another range.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let bits = address.bytes.count * 8
        var length = bits
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(parts[1])
            else { return nil }
            // A mapped IPv4 address counts its bits from the front of the IPv6 one.
            length = parts[0].contains(":") && bits == 32 ? number - 96 : number
            guard (0...bits).contains(length) else { return nil }
        }
        self.address = address
        self.length = length
        guard (length..<bits).allSatisfy({ !Self.bit($0, of: address) }) else { return nil }
    }

    /// Whether an address lies in the range; IPv4 and IPv6 have none in common.
    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let whole = length / 8
        guard other.bytes[..<whole] == address.bytes[..<whole] else { return false }
        return (whole * 8..<length).allSatisfy { Self.bit($0, of: other) == Self.bit($0, of: address) }
    }

    private static func bit(_ place: Int, of address: IPAddress) -> Bool {
        address.bytes[place / 8] >> UInt8(7 - place % 8) & 1 == 1
    }
}

extension NetworkRange: CustomStringConvertible {
    /// As it is written.
    public var description: String {
        length == address.bytes.count * 8 ? address.text : "\(address.text)/\(length)"
    }
}
