// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentityAccounts
import LatchIdentityStorage

/// The handler of the token exchange (RFC 8693): an access token for another one, without a refresh token.
struct TokenExchangeGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.tokenExchange
    let tokens: TokenService

    init(_ services: IdentityServices) { tokens = services.tokens }

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        let parameters = request.parameters
        for name in ["subject_token_type", "requested_token_type"] {
            let type = name == "subject_token_type" ? try parameters.required(name) : parameters[name]
            guard type ?? TokenResponse.accessTokenType == TokenResponse.accessTokenType else {
                throw IdentityError.invalid(name, "must be \(TokenResponse.accessTokenType)")
            }
        }
        guard parameters["actor_token"] == nil else { throw IdentityError.invalid("actor_token", "is not supported") }
        let resources = request.conditions.resources + parameters.audiences
        return try await tokens.exchange(
            try parameters.required("subject_token"), by: request.client, requesting: request.scopes,
            on: TokenConditions(
                resources: resources, binding: request.conditions.binding,
                authorization: request.conditions.authorization))
    }
}
