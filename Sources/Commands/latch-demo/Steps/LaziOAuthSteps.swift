// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LaziOAuth

/// The steps of an app written for Lazi.
enum LaziOAuthSteps {
    static let all: [DemoStep] = [
        DemoStep(code: "lazioauth", name: "LaziOAuth: login, token, refresh, logout", play: play)
    ]

    /// Signs in with scopes, refreshes, calls the API and signs out, on the main actor.
    private static func play(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let current = stage
        let last = try await use(at: current)
        let copy = stage.client(holding: Tokens(access: last))
        // The client has no refresh token, so it passes the server's refusal to the caller, and ends no session.
        try await expect(AccountError.refused, from: "the token of a session that has ended") {
            _ = try await copy.profile()
        }
        stage.calls += 1
        return .init("scopes as granted; after the logout the token is refused")
    }

    /// - Returns: The access token of the session that it has ended.
    @MainActor private static func use(at stage: DemoStage) async throws -> String {
        let service = OAuthService(baseURL: stage.baseURL, store: InMemoryTokenStore())
        let response = try await service.login(
            username: stage.email, password: stage.password, scopes: [.widgetsRead, .widgetsWrite, .widgetsAdmin])
        try expect(service.isAuthenticated && service.authState == .authenticated, "no user is signed in")
        try expect(response.scope == "widgets:read widgets:write", "the scopes are '\(response.scope)'")
        let first = try require(await service.getValidToken(), "there is no valid token")
        try expect(await service.refreshToken(), "the token could not be refreshed")
        let second = try require(await service.getValidToken(), "there is no valid token")
        try expect(first != second, "the refresh returned the same token")
        let user = try await APIClient(service: service).get("user/profile", as: JSONValue.self)
        try expect(user.objectValue?.isEmpty == false, "there is no user in the response")
        await service.logout()
        try expect(!service.isAuthenticated, "the service does not count as signed out")
        try expect(await service.getValidToken() == nil, "there is a token after the logout")
        return second
    }
}
