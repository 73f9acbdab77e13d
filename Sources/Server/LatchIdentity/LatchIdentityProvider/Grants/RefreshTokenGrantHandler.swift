// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentityAccounts

struct RefreshTokenGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.refreshToken
    let tokens: TokenService

    init(_ services: IdentityServices) { tokens = services.tokens }

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        let issued = try await tokens.refresh(
            try request.parameters.required("refresh_token"), idempotencyKey: request.idempotencyKey,
            by: request.client, requesting: request.scopes, on: request.conditions)
        var response = TokenResponse(issued)
        // OpenID Connect Core §12.2: for the same sign-in, and without its nonce.
        response.idToken = try tokens.idToken(for: issued, by: request.client)
        return response
    }
}
