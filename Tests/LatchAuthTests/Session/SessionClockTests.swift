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

@Suite struct SessionClockTests {
    typealias State = Session<Tokens>.State

    let fixture = SessionFixture()

    private func collect(_ session: Session<Tokens>) -> @Sendable () -> [State] {
        let seen = Mutex<[State]>([])
        let states = session.states
        fixture.simulation.spawn { for await state in states { seen.withLock { $0.append(state) } } }
        return { seen.withLock { $0 } }
    }

    /// Lets everything happen that needs no time.
    private func settle() { _ = fixture.simulation.run(horizon: .zero) }

    // Report Q7 in Documentation/PublicReports.md.
    @Test(.tags(.sessionObservers))
    func `A session whose clock is set stays expired when the date is set back, without a request`() throws {
        let session = fixture.makeSession()
        let seen = collect(session)
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        _ = fixture.simulation.run()
        expectEqual(seen(), [.unknown, .signedIn(tokens), .expired(tokens)])
        fixture.simulation.jumpDate(bySeconds: -3_600)
        settle()
        expectEqual(seen(), [.unknown, .signedIn(tokens), .expired(tokens)])
        expectEqual(fixture.refreshes, 0)
        #expect(fixture.requests.isEmpty)
    }

    @Test func `A session whose clock is set expires in time although the date is set back before`() throws {
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        let began = fixture.simulation.trueNow
        fixture.simulation.jumpDate(bySeconds: -86_400)
        settle()
        expectEqual(session.currentState, .signedIn(tokens))
        #expect(fixture.simulation.run { session.currentState == .expired(tokens) })
        #expect(fixture.simulation.trueNow.timeIntervalSince(began) < 905)
    }

    @Test func `A session whose clock is set back refreshes, and uses the next credential for its whole life`()
        throws
    {
        let session = fixture.makeSession()
        let tokens = fixture.issue(0)
        try fixture.run { try await session.signIn(tokens) }
        _ = fixture.simulation.run { session.currentState == .expired(tokens) }
        fixture.simulation.jumpDate(bySeconds: -3_600)
        settle()
        let fresh = try fixture.run { try await session.credential() }
        expectNotEqual(fresh.access, tokens.access)
        expectEqual(fixture.refreshes, 1)
        try expectEqual(fixture.run { try await session.credential() }, fresh)
        expectEqual(fixture.refreshes, 1)
    }

    @Test func `A session whose clock is set believes a date that the issuer shows after it was set back`() throws {
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        fixture.simulation.jumpDate(bySeconds: -3_600)
        settle()
        let now = fixture.simulation.now
        session.observe(issuerDate: now.addingTimeInterval(3_600 + 901), ofRequestSentAt: now)
        settle()
        expectEqual(session.currentState, .expired(tokens))
        session.observe(issuerDate: now, ofRequestSentAt: now)
        settle()
        expectEqual(session.currentState, .signedIn(tokens))
    }

    @Test(.tags(.sessionObservers))
    func `A session whose clock is set forward expires at once, and again when its time comes`() throws {
        let session = fixture.makeSession()
        let seen = collect(session)
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        let began = fixture.simulation.now
        fixture.simulation.jumpDate(bySeconds: 86_400)
        settle()
        expectEqual(session.currentState, .expired(tokens))
        fixture.simulation.jumpDate(bySeconds: -86_400)
        settle()
        expectEqual(session.currentState, .signedIn(tokens))
        _ = fixture.simulation.run()
        #expect(fixture.simulation.now.timeIntervalSince(began) < 901)
        let signedIn = State.signedIn(tokens)
        expectEqual(seen(), [.unknown, signedIn, .expired(tokens), signedIn, .expired(tokens)])
        expectEqual(fixture.refreshes, 0)
    }

    @Test(.tags(.sessionObservers))
    func `A session whose clock is set follows the issuer's date in both directions, exactly once`() throws {
        let session = fixture.makeSession()
        let seen = collect(session)
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        let now = fixture.simulation.now
        for seconds in [1_000.0, 1_001, 2_000, -10, -20, -30, 1_000] {
            session.observe(issuerDate: now.addingTimeInterval(seconds), ofRequestSentAt: now)
            settle()
        }
        let (fresh, old) = (State.signedIn(tokens), State.expired(tokens))
        expectEqual(seen(), [.unknown, fresh, old, fresh, old])
        expectEqual(fixture.refreshes, 0)
    }

    @Test
    func `A session whose clock is corrected expires on time, although it went to sleep by the wrong one`() throws {
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        let now = fixture.simulation.now
        session.observe(issuerDate: now.addingTimeInterval(800), ofRequestSentAt: now)
        settle()
        expectEqual(session.currentState, .signedIn(tokens))
        _ = fixture.simulation.run { session.currentState == .expired(tokens) }
        #expect(fixture.simulation.now.timeIntervalSince(now) < 101)
    }

    @Test func `A session whose clock is set reuses a fresh credential without a refresh`() throws {
        let session = fixture.makeSession()
        let tokens = fixture.issue(0)
        try fixture.run { try await session.signIn(tokens) }
        fixture.simulation.jumpDate(bySeconds: 86_400)
        settle()
        fixture.simulation.jumpDate(bySeconds: -86_400)
        try expectEqual(fixture.run { try await session.credential() }, tokens)
        expectEqual(fixture.refreshes, 0)
    }

    @Test
    func `A session whose clock is set does not pause its refreshes for the days that a date was set back`() throws {
        let isOffline = Mutex(true)
        let lastFailure = Mutex(Date.distantPast)
        let policy = RefreshPolicy(jitter: .zero, refreshesInBackground: true)
        let fixture = SessionFixture(policy: policy) { _, fixture in
            guard isOffline.withLock({ $0 }) else { return fixture.issue(1) }
            lastFailure.withLock { $0 = fixture.simulation.trueNow }
            throw HTTPError.offline
        }
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        // Late enough that the refresh is still due by a date that is set back.
        let late = try #require(tokens.expiry)
        #expect(fixture.simulation.run { lastFailure.withLock { $0 > late } })
        isOffline.withLock { $0 = false }
        let failed = fixture.simulation.trueNow
        // By as much as leaves the refresh due, and the end of the pause far away.
        fixture.simulation.jumpDate(bySeconds: -30)
        #expect(fixture.simulation.run { session.currentState.credential?.access == "access-1" })
        expectEqual(session.currentState.credential?.access, "access-1")
        #expect(fixture.simulation.trueNow.timeIntervalSince(failed) < 45)
        try fixture.run { try await session.signOut() }
    }
}
