// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import AuthPackage
public import SwiftUI

/// The screens of an app with an account backend.
///
/// ```swift no-check
/// WindowGroup { AuthPackageUI.makeRoot(config: config) }
/// ```
@MainActor
public enum AuthPackageUI {
    /// Returns the root view of the screens, and configures the program's router for deep links.
    ///
    /// - Parameters:
    ///   - config: The backend, its providers and the style.
    ///   - client: The client; nil for one whose tokens are in the Keychain.
    public static func makeRoot(config: AuthUIConfig, client: (any AuthClientProtocol)? = nil) -> some View {
        let client =
            client
            ?? AuthClient(
                config: config.clientConfiguration,
                tokenStore: KeychainTokenStore(service: config.appScheme, account: "auth.tokens"))
        return AuthFlow(AuthUIRouter.shared.configure(config: config, client: client), config: config)
    }
}
#endif
