// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(visionOS)
import LatchFoundation

extension URL {
    /// Whether an app opens the URL; these systems have an app for each URL of the screens.
    var isOpenable: Bool { true }
}
#endif
