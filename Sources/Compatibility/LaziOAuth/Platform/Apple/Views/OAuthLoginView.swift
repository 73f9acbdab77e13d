// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
import LatchUI
public import SwiftUI

/// The screen that signs a user in, or creates an account.
///
/// ```swift no-check
/// OAuthLoginView()      // of OAuthService.shared
/// ```
public struct OAuthLoginView: View {
    @State private var model: AuthViewModel
    @FocusState private var focus: ControlID?
    @Environment(\.authTexts) private var texts

    /// Creates a screen for a service; the default is the program's service.
    public init(service: OAuthService? = nil) { _model = State(initialValue: AuthViewModel(service: service)) }

    /// Creates a screen of a model.
    public init(model: AuthViewModel) { _model = State(initialValue: model) }

    /// The form in a scroll view: fields, scopes and buttons.
    public var body: some View {
        @Bindable var model = model
        ScrollView {
            VStack(spacing: 16) {
                Text(texts(model.titlePhrase))
                    .font(.title)
                    .accessibilityAddTraits(.isHeader)
                ForEach(model.fields, id: \.self) { field($0) }
                ScopeSelectionView(selection: $model.scopeSelection)
                if model.isLoading {
                    ProgressView()
                } else {
                    Button(texts(model.submitPhrase)) { submit() }
                        .buttonStyle(.borderedProminent)
                        .disabled(!model.isFormValid)
                }
                Button(texts(model.togglePhrase)) { model.toggleMode() }
                    .disabled(model.isLoading)
            }
            .padding()
        }
        .onChange(of: model.isCodeRequired) { if model.isCodeRequired { focus = LoginField.code.id } }
        .alert(texts(Phrase("oauthLogin.error.title")), isPresented: $model.showError) {
            Button(texts(Phrase("oauthLogin.error.close"))) { model.showError = false }
        } message: {
            Text(model.errorPhrase.map(texts.callAsFunction) ?? "")
        }
    }

    private func field(_ field: LoginField) -> some View {
        let model = model
        return AuthTextField(
            texts(model.label(of: field)), id: field.id,
            text: Binding(get: { @MainActor in model[field] }, set: { @MainActor in model[field] = $0 }),
            kind: model.kind(of: field), error: model.problem(of: field).map(texts.callAsFunction), focus: $focus
        )
        .onSubmit { pressReturn(in: field) }
    }

    private func pressReturn(in field: LoginField) {
        switch model.returnKey(in: field) {
        case .focus(let next): focus = next.id
        case .submit: submit()
        case nil: break
        }
    }

    private func submit() { Task { await model.submit() } }
}
#endif
