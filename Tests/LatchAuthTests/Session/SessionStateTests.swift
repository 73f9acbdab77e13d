// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import TestTags
import Testing

@testable import LatchAuth

@Suite struct SessionStateTests {
    typealias State = Session<Tokens>.State

    /// Collects the states that a stream yields.
    private func collect(_ states: AsyncStream<State>, in fixture: SessionFixture) -> @Sendable () -> [State] {
        let seen = Mutex<[State]>([])
        fixture.simulation.spawn { for await state in states { seen.withLock { $0.append(state) } } }
        return { seen.withLock { $0 } }
    }

    @Test(.tags(.refreshReuse))
    func `The states of a session begin with the current one and follow each change once, for every observer`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let tokens = fixture.tokens(1)
        let early = collect(session.states, in: fixture)
        try fixture.run { try await session.signIn(tokens) }
        let late = collect(session.states, in: fixture)
        try fixture.run {
            try await session.signIn(tokens)
            try await session.signOut()
        }
        _ = fixture.simulation.run(horizon: .zero)
        expectEqual(early(), [.unknown, .signedIn(tokens), .signedOut(.user)])
        expectEqual(late(), [.signedIn(tokens), .signedOut(.user)])
    }

    @Test(.tags(.refreshReuse)) func `The states of a session go on for the others when one observer stops`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let states = session.states
        let stopped = fixture.simulation.spawn { for await _ in states {} }
        let other = collect(session.states, in: fixture)
        let tokens = fixture.tokens(1)
        try fixture.run {
            stopped.cancel()
            _ = await stopped.result
            try await session.signIn(tokens)
        }
        _ = fixture.simulation.run(horizon: .zero)
        expectEqual(other(), [.unknown, .signedIn(tokens)])
    }

    @Test(.tags(.refreshReuse)) func `The states of a session end with the session`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        var session: Session<Tokens>? = fixture.makeSession()
        let states = session?.states
        let ended = Mutex(false)
        fixture.simulation.spawn {
            if let states { for await _ in states {} }
            ended.withLock { $0 = true }
        }
        if let session { try fixture.run { try await session.restore() } }
        session = nil
        _ = fixture.simulation.run()
        #expect(ended.withLock { $0 })
    }

    @Test(.tags(.refreshReuse)) func `The states of a session leave nothing behind after ten thousand observers`() {
        let session = SessionFixture().makeSession()
        for _ in 0..<10_000 { _ = session.states }
        expectEqual(session.broadcast.watcherCount, 0)
    }

    @Test(.tags(.sessionObservers)) func `The states of a session change with time too, each change once`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let seen = collect(session.states, in: fixture)
        let first = fixture.tokens(0)
        try fixture.run { try await session.signIn(first) }
        _ = fixture.simulation.run()
        #expect(fixture.simulation.now >= first.expiry ?? .distantFuture)
        let second = try fixture.run { try await session.credential() }
        try fixture.run { try await session.signOut() }
        _ = fixture.simulation.run()
        expectEqual(seen(), [.unknown, .signedIn(first), .expired(first), .signedIn(second), .signedOut(.user)])
    }

    @Test func `The states of a session follow a background refresh before the expiry, forever`() throws {
        let policy = RefreshPolicy(jitter: .zero, refreshesInBackground: true)
        let fixture = SessionFixture(policy: policy)
        let session = fixture.makeSession()
        let seen = collect(session.states, in: fixture)
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        _ = fixture.simulation.run { fixture.refreshes == 20 }
        try fixture.run { try await session.signOut() }
        _ = fixture.simulation.run()
        expectEqual(fixture.refreshes, 20)
        #expect(!seen().contains { if case .expired = $0 { true } else { false } })
    }

    @Test func `The states of a session survive a long outage in the background, and recover`() throws {
        let isOffline = Mutex(true)
        let policy = RefreshPolicy(jitter: .zero, refreshesInBackground: true)
        let fixture = SessionFixture(policy: policy) { _, fixture in
            if isOffline.withLock({ $0 }) { throw HTTPError.offline }
            return fixture.issue(1)
        }
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        let recovery = fixture.simulation.now.addingTimeInterval(7_200)
        _ = fixture.simulation.run { fixture.simulation.now >= recovery }
        expectEqual(session.currentState, .expired(tokens))
        isOffline.withLock { $0 = false }
        _ = fixture.simulation.run { session.currentState != .expired(tokens) }
        expectEqual(session.currentState.credential?.access, "access-1")
        try fixture.run { try await session.signOut() }
    }
}
