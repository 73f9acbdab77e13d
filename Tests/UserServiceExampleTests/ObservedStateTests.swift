// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchRPC
import LatchTesting
import Observation
import TestTags
import Testing
import UserAuthentication
import UserService

/// A stream that ends when an observer of what `read` reads is notified.
@MainActor private func change(of read: () -> Void) -> AsyncStream<Never> {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    withObservationTracking(read) { continuation.finish() }
    return stream
}

@Suite(.timeLimit(.minutes(5))) @MainActor struct ObservedStateTests {
    @Test(.tags(.pendingRegistration))
    func `An observer of the authentication manager is notified of a sign-in, and of the loading before it`()
        async throws
    {
        let stage = try await Stage()
        let manager = stage.manager
        let (signedIn, loading) = (change { _ = manager.isAuthenticated }, change { _ = manager.isLoading })
        #expect(!manager.isAuthenticated && manager.currentSession == nil)
        try await stage.register()
        for await _ in signedIn {}
        for await _ in loading {}
        #expect(manager.isAuthenticated && !manager.isLoading && manager.error == nil)
        expectEqual(manager.currentSession?.accessToken, stage.store.load()?.access)
        expectEqual(manager.currentSession?.userId, manager.currentUser?.id)
        #expect(manager.sessionExpiry == stage.store.load()?.expiry && manager.sessionExpiry != nil)
    }

    @Test(.tags(.scheduledRefresh))
    func `An observer of the authentication manager is notified of a session that ends in the background`()
        async throws
    {
        let stage = try await Stage(tokenLife: .seconds(900), refreshesInBackground: true)
        try await stage.register()
        let manager = stage.manager
        _ = try await manager.getActiveDevices()
        await stage.device.sleeper(for: .seconds(600) ... .seconds(601))
        try await stage.suspend(manager.currentUser?.id ?? "")
        let ended = change { _ = (manager.isAuthenticated, manager.currentUser) }
        stage.advance(by: 601)
        for await _ in ended {}
        #expect(!manager.isAuthenticated)
        #expect(manager.currentUser == nil && manager.currentSession == nil && manager.sessionExpiry == nil)
        for await state in manager.client.stateStream where state.users.isEmpty && state.devices.isEmpty { break }
        try await stage.expectNoCachedDevices()
    }

    @Test
    func `An observer of the authentication manager is notified of an error, which a view can dismiss`() async throws {
        let stage = try await Stage()
        let failed = change { _ = stage.manager.error }
        await #expect(throws: (any Error).self) {
            try await stage.manager.login(email: "ada@example.com", password: "wrong password")
        }
        for await _ in failed {}
        #expect(stage.manager.error?.isEmpty == false && !stage.manager.isAuthenticated)
        stage.manager.error = nil
        expectNil(stage.manager.error)
    }
}

@Suite @MainActor struct DeviceUserTests {
    @Test(.tags(.offlineData))
    func `The users of one device find the profile and the devices in an offline start`() async throws {
        let stage = try await Stage()
        try await stage.register()
        let devices = try await stage.manager.getActiveDevices()
        try await stage.manager.updateProfile { $0.firstName = "Augusta" }
        stage.wire.cut(true)
        let again = try stage.relaunched()
        try await again.restore()
        #expect(again.isAuthenticated && again.currentUser?.firstName == "Augusta")
        try await expectEqual(again.getActiveDevices(), devices)
        #expect(await again.client.getCurrentState().isStale)
    }

    @Test func `The users of one device see nothing of each other if the next signs in over the last`() async throws {
        let stage = try await Stage()
        try await stage.register()
        _ = try await stage.manager.getActiveDevices()
        try await stage.register("bob@example.com")
        let state = await stage.manager.client.getCurrentState()
        #expect(state.users.map(\.email) == ["bob@example.com"] && state.devices.isEmpty)
        expectEqual(stage.manager.currentUser?.email, "bob@example.com")
        try await stage.expectNoCachedDevices()
    }

    @Test(.tags(.logoutEverywhere), arguments: [false, true])
    func `The users of one device see nothing of each other, signed out online or offline`(isOffline: Bool) async throws
    {
        let stage = try await Stage()
        try await stage.register()
        let manager = stage.manager
        _ = try await manager.getActiveDevices()
        stage.wire.cut(isOffline)
        if isOffline {
            await #expect(throws: (any Error).self) { try await manager.logout() }
        } else {
            try await manager.logout()
        }
        let state = await manager.client.getCurrentState()
        #expect(state.users.isEmpty && state.sessions.isEmpty && state.devices.isEmpty)
        #expect(manager.currentUser == nil && manager.currentSession == nil)
        stage.wire.cut(false)
        try await stage.register("bob@example.com")
        await expectEqual(manager.client.getCurrentState().users.map(\.email), ["bob@example.com"])
        try await stage.expectNoCachedDevices()
    }
}

/// The tests of the document, whose calls these are; they were written for XCTest.
@Suite @MainActor struct DocumentedTests {
    @Test func `testSuccessfulLogin`() async throws {
        let stage = try await Stage()
        try await stage.signUp("test@example.com")
        let authManager = stage.manager
        try await authManager.login(email: "test@example.com", password: Stage.password)
        #expect(authManager.isAuthenticated)
        #expect(authManager.currentUser != nil)
        #expect(authManager.currentSession != nil)
    }

    @Test func `testInvalidCredentials`() async throws {
        let authManager = try await Stage().manager
        await #expect(throws: (any Error).self) {
            try await authManager.login(email: "test@example.com", password: "wrongpassword")
        }
        #expect(!authManager.isAuthenticated)
        expectNil(authManager.currentUser)
    }

    @Test func `testTokenRefresh`() async throws {
        let stage = try await Stage()
        try await stage.register()
        let authManager = stage.manager
        let expired = authManager.currentSession?.accessToken
        stage.advance(by: 3600)
        try await authManager.refreshTokenIfNeeded()
        expectNotEqual(authManager.currentSession?.accessToken, expired)
        expectEqual(stage.wire.count("RefreshToken"), 1)
    }

    @Test func `testLogout`() async throws {
        let stage = try await Stage()
        try await stage.register()
        let authManager = stage.manager
        #expect(authManager.isAuthenticated)
        try await authManager.logout()
        #expect(!authManager.isAuthenticated)
        expectNil(authManager.currentUser)
        expectNil(authManager.currentSession)
    }
}

extension Stage {
    /// No start without a network shows devices: neither this one nor the next.
    fileprivate func expectNoCachedDevices() async throws {
        wire.cut(true)
        await #expect(throws: (any Error).self) { try await manager.getActiveDevices() }
        let again = try relaunched()
        await #expect(throws: (any Error).self) { try await again.getActiveDevices() }
    }
}
