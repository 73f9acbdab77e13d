// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto
public import LatchHTTP
internal import PortableFoundation

/// A token in the `Authorization` field (RFC 6750 §2.1), that cannot be refreshed.
///
/// ```swift
/// CredentialInterceptor(BearerToken("…"), for: .host("api.example.com"))
/// ```
///
/// `Tokens` is the bearer token that a `Session` refreshes.
public struct BearerToken: SessionCredential, Codable {
    /// The token as it is sent.
    package let value: String

    /// Creates a credential of a token.
    public init(_ value: String) { self.value = value }

    /// Sets the `Authorization` field.
    public func authorize(_ request: inout HTTPRequest) { request.fields[.authorization] = "Bearer \(value)" }

    /// Compares in constant time.
    public static func == (left: BearerToken, right: BearerToken) -> Bool {
        constantTimeEquals(left.value.utf8, right.value.utf8)
    }
}

extension BearerToken: Redacting {}
