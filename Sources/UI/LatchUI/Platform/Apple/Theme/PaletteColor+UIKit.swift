// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(tvOS) || os(visionOS)
import SwiftUI
import UIKit

extension Color {
    /// Creates a color of the palette, which follows the appearance.
    init(_ palette: AuthPalette) {
        self.init(uiColor: UIColor { UIColor($0.userInterfaceStyle == .dark ? palette.dark : palette.light) })
    }
}

extension UIColor {
    fileprivate convenience init(_ color: RGBColor) {
        self.init(red: color.red, green: color.green, blue: color.blue, alpha: 1)
    }
}
#endif
