// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@testable import LatchAuth

@Suite struct SessionEndTests {
    let clock = ManualClock()

    private func session(life: Double = 900) async throws -> Session<Tokens> {
        let tokens = Tokens(access: "a", refresh: "r", expiry: clock.now.addingTimeInterval(life))
        let session = Session(store: InMemoryTokenStore<Tokens>(), clock: clock.wallClock()) { $0.credential }
        try await session.signIn(tokens)
        return session
    }

    @Test func `A session that no task holds is gone although its streams are open, and ends them`() async throws {
        var owned: Session<Tokens>? = try await session()
        weak let session = owned
        let states = try #require(owned?.states)
        let reader = Task {
            var count = 0
            for await _ in states { count += 1 }
            return count
        }
        try await eventually { clock.sleepers.count == 1 && clock.jumpListenerCount == 1 }
        owned = nil
        await expectEqual(reader.value, 1)
        expectNil(session)
    }

    @Test func `A session that no task holds leaves no sleeping task and no watch on the date`() async throws {
        var owned: Session<Tokens>? = try await session()
        try await eventually { clock.sleepers.count == 1 && clock.jumpListenerCount == 1 }
        _ = try await owned?.credential()
        owned = nil
        try await eventually { clock.sleepers.isEmpty && clock.jumpListenerCount == 0 }
        #expect(clock.sleepers.isEmpty)
        expectEqual(clock.jumpListenerCount, 0)
    }

    @Test func `A session that no task holds sleeps no more once its credential is expired or gone`() async throws {
        let session = try await session(life: -1)
        try await eventually { clock.sleepers.isEmpty }
        try await session.signIn(Tokens(access: "b", expiry: clock.now.addingTimeInterval(60)))
        try await eventually { clock.sleepers.count == 1 }
        try await session.signOut()
        try await eventually { clock.sleepers.isEmpty }
        expectEqual(clock.jumpListenerCount, 1)
    }

    @Test
    func `A session that no task holds forgets an observer that stops, and one whose task is canceled`() async throws {
        let session = try await session()
        for await _ in session.states { break }
        try await eventually { session.broadcast.watcherCount == 0 }
        let states = session.states
        let reader = Task { for await _ in states {} }
        expectEqual(session.broadcast.watcherCount, 1)
        reader.cancel()
        await reader.value
        try await eventually { session.broadcast.watcherCount == 0 }
        expectEqual(session.broadcast.watcherCount, 0)
    }
}
