// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer

/// The routes with which administrators manage the clients in the store, as `latch admin client` does.
///
/// Administrators read them. Only a `super_admin` who has signed in a short time ago, or their API key, changes them: a
/// client of the operator can get tokens of every user.
package struct ClientAdministrationRoutes: Sendable {
    package let clients: ClientService
    package let access: AdministrationAccess

    package init(clients: ClientService, access: AdministrationAccess) {
        self.clients = clients
        self.access = access
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        router.group(prefix: "/api/admin/clients", interceptors: access.limiting(.token)) { routes in
            routes.get("", .listClients, list)
            routes.post("", .createClient, create)
            routes.get("/{client}", .getClient, show)
            routes.put("/{client}", .updateClient, update)
            routes.delete("/{client}", .deleteClient, delete)
            routes.post("/{client}/secret", .rotateClientSecret, rotateSecret)
            routes.post("/{client}/registration-token", .replaceRegistrationToken, replaceRegistrationToken)
        }
        router.group(prefix: "/api/admin/initial-tokens", interceptors: access.limiting(.token)) { routes in
            routes.get("", .listInitialTokens, listInitialTokens)
            routes.post("", .createInitialToken, makeInitialToken)
            routes.delete("/{id}", .deleteInitialToken, revokeInitialToken)
        }
    }

    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await requireReader(request)
        let range = try ListRange(request.queryItems)
        let found = try await clients.list(after: range.after, limit: range.readLimit)
        return range.response("clients", found) {
            $0.last?.client.id ?? ""
        } json: {
            .object($0.json)
        }
    }

    @Sendable private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await requireReader(request)
        return .json(try await clients.client(request.clientID).json)
    }

    /// Registers the client of the members in the content: 201, with the secret if it has one.
    @Sendable private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        let actor = try await owner(request)
        let client = try OAuthClient.reading(try request.jsonObject()) { .invalidInput($0) }
        let made = try await ClientService.stating { () throws(IdentityError) in
            try await clients.create(client, by: actor)
        }
        return access.created(made.json, at: "/api/admin/clients/\(made.client.id)")
    }

    /// Replaces all members of a client.
    @Sendable private func update(_ request: HTTPRequest) async throws -> HTTPResponse {
        let actor = try await owner(request)
        var members = try request.jsonObject()
        members["id"] = .string(request.clientID)
        // What GET has added.
        for name in ClientService.Registered.addedMembers { members[name] = nil }
        let client = try OAuthClient.reading(members) { .invalidInput($0) }
        let updated = try await ClientService.stating { () throws(IdentityError) in
            try await clients.update(client, by: actor)
        }
        return .json(updated.json)
    }

    @Sendable private func delete(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await clients.delete(request.clientID, by: try await owner(request))
        return .removed
    }

    /// Makes another secret; `{"overlap": 3600}` says for how many seconds the one before stays valid.
    @Sendable private func rotateSecret(_ request: HTTPRequest) async throws -> HTTPResponse {
        let actor = try await owner(request)
        let overlap = try request.jsonObject(isOptional: true)["overlap"]
        guard overlap.map({ (0...31_536_000).contains($0.intValue ?? -1) }) ?? true else {
            throw IdentityError.invalid("overlap", "is not a number of seconds")
        }
        let rotated = try await clients.rotateSecret(
            of: request.clientID, overlap: overlap?.intValue.map { .seconds($0) } ?? ClientService.secretOverlap,
            by: actor)
        return .json(rotated.json)
    }

    // MARK: Tokens of registrations

    /// Makes another registration access token of a client that registered itself.
    @Sendable private func replaceRegistrationToken(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try await clients.replaceRegistrationToken(of: request.clientID, by: try await owner(request))
        return .json(["registration_access_token": .string(token)])
    }

    @Sendable private func listInitialTokens(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await requireReader(request)
        return .json(["initial_tokens": .array(try await clients.initialTokens().map { .object($0.json) })])
    }

    /// Makes an initial token; `{"uses": 10, "lifetime": 3600}` says how often and how long it works.
    @Sendable private func makeInitialToken(_ request: HTTPRequest) async throws -> HTTPResponse {
        let actor = try await owner(request)
        let content = try request.jsonObject(isOptional: true)
        func number(_ name: String, _ range: ClosedRange<Int>, omitted: Int) throws(IdentityError) -> Int {
            guard let value = content[name] else { return omitted }
            guard let number = value.intValue, range.contains(number) else {
                throw .invalid(name, "is not a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        let made = try await clients.makeInitialToken(
            uses: try number("uses", InitialToken.uses, omitted: 1),
            lifetime: .seconds(try number("lifetime", InitialToken.lifetimes, omitted: InitialToken.lifetime)),
            by: actor)
        return access.created(made.token.json(text: made.text), at: "/api/admin/initial-tokens/\(made.token.id)")
    }

    @Sendable private func revokeInitialToken(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await clients.revokeInitialToken(request.pathParameter("id") ?? "", by: try await owner(request))
        return .removed
    }

    // MARK: Access

    private func requireReader(_ request: HTTPRequest) async throws(IdentityError) {
        _ = try await access.administrator(request, for: .readClients)
    }

    /// Returns the name of the administrator for the audit log.
    private func owner(_ request: HTTPRequest) async throws(IdentityError) -> String {
        try await access.administrator(request, for: .writeClients).name
    }
}

extension ClientService {
    /// States a mistake in the members of a client as one of the request, and not of the server.
    static func stating(
        _ change: () async throws(IdentityError) -> Registered
    ) async throws(IdentityError) -> Registered {
        do throws(IdentityError) { return try await change() } catch {
            throw error == .invalidSetting ? .invalidInput(error.message) : error
        }
    }
}

extension HTTPRequest {
    fileprivate var clientID: String { pathParameter("client") ?? "" }
}
