// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// An entry of a list, or a value with its name, and its buttons.
public struct ControlRow: View {
    private let control: Control
    private let sender: ControlSender
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates the view of a row.
    public init(_ control: Control, sender: ControlSender) {
        self.control = control
        self.sender = sender
    }

    /// The texts side by side, or below each other where the row is too narrow.
    public var body: some View {
        VStack(alignment: .leading, spacing: theme.spacing / 3) {
            ViewThatFits(in: .horizontal) {
                HStack { texts(in: .horizontal) }
                VStack(alignment: .leading) { texts(in: .vertical) }
            }
            .accessibilityElement(children: .combine)
            .accessibilityAddTraits(control.isOn ? .isSelected : [])
            .accessibilityIdentifier(control.id.description)
            ForEach(control.actions) { ControlView($0, sender: sender) }
        }
        .padding(.vertical, theme.spacing / 2)
        .frame(maxWidth: .infinity, alignment: .leading)
    }

    @ViewBuilder private func texts(in axis: Axis) -> some View {
        if control.isOn {
            Symbol.selected.image
                .foregroundStyle(theme.accent)
                .accessibilityHidden(true)
        }
        Text(texts(control.label))
            .foregroundStyle(theme.text)
        if axis == .horizontal { Spacer() }
        if let detail = control.detail {
            Text(texts(detail))
                .foregroundStyle(theme.secondaryText)
        }
    }
}
#endif
