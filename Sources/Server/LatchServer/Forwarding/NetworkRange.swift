// SPDX-License-Identifier: Apache-2.0

/// A range of IP addresses, such as `10.0.0.0/8` or `2001:db8::/32` (CIDR, RFC 4632 §3.1, RFC 4291 §2.3).
public struct NetworkRange: Sendable, Hashable {
    private let address: IPAddress
    /// The number of leading bits that all addresses of the range share.
    private let length: Int

    /// Parses a range or a single address.
    ///
    /// The bits after the prefix must be zero: `10.0.0.7/8` is probably a mistake.
    public init?(_ text: String) {
        let parts = text.unicodeScalars.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard let address = IPAddress(parts[0]) else { return nil }
        let bits = address.bitCount
        var length = bits
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(isDigit),
                let number = Int(parts[1])
            else { return nil }
            // The prefix length of a mapped IPv4 address refers to the IPv6 form.
            length = parts[0].utf8.contains(UInt8(ascii: ":")) && bits == 32 ? number - 96 : number
            guard (0...bits).contains(length) else { return nil }
        }
        self.address = address
        self.length = length
        guard address.prefix(length) == address else { return nil }
    }

    /// Parses ranges and addresses, separated by spaces or commas.
    ///
    /// - Throws: The error for the first word that is neither.
    package static func ranges<Failure>(
        in text: String, invalid: (String) -> Failure
    ) throws(Failure) -> [NetworkRange] {
        var ranges: [NetworkRange] = []
        for word in text.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x2C }) {
            let word = String(decoding: word, as: UTF8.self)
            guard let range = NetworkRange(word) else { throw invalid(word) }
            ranges.append(range)
        }
        return ranges
    }

    /// Returns whether the range contains an address; an IPv4 range contains no IPv6 address, and vice versa.
    package func contains(_ other: IPAddress) -> Bool { other.prefix(length) == address }
}

extension NetworkRange: CustomStringConvertible {
    /// The range in CIDR notation, or the single address.
    public var description: String {
        length == address.bitCount ? address.text : "\(address.text)/\(length)"
    }
}
