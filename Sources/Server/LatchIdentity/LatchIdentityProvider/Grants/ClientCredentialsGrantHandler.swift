// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentityAccounts
import LatchIdentityStorage

/// The handler of the client credentials grant (RFC 6749 §4.4): a token of the client itself, without a refresh token.
///
/// The audit log gets no entry. A program may request a token each minute, and its entries would displace those about
/// users. Each would also be a write, while this grant needs none. The metric of issued tokens counts them.
struct ClientCredentialsGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.clientCredentials
    let tokens: TokenService

    init(_ services: IdentityServices) { tokens = services.tokens }

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        try await tokens.issue(
            to: request.client, requesting: request.scopes, on: request.conditions, grantType: Self.grantType)
    }
}
