// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import SwiftUI

extension ScenePhase {
    /// Whether secrets are hidden: a window stays readable while another app is in front, such as the authenticator.
    var hidesSecrets: Bool { self == .background }
}
#endif
