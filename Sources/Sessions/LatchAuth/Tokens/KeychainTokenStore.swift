// SPDX-License-Identifier: Apache-2.0

/// A store of one account's tokens in the platform's secret store: the keychain, and on Linux the selected store.
///
/// The selection is made at the first use; Documentation/SecretStores.md has its order, and `latch doctor` shows
/// the result.
public struct KeychainTokenStore: TokenRecordStore {
    private let store: SecretTokenStore<Tokens>

    /// Creates a store of the tokens of one account of a service.
    ///
    /// - Parameters:
    ///   - service: Names the program, such as its bundle identifier.
    ///   - account: Distinguishes the accounts of the program.
    public init(service: String, account: String) {
        self.init(
            platformSecretStore(service: service), account: account,
            coordination: platformCoordination(service: service, account: account))
    }

    /// Creates a store of the tokens of one account in a secret store of the platform.
    init(_ secrets: any SecretStore, account: String, coordination: any SessionCoordination) {
        store = SecretTokenStore(secrets, name: account, coordinatedBy: coordination)
    }

    /// Replaces the stored tokens.
    public func save(_ tokens: Tokens) async throws { try await store.save(tokens) }

    /// Returns the stored tokens.
    public func load() async throws -> Tokens? { try await store.load() }

    /// Removes the stored tokens.
    public func clear() async throws { try await store.clear() }

    /// Replaces the whole record.
    package func save(record: TokenRecord<Tokens>) async throws { try await store.save(record: record) }

    /// Returns the whole record.
    package func loadRecord() async throws -> TokenRecord<Tokens>? { try await store.loadRecord() }

    /// The coordination of the user's processes, by files next to the secrets.
    package var coordination: (any SessionCoordination)? { store.coordination }
}
