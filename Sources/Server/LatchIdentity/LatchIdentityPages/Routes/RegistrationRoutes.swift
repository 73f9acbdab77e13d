// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer

/// The routes with which clients register themselves (RFC 7591 and RFC 7592).
package struct RegistrationRoutes: Sendable {
    package let limits: RateLimits
    package let registration: RegistrationService

    package init(limits: RateLimits, registration: RegistrationService) {
        self.limits = limits
        self.registration = registration
    }

    /// Adds the routes, unless the server registers no clients.
    package func add(to router: inout Router) {
        guard registration.isOpen else { return }
        router.group(prefix: "/oauth/register", interceptors: limits.limiting(.token, as: .oauth)) { routes in
            routes.post("", .registerClient, register)
            routes.get("/{client}", .getRegistration, read)
            routes.put("/{client}", .updateRegistration, update)
            routes.delete("/{client}", .deleteRegistration, delete)
        }
    }

    @Sendable private func register(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await registration.register(
            try request.jsonObject(), token: request.fields.bearerToken, from: request.requestOrigin)
        return .ofRegistration(response, status: .created)
    }

    @Sendable private func read(_ request: HTTPRequest) async throws -> HTTPResponse {
        .ofRegistration(try await registration.read(request.clientID, token: request.fields.bearerToken))
    }

    @Sendable private func update(_ request: HTTPRequest) async throws -> HTTPResponse {
        .ofRegistration(
            try await registration.update(
                request.clientID, token: request.fields.bearerToken, try request.jsonObject(),
                from: request.requestOrigin))
    }

    @Sendable private func delete(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await registration.delete(request.clientID, token: request.fields.bearerToken)
        return HTTPResponse(status: .noContent, fields: [.cacheControl: "no-store"])
    }
}

extension HTTPRequest {
    fileprivate var clientID: String { pathParameter("client") ?? "" }
}

extension HTTPResponse {
    fileprivate static func ofRegistration(_ members: JSONObject, status: HTTPStatus = .ok) -> HTTPResponse {
        var response = json(members, status: status)
        response.fields[.cacheControl] = "no-store"
        return response
    }
}
