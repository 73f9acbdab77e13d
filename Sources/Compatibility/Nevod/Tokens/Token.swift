// SPDX-License-Identifier: Apache-2.0

/// A bearer token (RFC 6750 §2.1): one string.
///
/// It has no refresh token and no expiry. Where the issuer hands these out, make a `TokenModel` of your own that holds
/// them: what the refresh strategy gets is then the whole of it.
public struct Token: TokenModel, Codable, Hashable {
    /// The token.
    public var value: String

    /// A bearer token.
    public init(value: String) { self.value = value }

    /// Sets the `Authorization` field.
    public func authorize(_ request: inout URLRequest) {
        request.setValue("Bearer \(value)", forHTTPHeaderField: "Authorization")
    }

    /// The token as JSON.
    public func encode() throws -> Data { try JSONEncoder().encode(self) }

    /// The token that `encode()` wrote.
    public static func decode(from data: Data) throws -> Token { try JSONDecoder().decode(Token.self, from: data) }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type alone.
    public var description: String { "Token(redacted)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the value, so that `dump` shows none.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
