// SPDX-License-Identifier: Apache-2.0

#if os(tvOS)
import SwiftUI

extension View {
    /// Changes nothing: the controls of tvOS have one size up to the SDK of Xcode 26.
    func largeControl(_ isLarge: Bool) -> some View { self }
}
#endif
