// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP
import PortableFoundation

/// The content of a response with tokens; each surface has its subset of the members.
struct TokenResponse: Encodable {
    let accessToken: String
    var refreshToken: String?
    /// The lifetime of the access token in seconds (RFC 6749 §5.1).
    let expiresIn: Int64
    var tokenType: String?
    var scope: String?
    var userId: String?

    /// Creates the members that every surface has.
    init(_ tokens: IssuedTokens) {
        accessToken = tokens.accessToken
        refreshToken = tokens.refreshToken
        expiresIn = tokens.lifetime.components.seconds
    }

    /// Creates all members.
    init(complete tokens: IssuedTokens) {
        self.init(tokens)
        tokenType = "Bearer"
        scope = tokens.scopes.text
        userId = tokens.accountID
    }
}

extension HTTPResponse {
    /// Returns a response of RFC 6749 §5.1, with the `user_id` that Lazi clients expect.
    ///
    /// A client that may not use a refresh token gets none.
    static func oauthTokens(_ tokens: IssuedTokens, for client: OAuthClient) throws -> HTTPResponse {
        var content = TokenResponse(complete: tokens)
        if !client.grants.contains(.refreshToken) { content.refreshToken = nil }
        var response = try tokenResponse(content, keys: .convertToSnakeCase)
        response.fields["Pragma"] = "no-cache"
        return response
    }

    /// Returns a response with members in camel case.
    static func tokenResponse(
        _ content: TokenResponse, keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) throws -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = keys
        encoder.outputFormatting = .withoutEscapingSlashes
        return .json(try encoder.encode(content))
    }
}
