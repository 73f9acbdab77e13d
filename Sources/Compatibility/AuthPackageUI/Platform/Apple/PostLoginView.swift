// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
import LatchUI
public import SwiftUI

/// The content for a signed-in user of an app without its own: the name, and the sign-out.
public struct PostLoginView: View {
    private let model: AuthViewModel
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates the view of a model.
    public init(_ model: AuthViewModel) { self.model = model }

    /// The view.
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

/// The notice above the screens; a tap removes it.
struct NoticeView: View {
    private let model: AuthViewModel
    @Environment(\.authTexts) private var texts

    init(_ model: AuthViewModel) { self.model = model }

    var body: some View {
        if let notice = model.notice {
            NoticeBanner(texts(notice.phrase), style: notice.isFailure ? .failure : .success)
                .onTapGesture { model.dismissNotice() }
        }
    }
}
#endif
