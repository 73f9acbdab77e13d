// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentityAccounts
import LatchIdentityStorage

/// The handler of the password grant, with a code of the second factor as `otp`.
struct PasswordGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.password
    let signIns: SignInService
    let resources: ResourcePolicy

    init(_ services: IdentityServices) {
        signIns = services.signIns
        resources = services.resources
    }

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        let parameters = request.parameters
        // This grant is for apps of the operator's API.
        let others = try resources.granted(parameters.resources, requesting: request.scopes, by: request.client)
        guard others.isEmpty else { throw IdentityError.invalidTarget }
        return TokenResponse(
            try await signIns.signIn(
                name: try parameters.required("username"), password: try parameters.required("password"),
                code: parameters["otp"], from: request.origin, by: request.client, requesting: request.scopes,
                on: request.conditions))
    }
}
