// SPDX-License-Identifier: Apache-2.0

/// A requested or granted permission: one scope-token of RFC 6749 §3.3.
///
/// Each resource defines its own scopes. Scopes of the form `resource:level` take part in a ``ScopeHierarchy``.
public struct Scope: RawRepresentable, Sendable, Hashable, Codable {
    /// The text of the scope.
    public let rawValue: String

    /// Returns nil for a string that is not a scope-token.
    ///
    /// Such a string is empty, or has a character other than `%x21`, `%x23-5B`, `%x5D-7E` (RFC 6749 §3.3).
    ///
    /// A scope therefore cannot add a second scope, or another parameter, to a request.
    public init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.rawValue = rawValue
    }

    /// Creates the scope of a level for a resource: `files:read`.
    package init?(resource: String, level: String) { self.init(rawValue: "\(resource):\(level)") }

    /// Creates a scope from a literal.
    ///
    /// A character that a scope-token must not contain becomes `_`. A mistyped literal therefore names one scope that
    /// no server defines, and never two.
    public init(stringLiteral text: String) {
        let bytes = text.utf8.map { Self.isAllowed($0) ? $0 : UInt8(ascii: "_") }
        rawValue = bytes.isEmpty ? "_" : String(decoding: bytes, as: UTF8.self)
    }

    /// The part after the last colon; nil if there is none.
    package var level: String? { parts.map { String($0.level) } }

    /// The resource and the level; nil if one of the two is missing.
    var parts: (resource: Substring, level: Substring)? {
        guard let colon = rawValue.utf8.lastIndex(of: UInt8(ascii: ":")), colon != rawValue.startIndex else {
            return nil
        }
        let level = rawValue[rawValue.utf8.index(after: colon)...]
        return level.isEmpty ? nil : (rawValue[..<colon], level)
    }

    /// Whether a byte may be part of a scope-token: NQCHAR of RFC 6749 Appendix A.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

extension Scope: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text of the scope, which is not a secret.
    public var description: String { rawValue }
}
