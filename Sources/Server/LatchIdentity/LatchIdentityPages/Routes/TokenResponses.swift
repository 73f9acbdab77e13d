// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
package import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage

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
        add("issuedTokenType", "issued_token_type", issuedTokenType.map { .string($0) })
        // RFC 9396 §7; only OAuth clients request rights.
        object["authorization_details"] = authorization.json
        add("userId", "user_id", userId.map { .string($0) })
        return object
    }
}

extension HTTPResponse {
    /// The spelling of the members' names.
    package enum TokenNames {
        case camelCase, snakeCase
    }

    package static func tokenResponse(_ content: TokenResponse, names: TokenNames = .camelCase) -> HTTPResponse {
        .json(JSONValue.object(content.object(names)).serialized())
    }
}
