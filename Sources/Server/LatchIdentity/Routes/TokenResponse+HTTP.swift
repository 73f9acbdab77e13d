// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

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

extension TokenResponse {
    /// The members with a value.
    fileprivate func object(_ names: HTTPResponse.TokenNames) -> JSONObject {
        var object = JSONObject()
        func add(_ camelCase: String, _ snakeCase: String, _ value: JSONValue?) {
            if let value { object[names == .snakeCase ? snakeCase : camelCase] = value }
        }
        add("accessToken", "access_token", .string(accessToken))
        add("refreshToken", "refresh_token", refreshToken.map { .string($0) })
        add("expiresIn", "expires_in", .integer(expiresIn))
        add("tokenType", "token_type", tokenType.map { .string($0) })
        add("scope", "scope", scope.map { .string($0) })
        add("idToken", "id_token", idToken.map { .string($0) })
        add("userId", "user_id", userId.map { .string($0) })
        return object
    }
}

extension HTTPResponse {
    /// The spelling of the members' names.
    enum TokenNames {
        case camelCase, snakeCase
    }

    /// Returns a response with tokens.
    static func tokenResponse(_ content: TokenResponse, names: TokenNames = .camelCase) -> HTTPResponse {
        .json(JSONValue.object(content.object(names)).serialized())
    }
}
