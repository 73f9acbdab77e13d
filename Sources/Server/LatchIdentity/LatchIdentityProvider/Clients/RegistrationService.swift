// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchCrypto
import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE

/// The registration of clients by themselves (RFC 7591), and what they do with it later (RFC 7592).
package struct RegistrationService: Sendable {
    let access: IdentityConfiguration.RegistrationAccess
    let limit: Int
    let rules: ClientMetadataRules
    let service: ClientService
    let limits: RateLimits
    let accessTokens: AccessTokenIssuer

    /// Whether any client may register.
    package var isOpen: Bool { access != .off }

    /// Registers a client.
    ///
    /// - Parameter token: The initial token; nil for none.
    /// - Returns: The response of RFC 7591 §3.2.1, with the secrets that are shown once.
    /// - Throws: `IdentityError.invalidInitialToken`, `.invalidMetadata`, `.tooManyClients`, `.tooManyAttempts`, or a
    ///   store's error.
    package func register(
        _ metadata: JSONObject, token: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> JSONObject {
        // An open server ignores a token, as clients send what they happen to have.
        let initial = access == .token ? token : nil
        guard access == .open || initial != nil else { throw .invalidInitialToken }
        try limits.take(limits.registration(from: origin.address))
        if let initial {
            guard try await service.store.isUsable(initialToken: initial.digest, at: service.clock.now) else {
                throw .invalidInitialToken
            }
        }
        let id = "rc1." + Base64URL.encode(service.random.bytes(16))
        let client = try client(id, metadata)
        let registrationToken = service.newRegistrationToken()
        let found = try await checked { () async throws(IdentityError) in
            try await service.insert(
                client, registrationDigest: registrationToken.digest, spending: initial?.digest, limit: limit,
                until: service.clock.now.addingTimeInterval(StoredClients.firstLife),
                detail: "\(id) from \(origin.address)")
        }
        return try response(found, token: registrationToken)
    }

    /// Returns a client to itself (RFC 7592 §2.1), without its secret, of which the server has only the digest.
    ///
    /// - Throws: `IdentityError.invalidRegistrationToken`, or a store's error.
    package func read(_ id: String, token: String?) async throws(IdentityError) -> JSONObject {
        try response(try await authenticated(id, token), token: token ?? "")
    }

    /// Replaces the metadata of a client (RFC 7592 §2.2); members that are left out get their defaults.
    ///
    /// Members that an operator has changed stay, and the response says so.
    ///
    /// - Throws: `IdentityError.invalidRegistrationToken`, `.invalidMetadata`, `.clientChanged`, or a store's error.
    package func update(
        _ id: String, token: String?, _ metadata: JSONObject, from origin: RequestOrigin
    ) async throws(IdentityError) -> JSONObject {
        let found = try await authenticated(id, token)
        guard metadata["client_id"]?.stringValue == id else {
            throw .invalidMetadata("invalid_client_metadata", "its 'client_id' is not that of the registration")
        }
        for name in Self.ownMembers where metadata[name] != nil {
            throw .invalidMetadata("invalid_client_metadata", "'\(name)' is not for the client to set")
        }
        if let secret = metadata["client_secret"]?.stringValue {
            let digest = secret.digest
            guard found.row.secrets.contains(where: { constantTimeEquals($0.digest, digest) }) else {
                throw .invalidMetadata("invalid_client_metadata", "its 'client_secret' is not that of the registration")
            }
        }
        var client = try client(id, metadata)
        client.registeredAt = found.client.registeredAt
        let fixed = found.row.operatorMembers
        do throws(OAuthClient.WordError) { client = try client.taking(fixed, from: found.client) } catch {
            throw .invalidMetadata("invalid_client_metadata", "it does not fit what the operator has set")
        }
        // A repetition changes nothing.
        guard client != found.client else { return try response(found, token: token ?? "") }
        try limits.take(limits.registration(from: origin.address))
        let updated = try await checked { () async throws(IdentityError) in
            try await service.update(found.row, to: client, fixing: fixed, by: "itself")
        }
        return try response(updated, token: token ?? "")
    }

    /// Removes a client (RFC 7592 §2.3).
    ///
    /// - Throws: `IdentityError.invalidRegistrationToken`, or a store's error.
    package func delete(_ id: String, token: String?) async throws(IdentityError) {
        _ = try await authenticated(id, token)
        try await service.delete(id, by: "itself")
    }

    // MARK: Parts

    /// The members of a response that a client must not send back (RFC 7592 §2.2).
    private static let ownMembers = [
        "registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at",
    ]

    /// Returns the client that has registered itself with a token.
    private func authenticated(
        _ id: String, _ token: String?
    ) async throws(IdentityError) -> ClientService.Registered {
        guard isOpen, let token, id.utf8.count <= 100, let row = try await service.store.client(id: id),
            let digest = row.registrationDigest, constantTimeEquals(token.digest, digest),
            row.expiresAt.map({ service.clock.now < $0 }) ?? true
        else { throw .invalidRegistrationToken }
        return ClientService.Registered(client: try OAuthClient(stored: row), row: row)
    }

    private func client(_ id: String, _ metadata: JSONObject) throws(IdentityError) -> OAuthClient {
        do throws(ClientMetadataError) {
            return try OAuthClient(id: id, metadata: metadata, rules: rules)
        } catch {
            throw .invalidMetadata(error.code.rawValue, error.description)
        }
    }

    /// Runs `body`, and converts what an operator would be told about a setting.
    private func checked(
        _ body: () async throws(IdentityError) -> ClientService.Registered
    ) async throws(IdentityError) -> ClientService.Registered {
        do throws(IdentityError) { return try await body() } catch {
            guard error == .invalidSetting("", "") || error == .unusableSetting("", "") else { throw error }
            throw .invalidMetadata("invalid_client_metadata", "it could not be used as it describes itself")
        }
    }

    private func response(
        _ found: ClientService.Registered, token: String
    ) throws(IdentityError) -> JSONObject {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        var response = found.client.metadata
        response["client_id_issued_at"] = .integer(Int64(found.row.createdAt.timeIntervalSince1970))
        response["registration_access_token"] = .string(token)
        response["registration_client_uri"] = .string(
            "\(issuer.withoutFinalSlash)/oauth/register/\(found.client.id)")
        if let secret = found.secret {
            response["client_secret"] = .string(secret)
            // RFC 7591 §3.2.1: required beside a secret; it does not expire.
            response["client_secret_expires_at"] = 0
        }
        return response
    }
}
