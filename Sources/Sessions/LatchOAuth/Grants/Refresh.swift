// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A grant of a refresh token (RFC 6749 §6).
///
/// Prefer a session, which never sends the same refresh token twice.
public struct RefreshGrant: Grant {
    /// The requested scopes: fewer than the granted ones, or none for all of them.
    public let scopes: Scopes
    /// The scopes granted before.
    private let granted: Scopes?
    /// The refresh token.
    private let token: String

    /// Creates a grant.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token.
    ///   - scopes: The requested scopes, fewer than before (RFC 6749 §6); empty for the same scopes.
    ///   - granted: The scopes granted before; nil if they are not known.
    public init(refreshToken: String, scopes: Scopes = [], granted: Scopes? = nil) {
        token = refreshToken
        self.scopes = scopes
        self.granted = granted
    }

    /// `refresh_token` (RFC 6749 §6).
    public var type: String { "refresh_token" }

    /// The token and the scopes.
    public var parameters: [(String, String)] { [("refresh_token", token), ("scope", scopes.text)] }

    /// The requested scopes, or those granted before.
    public var expectedScopes: Scopes? { scopes.isEmpty ? granted : scopes }

    /// The token, which stays valid if the response has none (RFC 6749 §6).
    public var refreshToken: String? { token }
}

extension RefreshGrant: Redacting {}
