// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// A text field with its name above and its problem below; a secret can be shown.
public struct AuthField: View {
    private let control: Control
    private let kind: FieldKind
    private let sender: ControlSender
    private let focus: FocusState<ControlID?>.Binding?
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates the view of a field, which takes part in a form's focus.
    public init(
        _ control: Control, kind: FieldKind, sender: ControlSender, focus: FocusState<ControlID?>.Binding? = nil
    ) {
        self.focus = focus
        self.control = control
        self.kind = kind
        self.sender = sender
    }

    /// The view.
    public var body: some View {
        VStack(alignment: .leading, spacing: theme.spacing / 3) {
            Text(label)
                .font(theme.captionFont)
                .foregroundStyle(theme.secondaryText)
                .accessibilityHidden(true)
            if let hint = control.hint {
                Text(texts(hint))
                    .font(theme.captionFont)
                    .foregroundStyle(theme.secondaryText)
                    .accessibilityHidden(true)
            }
            HStack {
                field
                    .focused(focus, on: control.id)
                    .textInput(kind, control.contentType)
                    .submitLabel(control.returnKey == .next ? .next : .go)
                    .onSubmit { sender.pressReturn(control.id) }
                    .foregroundStyle(theme.text)
                    .accessibilityLabel(texts(control.spokenLabel))
                    .accessibilityHint(control.hint.map(texts.callAsFunction) ?? "")
                    .accessibilityIdentifier(control.id.description)
                if kind.isMasked { eye }
            }
            .padding(theme.spacing)
            .overlay {
                RoundedRectangle(cornerRadius: theme.cornerRadius)
                    .strokeBorder(control.problem == nil ? theme.secondaryText.opacity(0.4) : theme.failure)
            }
            if control.problem != nil {
                Label(problem, systemImage: Symbol.problem.rawValue)
                    .font(theme.captionFont)
                    .foregroundStyle(theme.failure)
                    .accessibilityHidden(true)
            }
        }
    }

    @ViewBuilder private var field: some View {
        if kind.isMasked && !control.isRevealed {
            SecureField(label, text: text)
        } else {
            TextField(label, text: text, axis: kind == .paragraph ? .vertical : .horizontal)
                .privacySensitive(kind.isSecret)
        }
    }

    private var eye: some View {
        Button {
            sender.send(.reveal(control.id, !control.isRevealed))
            // The other field takes the place of the one with the keyboard.
            focus?.wrappedValue = control.id
        } label: {
            (control.isRevealed ? Symbol.conceal : .reveal).image
                .frame(minWidth: 44, minHeight: 44)
        }
        .buttonStyle(.plain)
        .accessibilityLabel(texts(control.isRevealed ? Phrase("field.conceal") : Phrase("field.reveal")))
        .accessibilityIdentifier("\(control.id)/reveal")
    }

    private var label: String { texts(control.label) }
    private var problem: String { control.problem.map(texts.callAsFunction) ?? "" }

    /// The text, which the model holds alone.
    private var text: Binding<String> {
        let (id, sender) = (control.id, sender)
        return Binding(get: { @MainActor in sender.text(id) }, set: { @MainActor in sender.send(.edit(id, $0)) })
    }
}

extension View {
    /// Takes part in a form's focus, if there is one.
    @ViewBuilder
    fileprivate func focused(_ focus: FocusState<ControlID?>.Binding?, on id: ControlID) -> some View {
        if let focus { focused(focus, equals: id) } else { self }
    }
}
#endif
