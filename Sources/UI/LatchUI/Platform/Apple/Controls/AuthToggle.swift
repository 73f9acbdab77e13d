// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// A switch with its name, and with its explanation and its problem below.
public struct AuthToggle: View {
    private let control: Control
    private let sender: ControlSender
    private let focus: FocusState<ControlID?>.Binding?
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates the view of a switch, which takes part in a form's focus.
    public init(_ control: Control, sender: ControlSender, focus: FocusState<ControlID?>.Binding? = nil) {
        self.focus = focus
        self.control = control
        self.sender = sender
    }

    /// A toggle of the system, with label and detail.
    public var body: some View {
        Toggle(isOn: isOn) {
            VStack(alignment: .leading) {
                Text(texts(control.label))
                    .foregroundStyle(theme.text)
                if let detail = control.detail {
                    Text(texts(detail))
                        .font(theme.captionFont)
                        .foregroundStyle(theme.secondaryText)
                }
                if let problem = control.problem {
                    Label(texts(problem), systemImage: Symbol.problem.rawValue)
                        .font(theme.captionFont)
                        .foregroundStyle(theme.failure)
                        .accessibilityHidden(true)
                }
            }
        }
        .focused(focus, on: control.id)
        .accessibilityLabel(texts(control.spokenLabel))
        .tint(theme.accent)
        .accessibilityIdentifier(control.id.description)
    }

    private var isOn: Binding<Bool> {
        let (control, sender) = (control, sender)
        return Binding(get: { control.isOn }, set: { @MainActor in sender.send(.set(control.id, $0)) })
    }
}
#endif
