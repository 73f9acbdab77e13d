// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchTesting
import TestTags
import Testing
import UserAuthentication
import UserService

/// A3: tokens that live a quarter of an hour, refreshed five minutes before they expire while no request needs them.
///
/// The clock is moved only when the session waits for the moment in question: so each test knows what it will do then.
@Suite(.timeLimit(.minutes(5))) @MainActor struct RefreshAheadTests {
    /// The state after the first one, which is there immediately, that fits.
    private func state(
        of manager: AuthenticationManager, where fits: (SessionState<Tokens>) -> Bool
    ) async -> SessionState<Tokens>? {
        for await state in manager.session.states where fits(state) { return state }
        return nil
    }

    /// Somebody who has registered, and whose session waits for the moment five minutes before the end.
    private func stageBeforeRenewal() async throws -> Stage {
        let stage = try await Stage(tokenLife: .seconds(900), refreshesInBackground: true)
        try await stage.register()
        await stage.device.sleeper(for: .seconds(600) ... .seconds(601))
        return stage
    }

    private func isRenewed(_ first: Tokens?) -> (SessionState<Tokens>) -> Bool {
        { $0.credential != nil && $0.credential?.access != first?.access }
    }

    @Test(.tags(.scheduledRefresh))
    func `Tokens are refreshed five minutes before their expiry, and not earlier`() async throws {
        let stage = try await stageBeforeRenewal()
        let first = stage.manager.session.currentState.credential
        stage.advance(by: 599)
        _ = try await stage.manager.session.credential()
        expectEqual(stage.wire.count("RefreshToken"), 0)
        stage.advance(by: 2)
        #expect(await state(of: stage.manager, where: isRenewed(first)) != nil)
        expectEqual(stage.wire.count("RefreshToken"), 1)
        #expect(stage.manager.isAuthenticated)
        // And the successor in its turn.
        let second = stage.manager.session.currentState.credential
        await stage.device.sleeper(for: .seconds(599) ... .seconds(601))
        stage.advance(by: 602)
        #expect(await state(of: stage.manager, where: isRenewed(second)) != nil)
        expectEqual(stage.wire.count("RefreshToken"), 2)
    }

    @Test(.tags(.scheduledRefresh), arguments: [602.0, 700, 890])
    func `A launch within five minutes of expiry refreshes immediately`(age: Double)
        async throws
    {
        let stage = try await Stage(tokenLife: .seconds(900))
        try await stage.register()
        let first = stage.manager.session.currentState.credential
        stage.advance(by: age)
        let again = try stage.relaunched(refreshesInBackground: true)
        try await again.restore()
        #expect(await state(of: again, where: isRenewed(first)) != nil)
        expectEqual(stage.wire.count("RefreshToken"), 1)
    }

    @Test(.tags(.scheduledRefresh))
    func `A launch more than five minutes before expiry keeps the tokens`() async throws {
        let stage = try await Stage(tokenLife: .seconds(900))
        try await stage.register()
        stage.advance(by: 598)
        let again = try stage.relaunched(refreshesInBackground: true)
        try await again.restore()
        await stage.device.sleeper(for: .milliseconds(1) ... .seconds(3))
        expectEqual(stage.wire.count("RefreshToken"), 0)
    }

    @Test(.tags(.scheduledRefresh))
    func `A refresh ahead of expiry that finds no network keeps the tokens and tries again`() async throws {
        let stage = try await stageBeforeRenewal()
        let first = stage.manager.session.currentState.credential
        stage.wire.cut(true)
        stage.advance(by: 601)
        // The pause after a failure, and up to a quarter more.
        await stage.device.sleeper(for: .seconds(15) ... .seconds(19))
        expectEqual(stage.wire.count("RefreshToken"), 1)
        #expect(stage.manager.isAuthenticated && stage.manager.session.currentState.credential == first)
        stage.wire.cut(false)
        stage.advance(by: 19)
        #expect(await state(of: stage.manager, where: isRenewed(first)) != nil)
        expectEqual(stage.wire.count("RefreshToken"), 2)
        #expect(stage.manager.isAuthenticated && stage.manager.currentUser?.email == "ada@example.com")
    }

    @Test(.tags(.scheduledRefresh))
    func `A refresh ahead of expiry that the server refuses ends the session`() async throws {
        let stage = try await stageBeforeRenewal()
        try await stage.suspend(stage.manager.currentUser?.id ?? "")
        stage.advance(by: 601)
        #expect(await state(of: stage.manager) { $0 == .signedOut(.issuer) } != nil)
        #expect(!stage.manager.isAuthenticated)
        expectNil(stage.store.load())
    }
}
