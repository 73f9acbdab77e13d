// SPDX-License-Identifier: Apache-2.0

/// A host in the one spelling in which cookies compare them (RFC 6265bis §5.1.2).
///
/// Names of other scripts are A-labels here already: a URL that holds anything but ASCII is refused before. A label may
/// hold an underscore and hyphens anywhere, which RFC 5890 forbids and hosts of the real world have.
struct CookieHost: Sendable, Hashable {
    /// The name in lower case and without a last dot, or the address.
    let name: String
    /// Whether it is an address, which is no host name and has nothing above it.
    let isAddress: Bool

    /// A host; nil where it is neither a name nor an address.
    ///
    /// A dot at the end says that the name is whole. It is the same host, so it must not be a way around a rule.
    init?(_ host: String) {
        let bytes = host.utf8.map(asciiLowercased)
        if bytes.first == 0x5B {
            guard bytes.last == 0x5D, bytes.dropFirst().dropLast().allSatisfy(Self.isAddressByte) else { return nil }
            name = String(decoding: bytes, as: UTF8.self)
            isAddress = true
            return
        }
        let whole = bytes.last == 0x2E ? bytes.dropLast() : bytes[...]
        let labels = whole.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard whole.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else { return nil }
        name = String(decoding: whole, as: UTF8.self)
        // What ends in a number is an address for those who resolve it, such as `127.1` or `0x7f.1`.
        isAddress = last.allSatisfy(isDigit) || last.starts(with: [0x30, 0x78])
    }

    /// Whether the host is `domain` or lies below it (RFC 6265bis §5.1.3).
    func matches(domain: String) -> Bool {
        if name == domain { return true }
        // An address such as 10.0.0.1 ends in ".0.1", and belongs to nobody who owns that.
        return !isAddress && name.utf8.count > domain.utf8.count && !domain.isEmpty && name.hasSuffix("." + domain)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x66).contains(byte) || byte == 0x3A || byte == 0x2E
    }
}
