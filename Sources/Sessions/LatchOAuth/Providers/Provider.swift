// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// Who issues tokens, and where.
///
/// ```swift
/// let provider = Provider(
///     issuer: url, tokenEndpoint: url.appending(path: "oauth/token"),
///     revocationEndpoint: url.appending(path: "oauth/revoke"))
/// ```
public struct Provider: Sendable, Hashable {
    /// The issuer's identifier (RFC 8414 §2).
    public var issuer: URL
    /// Where grants are exchanged for tokens (RFC 6749 §3.2).
    public var tokenEndpoint: URL
    /// Where tokens are revoked (RFC 7009 §2); nil where they are not.
    public var revocationEndpoint: URL?
    /// Where an issuer renews by JSON `{"refresh_token": …}`; nil for those that renew at the token endpoint, as RFC 6749
    /// §6 wants it.
    public var jsonRenewalEndpoint: URL?

    /// A provider from its parts.
    public init(
        issuer: URL, tokenEndpoint: URL, revocationEndpoint: URL? = nil, jsonRenewalEndpoint: URL? = nil
    ) {
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.jsonRenewalEndpoint = jsonRenewalEndpoint
    }

    /// Latchwork's own server, whose routes begin at `url`.
    public static func latchwork(at url: URL) -> Provider {
        Provider(
            issuer: url, tokenEndpoint: url.appending(path: "oauth/token"),
            revocationEndpoint: url.appending(path: "oauth/revoke"))
    }
}
