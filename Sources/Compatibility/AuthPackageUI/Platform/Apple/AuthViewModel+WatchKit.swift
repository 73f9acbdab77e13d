// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
import AuthPackage

extension AuthViewModel {
    /// Adopts the place for pages, which a watch chooses itself.
    func adopt(window anchor: PresentationAnchor?) { window = { anchor } }
}
#endif
