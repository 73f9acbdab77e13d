// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import LatchCore
import LatchFoundation

/// Returns the platform's secret store for a service: the recorded one, or one that is selected at the first use.
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
    /// Returns the selection among the stores of Linux for a service.
    static func platform(
        service: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> SecretStoreSelection {
        let path = "\(secretsFolder(in: environment))/\(fileName(for: service))"
        let items = keyringService(for: service, in: environment)
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        let keyring = SecretServiceStore(service: items, promptsUser: hasDisplay)
        let fileKeys = SecretServiceStore(service: "\(items): file key", promptsUser: hasDisplay)
        let passphrase = SecretFileKey.passphrase(.platform(environment))
        return SecretStoreSelection(
            service: service, path: path, environment: environment,
            makeStore: { kind in
                func file(_ key: SecretFileKey, _ path: String) -> (any SecretStore, String) {
                    (EncryptedFileSecretStore(path: path, key: key), path)
                }
                return switch kind {
                case .file: file(.keyFile(path: "\(path).key"), "\(path).secrets")
                case .passphrase: file(passphrase, "\(path).passphrase.secrets")
                case .keyringFile: file(.keyring(fileKeys), "\(path).keyring.secrets")
                case .secretService: (keyring, "the default keyring, as '\(items)'")
                default: nil
                }
            }, checkKeyring: { try await keyring.check() })
    }
}

/// Returns the folder of the secrets in an environment, without a trailing slash.
package func secretsFolder(in environment: [String: String]) -> String {
    if let home = absolutePath("LATCH_HOME", in: environment) { return home }
    // The XDG base directory specification: a relative path is invalid and is ignored.
    if let data = absolutePath("XDG_DATA_HOME", in: environment) { return data + "/latchwork" }
    return (absolutePath("HOME", in: environment) ?? UserDatabase.home) + "/.local/share/latchwork"
}
#endif
