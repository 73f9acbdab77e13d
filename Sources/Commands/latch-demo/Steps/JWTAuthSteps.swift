// SPDX-License-Identifier: Apache-2.0

import JWTAuthDependencies
import LatchCore

/// The steps of an app written for JWT Auth Client.
enum JWTAuthSteps {
    static let all: [DemoStep] = [
        DemoStep(code: "jwtauth", name: "JWTAuth: login, profile, refresh, logout", play: play)
    ]

    private struct TokenPair: Decodable {
        let accessToken: String
        let refreshToken: String
    }

    private struct Profile: Decodable {
        let email: String
    }

    private static let callers = 20

    /// Signs in, gets its access token rejected, and makes many concurrent calls, which share one refresh.
    private static func play(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let (url, email, password) = (stage.baseURL.absoluteString, stage.email, stage.password)
        let before = try await stage.metrics()
        try await withDependencies {
            $0.keychainClient = .inMemory()
            $0.jwtAuthClient = JWTAuthClient(baseURL: { url }, refresh: refresh)
        } operation: {
            try await use(email: email, password: password)
        }
        let refreshes = try await stage.metrics().refreshes - before.refreshes
        try expect(refreshes == 1, "the server counts \(DemoReport.counted(refreshes, "refresh", plural: "refreshes"))")
        stage.calls += callers + 1
        return .init(
            "\(callers) calls with a refused access token, 1 refresh",
            ["calls": .integer(Int64(callers + 1)), "renewals": .integer(Int64(refreshes))])
    }

    private static func use(email: String, password: String) async throws {
        @Dependency(\.jwtAuthClient) var client
        @Dependency(\.authTokensClient) var authTokens
        let login: SuccessResponse<TokenPair> = try await client.send(
            .post("/auth/login").body(["email": email, "password": password]))
        try await authTokens.save(AuthTokens(access: login.data.accessToken, refresh: login.data.refreshToken))
        try await expectProfile(of: email)
        // It is as if the server had changed its key: the token looks valid, and is rejected before it expires.
        let refused = login.data.accessToken.dropLast(8) + "AAAAAAAA"
        try await authTokens.save(AuthTokens(access: String(refused), refresh: login.data.refreshToken))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers { group.addTask { try await expectProfile(of: email) } }
            try await group.waitForAll()
        }
        try await authTokens.destroy()
        let error = try await refusal("a call after the logout") { try await expectProfile(of: email) }
        guard case AuthTokens.Error.missingToken = error else { throw error }
    }

    private static func expectProfile(of email: String) async throws {
        @Dependency(\.jwtAuthClient) var client
        let profile: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
        try expect(profile.data.email == email, "the profile belongs to another account")
    }

    /// Refreshes the tokens, following the documentation of JWT Auth Client.
    @Sendable private static func refresh(_ tokens: AuthTokens) async throws -> AuthTokens {
        @Dependency(\.httpRequestClient) var http
        let pair: SuccessResponse<TokenPair> = try await http.send(
            .post("/auth/refresh").body(["refreshToken": tokens.refresh]))
        return AuthTokens(access: pair.data.accessToken, refresh: pair.data.refreshToken)
    }
}
