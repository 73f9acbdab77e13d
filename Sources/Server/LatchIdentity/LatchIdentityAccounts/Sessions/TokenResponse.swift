// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
package import LatchIdentityStorage

/// The content of a response with tokens (RFC 6749 §5.1).
///
/// Each surface uses a subset of the members.
package struct TokenResponse {
    package let accessToken: String
    /// The refresh token; nil if the grant issues none.
    package var refreshToken: String?
    /// The lifetime of the access token in seconds.
    package let expiresIn: Int64
    package var tokenType: String? = "Bearer"
    /// The granted scopes, which may be fewer than requested; nil if none was requested (RFC 6749 §3.3).
    ///
    /// It is empty if none of the login's scopes is left: without the member, a client would believe it has them all
    /// (§5.1).
    package var scope: String?
    /// The ID token; nil unless the scope `openid` was granted.
    package var idToken: String?
    /// The kind of the token of an exchange (RFC 8693 §2.2.1); nil for other grants.
    package var issuedTokenType: String?
    /// The rights of the access token besides its scopes (RFC 9396 §7).
    package var authorization = AuthorizationDetails()
    /// Returns the type of an access token: a certificate is proved without a scheme (RFC 6750 §4, RFC 9449 §5).
    static func type(boundTo binding: TokenBinding) -> String { binding.key == nil ? "Bearer" : "DPoP" }

    /// The kind of access tokens (RFC 8693 §3).
    package static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
    /// The account's id, which Lazi clients expect; nil for a grant without an account.
    package var userId: String?

    package init(
        accessToken: String, refreshToken: String? = nil, expiresIn: Int64, tokenType: String? = "Bearer",
        scope: String? = nil, idToken: String? = nil, userId: String? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.tokenType = tokenType
        self.scope = scope
        self.idToken = idToken
        self.userId = userId
    }
}

extension TokenResponse {
    /// Creates the response with all members of a session.
    package init(_ tokens: IssuedTokens) {
        self.init(
            accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
            expiresIn: tokens.lifetime.components.seconds, tokenType: tokens.tokenType,
            scope: tokens.scopes.isEmpty && tokens.device.scope?.isEmpty == true ? nil : tokens.scopes.text,
            userId: tokens.accountID)
        authorization = tokens.authorization
    }
}
