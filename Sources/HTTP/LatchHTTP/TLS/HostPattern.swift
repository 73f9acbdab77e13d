// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Which hosts a setting is for: one host, or a domain with everything below it; never a part of a name.
///
/// `api.example.com` is that host alone. `.example.com`, with the dot in front, is `example.com`, `api.example.com` and
/// `a.b.example.com`, and not `badexample.com`.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    /// In lower case, with the dot in front where there is one.
    private let text: String

    /// Reads a pattern.
    ///
    /// - Throws: `HTTPError.invalidTLSPolicy` for what is no host name or address, for a host with a port or a scheme,
    ///   and for a domain with one label, below which strangers live.
    public init(_ text: String) throws(HTTPError) {
        let lowercase = String(decoding: text.utf8.map(asciiLowercased), as: UTF8.self)
        let isDomain = lowercase.hasPrefix(".")
        let host = isDomain ? lowercase.dropFirst() : lowercase[...]
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isLabelByte) }
        guard isDomain ? isName && labels.count > 1 : isName || Self.isBracketed(host) else {
            throw .invalidTLSPolicy("'\(text)' names no host")
        }
        self.text = lowercase
    }

    /// The pattern as it is written.
    public var description: String { text }

    /// Whether a host, as `HTTPOrigin.host` writes it, is meant.
    public func matches(_ host: String) -> Bool {
        text.hasPrefix(".") ? host.hasSuffix(text) || host == text.dropFirst() : host == text
    }

    /// How narrow the pattern is: of several that match a host, the longest is meant, and the host itself before all.
    var rank: Int { text.hasPrefix(".") ? text.utf8.count : .max }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    /// RFC 3986 §3.2.2: an IPv6 address.
    private static func isBracketed(_ host: Substring) -> Bool {
        guard host.count > 3, host.first == "[", host.last == "]" else { return false }
        return host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }
}
