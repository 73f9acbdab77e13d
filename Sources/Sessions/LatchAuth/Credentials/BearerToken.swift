// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto
internal import LatchFoundation
public import LatchHTTP

/// A token in the `Authorization` field (RFC 6750 §2.1) that cannot be refreshed.
///
/// ```swift
/// CredentialInterceptor(BearerToken("…"), for: .host("api.example.com"))
/// ```
///
/// For a bearer token that a `Session` refreshes, use `Tokens`.
public struct BearerToken: SessionCredential, Codable {
    /// The token in the form that is sent.
    package let value: String

    /// Creates a credential from a token.
    public init(_ value: String) { self.value = value }

    /// Sets the `Authorization` field to the token.
    public func authorize(_ request: inout HTTPRequest) { request.fields[.authorization] = "Bearer \(value)" }

    /// Compares the tokens in constant time.
    public static func == (left: BearerToken, right: BearerToken) -> Bool {
        constantTimeEquals(left.value.utf8, right.value.utf8)
    }
}

extension BearerToken: Redacting {}
