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
/// An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is converted to IPv4: a dual-stack socket reports IPv4 clients so.
package struct IPAddress: Sendable, Hashable {
    /// The four or sixteen bytes, in network order.
    package let bytes: [UInt8]

    /// Parses an address in any form of RFC 4291 §2.2, with or without a zone (RFC 4007 §11).
    ///
    /// A leading zero in an IPv4 address is rejected, since some parsers treat it as octal.
    package init?(_ text: some StringProtocol) {
        // A C string ends at its first NUL.
        guard text.utf8.count <= 100, !text.utf8.contains(0) else { return nil }
        let bare = String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
        let isIPv6 = bare.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard isIPv6 || bare.utf8.count == text.utf8.count,
            inet_pton(isIPv6 ? AF_INET6 : AF_INET, bare, &bytes) == 1
        else { return nil }
        self.init(networkBytes: bytes)
    }

    /// Whether the address is one of the machine itself (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
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
}
