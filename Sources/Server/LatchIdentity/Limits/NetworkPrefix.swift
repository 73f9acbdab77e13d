// SPDX-License-Identifier: Apache-2.0

/// The part of an address that identifies a subscriber: all of IPv4, the first 64 bits of IPv6.
///
/// A subscriber gets a whole IPv6 network of 64 bits or more (RFC 6177 §2, RFC 4291 §2.5.1) and can send each request from
/// another address, so limits per address would not limit anything.
struct NetworkPrefix: Sendable, Hashable {
    /// The prefix as text, such as `2001:db8:0:7::/64`; any other text stays as it is.
    let text: String

    /// Creates the prefix of an address in any of the spellings of RFC 4291 §2.2, with or without a zone (RFC 4007 §11).
    init(of address: String) {
        guard let groups = Self.groups(address) else {
            text = address
            return
        }
        // RFC 4291 §2.5.5.2: an IPv4-mapped address counts as the IPv4 address.
        if groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
            text = groups[6...].flatMap { ["\($0 >> 8)", "\($0 & 0xFF)"] }.joined(separator: ".")
        } else {
            text = groups[..<4].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
        }
    }

    /// Parses the eight groups of an IPv6 address; nil if the text is not one.
    private static func groups(_ address: String) -> [UInt16]? {
        let bare = address.prefix { $0 != "%" }
        guard bare.contains(":") else { return nil }
        let halves = bare.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        guard let head = numbers(halves[0]) else { return nil }
        guard halves.count == 2 else { return head.count == 8 ? head : nil }
        // RFC 4291 §2.2: "::" stands for as many zeros as are missing.
        guard let tail = numbers(halves[1]), head.count + tail.count < 8 else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// Parses the groups of a part without "::"; a dotted IPv4 address stands for two (RFC 4291 §2.2, form 3).
    private static func numbers(_ text: Substring) -> [UInt16]? {
        if text.isEmpty { return [] }
        var numbers: [UInt16] = []
        for part in text.split(separator: ":", omittingEmptySubsequences: false) {
            if part.contains(".") {
                let bytes = part.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
                guard bytes.count == 4 else { return nil }
                numbers += [UInt16(bytes[0]) << 8 | UInt16(bytes[1]), UInt16(bytes[2]) << 8 | UInt16(bytes[3])]
            } else {
                guard part.utf8.count <= 4, let number = UInt16(part, radix: 16) else { return nil }
                numbers.append(number)
            }
        }
        return numbers
    }
}
