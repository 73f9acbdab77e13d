// SPDX-License-Identifier: Apache-2.0

// "Session State Management" of seed 001, and what its view names.

#if canImport(SwiftUI)
import JWTAuthDependencies
import SwiftUI

enum TokenPage {
    struct AppView: View {
        @Shared(.authSession) var session

        var body: some View {
            switch session {
            case .none, .some(.missing):
                LoginView()

            case .some(.expired(let tokens)):
                // Optionally show "refreshing" UI
                // The client will automatically attempt refresh
                ProgressView("Refreshing session...")

            case .some(.valid(let tokens)):
                TabView {
                    HomeView()
                    ProfileView()
                }
            }
        }
    }

    // MARK: - Left out by the document

    struct LoginView: View { var body: some View { Text("Login") } }
    struct HomeView: View { var body: some View { Text("Home") } }
    struct ProfileView: View { var body: some View { Text("Profile") } }
}
#endif
