// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Keeps one credential under one name in a `SecretStore`, as JSON.
public struct SecretTokenStore<Value: Codable & Sendable>: TokenStore {
    /// Where the record is kept, with its guarantees: this type adds none.
    private let secrets: any SecretStore
    /// May be told in errors, so it must be no secret.
    private let name: String

    /// A token store inside `secrets`.
    ///
    /// - Parameter name: The name of the secret; one name for each account.
    public init(_ secrets: any SecretStore, name: String) {
        self.secrets = secrets
        self.name = name
    }

    /// Replaces what is kept.
    public func save(_ tokens: Value) async throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        try await secrets.write(Array(encoder.encode(tokens)), for: name)
    }

    /// What is kept.
    ///
    /// - Throws: `AuthError.storeCorrupt` when the record is not a credential of this type.
    public func load() async throws -> Value? {
        guard let record = try await secrets.read(name) else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode(Value.self, from: Data(record))
        } catch {
            // The decoding error may quote the record: only its kind is told.
            throw AuthError.store(.storeCorrupt, "the record '\(name)' is not a credential")
        }
    }

    /// Forgets what is kept.
    public func clear() async throws { try await secrets.remove(name) }
}
