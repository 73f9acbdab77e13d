// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap

#if canImport(SwiftUI) && !os(watchOS)
import LatchAccounts
import LatchUI
import SwiftUI

@main
struct NotesApplication: App {
    @State private var model = NotesAppModel(
        AuthModel(server: URL(string: "http://127.0.0.1:8080")!, service: "com.example.notes") {
            $0.passkeys = PlatformPasskeys()
        },
        service: URL(string: "http://127.0.0.1:8081")!, folder: URL.applicationSupportDirectory)

    var body: some Scene {
        WindowGroup {
            SessionGate(model.auth) {
                NotesView(model)
            }
            .authScreen { screen in
                if let signIn = screen.model as? SignInModel { WelcomeView(signIn) } else { AuthScreenView(screen) }
            }
            // Of the gate, which stays: the notes are removed when their view is gone.
            .onChange(of: model.currentID, initial: true) { model.followAccount() }
            .authTheme(AuthTheme(accent: .indigo, cornerRadius: 8))
        }
    }
}
#endif
