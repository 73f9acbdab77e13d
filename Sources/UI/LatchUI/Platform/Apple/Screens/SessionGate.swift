// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import LatchAuth
import LatchTexts
public import SwiftUI

/// The app's content while a user is signed in, and its sign-in otherwise.
///
/// ```swift no-check
/// SessionGate(auth) { NotesView() }                                        // an AuthModel's screens
/// SessionGate(auth) { NotesView() } signedOut: { WelcomeView(auth) }       // the app's own first screen
/// SessionGate(gate) { NotesView() } signedOut: { SignInView(signIn) }      // a session with any credential
/// ```
///
/// While the store is read, neither is shown; a store that cannot be read has a notice and a button, and is not a
/// sign-out.
public struct SessionGate<Content: View, SignedOut: View>: View {
    private let state: @MainActor () -> SessionGateState
    private let retry: @MainActor @Sendable () async -> Void
    private let auth: AuthModel?
    private let content: Content
    private let signedOut: SignedOut
    @Environment(\.scenePhase) private var scenePhase

    /// Creates a gate for a session with any credential, without screens of an app's model.
    public init<Value: SessionCredential>(
        _ model: SessionGateModel<Value>, @ViewBuilder content: () -> Content, @ViewBuilder signedOut: () -> SignedOut
    ) {
        state = { model.gate }
        retry = { await model.retry() }
        auth = nil
        self.content = content()
        self.signedOut = signedOut()
    }

    /// Creates the gate of an app, which also shows the model's screens above the content, and opens email links.
    public init(_ auth: AuthModel, @ViewBuilder content: () -> Content, @ViewBuilder signedOut: () -> SignedOut) {
        state = { auth.gate }
        retry = { await auth.restore() }
        self.auth = auth
        self.content = content()
        self.signedOut = signedOut()
    }

    /// The notices and the retry button, then the content for the state.
    public var body: some View {
        VStack {
            ForEach(state().controls) { control in
                if control.id == .retry {
                    RetryButton(control) { await retry() }
                } else {
                    ControlView(control, sender: .none)
                }
            }
            switch state().phase {
            case .signedIn: content
            case .signedOut: signedOut
            case .restoring, .unavailable: EmptyView()
            }
        }
        .modifier(AuthSheet(auth))
        .task { await retry() }
        .onChange(of: scenePhase) {
            // A locked keychain may be open now; for an ``AuthModel``, its sheet does this.
            if auth == nil, scenePhase == .active, state().phase == .unavailable { Task { await retry() } }
        }
    }
}

extension SessionGate where SignedOut == AuthView {
    /// Creates the gate of an app with the model's own screens.
    public init(_ auth: AuthModel, @ViewBuilder content: () -> Content) {
        self.init(auth, content: content) { AuthView(auth) }
    }
}

/// A button whose work is done by a closure.
struct RetryButton: View {
    private let control: Control
    private let action: @MainActor @Sendable () async -> Void
    @Environment(\.authTexts) private var texts

    init(_ control: Control, action: @escaping @MainActor @Sendable () async -> Void) {
        self.control = control
        self.action = action
    }

    var body: some View {
        Button(texts(control.label)) { Task { await action() } }
            .buttonStyle(.borderedProminent)
            .accessibilityIdentifier(control.id.description)
    }
}
#endif
