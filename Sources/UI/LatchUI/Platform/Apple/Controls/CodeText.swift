// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// A text to copy, such as a recovery code, which the app switcher does not show: ``ScreenForm`` redacts it there.
public struct CodeText: View {
    private let control: Control
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates the view of a text to copy.
    public init(_ control: Control) { self.control = control }

    /// The text in a monospaced font, which can be selected.
    public var body: some View {
        LabeledContent(texts(control.label)) {
            Text(control.text.value)
                .monospaced()
                .selectable()
                .privacySensitive()
                .speechSpellsOutCharacters()
        }
        .foregroundStyle(theme.text)
        .accessibilityElement(children: .combine)
        .accessibilityIdentifier(control.id.description)
    }
}
#endif
