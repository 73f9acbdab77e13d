// SPDX-License-Identifier: Apache-2.0

#if os(tvOS) || os(watchOS)
import SwiftUI

extension View {
    /// Changes nothing: these systems have no text selection.
    func selectable() -> some View { self }
}
#endif
