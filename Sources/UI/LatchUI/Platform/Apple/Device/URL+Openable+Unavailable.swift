// SPDX-License-Identifier: Apache-2.0

#if os(tvOS) || os(watchOS)
import LatchFoundation

extension URL {
    /// Whether an app opens the URL; always false on these systems, which show only the QR code or the text.
    var isOpenable: Bool { false }
}
#endif
