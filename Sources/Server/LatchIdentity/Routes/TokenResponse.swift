// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

/// The content of a response with tokens (RFC 6749 §5.1); each surface has its subset of the members.
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
        let members: [(camelCase: String, snakeCase: String, value: JSONValue?)] = [
            ("accessToken", "access_token", .string(accessToken)),
            ("refreshToken", "refresh_token", refreshToken.map { .string($0) }),
            ("expiresIn", "expires_in", .integer(expiresIn)),
            ("tokenType", "token_type", tokenType.map { .string($0) }),
            ("scope", "scope", scope.map { .string($0) }),
            ("idToken", "id_token", idToken.map { .string($0) }),
            ("userId", "user_id", userId.map { .string($0) }),
        ]
        var object = JSONObject()
        for member in members {
            guard let value = member.value else { continue }
            object[names == .snakeCase ? member.snakeCase : member.camelCase] = value
        }
        return object
    }
}

extension HTTPResponse {
    /// The form of the members' names.
    enum TokenNames {
        case camelCase, snakeCase
    }

    /// Returns a response with tokens.
    static func tokenResponse(_ content: TokenResponse, names: TokenNames = .camelCase) -> HTTPResponse {
        .json(JSONValue.object(content.object(names)).serialized())
    }
}
