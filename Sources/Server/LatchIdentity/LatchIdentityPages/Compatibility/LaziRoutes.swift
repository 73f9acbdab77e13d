// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer

/// The sign-up of Lazi clients.
package struct LaziRoutes: Sendable {
    package let limits: RateLimits
    package let accounts: AccountService

    package init(limits: RateLimits, accounts: AccountService) {
        self.limits = limits
        self.accounts = accounts
    }

    package func add(to router: inout Router) {
        let signUps = RequestLimitInterceptor(limits: limits, request: .signUp, format: .detail)
        router.group(
            prefix: "/auth", interceptors: limits.limitingWithLegacyFields(as: .detail) + [signUps]
        ) { $0.post("/signup", .signUpOfLazi, signUp) }
    }

    /// Creates an account: 201, or 409 if the address or the user name is taken.
    ///
    /// Only these members are read, so a client cannot choose its own rights (attack E1).
    @Sendable private func signUp(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let account = try await accounts.signUp(
            email: try body.text("email"), password: try body.text("password"), name: try body.optionalText("name"),
            username: try body.optionalText("username"), registration: try Registration(body),
            from: request.requestOrigin)
        var object = account.json(by: accounts.attributes)
        object["user_id"] = .string(account.id)
        return .json(object, status: .created)
    }
}

/// The JSON requests that Lazi clients send to the OAuth endpoints.
extension TokenRoutes {
    /// Handles `grant_type=refresh_token` as JSON, as Lazi clients send it, for the server's own client.
    @Sendable func refreshByJSON(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let parameters = OAuthParameters([
            "refresh_token": try body.text("refresh_token"), "scope": try body.optionalText("scope") ?? "",
        ])
        return try await tokens(
            .refreshToken,
            for: try TokenRequest(request, client: clients.firstParty, parameters: parameters))
    }

    /// Revokes one of the session's own tokens, as Lazi clients send it: `{token, token_type_hint}`, with an access
    /// token as the credential.
    func revokeByBearer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try request.jsonObject().text("token")
        let session = try await tokens.authenticate(request)
        // RFC 7009 §2.1: a confidential client must authenticate, and an access token does not authenticate it.
        guard let client = try await clients.client(session.clientID), !client.isConfidential else {
            throw IdentityError.invalidClient
        }
        try await tokens.revoke(token, by: client, of: session.accountID)
        return .message("The token is revoked.")
    }
}
