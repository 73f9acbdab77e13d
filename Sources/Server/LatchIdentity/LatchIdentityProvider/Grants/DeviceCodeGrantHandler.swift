// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentityAccounts

/// The handler of the device authorization grant.
struct DeviceCodeGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.deviceCode
    let deviceAuthorizations: DeviceAuthorizationService
    let tokens: TokenService

    init(_ services: IdentityServices) {
        deviceAuthorizations = services.deviceAuthorizations
        tokens = services.tokens
    }

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        let issued = try await deviceAuthorizations.redeem(
            try request.parameters.required("device_code"), by: request.client, on: request.conditions,
            from: request.origin)
        var response = TokenResponse(issued)
        response.idToken = try tokens.idToken(for: issued, by: request.client)
        return response
    }
}
