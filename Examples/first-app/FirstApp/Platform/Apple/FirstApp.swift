// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap

#if canImport(SwiftUI) && !os(watchOS)
import LatchUI
import SwiftUI

@main
struct FirstApp: App {
    @State private var auth = AuthModel(server: URL(string: "http://127.0.0.1:8080")!, service: "com.example.first")

    var body: some Scene {
        WindowGroup {
            SessionGate(auth) {
                NavigationStack { Text("Hello").toolbar { UserButton(auth) } }
            }
        }
    }
}
#endif
