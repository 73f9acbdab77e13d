// SPDX-License-Identifier: Apache-2.0

#if os(tvOS) || os(watchOS)
import SwiftUI

extension View {
    /// Changes nothing: these systems have no keyboard.
    func defaultKey() -> some View { self }
    /// Changes nothing: these systems have no keyboard.
    func cancelKey() -> some View { self }
}
#endif
