// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentityAccounts

/// The handler of the password grant, with a code of the second factor as `otp`.
struct PasswordGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.password
    let signIns: SignInService

    init(_ services: IdentityServices) { signIns = services.signIns }

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        let parameters = request.parameters
        return TokenResponse(
            try await signIns.signIn(
                name: try parameters.required("username"), password: try parameters.required("password"),
                code: parameters["otp"], from: request.origin, by: request.client, requesting: request.scopes))
    }
}
