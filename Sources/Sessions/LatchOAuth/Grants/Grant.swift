// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// An authorization grant: the parameters of a token request without those of the client (RFC 6749 §4).
///
/// An extension grant (RFC 6749 §4.5) needs the first two requirements:
///
/// ```swift
/// struct OneTimeCodeGrant: Grant {
///     let code: String
///     var type: String { "urn:example:one-time-code" }
///     var parameters: [(String, String)] { [("code", code)] }
/// }
/// ```
public protocol Grant: Sendable {
    /// The `grant_type`.
    var type: String { get }

    /// The other parameters, in order.
    ///
    /// Their values are encoded, and a parameter with an empty value is not sent (RFC 6749 §3.2).
    var parameters: [(String, String)] { get }

    /// The scopes that count as granted if the response states none (RFC 6749 §5.1); nil if they are not known.
    var expectedScopes: Scopes? { get }

    /// The refresh token that stays valid if the response has none (RFC 6749 §6); nil if there is none.
    var refreshToken: String? { get }
}

extension Grant {
    /// Nil by default: not known.
    public var expectedScopes: Scopes? { nil }

    /// Nil by default: most grants use no refresh token.
    public var refreshToken: String? { nil }
}
