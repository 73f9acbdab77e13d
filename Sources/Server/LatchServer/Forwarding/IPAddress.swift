// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address, without zone and port.
///
/// An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is converted to IPv4: a dual-stack socket reports IPv4 clients so.
package struct IPAddress: Sendable, Hashable {
    /// The four or sixteen bytes, in network order.
    package let bytes: [UInt8]

    /// Parses an address in any form of RFC 4291 §2.2, with or without a zone (RFC 4007 §11).
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 100 else { return nil }
        let bare = text.prefix { $0 != "%" }
        if !bare.contains(":") {
            guard bare.utf8.count == text.utf8.count, let bytes = Self.dotted(bare) else { return nil }
            self.init(networkBytes: bytes)
            return
        }
        guard let groups = Self.groups(bare) else { return nil }
        self.init(networkBytes: groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }

    /// Creates an address from its four or sixteen bytes.
    init(networkBytes bytes: [UInt8]) {
        let isMapped =
            bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
    }

    /// The canonical textual form (RFC 5952 §4).
    package var text: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let words = groups.map { String($0, radix: 16) }
        guard let gap = Self.longestZeros(groups) else { return words.joined(separator: ":") }
        return words[..<gap.lowerBound].joined(separator: ":") + "::" + words[gap.upperBound...].joined(separator: ":")
    }

    /// Returns the longest run of zeros, the first of equal ones, and never a single group (RFC 5952 §4.2).
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var (best, start) = (0..<0, 0)
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 } else if index + 1 - start > best.count { best = start..<index + 1 }
        }
        return best.count > 1 ? best : nil
    }

    /// Parses four decimal numbers; a leading zero is rejected, since some parsers treat it as octal.
    private static func dotted(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part -> UInt8? in
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), part == "0" || !part.hasPrefix("0") else {
                return nil
            }
            return UInt8(part)
        }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    /// Parses groups, among which one "::" stands for the missing zeros (RFC 4291 §2.2).
    private static func groups(_ text: some StringProtocol) -> [UInt16]? {
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        guard let head = numbers(halves[0], isLast: halves.count == 1) else { return nil }
        guard halves.count == 2 else { return head.count == 8 ? head : nil }
        guard let tail = numbers(halves[1], isLast: true), head.count + tail.count < 8 else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// Parses groups without "::"; the last part of an address may be a dotted IPv4 address, which is two groups.
    private static func numbers(_ text: some StringProtocol, isLast: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var numbers: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if part.contains(".") {
                guard isLast, index == parts.count - 1, let bytes = dotted(part) else { return nil }
                numbers += [UInt16(bytes[0]) << 8 | UInt16(bytes[1]), UInt16(bytes[2]) << 8 | UInt16(bytes[3])]
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHexDigit),
                    let number = UInt16(part, radix: 16)
                else { return nil }
                numbers.append(number)
            }
        }
        return numbers
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
