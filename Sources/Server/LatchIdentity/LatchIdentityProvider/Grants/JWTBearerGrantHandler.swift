// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentityAccounts
import LatchIdentityStorage

/// The handler of the JWT bearer grant (RFC 7523 §2.1): a token of the client itself, for an assertion that it signed.
///
/// The subject is only ever the client. No key stands for the users of a client.
struct JWTBearerGrantHandler: GrantHandler {
    static let grantType = OAuthClient.GrantType.jwtBearer
    let clients: OAuthClients
    let assertions: ClientAssertions
    let tokens: TokenService

    init(_ services: IdentityServices) {
        clients = services.clients
        assertions = services.clientAssertions
        tokens = services.tokens
    }

    func tokens(for request: TokenRequest) async throws -> TokenResponse {
        let text = try request.parameters.required("assertion")
        let client = try await clients.registration(of: request.client.id)
        if let problem = try await assertions.use(text, of: client, for: .grant, at: "/oauth/token") {
            throw IdentityError.refusedGrant(problem)
        }
        return try await tokens.issue(
            to: request.client, requesting: request.scopes, on: request.conditions, grantType: Self.grantType)
    }
}
