// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// The metadata of an authorization server (RFC 8414 §2): its identifier and endpoints.
///
/// ```swift
/// let server = AuthorizationServer(
///     issuer: url, tokenEndpoint: url.appending(path: "oauth/token"),
///     revocationEndpoint: url.appending(path: "oauth/revoke"))
/// ```
public struct AuthorizationServer: Sendable, Hashable {
    /// The issuer identifier (RFC 8414 §2).
    public var issuer: URL
    /// The URL that exchanges grants for tokens (RFC 6749 §3.2).
    public var tokenEndpoint: URL
    /// The URL that revokes tokens (RFC 7009 §2); nil if the server has none.
    public var revocationEndpoint: URL?
    /// The URL of a server that refreshes by JSON `{"refresh_token": …}`; nil for a server that refreshes at the token
    /// endpoint, as RFC 6749 §6 requires.
    public var jsonRefreshEndpoint: URL?

    /// Creates the metadata of a server.
    public init(
        issuer: URL, tokenEndpoint: URL, revocationEndpoint: URL? = nil, jsonRefreshEndpoint: URL? = nil
    ) {
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.jsonRefreshEndpoint = jsonRefreshEndpoint
    }

    /// Returns the metadata of Latchwork's own server, whose routes begin at `url`.
    public static func latchwork(at url: URL) -> AuthorizationServer {
        AuthorizationServer(
            issuer: url, tokenEndpoint: url.appending(path: "oauth/token"),
            revocationEndpoint: url.appending(path: "oauth/revoke"))
    }
}
