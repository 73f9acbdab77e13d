// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The screen that signs a user in, or creates an account.
///
/// ```swift no-check
/// OAuthLoginView()      // of OAuthService.shared
/// ```
public struct OAuthLoginView: View {
    @State private var model: AuthViewModel

    /// Creates a screen for a service, by default that of the program.
    public init(service: OAuthService? = nil) { _model = State(initialValue: AuthViewModel(service: service)) }

    /// Creates a screen of a model.
    public init(model: AuthViewModel) { _model = State(initialValue: model) }

    /// The view.
    public var body: some View {
        @Bindable var model = model
        ScrollView {
            VStack(spacing: 16) {
                Text(model.screenTitle)
                    .font(.title)
                AuthTextField("Username", text: $model.username)
                if !model.isLoginMode {
                    AuthTextField("Email", text: $model.email, error: model.emailError)
                }
                AuthTextField("Password", text: $model.password, isSecure: true)
                if !model.isLoginMode {
                    AuthTextField(
                        "Confirm Password", text: $model.confirmPassword, isSecure: true, error: model.confirmationError
                    )
                }
                ScopeSelectionView(selection: $model.scopeSelection)
                if model.isLoading {
                    ProgressView()
                } else {
                    Button(model.submitTitle) { submit() }
                        .buttonStyle(.borderedProminent)
                        .disabled(!model.isFormValid)
                }
                Button(model.toggleTitle) { model.toggleMode() }
                    .disabled(model.isLoading)
            }
            .padding()
        }
        .alert("Error", isPresented: $model.showError) {
            Button("OK") { model.showError = false }
        } message: {
            Text(model.errorMessage ?? "")
        }
    }

    private func submit() { Task { await model.submit() } }
}
#endif
