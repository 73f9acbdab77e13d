// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import AppKit
package import LatchOAuth
package import SwiftUI

extension View {
    /// Calls a closure with the window that shows the view, and with nil once no window shows it.
    package func onWindow(_ action: @escaping @MainActor (PresentationAnchor?) -> Void) -> some View {
        background { WindowReader(action: action).accessibilityHidden(true) }
    }
}

/// A view without content that knows its window.
private struct WindowReader: NSViewRepresentable {
    let action: @MainActor (PresentationAnchor?) -> Void

    func makeNSView(context: Context) -> Probe { Probe() }

    func updateNSView(_ view: Probe, context: Context) { view.action = action }

    final class Probe: NSView {
        var action: (@MainActor (PresentationAnchor?) -> Void)?

        override func viewDidMoveToWindow() {
            super.viewDidMoveToWindow()
            action?(window)
        }
    }
}
#endif
