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
    /// Returns the root view of the screens, which are also those of the program's router for deep links.
    ///
    /// The view owns the model of the screens: it is made once for each window, however often this is called in a `body`.
    ///
    /// - Parameters:
    ///   - config: The backend, its providers and the style.
    ///   - client: The client; nil for one whose tokens are in the Keychain, and which all windows share.
    public static func makeRoot(config: AuthUIConfig, client: (any AuthClientProtocol)? = nil) -> some View {
        let shared = {
            AuthUIRouter.shared.client(for: config) {
                AuthClient(
                    config: config.clientConfiguration,
                    tokenStore: KeychainTokenStore(service: config.appScheme, account: "auth.tokens"))
            }
        }
        return AuthFlowRoot(config: config, client: client ?? shared())
    }
}

/// The flow with the model that it owns.
struct AuthFlowRoot: View {
    let config: AuthUIConfig
    let client: any AuthClientProtocol
    @State private var owner = AuthFlowOwner()

    var body: some View {
        let model = owner.model(of: client, config: config)
        AuthFlow(model, config: config)
            .task(id: ObjectIdentifier(model)) { AuthUIRouter.shared.adopt(model) }
    }
}
#endif
