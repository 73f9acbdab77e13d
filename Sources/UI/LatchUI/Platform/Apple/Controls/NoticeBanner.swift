// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// A notice with a symbol, so that its meaning does not depend on its color.
public struct NoticeBanner: View {
    private let text: String
    private let style: Control.NoticeStyle
    private let id: ControlID
    @Environment(\.authTheme) private var theme

    /// Creates a notice with a text that is already in the user's language.
    public init(_ text: String, style: Control.NoticeStyle, id: ControlID = .notice) {
        self.text = text
        self.style = style
        self.id = id
    }

    /// The symbol of the style, and the text.
    public var body: some View {
        HStack(alignment: .firstTextBaseline, spacing: theme.spacing / 2) {
            symbol.image
                .foregroundStyle(theme.color(of: style))
                .accessibilityHidden(true)
            Text(text)
                .foregroundStyle(theme.text)
                .frame(maxWidth: .infinity, alignment: .leading)
        }
        .padding(theme.spacing)
        .background(theme.color(of: style).opacity(0.12), in: RoundedRectangle(cornerRadius: theme.cornerRadius))
        .accessibilityElement(children: .combine)
        .accessibilityIdentifier(id.description)
    }

    private var symbol: Symbol {
        switch style {
        case .information: .information
        case .success: .success
        case .warning: .warning
        case .failure: .failure
        }
    }
}
#endif
