// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A grant of a refresh token (RFC 6749 §6).
///
/// Prefer a session, which never sends the same refresh token twice.
public struct RefreshGrant: Grant {
    /// The requested scopes, fewer than the granted ones; empty for all of them.
    public let scopes: Scopes
    /// The resource that the access token is for (RFC 8707 §2.2); nil for those of the first grant.
    public let resource: String?
    /// The scopes granted before.
    private let granted: Scopes?
    /// The refresh token.
    private let token: String

    /// Creates a grant.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token.
    ///   - scopes: The requested scopes, fewer than before (RFC 6749 §6); empty for the same scopes.
    ///   - resource: The resource that the access token is for (RFC 8707 §2.2).
    ///   - granted: The scopes granted before; nil if they are not known.
    public init(refreshToken: String, scopes: Scopes = [], resource: String? = nil, granted: Scopes? = nil) {
        token = refreshToken
        self.scopes = scopes
        self.resource = resource
        self.granted = granted
    }

    /// `refresh_token` (RFC 6749 §6).
    public var type: String { "refresh_token" }

    /// The token, the scopes and the resource.
    public var parameters: [(String, String)] {
        [("refresh_token", token), ("scope", scopes.text), ("resource", resource ?? "")]
    }

    /// The requested scopes, or those granted before.
    public var expectedScopes: Scopes? { scopes.isEmpty ? granted : scopes }

    /// The token, which stays valid if the response has none (RFC 6749 §6).
    public var refreshToken: String? { token }
}

extension RefreshGrant: Redacting {}
