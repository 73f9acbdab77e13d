// SPDX-License-Identifier: Apache-2.0

import LatchAuth

extension OAuthClient.GrantType {
    /// The refresh token grant (RFC 6749 §6).
    public static let refreshToken = OAuthClient.GrantType("refresh_token")
}

/// The handler of the refresh token grant.
struct RefreshTokenGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.refreshToken
    let dependencies: Dependencies

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        TokenResponse(
            try await dependencies.tokens.refresh(
                try request.parameters.required("refresh_token"), idempotencyKey: request.idempotencyKey,
                by: request.client, requesting: request.scopes))
    }
}
