// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(visionOS)
import PortableFoundation

extension URL {
    /// Whether an app opens the URL; these systems have one for each that a screen shows.
    var isOpenable: Bool { true }
}
#endif
