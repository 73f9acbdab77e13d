// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchAccounts
public import SwiftUI

/// The visible screen of an app's model.
///
/// An app replaces single screens by views of its own:
///
/// ```swift no-check
/// AuthView(auth, replacing: { if case .signIn = $0 { true } else { false } }) { screen in
///     if case .signIn(let model) = screen { WelcomeView(model) }
/// }
/// ```
public struct AuthView<Replacement: View>: View {
    private let auth: AuthModel
    private let replaces: @MainActor (AuthScreen) -> Bool
    private let replacement: (AuthScreen) -> Replacement

    /// Creates the view of a model with screens of the app's own.
    ///
    /// - Parameters:
    ///   - auth: The model.
    ///   - replaces: Whether the app has a view of its own for a screen.
    ///   - replacement: Returns that view.
    public init(
        _ auth: AuthModel, replacing replaces: @escaping @MainActor (AuthScreen) -> Bool,
        @ViewBuilder with replacement: @escaping (AuthScreen) -> Replacement
    ) {
        self.auth = auth
        self.replaces = replaces
        self.replacement = replacement
    }

    /// The view.
    public var body: some View {
        if let screen = auth.screen {
            if replaces(screen) { replacement(screen) } else { form(of: screen) }
        }
    }

    @ViewBuilder private func form(of screen: AuthScreen) -> some View {
        switch screen {
        case .signIn(let model): SignInView(model)
        case .registration(let model): RegistrationView(model)
        // The gate opens their links: the screens' own views would open them once more.
        case .verification(let model): ScreenForm(model)
        case .passwordReset(let model): ScreenForm(model)
        case .accounts(let model): AccountSwitcherView(model)
        case .profile(let model): ProfileView(model)
        case .editProfile(let model): EditProfileView(model)
        case .changePassword(let model): ChangePasswordView(model)
        case .secondFactor(let model): SecondFactorView(model)
        case .devices(let model): DevicesView(model)
        case .passkeys(let model): PasskeysView(model)
        case .passkeyOffer(let model): PasskeyView(model)
        case .stepUp(let model): StepUpView(model)
        }
    }
}

extension AuthView where Replacement == EmptyView {
    /// Creates the view of a model.
    public init(_ auth: AuthModel) {
        self.init(auth, replacing: { _ in false }, with: { _ in EmptyView() })
    }
}

/// The screens of a model above the content of a signed-in user, the links that open the app, and the banner of the connection.
struct AuthSheet: ViewModifier {
    private let auth: AuthModel?
    /// The screens before the system ended the app.
    @SceneStorage("authPath") private var storedPath = Data()

    init(_ auth: AuthModel?) { self.auth = auth }

    func body(content: Content) -> some View {
        if let auth {
            content
                .offlineBanner(auth.connection)
                .sheet(isPresented: isPresented(auth)) { AuthView(auth) }
                .onWindow { (auth.passkeys as? PlatformPasskeys)?.adopt(window: $0) }
                .onOpenURL { auth.open($0) }
                .onChange(of: auth.path) { storedPath = auth.exchangePath(storedPath) }
                .onChange(of: auth.gate.phase) { storedPath = auth.exchangePath(storedPath) }
        } else {
            content
        }
    }

    private func isPresented(_ auth: AuthModel) -> Binding<Bool> {
        Binding(get: { @MainActor in auth.isPresented }, set: { @MainActor in auth.isPresented = $0 })
    }
}
#endif
