// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI) && !os(tvOS)
import SwiftUI

extension View {
    /// Makes the controls of this view large, or leaves them regular.
    func largeControl(_ isLarge: Bool) -> some View { controlSize(isLarge ? .large : .regular) }
}
#endif
