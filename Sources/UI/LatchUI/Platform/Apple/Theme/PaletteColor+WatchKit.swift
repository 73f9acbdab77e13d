// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
import SwiftUI

extension Color {
    /// Creates a color of the palette; a watch is always dark.
    init(_ palette: AuthPalette) {
        self.init(.sRGB, red: palette.dark.red, green: palette.dark.green, blue: palette.dark.blue)
    }
}
#endif
