// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(macOS) || os(visionOS)
import SwiftUI

extension View {
    /// Lets the return key press a button.
    func defaultKey() -> some View { keyboardShortcut(.defaultAction) }
    /// Lets the escape key press a button.
    func cancelKey() -> some View { keyboardShortcut(.cancelAction) }
}
#endif
