// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentityAccounts

/// The handler of the authorization code grant, with the verifier of RFC 7636.
struct AuthorizationCodeGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.authorizationCode
    let authorizations: AuthorizationService
    let tokens: TokenService

    init(_ services: IdentityServices) {
        authorizations = services.authorizations
        tokens = services.tokens
    }

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        let parameters = request.parameters
        let code = try parameters.required("code")
        let (issued, nonce) = try await authorizations.redeem(
            code, verifier: parameters["code_verifier"], redirect: parameters["redirect_uri"], by: request.client,
            on: request.conditions, from: request.origin)
        var response = TokenResponse(issued)
        response.idToken = try tokens.idToken(for: issued, by: request.client, nonce: nonce, code: code)
        return response
    }
}
