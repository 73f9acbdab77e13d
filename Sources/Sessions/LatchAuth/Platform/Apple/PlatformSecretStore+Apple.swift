// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation

/// Returns the platform's secret store of a service.
package func platformSecretStore(service: String) -> any SecretStore { KeychainSecretStore(service: service) }

/// Returns the folder of the coordination files; the secrets themselves are in the keychain.
package func secretsFolder(in environment: [String: String]) -> String {
    "\(URL.applicationSupportDirectory.path)/latchwork"
}

extension SecretStoreChoice {
    /// Returns the choice of the store of a service: the keychain, which always exists.
    package static func current(service: String) async throws -> SecretStoreChoice {
        let reason = "this system has a keychain"
        return SecretStoreChoice(
            kind: .keychain, reason: reason, candidates: [Candidate(.keychain, reason)],
            location: "the keychain, as '\(service)'", isRecorded: false)
    }
}

extension SecretTokenStore where Value == Tokens {
    /// Creates a store of the tokens of one account that several programs and extensions of a team share.
    ///
    /// - Parameters:
    ///   - service: The service of the items in the keychain.
    ///   - account: The name of the account, of its item and of its coordination files.
    ///   - accessGroup: The access group that shares the items of the keychain.
    ///   - appGroup: The app group whose container holds the coordination files of the programs.
    ///   - protection: The protection of the tokens.
    /// - Returns: Nil if the program is not entitled to the app group.
    public init?(
        service: String, account: String, accessGroup: String, appGroup: String,
        protection: KeychainProtection = .afterFirstUnlock
    ) {
        guard let coordination = FileCoordination(appGroup: appGroup, account: account) else { return nil }
        self.init(
            KeychainSecretStore(service: service, accessGroup: accessGroup, protection: protection),
            name: account, coordinatedBy: coordination)
    }
}
#endif
