// SPDX-License-Identifier: Apache-2.0

// The blocks of seed 004's document that are views. Those that are none run in Tests/SeedTests/LaziOAuth.

#if canImport(SwiftUI)
import LaziOAuth
import SwiftUI

/// "Basic Login Flow".
struct MyView: View {
    @EnvironmentObject var oauthService: OAuthService

    var body: some View {
        if oauthService.isAuthenticated {
            // Show authenticated content
            Text("Welcome! User ID: \(oauthService.currentUser?.userId ?? "")")

            // Logout button
            Button("Logout") {
                Task {
                    await oauthService.logout()
                }
            }
        } else {
            // Show login view
            OAuthLoginView()
        }
    }
}

/// "Checking Granted Scopes", in a view.
struct WidgetGate: View {
    @EnvironmentObject var oauthService: OAuthService

    var hasWidgetWriteAccess: Bool {
        oauthService.grantedScopes.contains("widgets:write")
    }

    // Or check multiple scopes
    var canManageProjects: Bool {
        let requiredScopes = ["projects:read", "projects:write"]
        return requiredScopes.allSatisfy { oauthService.grantedScopes.contains($0) }
    }

    var body: some View {
        if hasWidgetWriteAccess && canManageProjects {
            Text("Everything")
        }
    }
}

/// The components of the login screen, in a form of the app's own.
struct OwnForm: View {
    @State private var model = AuthViewModel()

    var body: some View {
        @Bindable var model = model
        VStack {
            AuthTextField("Username", text: $model.username)
            AuthTextField("Password", text: $model.password, isSecure: true, error: model.errorMessage)
            ScopeSelectionView(selection: $model.scopeSelection)
        }
    }
}
#endif
