// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)

extension SecretTokenStore where Value == Tokens {
    /// Creates a store of the tokens of one account that several programs and extensions of a team share.
    ///
    /// - Parameters:
    ///   - service: The service of the items in the keychain.
    ///   - account: The name of the account, of its item and of its coordination files.
    ///   - accessGroup: The access group that shares the items of the keychain.
    ///   - appGroup: The app group whose container holds the coordination files of the programs.
    ///   - protection: The protection of the tokens.
    ///   - authentication: The authentication of the user, if the protection requires it.
    /// - Returns: The store; nil if the program is not entitled to the app group.
    public init?(
        service: String, account: String, accessGroup: String, appGroup: String,
        protection: KeychainProtection = .afterFirstUnlock,
        authentication: KeychainAuthentication = KeychainAuthentication()
    ) {
        guard let coordination = FileCoordination(appGroup: appGroup, account: account) else { return nil }
        let secrets = KeychainSecretStore(
            service: service, accessGroup: accessGroup, protection: protection, authentication: authentication)
        self.init(secrets, name: account, coordinatedBy: coordination)
    }
}
#endif
