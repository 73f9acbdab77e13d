// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage

/// The administration of OAuth clients, in a store or through a server.
///
/// Clients and tokens are JSON as the routes below `/api/admin` return them.
protocol ClientAdministration: Sendable {
    /// Returns some clients whose IDs follow another one, in the order of their IDs; empty at the end.
    func clients(after id: String?) async throws -> [JSONObject]
    func client(_ id: String) async throws -> JSONObject
    func create(_ client: OAuthClient) async throws -> JSONObject
    /// Replaces all members.
    func update(_ client: OAuthClient) async throws -> JSONObject
    /// Makes another secret.
    ///
    /// - Parameter overlap: The seconds for which the secret before stays valid; nil for a day.
    func rotateSecret(of id: String, overlap: Int?) async throws -> JSONObject
    func delete(_ id: String) async throws
    /// Returns a new registration access token (RFC 7592 §3).
    func replaceRegistrationToken(of id: String) async throws -> JSONObject
    func initialTokens() async throws -> [JSONObject]
    /// Makes an initial token (RFC 7591 §1.2) with a lifetime in seconds.
    func makeInitialToken(uses: Int, lifetime: Int) async throws -> JSONObject
    func revokeInitialToken(_ id: String) async throws
}

/// The administration of the clients in a store on this machine, even while a server uses it.
struct LocalClientAdministration: ClientAdministration {
    let service: ClientService
    /// The name in the audit log.
    private static let actor = "the operator"

    func clients(after id: String?) async throws -> [JSONObject] { try await service.list(after: id).map(\.json) }

    func client(_ id: String) async throws -> JSONObject { try await service.client(id).json }

    func create(_ client: OAuthClient) async throws -> JSONObject {
        try await service.create(client, by: Self.actor).json
    }

    func update(_ client: OAuthClient) async throws -> JSONObject {
        try await service.update(client, by: Self.actor).json
    }

    func rotateSecret(of id: String, overlap: Int?) async throws -> JSONObject {
        let overlap = overlap.map { Duration.seconds($0) } ?? ClientService.secretOverlap
        return try await service.rotateSecret(of: id, overlap: overlap, by: Self.actor).json
    }

    func delete(_ id: String) async throws { try await service.delete(id, by: Self.actor) }

    func replaceRegistrationToken(of id: String) async throws -> JSONObject {
        ["registration_access_token": .string(try await service.replaceRegistrationToken(of: id, by: Self.actor))]
    }

    func initialTokens() async throws -> [JSONObject] { try await service.initialTokens().map(\.json) }

    func makeInitialToken(uses: Int, lifetime: Int) async throws -> JSONObject {
        let made = try await service.makeInitialToken(uses: uses, lifetime: .seconds(lifetime), by: Self.actor)
        return made.token.json(text: made.text)
    }

    func revokeInitialToken(_ id: String) async throws { try await service.revokeInitialToken(id, by: Self.actor) }
}

/// The administration of the clients of a running server, with an administrator's session on this device.
struct RemoteClientAdministration: ClientAdministration {
    let server: AdministeredServer

    func clients(after id: String?) async throws -> [JSONObject] {
        let query = id.map { [("after", $0)] } ?? []
        return Self.list("clients", in: try await server.call(.get, "api/admin/clients", query: query))
    }

    func client(_ id: String) async throws -> JSONObject { try await server.call(.get, "api/admin/clients/\(id)") }

    func create(_ client: OAuthClient) async throws -> JSONObject {
        try await server.call(.post, "api/admin/clients", client.table)
    }

    func update(_ client: OAuthClient) async throws -> JSONObject {
        try await server.call(.put, "api/admin/clients/\(client.id)", client.table)
    }

    func rotateSecret(of id: String, overlap: Int?) async throws -> JSONObject {
        let content: JSONObject = overlap.map { ["overlap": .integer(Int64($0))] } ?? [:]
        return try await server.call(.post, "api/admin/clients/\(id)/secret", content)
    }

    func delete(_ id: String) async throws { _ = try await server.perform(.bytes(.delete, "api/admin/clients/\(id)")) }

    func replaceRegistrationToken(of id: String) async throws -> JSONObject {
        try await server.call(.post, "api/admin/clients/\(id)/registration-token")
    }

    func initialTokens() async throws -> [JSONObject] {
        Self.list("initial_tokens", in: try await server.call(.get, "api/admin/initial-tokens"))
    }

    func makeInitialToken(uses: Int, lifetime: Int) async throws -> JSONObject {
        let content: JSONObject = ["uses": .integer(Int64(uses)), "lifetime": .integer(Int64(lifetime))]
        return try await server.call(.post, "api/admin/initial-tokens", content)
    }

    func revokeInitialToken(_ id: String) async throws {
        _ = try await server.perform(.bytes(.delete, "api/admin/initial-tokens/\(id)"))
    }

    private static func list(_ name: String, in response: JSONObject) -> [JSONObject] {
        response[name]?.arrayValue?.compactMap(\.objectValue) ?? []
    }
}
