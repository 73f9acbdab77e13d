// SPDX-License-Identifier: Apache-2.0

#if os(tvOS) || os(watchOS)
import PortableFoundation

extension URL {
    /// Whether an app opens the URL; none does on these systems, which show the QR code or the text alone.
    var isOpenable: Bool { false }
}
#endif
