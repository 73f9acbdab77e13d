// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(tvOS) || os(visionOS)
package import LatchOAuth
package import SwiftUI
import UIKit

extension View {
    /// Calls a closure with the window that shows the view, and with nil once no window shows it.
    package func onWindow(_ action: @escaping @MainActor (PresentationAnchor?) -> Void) -> some View {
        background { WindowReader(action: action).accessibilityHidden(true) }
    }
}

/// A view without content that knows its window.
private struct WindowReader: UIViewRepresentable {
    let action: @MainActor (PresentationAnchor?) -> Void

    func makeUIView(context: Context) -> Probe { Probe() }

    func updateUIView(_ view: Probe, context: Context) { view.action = action }

    final class Probe: UIView {
        var action: (@MainActor (PresentationAnchor?) -> Void)?

        override func didMoveToWindow() {
            super.didMoveToWindow()
            action?(window)
        }
    }
}
#endif
