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
    /// Returns the root view of the screens, which also become those of the program's router for deep links.
    ///
    /// The view owns the model of the screens. It creates one model for each window, however often a `body` calls this.
    ///
    /// - Parameters:
    ///   - config: The backend, its providers and the style.
    ///   - client: The client; nil for one with its tokens in the Keychain, which all windows share.
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
