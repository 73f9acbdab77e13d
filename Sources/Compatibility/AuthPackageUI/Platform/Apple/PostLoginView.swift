// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Accessibility
import LatchTexts
import LatchUI
public import SwiftUI

/// The default content for a signed-in user: the name and a sign-out button.
public struct PostLoginView: View {
    private let model: AuthViewModel
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates a view of the model's signed-in user.
    public init(_ model: AuthViewModel) { self.model = model }

    /// The display name as a heading, and the button that signs out.
    public var body: some View {
        VStack(spacing: theme.spacing) {
            Text(model.displayName)
                .font(theme.titleFont)
                .accessibilityAddTraits(.isHeader)
            Button(texts(Phrase("profile.signOut")), role: .destructive) { Task { await model.logout() } }
                .buttonStyle(.bordered)
                .disabled(model.isLoading)
                .accessibilityIdentifier("signOut")
        }
        .padding(theme.spacing * 2)
    }
}

/// The notice above the screens, which is announced to VoiceOver; a tap removes it.
struct NoticeView: View {
    private let model: AuthViewModel
    @Environment(\.authTexts) private var texts

    init(_ model: AuthViewModel) { self.model = model }

    var body: some View {
        VStack {
            if let notice = model.notice {
                Button {
                    model.dismissNotice()
                } label: {
                    NoticeBanner(texts(notice.phrase), style: notice.style)
                }
                .buttonStyle(.plain)
                .accessibilityHint(texts(Phrase("button.close")))
            }
        }
        .onChange(of: model.notice) {
            if let notice = model.notice { AccessibilityNotification.Announcement(texts(notice.phrase)).post() }
        }
    }
}
#endif
