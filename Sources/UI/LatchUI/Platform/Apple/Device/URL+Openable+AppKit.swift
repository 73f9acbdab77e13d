// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import AppKit
import SwiftUI

extension URL {
    /// Whether an app opens the URL, such as one for the codes of a second factor.
    @MainActor var isOpenable: Bool { NSWorkspace.shared.urlForApplication(toOpen: self) != nil }
}
#endif
