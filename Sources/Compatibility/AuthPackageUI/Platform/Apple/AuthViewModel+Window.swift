// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI) && !os(watchOS)
import AuthPackage

extension AuthViewModel {
    /// Adopts the window of a view, which the system owns.
    func adopt(window anchor: PresentationAnchor?) { window = { [weak anchor] in anchor } }
}
#endif
