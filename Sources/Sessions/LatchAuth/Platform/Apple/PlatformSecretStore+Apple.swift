// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation

/// The place where this platform keeps the secrets of a service.
package func platformSecretStore(service: String) -> any SecretStore { KeychainSecretStore(service: service) }

/// The folder of the files by which processes take turns; the secrets themselves are in the keychain.
package func secretsFolder(in environment: [String: String]) -> String {
    "\(URL.applicationSupportDirectory.path)/latchwork"
}

extension SecretStoreChoice {
    /// Which store keeps the secrets of a service here and why: the keychain, which is always there.
    public static func current(service: String) async throws -> SecretStoreChoice {
        let reason = "this system has a keychain"
        return SecretStoreChoice(
            kind: .keychain, reason: reason, considered: [Consideration(.keychain, reason)],
            place: "the keychain, as '\(service)'", isRecorded: false)
    }
}

extension KeychainTokenStore {
    /// The tokens of one account that several programs and extensions of a team share.
    ///
    /// - Parameters:
    ///   - accessGroup: Shares the items of the keychain.
    ///   - appGroup: Has the folder by which the programs take turns and hear of each other.
    ///   - protection: When the tokens may be read.
    /// - Returns: Nil where the program is not entitled to the app group.
    public init?(
        service: String, account: String, accessGroup: String, appGroup: String,
        protection: KeychainProtection = .afterFirstUnlock
    ) {
        guard let coordination = FileCoordination(appGroup: appGroup, account: account) else { return nil }
        self.init(
            KeychainSecretStore(service: service, accessGroup: accessGroup, protection: protection),
            account: account, coordination: coordination)
    }
}
#endif
