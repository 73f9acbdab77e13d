// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchAuth

extension KeychainClient {
    /// A client over a secret store.
    ///
    /// - Parameters:
    ///   - secrets: Where the texts are kept.
    ///   - prefix: What their names begin with there; `reset` forgets what begins so, and nothing else. Each account of a
    ///     program needs one of its own.
    ///   - coordination: How sessions over this place take turns; nil where there is only one of them.
    public init(
        over secrets: any SecretStore, prefix: String = "JWTAuth.", coordination: (any SessionCoordination)? = nil
    ) {
        let items = KeychainItems(secrets: secrets, prefix: prefix)
        self.init(
            save: { try await items.save($0, as: $1) }, load: { try await items.load($0) },
            delete: { try await items.delete($0) }, reset: { try await items.reset() })
        self.coordination = coordination
    }

    /// The place where this platform keeps secrets, shared by all processes of this person.
    ///
    /// - Parameters:
    ///   - service: Names the program; nil takes its bundle's identifier, or the process's name.
    ///   - account: Tells several accounts of the program apart.
    public static func live(service: String? = nil, account: String = "default") -> KeychainClient {
        let service = service ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        let secrets = platformSecretStore(service: service)
        var client = KeychainClient(
            over: secrets, prefix: "JWTAuth.\(account).",
            coordination: platformCoordination(service: service, account: "JWTAuth.\(account)"))
        // The original keeps the pair of the only account that it knows under the bare names.
        if account == "default" { client.earlier = secrets }
        return client
    }

    /// A place that ends with the process, for tests and previews.
    ///
    /// - Parameter tokens: What is kept there at first.
    public static func inMemory(_ tokens: AuthTokens? = nil) -> KeychainClient {
        let secrets = MemorySecretStore()
        let prefix = "JWTAuth."
        // Tokens have a spelling in JSON, always.
        if let tokens, let text = try? KeychainRecords.text(of: TokenRecord(credential: tokens)) {
            secrets.write(Array(text.utf8), for: prefix + Keys.session.value)
        }
        return KeychainClient(over: secrets, prefix: prefix)
    }
}

/// Texts under names with a prefix in a secret store, its errors in the words of this package.
private struct KeychainItems: Sendable {
    let secrets: any SecretStore
    let prefix: String

    private func name(_ key: KeychainClient.Keys) -> String { prefix + key.value }

    private func read(_ key: KeychainClient.Keys) async throws -> String? {
        guard let bytes = try await secrets.read(name(key)) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw AuthError.storeCorrupt }
        return text
    }

    /// The session's record, where it holds a credential.
    private func pair() async throws -> AuthTokens? {
        try KeychainRecords.record(in: try await read(.session))?.credential
    }

    func load(_ key: KeychainClient.Keys) async throws -> String? {
        do {
            guard key.isHalf, let pair = try await pair() else { return try await read(key) }
            return key == .accessToken ? pair.access : pair.refresh
        } catch {
            throw KeychainError.loading(error)
        }
    }

    func save(_ value: String, as key: KeychainClient.Keys) async throws {
        do {
            // A half beside a whole pair would be read by nobody, and half of a new pair in its place is worth nothing.
            if key.isHalf, try await pair() != nil {
                throw KeychainError.savingFailed(
                    message: "Somebody is signed in, and the pair is kept as one: save both with AuthTokensClient.")
            }
            try await secrets.write(Array(value.utf8), for: name(key))
        } catch {
            throw KeychainError.saving(error)
        }
    }

    /// Where the pair is one record, forgetting a half of it forgets both: half a pair signs nobody in.
    func delete(_ key: KeychainClient.Keys) async throws {
        do {
            let isPart = key.isHalf ? try await read(key) == nil : false
            try await secrets.remove(name(isPart ? .session : key))
        } catch {
            throw KeychainError.saving(error)
        }
    }

    func reset() async throws {
        do {
            for name in try await secrets.names() where name.hasPrefix(prefix) { try await secrets.remove(name) }
        } catch {
            throw KeychainError.saving(error)
        }
    }
}
