// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// One way to obtain tokens: what is sent to the token endpoint beside who the program is (RFC 6749 §4).
///
/// A grant of one's own (RFC 6749 §4.5) needs the first two:
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

    /// The other parameters, in the order in which they are sent; whatever they hold is encoded, and none is sent where
    /// its value is empty (RFC 6749 §3.2).
    var parameters: [(String, String)] { get }

    /// What is granted where the answer does not say (RFC 6749 §5.1); nil where that is not known.
    var expectedScopes: Scopes? { get }

    /// The refresh token that stays good where the answer brings no other (RFC 6749 §6); nil where there is none.
    var refreshToken: String? { get }
}

extension Grant {
    /// Not known.
    public var expectedScopes: Scopes? { nil }

    /// None.
    public var refreshToken: String? { nil }
}
