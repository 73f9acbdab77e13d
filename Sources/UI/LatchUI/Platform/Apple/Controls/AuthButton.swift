// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// A button, which shows that its request is under way.
public struct AuthButton: View {
    private let control: Control
    private let role: Control.ButtonRole
    private let sender: ControlSender
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates the view of a button.
    public init(_ control: Control, role: Control.ButtonRole, sender: ControlSender) {
        self.control = control
        self.role = role
        self.sender = sender
    }

    /// The view.
    public var body: some View {
        styled
            .controlSize(role == .primary ? .large : .regular)
            .buttonBorderShape(.roundedRectangle(radius: theme.cornerRadius))
            .tint(role == .destructive ? theme.failure : theme.accent)
            .accessibilityIdentifier(control.id.description)
            .accessibilityAddTraits(control.isBusy ? .updatesFrequently : [])
    }

    @ViewBuilder private var styled: some View {
        switch role {
        case .primary: button.buttonStyle(.borderedProminent)
        case .secondary, .destructive: button.buttonStyle(.bordered)
        case .link, .cancel: button.buttonStyle(.borderless)
        }
    }

    private var button: some View {
        Button(role: systemRole) {
            sender.send(.press(control.id))
        } label: {
            HStack {
                if control.isBusy { ProgressView().accessibilityHidden(true) }
                Text(texts(control.label))
            }
            .frame(maxWidth: role == .primary ? .infinity : nil)
        }
    }

    private var systemRole: SwiftUI.ButtonRole? {
        switch role {
        case .destructive: .destructive
        case .cancel: .cancel
        case .primary, .secondary, .link: nil
        }
    }
}
#endif
