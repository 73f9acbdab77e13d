// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A color of a page in sRGB.
package struct PageColor: Sendable, Hashable {
    /// Red, green and blue.
    private let parts: [UInt8]

    package static let white = PageColor([255, 255, 255])
    package static let black = PageColor([0, 0, 0])

    private init(_ parts: [UInt8]) { self.parts = parts }

    /// Creates a color from six hexadecimal digits after `#` (CSS Color Level 4 §5.2); nil for any other text.
    package init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "#"), let parts = Hex.decode(String(text.dropFirst()), count: 3) else {
            return nil
        }
        self.init(parts)
    }

    /// The color as CSS writes it, such as `#2456c9`.
    package var text: String { "#" + Hex.encode(parts) }

    /// The relative luminance, from 0 for black to 1 for white (WCAG 2.2, "relative luminance").
    package var luminance: Double {
        let linear = parts.map { Self.linear(Double($0) / 255) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    /// Returns the contrast ratio to another color, from 1 to 21 (WCAG 2.2, "contrast ratio").
    package func contrast(to other: PageColor) -> Double {
        let (one, two) = (luminance + 0.05, other.luminance + 0.05)
        return max(one, two) / min(one, two)
    }

    /// Returns the first mixture with a color that meets a condition: the color itself, if it does.
    package func mixed(with other: PageColor, until isMet: (PageColor) -> Bool) -> PageColor {
        for share in 0...100 {
            let mixture = PageColor(
                zip(parts, other.parts).map { UInt8((Int($0) * (100 - share) + Int($1) * share) / 100) })
            if isMet(mixture) { return mixture }
        }
        return other
    }

    /// Returns the intensity of light of an sRGB component from 0 to 1 (IEC 61966-2-1).
    private static func linear(_ part: Double) -> Double {
        guard part > 0.04045 else { return part / 12.92 }
        let base = (part + 0.055) / 1.055
        let square = base * base
        // The power of 2.4 is the square, times its fifth root, which Newton's method finds from 1 downwards.
        var root = 1.0
        for _ in 0..<20 { root -= (root - square / (root * root * root * root)) / 5 }
        return square * root
    }
}
