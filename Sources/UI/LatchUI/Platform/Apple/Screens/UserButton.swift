// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI) && !os(watchOS)
import LatchTexts
public import SwiftUI

/// A button with the user's initials, which opens the menu of the account.
public struct UserButton: View {
    private let menu: UserMenuModel?
    private let auth: AuthModel?
    /// The number of the failure that the user has read.
    @State private var readFailure = 0
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts
    @Environment(\.authScene) private var scene

    /// Creates the button of a model.
    public init(_ model: UserMenuModel) { (menu, auth) = (model, nil) }

    /// Creates the button of an app's user, which is shown while a user is signed in; its screens open in its window.
    public init(_ auth: AuthModel) { (menu, self.auth) = (nil, auth) }

    private var model: UserMenuModel? { menu ?? auth.flatMap { (scene ?? $0.scene).menu } }

    /// A menu of the system; empty without a model.
    public var body: some View {
        if let model {
            Menu {
                ForEach(model.controls) { control in
                    switch control.kind {
                    case .button(let role):
                        Button(role: role == .destructive ? .destructive : nil) {
                            model.press(control.id)
                        } label: {
                            if let symbol = control.symbol {
                                Label(texts(control.label), systemImage: symbol)
                            } else {
                                Text(texts(control.label))
                            }
                        }
                        .disabled(!control.isEnabled)
                    default: Text(texts(control.label))
                    }
                }
            } label: {
                Text(model.screen.initials)
                    .font(theme.bodyFont.bold())
                    .foregroundStyle(theme.onAccent)
                    .padding(theme.spacing / 2)
                    .background(theme.accent, in: Circle())
            }
            .accessibilityLabel(texts(model.screen.title))
            .accessibilityIdentifier(ControlID.profile.description)
            .announcing(model)
            .alert(failure(of: model), isPresented: isFailureShown(of: model)) {}
        }
    }

    /// The failure of a sign-out: the menu that would show it has closed.
    private func failure(of model: UserMenuModel) -> String { model.failure.map { texts($0.phrase) } ?? "" }

    private func isFailureShown(of model: UserMenuModel) -> Binding<Bool> {
        let read = $readFailure
        return Binding(
            get: { @MainActor in model.failure != nil && model.announcements != read.wrappedValue },
            set: { @MainActor in if !$0 { read.wrappedValue = model.announcements } })
    }
}
#endif
