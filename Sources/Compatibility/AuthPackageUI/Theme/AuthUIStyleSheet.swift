// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The style of the screens, described by the variables of a style sheet.
///
/// ```swift
/// let style = AuthUIStyleSheet(css: ":root { --authui-primary-color: #0057B8; --authui-spacing: 16px; }")
/// ```
///
/// Colors are `#RRGGBB` or `#RRGGBBAA`; lengths are numbers of points, with or without `px`. A missing or malformed
/// variable keeps its default; an unknown variable is ignored.
public struct AuthUIStyleSheet: Hashable, Sendable {
    /// A color in sRGB, with components from 0 to 1.
    public struct Color: Hashable, Sendable {
        /// The red component.
        public var red: Double
        /// The green component.
        public var green: Double
        /// The blue component.
        public var blue: Double
        /// The opacity.
        public var alpha: Double

        /// Creates a color from its components.
        public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
            self.red = red
            self.green = green
            self.blue = blue
            self.alpha = alpha
        }

        /// Creates a color from `#RRGGBB` or `#RRGGBBAA`; nil for any other text.
        public init?(hex: String) {
            let bytes = Array(hex.utf8)
            guard bytes.first == UInt8(ascii: "#"), bytes.count == 7 || bytes.count == 9 else { return nil }
            var parts: [Double] = []
            for start in stride(from: 1, to: bytes.count, by: 2) {
                guard let high = Self.digit(bytes[start]), let low = Self.digit(bytes[start + 1]) else { return nil }
                parts.append(Double(high * 16 + low) / 255)
            }
            self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: parts.count == 4 ? parts[3] : 1)
        }

        /// The more readable text color on this color: black or white.
        public var contrasting: Color {
            let black = Color(red: 0, green: 0, blue: 0)
            let white = Color(red: 1, green: 1, blue: 1)
            return contrast(to: black) > contrast(to: white) ? black : white
        }

        /// Returns the contrast to another color, from 1 to 21 (WCAG 2.2, contrast ratio), without regard to opacity.
        func contrast(to other: Color) -> Double {
            let (one, two) = (luminance, other.luminance)
            return (max(one, two) + 0.05) / (min(one, two) + 0.05)
        }

        /// The relative luminance (WCAG 2.2, for sRGB).
        private var luminance: Double {
            0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
        }

        private static func linear(_ part: Double) -> Double {
            part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }

        private static func digit(_ byte: UInt8) -> Int? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30
            case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte) - 0x37
            case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte) - 0x57
            default: nil
            }
        }
    }

    /// The color of buttons and links; nil for the system's.
    public var primaryColor: Color?
    /// The color behind the screens; nil for the system's.
    public var backgroundColor: Color?
    /// The color of texts; nil for the system's.
    public var textColor: Color?
    /// The color of accents, such as a badge; nil for the primary one.
    public var accentColor: Color?
    /// The color of buttons and links: the primary color, or else the accent color; nil for the system's.
    public var buttonColor: Color? { primaryColor ?? accentColor }
    /// The color of notices and badges: the accent color, or else the primary color; nil for the system's.
    public var badgeColor: Color? { accentColor ?? primaryColor }
    /// The radius of corners, in points.
    public var cornerRadius = 12.0
    /// The distance between controls, in points.
    public var spacing = 12.0
    /// The name of the font; nil for the system's.
    public var fontFamily: String?
    /// The size of titles at the standard text size, in points.
    public var titleSize = 28.0
    /// The size of texts at the standard text size, in points.
    public var bodySize = 17.0

    /// Creates the default style.
    public init() {}

    /// Creates the style from the variables of a style sheet.
    public init(css: String) {
        for (name, value) in CSSVariables.parse(css) {
            switch name {
            case "--authui-primary-color": primaryColor = Color(hex: value) ?? primaryColor
            case "--authui-background-color": backgroundColor = Color(hex: value) ?? backgroundColor
            case "--authui-text-color": textColor = Color(hex: value) ?? textColor
            case "--authui-accent-color": accentColor = Color(hex: value) ?? accentColor
            case "--authui-corner-radius": cornerRadius = CSSVariables.length(value) ?? cornerRadius
            case "--authui-spacing": spacing = CSSVariables.length(value) ?? spacing
            case "--authui-font-family": fontFamily = CSSVariables.family(value) ?? fontFamily
            case "--authui-title-size": titleSize = CSSVariables.length(value) ?? titleSize
            case "--authui-body-size": bodySize = CSSVariables.length(value) ?? bodySize
            default: break
            }
        }
    }
}
