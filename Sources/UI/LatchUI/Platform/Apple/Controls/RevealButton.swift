// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
import SwiftUI

/// The button in a password's field that shows or hides it.
struct RevealButton: View {
    let control: Control
    let sender: ControlSender
    let focus: FocusState<ControlID?>.Binding?
    @Environment(\.authTexts) private var texts

    var body: some View {
        Button {
            sender.send(.reveal(control.id, !control.isRevealed))
            // The other field replaces the field with the keyboard.
            focus?.wrappedValue = control.id
        } label: {
            (control.isRevealed ? Symbol.conceal : .reveal).image
                .frame(minWidth: 44, minHeight: 44)
        }
        .buttonStyle(.plain)
        .accessibilityLabel(texts(control.isRevealed ? Phrase("field.conceal") : Phrase("field.reveal")))
        .accessibilityIdentifier("\(control.id)/reveal")
    }
}
#endif
