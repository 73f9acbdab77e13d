// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
internal import LatchCrypto
public import LatchHTTP

/// A token in the `Authorization` field (RFC 6750 §2.1), with nothing to renew it.
///
/// ```swift
/// CredentialInterceptor(BearerToken("…"), for: .host("api.example.com"))
/// ```
///
/// `Tokens` is the bearer token that a `Session` renews.
public struct BearerToken: SessionCredential, Codable {
    /// The token as it is sent.
    public let value: String

    /// A token as its issuer wrote it.
    public init(_ value: String) { self.value = value }

    /// Not known: the token does not say.
    public var expiry: Date? { nil }

    /// Sets the `Authorization` field.
    public func authorize(_ request: inout HTTPRequest) { request.fields[.authorization] = "Bearer \(value)" }

    /// Compares in constant time.
    public static func == (left: BearerToken, right: BearerToken) -> Bool {
        constantTimeEquals(left.value.utf8, right.value.utf8)
    }
}

extension BearerToken: Redacting {
    /// That there is a token.
    public var description: String { "BearerToken(redacted)" }
}
