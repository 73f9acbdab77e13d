// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI) && !os(watchOS)
import LatchUI
import SwiftUI

/// The screens of a signed-out user, with the app's own picture above the sign-in.
struct WelcomeView: View {
    private let auth: AuthModel

    init(_ auth: AuthModel) { self.auth = auth }

    var body: some View {
        AuthView(auth, replacing: { if case .signIn = $0 { true } else { false } }) { screen in
            if case .signIn(let model) = screen {
                SignInView(model) { control, standard in
                    if control.id == .title { Image(systemName: "note.text") }
                    standard
                }
            }
        }
    }
}
#endif
