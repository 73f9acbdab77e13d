// SPDX-License-Identifier: Apache-2.0

/// A permission that is asked for or granted: one scope-token of RFC 6749 §3.3.
///
/// The set of scopes is open: whoever defines a resource defines its scopes. Those of the form `resource:level` take part
/// in a ``ScopeHierarchy``.
public struct Scope: RawRepresentable, Sendable, Hashable, Codable {
    /// The scope as it is written.
    public let rawValue: String

    /// A scope of its text; nil where that is no scope-token: empty, or with a character other than `%x21`,
    /// `%x23-5B`, `%x5D-7E` (RFC 6749 §3.3).
    ///
    /// So no scope can smuggle a second one, or another parameter, into a request.
    public init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.rawValue = rawValue
    }

    /// A scope of one level over a resource: `files:read`.
    public init?(resource: String, level: String) { self.init(rawValue: "\(resource):\(level)") }

    /// What stands before the last colon; nil where there is none.
    public var resource: String? { parts.map { String($0.resource) } }

    /// What stands behind the last colon; nil where there is none.
    public var level: String? { parts.map { String($0.level) } }

    /// Resource and level; nil where one of the two is missing.
    var parts: (resource: Substring, level: Substring)? {
        guard let colon = rawValue.lastIndex(of: ":"), colon != rawValue.startIndex else { return nil }
        let level = rawValue[rawValue.index(after: colon)...]
        return level.isEmpty ? nil : (rawValue[..<colon], level)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

extension Scope: CustomStringConvertible {
    /// The scope as it is written: it is no secret.
    public var description: String { rawValue }
}
