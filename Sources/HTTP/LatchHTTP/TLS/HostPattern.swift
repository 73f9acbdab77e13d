// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A pattern of hosts: one host, or a domain with all of its subdomains.
///
/// `api.example.com` matches only that host. `.example.com`, with a leading dot, matches `example.com`,
/// `api.example.com` and `a.b.example.com`, but not `badexample.com`.
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    /// The pattern in lower case, with its leading dot.
    private let text: String

    /// Parses a pattern.
    ///
    /// - Throws: `HTTPError.invalidTLSPolicy` for an invalid host name or address, and for a host with a port or a
    ///   scheme. Also for a domain of a single label, which is a public suffix.
    package init(_ text: String) throws(HTTPError) {
        let lowercase = text.lowercasedASCII()
        let isDomain = lowercase.utf8.first == 0x2E
        let host = Substring(lowercase.utf8.dropFirst(isDomain ? 1 : 0))
        let labels = host.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        let isName = labels.allSatisfy {
            !$0.isEmpty && $0.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
        }
        guard isDomain ? isName && labels.count > 1 : isName || isIPv6Literal(host) else {
            throw .invalidTLSPolicy("'\(text)' is not a valid host name")
        }
        self.text = lowercase
    }

    /// The pattern.
    package var description: String { text }

    /// Whether a host matches; it must have the form of `HTTPOrigin.host`.
    package func matches(_ host: String) -> Bool {
        guard text.utf8.first == 0x2E else { return host == text }
        return host.utf8.ends(with: text.utf8) || host.utf8.elementsEqual(text.utf8.dropFirst())
    }

    /// The specificity of the pattern: an exact host comes first, then the longest domain.
    var rank: Int { text.utf8.first == 0x2E ? text.utf8.count : .max }
}
