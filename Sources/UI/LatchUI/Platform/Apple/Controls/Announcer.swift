// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Accessibility
import LatchTexts
import SwiftUI

/// The announcements of a model to users of assistive technologies.
private struct Announcer<S: Screen>: ViewModifier {
    let model: ScreenModel<S>
    @Environment(\.authTexts) private var texts

    func body(content: Content) -> some View {
        content.onChange(of: model.announcement) { announce() }
    }

    private func announce() {
        guard let phrase = model.announcement?.phrase else { return }
        var text = AttributedString(texts(phrase))
        // The focus moves in the same update, and its field must not silence the sentence.
        text.accessibilitySpeechAnnouncementPriority = .high
        AccessibilityNotification.Announcement(text).post()
    }
}

extension View {
    /// Reads the announcements of a model to users of assistive technologies.
    func announcing<S: Screen>(_ model: ScreenModel<S>) -> some View { modifier(Announcer(model: model)) }
}
#endif
