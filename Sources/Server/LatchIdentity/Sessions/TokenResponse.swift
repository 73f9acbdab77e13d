// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// The content of a response with tokens (RFC 6749 §5.1).
///
/// Each surface uses a subset of the members.
struct TokenResponse {
    let accessToken: String
    /// The refresh token; nil if the grant issues none.
    var refreshToken: String?
    /// The lifetime of the access token in seconds.
    let expiresIn: Int64
    var tokenType: String? = "Bearer"
    /// The granted scopes, which may be fewer than requested.
    var scope: String?
    /// The ID token; nil unless the scope `openid` was granted.
    var idToken: String?
    /// The account's id, which Lazi clients expect; nil for a grant without an account.
    var userId: String?
}

extension TokenResponse {
    /// Creates the response with all members of a session.
    init(_ tokens: IssuedTokens) {
        self.init(
            accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
            expiresIn: tokens.lifetime.components.seconds, scope: tokens.scopes.text, userId: tokens.accountID)
    }
}
