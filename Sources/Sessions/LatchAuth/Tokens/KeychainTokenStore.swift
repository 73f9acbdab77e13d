// SPDX-License-Identifier: Apache-2.0

/// A store of one account's tokens in the platform's secret store: the keychain, or the selected store on Linux.
///
/// The selection is made at the first use. Documentation/SecretStores.md has its order, and `latch doctor` shows the
/// result.
public typealias KeychainTokenStore = SecretTokenStore<Tokens>

extension SecretTokenStore where Value == Tokens {
    /// Creates a store of the tokens of one account of a service in the platform's secret store.
    ///
    /// If AuthPackage's store with these names has left an account in the keychain, it is read and continued.
    ///
    /// - Parameters:
    ///   - service: The name of the program, such as its bundle identifier.
    ///   - account: The name that distinguishes the accounts of the program.
    public init(service: String, account: String) {
        self.init(
            platformSecretStore(service: service), name: account,
            coordinatedBy: platformCoordination(service: service, account: account),
            replacing: .authPackage(account: account))
    }
}
