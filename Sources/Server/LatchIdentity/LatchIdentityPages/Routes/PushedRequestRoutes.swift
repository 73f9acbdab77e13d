// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer

/// The route of pushed authorization requests (RFC 9126).
package struct PushedRequestRoutes: Sendable {
    package let limits: RateLimits
    package let clientAuthentication: ClientAuthentication
    package let authorizations: AuthorizationService

    package init(
        limits: RateLimits, clientAuthentication: ClientAuthentication, authorizations: AuthorizationService
    ) {
        self.limits = limits
        self.clientAuthentication = clientAuthentication
        self.authorizations = authorizations
    }

    package func add(to router: inout Router) {
        let interceptors: [any Interceptor] = limits.limiting(.token, as: .oauth) + [QueryInterceptor()]
        router.group(interceptors: interceptors) { $0.post("/oauth/par", .pushAuthorizationRequest, push) }
    }

    /// Stores a request of a client that authenticates as at the token endpoint, and returns its `request_uri` (§2.2).
    @Sendable private func push(_ request: HTTPRequest) async throws -> HTTPResponse {
        let client = try await clientAuthentication.client(of: request, try OAuthParameters(form: request))
        let uri = try await authorizations.push(
            try request.formFields(), by: client,
            key: try authorizations.tokens.proofs.key(of: request, by: client), from: request.requestOrigin)
        var response = HTTPResponse.json(
            ["request_uri": .string(uri), "expires_in": .integer(Int64(PushedRequest.lifetime))], status: .created)
        response.fields[.cacheControl] = "no-store"
        return response
    }
}
