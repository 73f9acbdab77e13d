// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import LatchUI
public import SwiftUI

extension AuthTheme {
    /// Creates the theme of a style sheet; its fonts scale with Dynamic Type.
    public init(_ style: AuthUIStyleSheet) { self.init(style, accent: style.buttonColor) }

    /// Creates the theme of a style sheet, with one of its colors as the accent color.
    init(_ style: AuthUIStyleSheet, accent color: AuthUIStyleSheet.Color?) {
        self.init(cornerRadius: style.cornerRadius)
        spacing = style.spacing
        if let color {
            accent = Color(color)
            onAccent = Color(color.contrasting)
        }
        if let color = style.textColor { text = Color(color) }
        if let color = style.backgroundColor { background = Color(color) }
        titleFont = style.font(size: style.titleSize, relativeTo: .title).bold()
        bodyFont = style.font(size: style.bodySize, relativeTo: .body)
    }
}

extension Color {
    /// Creates a color in sRGB, with its opacity.
    public init(_ color: AuthUIStyleSheet.Color) {
        self.init(.sRGB, red: color.red, green: color.green, blue: color.blue, opacity: color.alpha)
    }
}

extension AuthUIStyleSheet {
    /// Returns a font that scales with a style of Dynamic Type.
    ///
    /// The system font cannot scale from a free size.
    fileprivate func font(size: Double, relativeTo style: Font.TextStyle) -> Font {
        guard let fontFamily else { return .system(style) }
        return .custom(fontFamily, size: size, relativeTo: style)
    }
}
#endif
