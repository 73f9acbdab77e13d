// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI) && !os(watchOS)
import LatchUI
import SwiftUI

/// The sign-in with the app's own picture above it, of the first account and of each other one.
struct WelcomeView: View {
    private let model: SignInModel

    init(_ model: SignInModel) { self.model = model }

    var body: some View {
        SignInView(model) { control, standard in
            if control.id == .title { Image(systemName: "note.text") }
            standard
        }
    }
}
#endif
