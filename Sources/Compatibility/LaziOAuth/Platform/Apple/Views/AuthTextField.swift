// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
import LatchUI
public import SwiftUI

/// A text field with an error below it; a password can be shown.
public struct AuthTextField: View {
    private let title: String
    @Binding private var text: String
    private let isSecure: Bool
    private let error: String?
    @State private var isShown = false

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - title: The label of the field.
    ///   - text: The text that is edited.
    ///   - isSecure: Whether the text is hidden until the user wants to see it.
    ///   - error: The error below the field; nil for none.
    public init(_ title: String, text: Binding<String>, isSecure: Bool = false, error: String? = nil) {
        self.title = title
        _text = text
        self.isSecure = isSecure
        self.error = error
    }

    /// The view.
    public var body: some View {
        AuthField(control, kind: isSecure ? .password : .text, sender: sender)
    }

    private var control: Control {
        var control = Control(ControlID(title), .field(isSecure ? .password : .text), .verbatim(title))
        control.text = FieldText(text, isSecret: isSecure)
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
