// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import AppKit
import SwiftUI

extension Color {
    /// Creates a color of the palette, which follows the appearance.
    init(_ palette: AuthPalette) {
        let color = NSColor(name: nil) { appearance in
            let isDark = appearance.bestMatch(from: [.aqua, .darkAqua]) == .darkAqua
            return NSColor(isDark ? palette.dark : palette.light)
        }
        self.init(nsColor: color)
    }
}

extension NSColor {
    fileprivate convenience init(_ color: RGBColor) {
        self.init(srgbRed: color.red, green: color.green, blue: color.blue, alpha: 1)
    }
}
#endif
