// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import Foundation

/// Returns the platform's secret store for a service: the recorded one, or one that is selected at the first use.
///
/// A program that `swift build` has built has no entitlement and therefore no keychain, so its secrets are in a file.
public func platformSecretStore(service: String) -> any SecretStore {
    ChosenSecretStore(.platform(service: service))
}

extension SecretStoreChoice {
    /// Returns the selected store for a service, without changing anything.
    ///
    /// - Throws: `storeUnavailable` if `LATCH_SECRET_STORE` names another store than the one with the secrets.
    ///   `storeCorrupt` if the record of the choice is damaged.
    package static func current(service: String) async throws -> SecretStoreChoice {
        try await SecretStoreSelection.platform(service: service).choice()
    }
}

extension SecretStoreMigration {
    /// Migrates the secrets of a service to another kind of store, while all other processes of the user wait.
    public static func run(service: String, to kind: SecretStoreKind) async throws -> Report {
        try await SecretStoreSelection.platform(service: service).migrate(to: kind)
    }
}

extension SecretStoreSelection {
    /// Returns the selection among the stores of macOS for a service: the keychain, or an encrypted file.
    static func platform(
        service: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> SecretStoreSelection {
        let path = "\(secretsFolder(in: environment))/\(fileName(for: service))"
        let items = keyringService(for: service, in: environment)
        let keychain = KeychainSecretStore(service: items)
        return SecretStoreSelection(
            service: service, path: path, environment: environment,
            makeStore: { kind in
                switch kind {
                case .keychain: (keychain, "the keychain, as '\(items)'")
                case .file:
                    (
                        EncryptedFileSecretStore(path: "\(path).secrets", key: .keyFile(path: "\(path).key")),
                        "\(path).secrets"
                    )
                default: nil
                }
            }, keyring: .keychain, checkKeyring: { try await keychain.requireEntitlement() })
    }
}
#endif
