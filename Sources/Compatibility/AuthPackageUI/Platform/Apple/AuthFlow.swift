// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
import LatchUI
public import SwiftUI

/// The screens of the flow: sign-in, registration, password reset, and the content for a signed-in user.
public struct AuthFlow: View {
    private let model: AuthViewModel
    private let config: AuthUIConfig
    @Environment(\.openURL) private var openURL
    @SceneStorage("pendingReset") private var pendingReset = Data()

    /// Creates the flow of a model.
    public init(_ model: AuthViewModel, config: AuthUIConfig) {
        self.model = model
        self.config = config
    }

    /// The last notice, and the screen of the current route.
    public var body: some View {
        VStack {
            NoticeView(model)
                .authTheme(AuthTheme(config.style, accent: config.style.badgeColor))
            switch model.route {
            case .restoring: RestoringView()
            case .unavailable: StoreUnavailableView(model)
            case .login: LoginView(model)
            case .registration: RegistrationView(model)
            case .passwordReset: PasswordResetView(model)
            case .postLogin: PostLoginView(model)
            }
        }
        .authTheme(AuthTheme(config.style, accent: config.style.buttonColor))
        .onOpenURL { model.handle(url: $0) }
        .onAppear { pendingReset = model.exchangePendingReset(pendingReset) }
        .onChange(of: model.pendingReset) { pendingReset = model.pendingReset }
        .onChange(of: model.postLoginURL, initial: true) {
            if let url = model.takePostLoginURL() { openURL(url) }
        }
    }
}

/// The sign-in, which finds the window for the pages of other providers.
public struct LoginView: View {
    private let model: AuthViewModel

    /// Creates the sign-in of a model.
    public init(_ model: AuthViewModel) { self.model = model }

    /// LatchUI's sign-in, which tells the model its window.
    public var body: some View {
        LatchUI.SignInView(model.signIn)
            .onWindow { model.adopt(window: $0) }
    }
}

/// The form that creates an account.
public struct RegistrationView: View {
    private let model: AuthViewModel

    /// Creates the registration of a model.
    public init(_ model: AuthViewModel) { self.model = model }

    /// LatchUI's registration.
    public var body: some View { LatchUI.RegistrationView(model.registration) }
}

/// The password reset: the request of an email, and the new password after its link has opened the app.
public struct PasswordResetView: View {
    private let model: AuthViewModel

    /// Creates the password reset of a model.
    public init(_ model: AuthViewModel) { self.model = model }

    /// LatchUI's password reset.
    public var body: some View { ScreenForm(model.passwordReset) }
}
#endif
