// SPDX-License-Identifier: Apache-2.0

/// Keeps one account's tokens where the platform keeps secrets: the keychain, or an encrypted file on Linux.
public struct KeychainTokenStore: TokenStore {
    private let store: SecretTokenStore<Tokens>

    /// The tokens of one account of a service.
    ///
    /// - Parameters:
    ///   - service: Names the program, such as its bundle identifier.
    ///   - account: Tells several accounts of the program apart.
    public init(service: String, account: String) {
        store = SecretTokenStore(platformSecretStore(service: service), name: account)
    }

    /// Replaces what is kept.
    public func save(_ tokens: Tokens) async throws { try await store.save(tokens) }

    /// What is kept.
    public func load() async throws -> Tokens? { try await store.load() }

    /// Forgets what is kept.
    public func clear() async throws { try await store.clear() }
}
