// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer

/// The routes of kept consents, for sessions of the server's own client.
package struct ConsentRoutes: Sendable {
    package let limits: RateLimits
    package let consents: ConsentService
    package let tokens: TokenService

    package init(limits: RateLimits, consents: ConsentService, tokens: TokenService) {
        self.limits = limits
        self.consents = consents
        self.tokens = tokens
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        router.group(prefix: "/api/auth/consents", interceptors: limits.limiting(.token)) { consents in
            consents.get("", .listConsents, list)
            consents.delete("/{client}", .deleteConsent, withdraw)
        }
    }

    /// Returns the clients that the user has agreed to, with their scopes.
    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let found = try await consents.consents(of: try await tokens.authenticate(request))
        return .json(["consents": .array(found.map { .object($0.json) })])
    }

    /// Withdraws the consents to a client, which also signs it out: 204, or 404 if there is none.
    @Sendable private func withdraw(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await consents.withdraw(
            request.pathParameter("client") ?? "", for: try await tokens.authenticate(request),
            from: request.requestOrigin)
        return HTTPResponse(status: .noContent, fields: [.cacheControl: "no-store"])
    }
}

extension Consent {
    /// The consent as JSON for its user.
    fileprivate var json: JSONObject {
        [
            "clientId": .string(clientID), "redirectOrigin": .string(redirectOrigin),
            "resources": .array(resources.sorted().map { .string($0) }),
            "scopes": .array(scopes.elements.map { .string($0.rawValue) }),
            "grantedAt": .string(grantedAt.formatted(.iso8601)), "updatedAt": .string(updatedAt.formatted(.iso8601)),
        ]
    }
}
