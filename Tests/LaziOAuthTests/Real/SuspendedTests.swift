// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchAuth
import LatchIdentity
import LatchIdentityTesting
import LatchTesting
import SampleResource
import Testing

@testable import LaziOAuth

@MainActor @Suite struct SuspendedTests {
    @Test func `The login of a suspended user says so only after the right password`() async throws {
        let (email, password) = ("ada@example.com", "a long enough password")
        let server = try await IdentityServer.inMemory { $0.scopes = SampleResource.scopes }
        try await server.client().signUp(email: email, password: password)
        try await server.suspend(email)
        let service = OAuthService(
            baseURL: server.url, store: InMemoryTokenStore(), transport: server, clock: server.clock.wallClock())
        let model = AuthViewModel(service: service)
        model.username = email
        model.password = "not the password"
        await model.submit()
        let wrong = try #require(model.errorMessage)
        #expect(wrong.contains("password is wrong"))
        model.password = password
        await model.submit()
        expectEqual(model.errorMessage?.contains("This account is suspended"), true)
        #expect(!service.isAuthenticated)
    }
}
