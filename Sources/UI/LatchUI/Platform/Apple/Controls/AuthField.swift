// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// A text field with its name above and its problem below; a password can be shown.
public struct AuthField: View {
    private let control: Control
    private let kind: FieldKind
    private let sender: ControlSender
    private let focus: FocusState<ControlID?>.Binding?
    @State private var draft = FieldDraft()
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

    /// The label, the hint and the text field, one below the other.
    public var body: some View {
        VStack(alignment: .leading, spacing: theme.spacing / 3) {
            caption(label)
            if let hint = control.hint { caption(texts(hint)) }
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
                if kind.isMasked { RevealButton(control: control, sender: sender, focus: focus) }
            }
            .padding(theme.spacing)
            .overlay {
                RoundedRectangle(cornerRadius: theme.cornerRadius)
                    .strokeBorder(control.problem == nil ? theme.secondaryText.opacity(0.4) : theme.failure)
            }
            if let problem = control.problem {
                Label(texts(problem), systemImage: Symbol.problem.rawValue)
                    .font(theme.captionFont)
                    .foregroundStyle(theme.failure)
                    .accessibilityHidden(true)
            }
        }
        .onChange(of: control, initial: true) { if kind.isMasked { draft.follow(control) } }
    }

    /// A text that the label of the field repeats for assistive technologies.
    private func caption(_ text: String) -> some View {
        Text(text)
            .font(theme.captionFont)
            .foregroundStyle(theme.secondaryText)
            .accessibilityHidden(true)
    }

    @ViewBuilder private var field: some View {
        if kind.isMasked && !control.isRevealed {
            SecureField(label, text: text)
        } else {
            TextField(label, text: text, axis: kind == .paragraph ? .vertical : .horizontal)
                .privacySensitive(kind.isSecret)
        }
    }

    private var label: String { texts(control.label) }

    /// The text of the model; for a password, the draft that the system offers to save.
    private var text: Binding<String> {
        let (id, sender, draft) = (control.id, sender, $draft)
        guard kind.isMasked else {
            return Binding(get: { @MainActor in sender.text(id) }, set: { @MainActor in sender.send(.edit(id, $0)) })
        }
        return Binding(
            get: { @MainActor in draft.wrappedValue.text },
            set: { @MainActor text in
                draft.wrappedValue.type(text)
                sender.send(.edit(id, text))
            })
    }
}

extension View {
    /// Takes part in a form's focus, if there is one.
    @ViewBuilder
    func focused(_ focus: FocusState<ControlID?>.Binding?, on id: ControlID) -> some View {
        if let focus { focused(focus, equals: id) } else { self }
    }
}
#endif
