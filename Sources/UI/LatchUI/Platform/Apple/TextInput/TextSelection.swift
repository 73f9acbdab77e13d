// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(macOS) || os(visionOS)
import SwiftUI

extension View {
    /// Lets users select and copy a text.
    func selectable() -> some View { textSelection(.enabled) }
}
#endif
