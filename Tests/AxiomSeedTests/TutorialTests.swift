// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import AxiomCore
import Expectations
import Foundation
import Testing
import UserService

@MainActor
@Suite struct TutorialTests {
    @Test func `Seed 000's tutorial signs in with the right password`() async throws {
        let manager = AuthenticationManager()
        try await manager.login(email: "test@example.com", password: "validpassword")
        #expect(manager.isAuthenticated)
        expectEqual(manager.currentUser?.id, "u1")
        expectEqual(manager.currentSession?.accessToken, "access-1")
        expectEqual(manager.storedTokens, ["access-1"])
    }

    @Test func `Seed 000's tutorial has the session as soon as a login returns, a thousand times`() async throws {
        var late = 0
        for _ in 0..<1_000 {
            let manager = AuthenticationManager()
            try await manager.login(email: "test@example.com", password: "validpassword")
            if manager.currentSession == nil || manager.isLoading { late += 1 }
        }
        expectEqual(late, 0)
    }

    @Test func `Seed 000's tutorial stays signed out with a wrong password, and shows the error`() async {
        let client = UserManagerClient()
        let manager = AuthenticationManager(client: client)
        await #expect(throws: AxiomError.actionError(code: "unauthenticated", message: "wrong password")) {
            try await manager.login(email: "test@example.com", password: "wrongpassword")
        }
        #expect(!manager.isAuthenticated)
        expectNil(manager.currentUser)
        await expectEqual(client.getCurrentState().error?.localizedDescription, "wrong password")
    }

    @Test func `Seed 000's tutorial registers, and reports the validation errors of a registration`() async throws {
        let manager = AuthenticationManager()
        try await manager.register(
            email: "new@example.com", password: "long enough", firstName: "New", lastName: "Person", username: "new")
        expectEqual(manager.currentUser?.email, "new@example.com")
        let error = await #expect(throws: AuthenticationError.self) {
            try await manager.register(
                email: "nobody", password: "short", firstName: "", lastName: "", username: "")
        }
        guard case .validationFailed(let reasons) = error else { return }
        expectEqual(reasons, ["email must contain '@'", "password must have at least 8 characters"])
    }

    @Test func `Seed 000's tutorial refreshes only a session that expires soon`() async throws {
        let manager = AuthenticationManager()
        try await manager.login(email: "test@example.com", password: "validpassword")
        try await manager.refreshTokenIfNeeded()
        expectEqual(manager.currentSession?.accessToken, "access-1")
        try await manager.refreshTokenIfNeeded(within: .infinity)
        expectEqual(manager.currentSession?.accessToken, "access-2")
        try await manager.loadUserProfile()
    }

    @Test func `Seed 000's tutorial signs out`() async throws {
        let manager = AuthenticationManager()
        try await manager.login(email: "test@example.com", password: "validpassword")
        try await manager.logout()
        #expect(!manager.isAuthenticated)
        expectNil(manager.currentUser)
        expectNil(manager.currentSession)
        #expect(manager.storedTokens.isEmpty)
    }

    @Test func `Seed 000's tutorial shows the devices and revokes one`() async throws {
        let client = UserManagerClient()
        let manager = AuthenticationManager(client: client)
        try await expectEqual(manager.getActiveDevices().map(\.id), ["d1", "d2"])
        try await manager.revokeDevice("d1")
        await expectEqual(client.getCurrentState().devices.map(\.id), ["d2"])
    }
}
