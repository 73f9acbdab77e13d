// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// An IPv4 or IPv6 address, without zone and port.
///
/// An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) becomes IPv4: a dual-stack socket reports IPv4 clients in this form.
package struct IPAddress: Sendable, Hashable {
    /// Whether it is an IPv4 address.
    package let isIPv4: Bool
    /// The bits from the first one on, followed by zeros for IPv4.
    package let high, low: UInt64

    /// Parses an address in any form of RFC 4291 §2.2, with or without a zone (RFC 4007 §11).
    ///
    /// A leading zero in an IPv4 address is rejected, since some parsers treat it as octal.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        if let bits = text.utf8.withContiguousStorageIfAvailable(Self.ipv4) ?? Self.ipv4(text.utf8) {
            self.init(isIPv4: true, high: UInt64(bits) << 32, low: 0)
            return
        }
        // A C string ends at its first NUL.
        guard text.utf8.count <= 100, text.utf8.contains(UInt8(ascii: ":")), !text.utf8.contains(0) else { return nil }
        let bare = String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, bare, &bytes) == 1 else { return nil }
        self.init(networkBytes: bytes)
    }

    /// Creates an address from its four or sixteen bytes.
    package init(networkBytes bytes: some Collection<UInt8>) {
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        guard bytes.count == 16 else {
            (isIPv4, high, low) = (true, word(bytes) << 32, 0)
            return
        }
        let (high, low) = (word(bytes.prefix(8)), word(bytes.dropFirst(8)))
        isIPv4 = high == 0 && low >> 32 == 0xFFFF
        (self.high, self.low) = isIPv4 ? (low << 32, 0) : (high, low)
    }

    /// Returns the bits of four decimal numbers with dots, without a leading zero.
    private static func ipv4(_ text: some Collection<UInt8>) -> UInt32? {
        var (bits, part): (UInt32, UInt32) = (0, 0)
        var (digits, dots) = (0, 0)
        for byte in text {
            if isDigit(byte) {
                guard digits == 0 || part != 0 else { return nil }
                part = part * 10 + UInt32(byte - 0x30)
                digits += 1
                guard part < 256 else { return nil }
            } else {
                guard byte == UInt8(ascii: "."), digits > 0, dots < 3 else { return nil }
                bits = bits << 8 | part
                (part, digits, dots) = (0, 0, dots + 1)
            }
        }
        return dots == 3 && digits > 0 ? bits << 8 | part : nil
    }

    /// Whether the address belongs to the machine itself (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    package var isLoopback: Bool { isIPv4 ? high >> 56 == 127 : high == 0 && low == 1 }

    /// The number of bits, 32 or 128.
    var bitCount: Int { isIPv4 ? 32 : 128 }

    /// Returns the address with zeros after the first bits.
    func prefix(_ length: Int) -> IPAddress {
        let mask = { (count: Int) in count >= 64 ? UInt64.max : ~(UInt64.max >> UInt64(max(count, 0))) }
        return IPAddress(isIPv4: isIPv4, high: high & mask(length), low: low & mask(length - 64))
    }

    private init(isIPv4: Bool, high: UInt64, low: UInt64) { (self.isIPv4, self.high, self.low) = (isIPv4, high, low) }

    /// The canonical textual form (RFC 5952 §4).
    package var text: String {
        guard !isIPv4 else { return [56, 48, 40, 32].map { String(high >> $0 & 0xFF) }.joined(separator: ".") }
        let groups = [high, low].flatMap { word in [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: word >> $0) } }
        let words = groups.map { String($0, radix: 16) }
        guard let gap = Self.longestZeros(groups) else { return words.joined(separator: ":") }
        return words[..<gap.lowerBound].joined(separator: ":") + "::" + words[gap.upperBound...].joined(separator: ":")
    }

    /// Returns the longest run of zeros, the first of equal ones, but never a single group (RFC 5952 §4.2).
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var (best, start) = (0..<0, 0)
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 } else if index + 1 - start > best.count { best = start..<index + 1 }
        }
        return best.count > 1 ? best : nil
    }
}
