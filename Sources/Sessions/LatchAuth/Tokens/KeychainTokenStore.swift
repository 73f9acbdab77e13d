// SPDX-License-Identifier: Apache-2.0

/// Keeps one account's tokens where the platform keeps secrets: the keychain, and on Linux the store that is chosen.
///
/// The choice is made at the first use, not here; Documentation/SecretStores.md has its order, and
/// ``SecretStoreChoice`` says which one it is.
public struct KeychainTokenStore: TokenRecordStore {
    private let store: SecretTokenStore<Tokens>

    /// The tokens of one account of a service.
    ///
    /// - Parameters:
    ///   - service: Names the program, such as its bundle identifier.
    ///   - account: Tells several accounts of the program apart.
    public init(service: String, account: String) {
        self.init(
            platformSecretStore(service: service), account: account,
            coordination: platformCoordination(service: service, account: account))
    }

    /// The tokens of one account in a store of the platform.
    init(_ secrets: any SecretStore, account: String, coordination: any SessionCoordination) {
        store = SecretTokenStore(secrets, name: account, coordination: coordination)
    }

    /// Replaces what is kept.
    public func save(_ tokens: Tokens) async throws { try await store.save(tokens) }

    /// What is kept.
    public func load() async throws -> Tokens? { try await store.load() }

    /// Forgets what is kept.
    public func clear() async throws { try await store.clear() }

    /// Replaces the whole record.
    public func save(record: TokenRecord<Tokens>) async throws { try await store.save(record: record) }

    /// The whole record.
    public func loadRecord() async throws -> TokenRecord<Tokens>? { try await store.loadRecord() }

    /// The processes of one person take turns by files beside the secrets.
    public var coordination: (any SessionCoordination)? { store.coordination }
}
