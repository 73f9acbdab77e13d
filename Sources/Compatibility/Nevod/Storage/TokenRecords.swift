// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// One token in a key-value storage, as a session reads and writes it.
struct TokenRecords<Token: TokenModel>: LatchAuth.TokenStore {
    let storage: any KeyValueStorage
    let key: StorageKey
    /// Told of what could not be read.
    let onError: @Sendable (TokenStorageError) -> Void

    /// What is stored; nobody where there is nothing, or nothing that is a token.
    ///
    /// Bytes that are no token would fail every request until somebody removed them. They are set aside under another
    /// key, told of, and the program goes on to a new login.
    func load() async throws -> TokenCredential<Token>? {
        guard let record = try await storage.data(for: key) else { return .nobody }
        do {
            return TokenCredential(token: try Token.decode(from: record), record: record)
        } catch {
            try await storage.set(record, for: key.setAside)
            try await storage.remove(for: key)
            onError(.failedToDecode(error))
            return .nobody
        }
    }

    /// Replaces what is stored; nobody removes it.
    func save(_ credential: TokenCredential<Token>) async throws {
        guard let record = credential.record else { return try await storage.remove(for: key) }
        try await storage.set(record, for: key)
    }

    /// Removes what is stored.
    func clear() async throws { try await storage.remove(for: key) }
}
