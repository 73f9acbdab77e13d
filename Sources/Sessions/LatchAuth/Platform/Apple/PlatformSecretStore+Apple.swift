// SPDX-License-Identifier: Apache-2.0

#if canImport(Security) && !os(macOS)

/// Returns the platform's secret store for a service: the keychain, which every app has.
public func platformSecretStore(service: String) -> any SecretStore { KeychainSecretStore(service: service) }

extension SecretStoreChoice {
    /// Returns the selected store for a service: the keychain.
    package static func current(service: String) async throws -> SecretStoreChoice {
        let reason = "this system has a keychain"
        return SecretStoreChoice(
            kind: .keychain, reason: reason, candidates: [Candidate(.keychain, reason)],
            location: "the keychain, as '\(service)'", isRecorded: false)
    }
}
#endif
