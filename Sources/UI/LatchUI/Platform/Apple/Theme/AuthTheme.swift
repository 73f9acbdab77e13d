// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The colors, fonts and measures of all screens, as one value.
///
/// ```swift no-check
/// SignInView(model)
///     .authTheme(AuthTheme(accent: .indigo, cornerRadius: 8))
/// ```
///
/// The fonts are those of Dynamic Type, or scale with it, so that texts have the size that the user has chosen.
public struct AuthTheme: Sendable {
    /// The color of the primary button, of links and of switches.
    public var accent: Color
    /// The color of the text on the primary button.
    public var onAccent: Color
    /// The color of labels, values and headings.
    public var text: Color
    /// The color of explanations and second texts.
    public var secondaryText: Color
    /// The color behind a screen; clear for the system's.
    public var background: Color
    /// The color of notices about a completed step.
    public var success: Color
    /// The color of states that need attention.
    public var warning: Color
    /// The color of failures and of destructive buttons.
    public var failure: Color
    /// The font of a screen's heading.
    public var titleFont: Font
    /// The font of texts and controls.
    public var bodyFont: Font
    /// The font of explanations and problems.
    public var captionFont: Font
    /// The distance between controls, in points.
    public var spacing: CGFloat
    /// The radius of the corners of fields, notices and buttons, in points.
    public var cornerRadius: CGFloat
    /// The greatest width of a form, in points.
    public var maximumWidth: CGFloat

    /// Creates a theme; defaults are the system's values, except for colors that would be hard to read.
    ///
    /// The text on an app's own accent is white, unless the app passes another color.
    public init(
        accent: Color? = nil, onAccent: Color? = nil, text: Color = .primary, secondaryText: Color? = nil,
        background: Color = .clear, success: Color? = nil, warning: Color? = nil, failure: Color? = nil,
        titleFont: Font = .title.bold(), bodyFont: Font = .body, captionFont: Font = .footnote, spacing: CGFloat = 12,
        cornerRadius: CGFloat = 12, maximumWidth: CGFloat = 480
    ) {
        self.accent = accent ?? Color(.accent)
        self.onAccent = onAccent ?? (accent == nil ? Color(.onAccent) : .white)
        self.text = text
        self.secondaryText = secondaryText ?? Color(.secondaryText)
        self.background = background
        self.success = success ?? Color(.success)
        self.warning = warning ?? Color(.warning)
        self.failure = failure ?? Color(.failure)
        self.titleFont = titleFont
        self.bodyFont = bodyFont
        self.captionFont = captionFont
        self.spacing = spacing
        self.cornerRadius = cornerRadius
        self.maximumWidth = maximumWidth
    }

    func color(of style: Control.NoticeStyle) -> Color {
        switch style {
        case .information: accent
        case .success: success
        case .warning: warning
        case .failure: failure
        }
    }
}
#endif
