// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
public import LatchFoundation
public import Observation

/// Routes deep links to the screens of the program.
///
/// An app with one flow uses `shared`; an app with several calls `AuthViewModel` instead.
@MainActor @Observable
public final class AuthUIRouter {
    /// The router of the program.
    public static let shared = AuthUIRouter()

    /// The model of the screens; nil until `configure(config:client:)`.
    public private(set) var viewModel: AuthViewModel?
    /// The link that started the program before there were screens.
    @ObservationIgnored private var pending: URL?
    /// The clients that this router has created, by scheme and base URL.
    @ObservationIgnored private var clients: [String: any AuthClientProtocol] = [:]

    /// Creates a router without screens.
    public init() {}

    /// Sets the backend and its client, and returns the model of the screens.
    ///
    /// If client, base URL and scheme are unchanged, the model keeps the user's input and the running request.
    @discardableResult
    public func configure(config: AuthUIConfig, client: any AuthClientProtocol) -> AuthViewModel {
        let model =
            viewModel.flatMap { $0.serves(config, client) ? $0 : nil } ?? AuthViewModel(config: config, client: client)
        adopt(model)
        return model
    }

    /// Makes a model the program's model, and opens the link that has waited for it.
    func adopt(_ model: AuthViewModel) {
        if viewModel !== model { viewModel = model }
        if let url = pending { model.handle(url: url) }
        pending = nil
    }

    /// Opens the screen for a link; returns whether the link belongs to this app.
    ///
    /// A link that starts the program waits until there are screens.
    @discardableResult
    public func handle(url: URL) -> Bool {
        if let viewModel { return viewModel.handle(url: url) }
        guard let scheme = url.scheme, ResetLink(url, scheme: scheme) != nil else { return false }
        pending = url
        return true
    }

    /// Returns this router's client for a configuration.
    ///
    /// It is created only once, because two clients would share one stored account.
    func client(for config: AuthUIConfig, _ make: () -> any AuthClientProtocol) -> any AuthClientProtocol {
        let key = "\(config.appScheme) \(config.baseURL.absoluteString)"
        if let client = clients[key] { return client }
        let client = make()
        clients[key] = client
        return client
    }
}

/// The owner of a flow's model.
///
/// A view keeps the owner, so each evaluation of the view finds the same model.
@MainActor
final class AuthFlowOwner {
    private var model: AuthViewModel?

    /// Returns the model of a client and a configuration.
    func model(of client: any AuthClientProtocol, config: AuthUIConfig) -> AuthViewModel {
        if let model, model.serves(config, client) { return model }
        let model = AuthViewModel(config: config, client: client)
        self.model = model
        return model
    }
}

extension AuthViewModel {
    /// Whether the model has this client and backend; two values of one type count as the same client.
    func serves(_ other: AuthUIConfig, _ client: any AuthClientProtocol) -> Bool {
        guard config.baseURL == other.baseURL, config.appScheme == other.appScheme,
            type(of: client) == type(of: self.client)
        else { return false }
        return !(type(of: client) is AnyClass) || client as AnyObject === self.client as AnyObject
    }
}
