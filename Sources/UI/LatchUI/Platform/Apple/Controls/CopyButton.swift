// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(macOS) || os(visionOS)
import LatchTexts
import SwiftUI

/// A button that copies a text for this device, as far as the system can limit it.
struct CopyButton: View {
    let control: Control
    @Environment(\.authTexts) private var texts

    var body: some View {
        Button(texts(control.label)) { Pasteboard.copy(control.text.value) }
            .buttonStyle(.bordered)
            .disabled(!control.isEnabled)
            .accessibilityIdentifier(control.id.description)
    }
}
#endif
