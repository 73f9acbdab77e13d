// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import SwiftUI

/// The system symbols that the screens use; each has a text next to it, or an accessibility label.
enum Symbol: String {
    case information = "info.circle.fill"
    case success = "checkmark.circle.fill"
    case warning = "exclamationmark.triangle.fill"
    case failure = "xmark.octagon.fill"
    case problem = "exclamationmark.circle"
    case reveal = "eye"
    case conceal = "eye.slash"
    case selected = "checkmark"
    case apple = "apple.logo"

    /// The image of the symbol.
    var image: Image { Image(systemName: rawValue) }
}
#endif
