// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The offer of a passkey after a sign-in with a password.
public struct PasskeyScreen: Screen {
    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Create a passkey.
        case create
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The passkey is stored on the device and registered at the server.
        case created
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The account has a passkey.
        case created
        /// The user continues without a passkey.
        case later
    }

    /// The user-visible name of the passkey's account.
    public let account: String
    private var isCreated = false

    /// Creates the offer for an account.
    public init(account: String) { self.account = account }

    /// The heading of the offer, which stays after the passkey is created.
    public var title: Phrase { Phrase("passkey.title") }

    /// The explanation and the buttons; then the success.
    public var content: [Control] {
        isCreated
            ? [
                .notice(.success, Phrase("passkey.done", .text(account))),
                .button(.done, .primary, Phrase("button.continue")),
            ]
            : [
                .text(Phrase("passkey.explanation", .text(account))),
                .button(.submit, .primary, Phrase("passkey.submit")),
                .button(.cancel, .cancel, Phrase("passkey.later")),
            ]
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit: .perform(.create)
        case .done: .finish(.created)
        default: .finish(.later)
        }
    }

    /// Handles the response.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        isCreated = true
        return .stay
    }
}

/// The model of a ``PasskeyScreen``.
public typealias PasskeyModel = ScreenModel<PasskeyScreen>

extension ScreenModel where S == PasskeyScreen {
    /// Creates the offer to a client's user.
    ///
    /// - Parameters:
    ///   - client: The client of the user.
    ///   - provider: Creates the passkey on this device.
    ///   - account: The user-visible name of the account.
    ///   - clock: The clock of locks.
    ///   - onFinish: Is called when the account has a passkey, or the user continues without one.
    public convenience init(
        _ client: AuthClient, provider: any PasskeyProvider, account: String, clock: WallClock = .system,
        onFinish: @escaping @MainActor (PasskeyScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(PasskeyScreen(account: account), clock: clock, onFinish: onFinish) { _ in
            try await client.addPasskey(from: provider)
            return .created
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// Returns the route to the offer of a passkey, with the address of the account.
    public static func passkeyOffer(email: String) -> AuthRoute {
        AuthRoute(.passkeyOffer, email: email)
    }
}

extension PasskeyScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .passkeyOffer }

    var route: AuthRoute { .passkeyOffer(email: account) }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> PasskeyModel? {
        guard let passkeys = factory.passkeys else { return nil }
        return PasskeyModel(
            factory.client, provider: passkeys, account: route.email ?? "", clock: factory.clock)
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move { .close() }
}
