// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A host in the canonical form in which cookies compare hosts (RFC 6265bis §5.1.2).
///
/// Internationalized names are already A-labels, since URLs with non-ASCII characters are rejected. A label may hold
/// underscores, and hyphens anywhere: RFC 5890 forbids them, but real hosts use them.
struct CookieHost: Sendable, Hashable {
    /// The name in lower case and without a trailing dot, or the address.
    let name: String
    /// Whether it is an IP address, which has no parent domain.
    let isAddress: Bool

    /// Creates a host, or returns nil if the text is neither a name nor an address.
    ///
    /// A trailing dot marks a fully qualified name. It is the same host, so the dot must not bypass a rule.
    init?(_ host: String) {
        let bytes = host.utf8.map(asciiLowercased)
        if bytes.first == 0x5B {
            guard isIPv6Literal(host) else { return nil }
            name = String(decoding: bytes, as: UTF8.self)
            isAddress = true
            return
        }
        let whole = bytes.last == 0x2E ? bytes.dropLast() : bytes[...]
        let labels = whole.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard whole.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else { return nil }
        name = String(decoding: whole, as: UTF8.self)
        // A host whose last label is numeric is resolved as an address, such as `127.1` or `0x7f.1`.
        isAddress = last.allSatisfy(isDigit) || last.starts(with: [0x30, 0x78])
    }

    /// Whether the host domain-matches `domain` (RFC 6265bis §5.1.3).
    func matches(domain: String) -> Bool {
        if name == domain { return true }
        // An address such as 10.0.0.1 ends in ".0.1", but is not a subdomain of it.
        return !isAddress && name.utf8.count > domain.utf8.count && !domain.isEmpty
            && name.utf8.ends(with: ".\(domain)".utf8)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        (1...63).contains(label.count) && label.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
    }
}
