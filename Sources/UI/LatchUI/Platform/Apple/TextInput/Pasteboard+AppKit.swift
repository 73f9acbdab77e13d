// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import AppKit
import SwiftUI

/// The pasteboard of the system.
@MainActor
enum Pasteboard {
    /// Copies a secret, which pasteboard managers leave out of their history.
    static func copy(_ secret: String) {
        NSPasteboard.general.clearContents()
        NSPasteboard.general.setString(secret, forType: .string)
        // Source: http://nspasteboard.org, a convention of pasteboard managers.
        NSPasteboard.general.setString("", forType: NSPasteboard.PasteboardType("org.nspasteboard.ConcealedType"))
    }
}
#endif
