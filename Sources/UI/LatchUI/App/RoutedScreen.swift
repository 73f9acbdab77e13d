// SPDX-License-Identifier: Apache-2.0

extension AuthRoute {
    /// The list of the screens of an ``AuthModel``, by their names in stored paths.
    ///
    /// A screen is one name and one type here; everything else about it is in its own file, as a ``RoutedScreen``.
    enum Kind: String, CaseIterable, CodingKey {
        case signIn, registration, verification, passwordReset, accounts, profile, editProfile, changePassword
        case secondFactor, devices, passkeys, passkeyOffer, custom

        /// The type of the screen; nil for the screens of an app.
        var screen: (any RoutedScreen.Type)? {
            switch self {
            case .signIn: SignInScreen.self
            case .registration: RegistrationScreen.self
            case .verification: EmailVerificationScreen.self
            case .passwordReset: PasswordResetScreen.self
            case .accounts: AccountSwitcherScreen.self
            case .profile: ProfileScreen.self
            case .editProfile: EditProfileScreen.self
            case .changePassword: ChangePasswordScreen.self
            case .secondFactor: SecondFactorScreen.self
            case .devices: DevicesScreen.self
            case .passkeys: PasskeysScreen.self
            case .passkeyOffer: PasskeyScreen.self
            case .custom: nil
            }
        }
    }
}

/// A screen of an ``AuthModel``: its route, its model, and the moves that its outcomes lead to.
protocol RoutedScreen: Screen {
    /// The screen's place in the list.
    static var kind: AuthRoute.Kind { get }
    /// Whether the screen needs a signed-in user.
    static var needsUser: Bool { get }
    /// Whether the screen can be opened now.
    static func isAvailable(in flow: AuthFlow) -> Bool
    /// Returns the model of a screen that opens; nil if the app or the user does not have the screen now.
    @MainActor static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> ScreenModel<Self>?
    /// Returns the move that an outcome leads to, also an outcome of an app's screen in place of this one.
    static func move(after outcome: Outcome) -> AuthFlow.Move
    /// Returns the move that an outcome of this screen leads to.
    func move(after outcome: Outcome) -> AuthFlow.Move
    /// The route that shows the screen again as it is now.
    var route: AuthRoute { get }
}

extension RoutedScreen {
    static var needsUser: Bool { true }
    static func isAvailable(in flow: AuthFlow) -> Bool { flow.isSignedIn == true || !needsUser }
    func move(after outcome: Outcome) -> AuthFlow.Move { Self.move(after: outcome) }
    var route: AuthRoute { AuthRoute(Self.kind) }

    /// Returns the screen of a route with a new model; nil if the app or the user does not have it now.
    @MainActor static func open(
        _ route: AuthRoute, by factory: AuthScreenFactory, _ report: @escaping @MainActor (AuthFlow.Move) -> Void
    ) -> AuthScreen? {
        guard let model = makeModel(at: route, by: factory) else { return nil }
        model.onFinish = { [weak model] in report(model?.screen.move(after: $0) ?? move(after: $0)) }
        return AuthScreen(model) { model.screen.route }
    }
}

/// A screen that waits for an email, and is stored as it waits.
protocol MailScreen: RoutedScreen, Codable {
    /// The address that the screen waits with; empty if it is not known.
    var email: String { get }
}

extension MailScreen {
    static var needsUser: Bool { false }
    var route: AuthRoute { AuthRoute(self) }
}
