// SPDX-License-Identifier: Apache-2.0

/// How a token is sent (RFC 6749 §7.1): `Bearer`, `DPoP`, or what an issuer says; it compares without case.
public struct TokenType: RawRepresentable, Sendable, Codable, CustomStringConvertible {
    /// The type as the issuer spelled it.
    public let rawValue: String

    /// A type as an issuer spells it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whoever has the token may use it (RFC 6750).
    public static let bearer = TokenType(rawValue: "Bearer")

    /// It is worth nothing without the key that it is bound to (RFC 9449).
    public static let dpop = TokenType(rawValue: "DPoP")

    /// The type as the issuer spelled it.
    public var description: String { rawValue }
}

extension TokenType: Hashable {
    /// RFC 6749 §5.1: the value is case insensitive.
    public static func == (one: TokenType, other: TokenType) -> Bool {
        one.rawValue == other.rawValue || one.rawValue.lowercased() == other.rawValue.lowercased()
    }

    /// Without case.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
}
