// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchRPC
import LatchTesting
import TestTags
import Testing
import UserAuthentication
import UserService

@Suite struct AuthenticationManagerTests {
    @Test(.tags(.pendingRegistration)) @MainActor
    func `The tutorial's authentication manager registers and is signed in, or waits for missing steps`() async throws {
        let stage = try await Stage()
        try await stage.register()
        #expect(stage.manager.isAuthenticated && stage.manager.currentUser?.displayName == "Ada Lovelace")
        let strict = try await Stage(requiringVerification: true)
        try await strict.register()
        #expect(!strict.manager.isAuthenticated && strict.manager.currentUser == nil)
        expectEqual(strict.manager.pending, .verification(email: "ada@example.com"))
        expectNil(strict.store.load())
    }

    @Test(.tags(.pendingRegistration)) @MainActor
    func `The tutorial's authentication manager waits for the second factor, and is signed in by it`() async throws {
        let stage = try await Stage()
        try await stage.register()
        let setup = try await stage.manager.setupTwoFactorAuth()
        let codes = setup.recoveryCodes
        let code = try await stage.code(of: stage.manager.currentUser?.id ?? "")
        try await stage.manager.verifyTwoFactorCode(code)
        #expect(stage.manager.isAuthenticated)
        try await stage.manager.logout()
        try await stage.manager.login(email: "ada@example.com", password: Stage.password)
        #expect(stage.manager.pending == .secondFactor && !stage.manager.isAuthenticated)
        #expect(stage.manager.currentUser == nil && stage.manager.session.currentState.credential == nil)
        await #expect(throws: (any Error).self) { try await stage.manager.verifyTwoFactorCode("000000x") }
        #expect(!stage.manager.isAuthenticated)
        try await stage.manager.verifyTwoFactorCode(codes[0])
        #expect(stage.manager.isAuthenticated && stage.manager.currentUser?.email == "ada@example.com")
    }

    @Test(.tags(.sessionRestore)) @MainActor
    func `The tutorial's authentication manager is signed in after a launch, by only the stored account`()
        async throws
    {
        let stage = try await Stage()
        try await stage.register()
        let before = stage.wire.calls.count
        let again = try stage.relaunched()
        try await again.restore()
        #expect(again.isAuthenticated && again.currentUser?.email == "ada@example.com")
        expectEqual(Array(stage.wire.calls[before...]), ["GetProfile"])
        // Expired, with a refresh token that is not: one refresh.
        stage.advance(by: 3600)
        let later = try stage.relaunched()
        try await later.restore()
        #expect(later.isAuthenticated && stage.wire.count("RefreshToken") == 1)
        // And with one that is: signed out, and nothing is left in the store.
        stage.advance(by: 40 * 86_400)
        let late = try stage.relaunched()
        await #expect(throws: (any Error).self) { try await late.restore() }
        #expect(!late.isAuthenticated)
        expectNil(stage.store.load())
    }

    @Test(.tags(.sessionRestore)) @MainActor
    func `The tutorial's authentication manager stays signed in while the network is down`() async throws {
        let stage = try await Stage()
        try await stage.register()
        stage.wire.cut(true)
        let again = try stage.relaunched(folder: nil)
        await #expect(throws: (any Error).self) { try await again.restore() }
        #expect(again.isAuthenticated && again.currentUser == nil)
        stage.wire.cut(false)
        try await again.restore()
        expectEqual(again.currentUser?.email, "ada@example.com")
    }

    @Test(.tags(.sharedRefreshCall)) @MainActor
    func `The tutorial's authentication manager refreshes once for a hundred callers`() async throws {
        let stage = try await Stage()
        try await stage.register()
        stage.advance(by: 3600)
        let session = stage.manager.session
        let refreshes = (0..<100).map { _ in Task { try await session.credential().access } }
        var tokens: Set<String> = []
        for refresh in refreshes { tokens.insert(try await refresh.value) }
        expectEqual(tokens.count, 1)
        expectEqual(stage.wire.count("RefreshToken"), 1)
    }

    @Test(.tags(.logoutEverywhere)) @MainActor
    func `The tutorial's authentication manager signs out though the call fails, and forgets everything`() async throws
    {
        let stage = try await Stage()
        try await stage.register()
        stage.wire.cut(true)
        await #expect(throws: (any Error).self) { try await stage.manager.logout(logoutAllDevices: true) }
        #expect(!stage.manager.isAuthenticated && stage.manager.currentUser == nil)
        expectNil(stage.store.load())
    }

    @Test(.tags(.logoutEverywhere)) @MainActor
    func `The tutorial's authentication manager signs out everywhere on request`() async throws {
        let stage = try await Stage()
        try await stage.register()
        let other = InMemoryTokenStore<Tokens>()
        let second = try AuthenticationManager(
            url: Stage.url, store: other, transport: stage.wire, clock: stage.device.wallClock())
        try await second.login(email: "ada@example.com", password: Stage.password)
        try await stage.manager.logout(logoutAllDevices: true)
        await #expect(throws: (any Error).self) { try await second.getActiveDevices() }
        #expect(!second.isAuthenticated)
    }

    @Test(.tags(.unchangedCurrentUser)) @MainActor
    func `The tutorial's authentication manager keeps its user after an administrator's list`() async throws {
        let stage = try await Stage(firstAdministrator: "ada@example.com")
        try await stage.signUp("ada@example.com", isVerified: true)
        for name in ["bob", "eve"] { try await stage.signUp("\(name)@example.com") }
        try await stage.manager.login(email: "ada@example.com", password: Stage.password)
        try await stage.manager.client.process(.getUsers(GetUsersRequest(sortField: "email")))
        let state = await stage.manager.client.getCurrentState()
        #expect(state.users.count == 3 && state.totalCount == 3)
        expectEqual(stage.manager.currentUser?.email, "ada@example.com")
    }

    @Test(.tags(.tokenPlaces)) @MainActor
    func `The tutorial's authentication manager has tokens only in the store, and prints none`() async throws {
        let stage = try await Stage()
        try await stage.register()
        let tokens = try #require(stage.store.load())
        let state = await stage.manager.client.getCurrentState()
        expectEqual(state.sessions.count, 1)
        var text =
            "\(state) \(String(reflecting: stage.manager.currentUser)) \(UserManagerAction.login(LoginRequest(email: "a", password: Stage.password)))"
        dump(state, to: &text)
        for secret in [tokens.access, tokens.refresh ?? "", Stage.password] { #expect(!text.contains(secret)) }
        #expect(state.sessions.allSatisfy { $0.accessToken.isEmpty && $0.refreshToken.isEmpty })
    }

    @Test(.tags(.refusedRequest)) @MainActor
    func `The tutorial's authentication manager refreshes once after a refusal, and reports a second one`()
        async throws
    {
        let stage = try await Stage()
        try await stage.register()
        let id = stage.manager.currentUser?.id ?? ""
        try await stage.suspend(id)
        let before = stage.wire.calls.count
        await #expect(throws: (any Error).self) { try await stage.manager.getActiveDevices() }
        expectEqual(Array(stage.wire.calls[before...]), ["GetActiveDevices", "RefreshToken"])
        #expect(!stage.manager.isAuthenticated)
    }

    @Test(.tags(.passwordChange, .accountRecovery)) @MainActor
    func `The tutorial's authentication manager replaces, resets and verifies a password`() async throws {
        let stage = try await Stage()
        try await stage.register()
        let client = stage.manager.client
        for (old, new) in [(Stage.password, Stage.password), (Stage.password, "short")] {
            let calls = stage.wire.calls.count
            await #expect(throws: (any Error).self) {
                try await stage.manager.changePassword(from: old, to: new, logoutOthers: true)
            }
            expectEqual(stage.wire.calls.count, calls)
        }
        try await stage.manager.changePassword(from: Stage.password, to: "another sentence", logoutOthers: true)
        try await client.process(.requestPasswordReset(PasswordResetRequest(email: "ada@example.com")))
        let token = await stage.mailedToken()
        try await client.process(
            .resetPassword(ResetPasswordRequest(resetToken: token, newPassword: "a third sentence")))
        await #expect(throws: (any Error).self) {
            try await client.process(
                .resetPassword(ResetPasswordRequest(resetToken: token, newPassword: "a fourth sentence")))
        }
        await #expect(throws: (any Error).self) {
            try await client.process(.verifyEmail(VerifyEmailRequest(verificationToken: "invented")))
        }
        try await client.process(.resendVerification(ResendVerificationRequest(email: "ada@example.com")))
        try await stage.manager.login(email: "ada@example.com", password: "a third sentence")
        #expect(stage.manager.isAuthenticated)
    }

    @Test(.tags(.offlineData)) @MainActor
    func `The tutorial's authentication manager shows the earlier account while the network is down`()
        async throws
    {
        let stage = try await Stage()
        try await stage.register()
        let id = stage.manager.currentUser?.id ?? ""
        let request = GetProfileRequest(userId: id, includePreferences: true)
        try await stage.manager.client.process(.getProfile(request))
        stage.wire.cut(true)
        try await stage.manager.client.process(.getProfile(request))
        let state = await stage.manager.client.getCurrentState()
        #expect(state.isStale && state.users.contains { $0.id == id })
        await #expect(throws: (any Error).self) {
            try await stage.manager.updateProfile { $0.firstName = "Augusta" }
        }
    }
}
