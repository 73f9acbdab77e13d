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

@Suite struct SessionTimeTests {
    /// Life 3,600 s, lead 300 s: a refresh is due when less than 300 s are left (behaviour P4 and L5).
    @Test(.tags(.refreshOnDemand), arguments: [(301.0, 0), (299.0, 1), (0.0, 1), (-10.0, 1)])
    func `A session refreshes when less than the lead is left`(left: Double, refreshes: Int) throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        var tokens = fixture.tokens(0, life: 3_600)
        tokens.expiry = fixture.simulation.now.addingTimeInterval(left)
        tokens.issued = tokens.expiry?.addingTimeInterval(-3_600)
        let signedIn = tokens
        try fixture.run { try await session.signIn(signedIn) }
        _ = try fixture.run { try await session.credential() }
        expectEqual(fixture.refreshes, refreshes)
    }

    @Test func `A session takes no more than a fifth of a short life as the lead`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0, life: 10)
        try fixture.run {
            try await session.signIn(tokens)
            try await fixture.simulation.clock.sleep(for: .seconds(7.9))
            _ = try await session.credential()
        }
        expectEqual(fixture.refreshes, 0)
        try fixture.run {
            try await fixture.simulation.clock.sleep(for: .seconds(0.2))
            _ = try await session.credential()
        }
        expectEqual(fixture.refreshes, 1)
    }

    @Test(arguments: [(0.5, 4.9, 5.1), (7, 4.9, 5.1), (0.3, 6.9, 7.1)])
    func `A session takes as much of a short life as the policy says, and never more than half`(
        share: Double, before: Double, after: Double
    ) throws {
        var policy = RefreshPolicy(lead: .seconds(300), jitter: .zero)
        policy.greatestShare = share
        let fixture = SessionFixture(policy: policy)
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0, life: 10)
        try fixture.run {
            try await session.signIn(tokens)
            try await fixture.simulation.clock.sleep(for: .seconds(before))
            _ = try await session.credential()
        }
        expectEqual(fixture.refreshes, 0)
        try fixture.run {
            try await fixture.simulation.clock.sleep(for: .seconds(after - before))
            _ = try await session.credential()
        }
        expectEqual(fixture.refreshes, 1)
    }

    /// A3: who starts late in a credential's life must not take the rest for the whole.
    @Test(.tags(.scheduledRefresh), arguments: [(719.0, 0), (721, 1), (899, 1)])
    func `A session counts the life of a credential without a start date, also after a restart`(
        age: Double, refreshes: Int
    ) throws {
        let fixture = SessionFixture()
        let store = InMemoryTokenStore<Tokens>()
        var tokens = fixture.tokens(0)
        tokens.issued = nil
        let signedIn = tokens
        try fixture.run { try await fixture.makeSession(over: store).signIn(signedIn) }
        expectEqual(store.loadRecord()?.issued, fixture.simulation.now)
        try fixture.run { try await fixture.simulation.clock.sleep(for: .seconds(age)) }
        let again = fixture.makeSession(over: store)
        _ = try fixture.run { try await again.credential() }
        expectEqual(fixture.refreshes, refreshes)
    }

    @Test func `A session keeps no other date if the credential has a start date`() throws {
        let fixture = SessionFixture()
        let store = InMemoryTokenStore<Tokens>()
        let session = fixture.makeSession(over: store)
        try fixture.run {
            try await session.signIn(fixture.tokens(0))
            try await fixture.simulation.clock.sleep(for: .seconds(890))
            _ = try await session.credential()
        }
        expectEqual(fixture.refreshes, 1)
        expectNil(store.loadRecord()?.issued)
    }

    @Test func `A session counts the life of a successor from its own beginning`() throws {
        let fixture = SessionFixture { request, fixture in
            var tokens = fixture.issue(fixture.world.withLock { $0.refreshes.count })
            tokens.issued = nil
            return tokens
        }
        let store = InMemoryTokenStore<Tokens>()
        let session = fixture.makeSession(over: store)
        try fixture.run {
            try await session.signIn(fixture.tokens(0))
            try await fixture.simulation.clock.sleep(for: .seconds(800))
            _ = try await session.credential()
        }
        expectEqual(store.loadRecord()?.issued, fixture.simulation.now)
        let again = fixture.makeSession(over: store)
        for (age, refreshes) in [(719.0, 1), (2, 2)] {
            try fixture.run { try await fixture.simulation.clock.sleep(for: .seconds(age)) }
            _ = try fixture.run { try await again.credential() }
            expectEqual(fixture.refreshes, refreshes)
        }
    }

    @Test func `A session spreads refreshes by jitter, within the lead`() throws {
        var dues: Set<Date> = []
        let fixture = SessionFixture(policy: RefreshPolicy(lead: .seconds(300), jitter: .seconds(30)))
        for _ in 0..<50 {
            let session = fixture.makeSession()
            let tokens = fixture.tokens(0, life: 3_600)
            try fixture.run { try await session.signIn(tokens) }
            let due = session.view.withLock { $0.due }
            dues.insert(due)
            let left = (tokens.expiry ?? .distantPast).timeIntervalSince(due)
            #expect(left <= 300 && left >= 270)
        }
        #expect(dues.count > 40)
    }

    @Test func `A session never refreshes a credential without an expiry`() throws {
        let fixture = SessionFixture(holding: Tokens(access: "eternal"))
        let session = fixture.makeSession()
        try fixture.run {
            try await session.restore()
            try await fixture.simulation.clock.sleep(for: .seconds(1e8))
            _ = try await session.credential()
        }
        expectEqual(fixture.refreshes, 0)
    }

    @Test(arguments: [86_400.0, -86_400.0, 3_600.0, -600.0])
    func `A session learns from the server's date that its own clock is wrong`(jump: Double) throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let client = fixture.client(session)
        try fixture.run { try await session.signIn(fixture.issue(0, life: 3_600)) }
        fixture.simulation.jumpDate(bySeconds: jump)
        for _ in 0..<5 {
            try expectEqual(fixture.run { try await client.respond(to: SessionFixture.request()) }.status, .ok)
        }
        #expect(fixture.refreshes <= 1)
    }

    @Test func `A session does not take the travel time of an answer for a wrong clock`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let sent = fixture.simulation.now
        try fixture.run { try await fixture.simulation.clock.sleep(for: .seconds(20)) }
        session.observe(issuerDate: sent.addingTimeInterval(1), ofRequestSentAt: sent)
        expectEqual(session.view.withLock { $0.clockOffset }, 0)
        session.observe(issuerDate: sent.addingTimeInterval(-100), ofRequestSentAt: sent)
        expectEqual(session.view.withLock { $0.clockOffset }, -100)
        session.observe(issuerDate: sent.addingTimeInterval(120), ofRequestSentAt: sent)
        expectEqual(session.view.withLock { $0.clockOffset }, 100)
    }
}
