// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(tvOS) || os(visionOS) || os(watchOS)
import SwiftUI

extension ScenePhase {
    /// Whether secrets are hidden: while the app switcher may show the app.
    var hidesSecrets: Bool { self != .active }
}
#endif
