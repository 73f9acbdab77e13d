// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The routes with which administrators make and remove API keys, as `latch admin api-key` does.
///
/// They take no API key: a stolen key must not make another one.
package struct APIKeyRoutes: Sendable {
    package let limits: RateLimits
    package let access: AdministrationAccess

    package init(limits: RateLimits, access: AdministrationAccess) { (self.limits, self.access) = (limits, access) }

    package func add(to router: inout Router) {
        router.group(prefix: "/api/admin/api-keys", interceptors: limits.limiting(.token)) { keys in
            keys.get("", .listAPIKeys, list)
            keys.post("", .createAPIKey, create)
            keys.delete("/{id}", .deleteAPIKey, delete)
        }
    }

    /// Returns the keys of all administrators to a super administrator, and to others their own.
    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.user(request, changes: false)
        let found = try await access.keys.list(for: caller.account)
        return .json(["api_keys": .array(found.map { .object($0.administrationJSON) })])
    }

    /// Makes a key for the caller, with the scopes and the lifetime in seconds of the content.
    @Sendable private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.user(request, changes: true)
        let body = try request.jsonObject()
        let lifetime = try body.number("lifetime") ?? APIKeyService.lifetime
        let made = try await access.keys.make(
            try body.text("name"), scopes: try body.words("scopes"), lifetime: lifetime, for: caller.account,
            by: caller.actor, causedBy: request.requestOrigin.mailCause)
        return .json(made.key.administrationJSON(text: made.text), status: .created)
    }

    @Sendable private func delete(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.user(request, changes: true)
        try await access.keys.remove(request.pathParameter("id") ?? "", by: caller.actor)
        return .removed
    }
}
