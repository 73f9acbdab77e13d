// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchAccounts
import LatchTexts
public import SwiftUI

/// A button, which shows progress while its request is running.
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

    /// A button of the system, with the shape and tint of the theme.
    public var body: some View {
        styled
            .largeControl(role == .primary)
            .buttonBorderShape(.roundedRectangle(radius: theme.cornerRadius))
            .tint(role == .destructive ? theme.failure : theme.accent)
            .accessibilityIdentifier(control.id.description)
            .accessibilityAddTraits(control.isBusy ? .updatesFrequently : [])
    }

    @ViewBuilder private var styled: some View {
        switch role {
        case _ where control.provider == .apple: button.buttonStyle(AppleButtonStyle())
        case .primary: button.buttonStyle(.borderedProminent).defaultKey()
        case .cancel: button.buttonStyle(.borderless).cancelKey()
        case .secondary, .destructive: button.buttonStyle(.bordered)
        case .link: button.buttonStyle(.borderless)
        }
    }

    private var button: some View {
        Button(role: systemRole) {
            sender.send(.press(control.id))
        } label: {
            HStack {
                if control.isBusy { ProgressView().accessibilityHidden(true) }
                if control.provider == .apple { Symbol.apple.image.accessibilityHidden(true) }
                if let symbol = control.symbol { Image(systemName: symbol).accessibilityHidden(true) }
                label
            }
            .frame(maxWidth: role == .primary ? .infinity : nil)
        }
    }

    @ViewBuilder private var label: some View {
        if role == .primary && control.isEnabled {
            Text(texts(control.label)).foregroundStyle(theme.onAccent)
        } else {
            Text(texts(control.label))
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
