// SPDX-License-Identifier: Apache-2.0

// The code blocks of seed 004's document, with nothing imported but Foundation and the facade. Its first block is a view;
// of that stands here what is no view. What the document leaves out is added above each block.

import Foundation
import LaziOAuth

/// Left out where there is no SwiftUI: what a view is given by those around it.
@MainActor
@propertyWrapper
struct EnvironmentObject<Object> {
    var wrappedValue: Object
}

/// "Basic Login Flow", without the view around it.
@MainActor
struct MyView {
    @EnvironmentObject var oauthService: OAuthService

    /// The text that the view shows.
    var text: String {
        guard oauthService.isAuthenticated else {
            // Show login view
            return "OAuthLoginView()"
        }
        // Show authenticated content
        return "Welcome! User ID: \(oauthService.currentUser?.userId ?? "")"
    }

    // Logout button
    func logoutButton() -> Task<Void, Never> {
        Task {
            await oauthService.logout()
        }
    }
}

/// "Getting a Valid Access Token".
@MainActor
struct Requests {
    @EnvironmentObject var oauthService: OAuthService
    /// Left out by the document.
    let someURL: URL
    let send: (URLRequest) async -> Void

    func makeAuthenticatedRequest() async {
        guard let token = await oauthService.getValidToken() else {
            print("Not authenticated")
            return
        }

        var request = URLRequest(url: someURL)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")

        // Make request...
        await send(request)
    }
}

/// "Manual Login"; the document's own password is one that a real server refuses at the sign-up.
@MainActor
func manualLogin(
    password: String = "password123", print: @escaping @MainActor (String) -> Void
) -> Task<Void, any Error> {
    let oauthService = OAuthService.shared

    return Task {
        do {
            let response = try await oauthService.login(
                username: "user@example.com",
                password: password,
                scopes: [
                    .widgetsRead,
                    .widgetsWrite,
                    .projectsRead,
                ]
            )

            print("Login successful! Token: \(response.access_token)")
            print("User ID: \(response.user_id ?? "")")
            print("Granted scopes: \(response.scope)")
        } catch let error as OAuthError {
            print("Login failed: \(error.errorDescription ?? "")")
        }
    }
}

/// "Checking Granted Scopes".
@MainActor
struct Gates {
    @EnvironmentObject var oauthService: OAuthService

    var hasWidgetWriteAccess: Bool {
        oauthService.grantedScopes.contains("widgets:write")
    }

    // Or check multiple scopes
    var canManageProjects: Bool {
        let requiredScopes = ["projects:read", "projects:write"]
        return requiredScopes.allSatisfy { oauthService.grantedScopes.contains($0) }
    }
}

/// "Test Token Refresh".
@MainActor
func testTokenRefresh(print: @escaping @MainActor (String) -> Void) -> Task<Void, Never> {
    Task {
        let success = await OAuthService.shared.refreshToken()
        print("Refresh successful: \(success)")
    }
}

/// "Test Logout".
@MainActor
func testLogout() -> Task<Void, Never> {
    Task {
        await OAuthService.shared.logout()
        // App will automatically return to login screen
    }
}
