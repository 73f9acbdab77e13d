// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import LatchUI
public import SwiftUI

/// A text field with an error below it; a password can be shown.
public struct AuthTextField: View {
    private let id: ControlID
    private let title: String
    @Binding private var text: String
    private let kind: FieldKind
    private let error: String?
    private let focus: FocusState<ControlID?>.Binding?
    @State private var isShown = false

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - title: The label of the field.
    ///   - text: The text that is edited.
    ///   - isSecure: Whether the text is hidden until the user reveals it.
    ///   - error: The error below the field; nil for none.
    public init(_ title: String, text: Binding<String>, isSecure: Bool = false, error: String? = nil) {
        self.init(title, text: text, kind: isSecure ? .password : .text, error: error)
    }

    /// Creates a field whose kind determines the keyboard and what the system fills in.
    ///
    /// - Parameters:
    ///   - title: The label of the field.
    ///   - text: The text that is edited.
    ///   - kind: The kind of text; `.newPassword` for a password that the user chooses.
    ///   - error: The error below the field; nil for none.
    public init(_ title: String, text: Binding<String>, kind: FieldKind, error: String? = nil) {
        self.init(title, id: ControlID(title), text: text, kind: kind, error: error, focus: nil)
    }

    /// Creates a field that takes part in a form's focus.
    init(
        _ title: String, id: ControlID, text: Binding<String>, kind: FieldKind, error: String?,
        focus: FocusState<ControlID?>.Binding?
    ) {
        self.id = id
        self.title = title
        _text = text
        self.kind = kind
        self.error = error
        self.focus = focus
    }

    /// LatchUI's field for the form's entry.
    public var body: some View {
        AuthField(control, kind: kind, sender: sender, focus: focus)
    }

    private var control: Control {
        var control = Control(id, .field(kind), .verbatim(title))
        control.text = FieldText(text, isSecret: kind.isSecret)
        control.problem = error.map(Phrase.verbatim)
        control.isRevealed = isShown
        return control
    }

    private var sender: ControlSender {
        let (text, isShown) = ($text, $isShown)
        return ControlSender(
            text: { _ in text.wrappedValue },
            send: { input in
                if case .edit(_, let new) = input { text.wrappedValue = new }
                if case .reveal(_, let new) = input { isShown.wrappedValue = new }
            })
    }
}
#endif
