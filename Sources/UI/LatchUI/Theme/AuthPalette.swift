// SPDX-License-Identifier: Apache-2.0

/// The default colors of a theme in the light and dark appearances.
///
/// Text colors have a contrast of at least 4.5 to 1 with the system's backgrounds (WCAG 2.2, 1.4.3), which a test
/// computes. The system's green, orange and red have less.
package enum AuthPalette: String, CaseIterable, Sendable {
    /// The color of the primary button, of links and of switches.
    case accent
    /// The color of the text on the primary button.
    case onAccent
    /// The color of explanations.
    case secondaryText
    /// The color of successes.
    case success
    /// The color of states that need attention.
    case warning
    /// The color of failures.
    case failure

    /// The color in the light appearance.
    package var light: RGBColor {
        switch self {
        case .accent: RGBColor(0x0058C8)
        case .onAccent: RGBColor(0xFFFFFF)
        case .secondaryText: RGBColor(0x5C5C66)
        case .success: RGBColor(0x1B7A33)
        case .warning: RGBColor(0x9A5200)
        case .failure: RGBColor(0xC0001A)
        }
    }

    /// The color in the dark appearance.
    package var dark: RGBColor {
        switch self {
        case .accent: RGBColor(0x6CB0FF)
        case .onAccent: RGBColor(0x000000)
        case .secondaryText: RGBColor(0xB0B0B8)
        case .success: RGBColor(0x5BD778)
        case .warning: RGBColor(0xFFB454)
        case .failure: RGBColor(0xFF8A80)
        }
    }
}

/// A color in sRGB.
package struct RGBColor: Hashable, Sendable {
    /// The parts, from 0 to 1.
    package let red: Double, green: Double, blue: Double

    /// Creates a color of a number such as `0xFF8000`.
    package init(_ number: UInt32) {
        func part(_ shift: UInt32) -> Double { Double(number >> shift & 0xFF) / 255 }
        (red, green, blue) = (part(16), part(8), part(0))
    }
}
