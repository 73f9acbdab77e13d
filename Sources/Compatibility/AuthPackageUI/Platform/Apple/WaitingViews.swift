// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
import LatchUI
import SwiftUI

/// The view while a stored account is being read.
struct RestoringView: View {
    @Environment(\.authTexts) private var texts

    var body: some View {
        ProgressView(texts(Phrase("progress")))
            .frame(maxWidth: .infinity, maxHeight: .infinity)
    }
}

/// The view while the store cannot be read: a notice and a button that tries again.
struct StoreUnavailableView: View {
    private let model: AuthViewModel
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    init(_ model: AuthViewModel) { self.model = model }

    var body: some View {
        VStack(spacing: theme.spacing) {
            NoticeBanner(texts(Phrase("failure.storeUnavailable")), style: .failure, id: .failure)
            Button(texts(Phrase("button.retry"))) { Task { await model.restore() } }
                .buttonStyle(.borderedProminent)
                .accessibilityIdentifier("retry")
        }
        .padding(theme.spacing * 2)
        .frame(maxWidth: theme.maximumWidth)
    }
}
#endif
