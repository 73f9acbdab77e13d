// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LaziOAuth

/// The steps of an app that was written for Lazi.
enum LaziOAuthSteps {
    static let all: [DemoStep] = [
        DemoStep(code: "lazioauth", name: "LaziOAuth: login, token, refresh, logout", play: play)
    ]

    /// Signs in with scopes, refreshes, calls the API and signs out, on the main actor.
    private static func play(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let current = stage
        let last = try await use(at: current)
        let copy = stage.client(holding: Tokens(access: last))
        let end = try await refusal("the token of a session that has ended") { _ = try await copy.profile() }
        guard case AuthError.reauthenticationRequired = end else { throw end }
        stage.calls += 1
        return .init("scopes as granted; after the logout the token opens nothing")
    }

    /// - Returns: The access token of the session that it has ended.
    @MainActor private static func use(at stage: DemoStage) async throws -> String {
        let service = OAuthService(baseURL: stage.baseURL, store: InMemoryTokenStore())
        let answer = try await service.login(
            username: stage.email, password: stage.password, scopes: [.widgetsRead, .widgetsWrite, .widgetsAdmin])
        try expect(service.isAuthenticated && service.authState == .authenticated, "no user is signed in")
        try expect(answer.scope == "widgets:read widgets:write", "the scopes are '\(answer.scope)'")
        guard let first = await service.getValidToken() else { throw DemoFailure("there is no valid token") }
        try expect(await service.refreshToken(), "the token could not be renewed")
        guard let second = await service.getValidToken() else { throw DemoFailure("there is no valid token") }
        try expect(first != second, "the renewal gave the same token")
        let widgets = try await APIClient(service: service).get("widgets", as: JSONValue.self)
        try expect(widgets["widgets"]?.arrayValue != nil, "the widgets did not come")
        await service.logout()
        try expect(!service.isAuthenticated, "the service does not count as signed out")
        try expect(await service.getValidToken() == nil, "there is a token after the logout")
        return second
    }
}
