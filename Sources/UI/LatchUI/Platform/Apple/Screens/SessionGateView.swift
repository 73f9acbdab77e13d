// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import LatchAuth
import LatchTexts
public import SwiftUI

/// The app's content while a user is signed in, and its sign-in otherwise.
///
/// ```swift no-check
/// SessionGateView(gate) { NotesView() } signedOut: { SignInView(signIn) }
/// ```
///
/// While the store is read, neither is shown; a store that cannot be read has a notice and a button, and is not a sign-out.
public struct SessionGateView<Value: SessionCredential, Content: View, SignedOut: View>: View {
    private let model: SessionGateModel<Value>
    private let content: Content
    private let signedOut: SignedOut

    /// Creates the gate of a model.
    public init(
        _ model: SessionGateModel<Value>, @ViewBuilder content: () -> Content, @ViewBuilder signedOut: () -> SignedOut
    ) {
        self.model = model
        self.content = content()
        self.signedOut = signedOut()
    }

    /// The view.
    public var body: some View {
        VStack {
            ForEach(model.gate.controls) { control in
                if control.id == .retry {
                    RetryButton(control) { await model.retry() }
                } else {
                    ControlView(control, sender: .none)
                }
            }
            switch model.gate.phase {
            case .signedIn: content
            case .signedOut: signedOut
            case .restoring, .unavailable: EmptyView()
            }
        }
        .task { await model.retry() }
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
