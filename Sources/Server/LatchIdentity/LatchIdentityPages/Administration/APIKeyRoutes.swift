// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityStorage
import LatchJOSE
package import LatchServer

/// The routes with which administrators make and remove API keys, as `latch admin api-key` does.
///
/// They take no API key: a stolen key must not make another one.
package struct APIKeyRoutes: Sendable {
    package let access: AdministrationAccess

    package init(access: AdministrationAccess) { self.access = access }

    package func add(to router: inout Router) {
        router.group(prefix: "/api/admin/api-keys", interceptors: access.limiting(.token)) { keys in
            keys.get("", .listAPIKeys, list)
            keys.post("", .createAPIKey, create)
            keys.delete("/{id}", .deleteAPIKey, delete)
        }
    }

    /// Returns the keys of all administrators to a super administrator, and to others their own.
    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.user(request, changes: false)
        let range = try ListRange(request.queryItems)
        let position = try range.after.map { text throws(IdentityError) in
            let position = try DatedPosition(text)
            guard let digest = Hex.decode(position.rest, count: APIKey.idBytes) else { throw .invalidCursor }
            return (date: position.date, digest: digest)
        }
        let found = try await access.keys.list(for: caller.account, after: position, limit: range.readLimit)
        return range.response("api_keys", found) { keys in
            keys.last.map { DatedPosition($0.createdAt, $0.id).text } ?? ""
        } json: {
            .object($0.administrationJSON)
        }
    }

    /// Makes a key for the caller, with the scopes and the lifetime in seconds of the content.
    ///
    /// The operator, who has no account, names the administrator in `account_id`.
    @Sendable private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.user(request, changes: true)
        let body = try request.jsonObject()
        let lifetime = try body.number("lifetime") ?? APIKeyService.lifetime
        let (name, scopes) = (try body.text("name"), try body.words("scopes"))
        var owner = caller.account
        if owner == nil { owner = try await access.tokens.store.account(id: try body.text("account_id")) }
        guard let owner else { throw IdentityError.noSuchAccount }
        let made = try await access.keys.make(
            name, scopes: scopes, lifetime: lifetime, for: owner, by: caller.actor,
            causedBy: caller.actor == nil ? MailCause() : request.requestOrigin.mailCause)
        return access.created(made.key.administrationJSON(text: made.text), at: "/api/admin/api-keys/\(made.key.id)")
    }

    @Sendable private func delete(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.user(request, changes: true)
        try await access.keys.remove(request.pathParameter("id") ?? "", by: caller.actor)
        return .removed
    }
}
