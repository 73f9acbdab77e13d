// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityAccounts

/// The administration of OAuth clients, in a store or through a server.
///
/// Clients and tokens are JSON as the routes below `/api/admin` return them.
struct ClientAdministration: Sendable {
    let server: AdministeredServer

    /// Returns the clients in the order of their IDs.
    func clients() async throws -> [JSONObject] { try await server.list("clients", at: "api/admin/clients").rows }

    func client(_ id: String) async throws -> JSONObject { try await server.call(.get, "api/admin/clients/\(id)") }

    func create(_ client: OAuthClient) async throws -> JSONObject {
        try await server.call(.post, "api/admin/clients", client.table)
    }

    /// Replaces all members.
    func update(_ client: OAuthClient) async throws -> JSONObject {
        try await server.call(.put, "api/admin/clients/\(client.id)", client.table)
    }

    /// Makes another secret.
    ///
    /// - Parameter overlap: The seconds for which the secret before stays valid; nil for a day.
    func rotateSecret(of id: String, overlap: Int?) async throws -> JSONObject {
        let content: JSONObject = overlap.map { ["overlap": .integer(Int64($0))] } ?? [:]
        return try await server.call(.post, "api/admin/clients/\(id)/secret", content)
    }

    func delete(_ id: String) async throws { try await server.perform(.delete, "api/admin/clients/\(id)") }

    /// Returns a new registration access token (RFC 7592 §3).
    func replaceRegistrationToken(of id: String) async throws -> JSONObject {
        try await server.call(.post, "api/admin/clients/\(id)/registration-token")
    }

    func initialTokens() async throws -> [JSONObject] {
        try await server.call(.get, "api/admin/initial-tokens")["initial_tokens"]?.arrayValue?
            .compactMap(\.objectValue) ?? []
    }

    /// Makes an initial token (RFC 7591 §1.2) with a lifetime in seconds.
    func makeInitialToken(uses: Int, lifetime: Int) async throws -> JSONObject {
        let content: JSONObject = ["uses": .integer(Int64(uses)), "lifetime": .integer(Int64(lifetime))]
        return try await server.call(.post, "api/admin/initial-tokens", content)
    }

    func revokeInitialToken(_ id: String) async throws {
        try await server.perform(.delete, "api/admin/initial-tokens/\(id)")
    }
}
