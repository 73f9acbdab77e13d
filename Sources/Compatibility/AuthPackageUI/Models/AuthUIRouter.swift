// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
public import Observation
public import PortableFoundation

/// The way of a deep link to the screens of the program.
///
/// An app with one flow uses `shared`; `AuthViewModel` does the same for several.
@MainActor @Observable
public final class AuthUIRouter {
    /// The router of the program.
    public static let shared = AuthUIRouter()

    /// The model of the screens; nil until `configure(config:client:)`.
    public private(set) var viewModel: AuthViewModel?

    /// Creates a router without screens.
    public init() {}

    /// Sets the backend and its client, and returns the model of the screens.
    @discardableResult
    public func configure(config: AuthUIConfig, client: any AuthClientProtocol) -> AuthViewModel {
        let model = AuthViewModel(config: config, client: client)
        viewModel = model
        return model
    }

    /// Opens the screen of a link; returns whether it was one of this app's.
    @discardableResult
    public func handle(url: URL) -> Bool { viewModel?.handle(url: url) ?? false }
}
