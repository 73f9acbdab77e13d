// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(visionOS)
import SwiftUI
import UIKit

/// The pasteboard of the system.
@MainActor
enum Pasteboard {
    /// Copies a secret, which stays on this device and expires after ten minutes.
    static func copy(_ secret: String) {
        UIPasteboard.general.setItems(
            [["public.utf8-plain-text": secret]],
            options: [.localOnly: true, .expirationDate: Date(timeIntervalSinceNow: 600)])
    }
}
#endif
