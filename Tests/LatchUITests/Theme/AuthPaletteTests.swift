// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchUI
import Testing

extension RGBColor {
    /// The contrast with another colour, from 1 to 21 (WCAG 2.2, contrast ratio).
    fileprivate func contrast(with other: RGBColor) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// The relative luminance, from 0 to 1.
    private var luminance: Double {
        func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}

@Suite struct AuthPaletteTests {
    /// White and black, and the backgrounds of grouped lists and sheets.
    private static let light = [RGBColor(0xFFFFFF), RGBColor(0xF2F2F7)]
    private static let dark = [RGBColor(0x000000), RGBColor(0x1C1C1E), RGBColor(0x2C2C2E)]

    @Test(arguments: AuthPalette.allCases.filter { $0 != .onAccent })
    func `The default colors are readable on every background of the system`(color: AuthPalette) {
        for background in Self.light { #expect(color.light.contrast(with: background) >= 4.5, "\(background)") }
        for background in Self.dark { #expect(color.dark.contrast(with: background) >= 4.5, "\(background)") }
    }

    @Test func `The default colors are readable on the primary button`() {
        #expect(AuthPalette.onAccent.light.contrast(with: AuthPalette.accent.light) >= 4.5)
        #expect(AuthPalette.onAccent.dark.contrast(with: AuthPalette.accent.dark) >= 4.5)
    }

    @Test func `The default colors have the contrast that WCAG computes`() {
        #expect(abs(RGBColor(0x777777).contrast(with: RGBColor(0xFFFFFF)) - 4.48) < 0.01)
        expectEqual(RGBColor(0x000000).contrast(with: RGBColor(0xFFFFFF)), 21)
    }
}
