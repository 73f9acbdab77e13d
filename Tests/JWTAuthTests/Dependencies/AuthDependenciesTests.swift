// SPDX-License-Identifier: Apache-2.0

import Expectations
// As a program sees the module that has a library for its dependencies: without JWTAuthDependencies.
import Foundation
import JWTAuth
import LatchAuth
import LatchHTTP
import LatchTesting
import Testing

@Suite struct AuthDependenciesTests {
    private let backend: Backend

    init() throws { backend = try Backend() }

    /// Runs `body` with the value that a program keeps, over a real server.
    private func run(_ body: @Sendable (AuthDependencies) async throws -> Void) async throws {
        try await backend.serve { url in
            var dependencies = AuthDependencies(context: .test)
            dependencies.wallClock = backend.clock.wallClock()
            dependencies.httpRequestClient = HTTPRequestClient()
            let values = dependencies
            dependencies.jwtAuthClient = JWTAuthClient(baseURL: { url }) { tokens in
                let response: SuccessResponse<AuthTokens> = try await values.httpRequestClient.send(
                    .post("/auth/refresh").body(["refresh": tokens.refresh]), baseURL: url)
                return response.data
            }
            try await body(dependencies)
        }
    }

    @Test
    func `Dependencies as one value of another library have clients of one session, which copies share`() async throws {
        try await run { dependencies in
            let copy = dependencies
            try await copy.authTokensClient.save(try backend.issue(life: -10))
            expectEqual(dependencies.authSession?.isExpired, true)
            let client = dependencies.jwtAuthClient
            let profiles = await atOnce(20) { number -> Profile? in
                let client = number.isMultiple(of: 2) ? client : copy.jwtAuthClient
                let response: SuccessResponse<Profile>? = try? await client.sendAuthenticated(.get("/user/profile"))
                return response?.data
            }
            #expect(profiles.allSatisfy { $0 == Profile(name: "Ada") })
            expectEqual(backend.refreshes, 1)
            #expect(client.session === copy.jwtAuthClient.session)
            try await dependencies.authTokensClient.destroy()
            expectEqual(copy.authSession, .missing)
        }
    }

    @Test func `Dependencies as one value of another library show each change of the session`() async throws {
        try await run { dependencies in
            let tokens = try backend.issue()
            try await dependencies.jwtAuthClient.loadSession()
            var changes = dependencies.authSessions.makeAsyncIterator()
            await expectEqual(changes.next(), .some(.missing))
            try await dependencies.authTokensClient.save(tokens)
            await expectEqual(changes.next(), .some(.valid(tokens)))
        }
    }

    @Test func `Dependencies as one value of another library are those of a test if it sets them`() async throws {
        let tokens = try backend.issue()
        var dependencies = AuthDependencies(context: .test)
        dependencies.authTokensClient.load = { tokens }
        try await expectEqual(dependencies.authTokensClient.load(), tokens)
        dependencies.authSession = .valid(tokens)
        expectEqual(dependencies.authSession, .valid(tokens))
        expectNil(AuthDependencies(context: .test).authSession)
        await #expect(throws: MissingDependency.self) { try await dependencies.httpRequestClient.send(.get("/x")) }
    }
}
