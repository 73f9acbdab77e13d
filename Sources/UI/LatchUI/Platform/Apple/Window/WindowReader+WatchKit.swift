// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
package import LatchOAuth
package import SwiftUI

extension View {
    /// Calls a closure with the place for pages, which a watch chooses automatically.
    package func onWindow(_ action: @escaping @MainActor (PresentationAnchor?) -> Void) -> some View {
        onAppear { action(PresentationAnchor()) }
    }
}
#endif
