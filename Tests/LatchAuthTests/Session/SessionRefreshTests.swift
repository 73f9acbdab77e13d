// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import TestTags
import Testing

@Suite struct SessionRefreshTests {
    @Test(.tags(.authenticatedSending))
    func `A fresh credential is sent without a refresh`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        let client = fixture.client(session)
        let response = try fixture.run { try await client.respond(to: SessionFixture.request()) }
        expectEqual(response.status, .ok)
        expectEqual(fixture.refreshes, 0)
        expectEqual(fixture.requests.map { $0.fields[.authorization] }, ["Bearer access-0"])
    }

    @Test(.tags(.authenticatedSending)) func `A refresh is made once for an expired one, before the request`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let client = fixture.client(fixture.makeSession())
        try expectEqual(fixture.run { try await client.respond(to: SessionFixture.request()) }.status, .ok)
        expectEqual(fixture.refreshes, 1)
        expectEqual(fixture.requests.map { $0.fields[.authorization] }, ["Bearer access-1"])
    }

    @Test(.tags(.authenticatedSending))
    func `A refresh is not made if it is turned off, and the server's refusal is the answer`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        fixture.world.withLock { $0.accepted = [] }
        let client = fixture.client(fixture.makeSession(), refreshes: false)
        try expectEqual(fixture.run { try await client.respond(to: SessionFixture.request()) }.status, .unauthorized)
        expectEqual(fixture.refreshes, 0)
        expectEqual(fixture.requests.map { $0.fields[.authorization] }, ["Bearer access-0"])
    }

    @Test(.tags(.authenticatedSending)) func `A request without a signed-in user is not sent`() throws {
        let fixture = SessionFixture()
        let client = fixture.client(fixture.makeSession())
        #expect(throws: AuthError.missingToken) {
            try fixture.run { try await client.respond(to: SessionFixture.request()) }
        }
        #expect(fixture.requests.isEmpty)
    }

    @Test(.tags(.concurrentRefresh), arguments: [1, 2, 50, 1_000])
    func `A refresh is shared by all callers of an expired credential`(callers: Int) throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let client = fixture.client(fixture.makeSession())
        let succeeded = try fixture.run {
            try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<callers {
                    group.addTask { try await client.respond(to: SessionFixture.request()).status }
                }
                return try await group.reduce(0) { $0 + ($1 == .ok ? 1 : 0) }
            }
        }
        expectEqual(succeeded, callers)
        expectEqual(fixture.refreshes, 1)
        expectEqual(fixture.saves, 1)
    }

    @Test(.tags(.concurrentRefresh)) func `A refresh is not made for a refusal that comes after it`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        let old = try fixture.run { try await session.credential() }
        let new = try fixture.run { try await session.refreshed(replacing: old) }
        let late = try fixture.run { try await session.refreshed(replacing: old) }
        expectEqual(late, new)
        expectEqual(fixture.refreshes, 1)
    }

    @Test(.tags(.waiterCancellation)) func `A refresh goes on when one of its waiters is canceled`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let session = fixture.makeSession()
        let cancelled = fixture.simulation.spawn { try await session.credential() }
        let patient = fixture.simulation.spawn { try await session.credential() }
        fixture.simulation.spawn {
            try await fixture.simulation.clock.sleep(for: .milliseconds(50))
            cancelled.cancel()
        }
        let results = try fixture.run { await (cancelled.result, patient.result) }
        #expect(throws: CancellationError.self) { try results.0.get() }
        try expectEqual(results.1.get().access, "access-1")
        expectEqual(fixture.refreshes, 1)
    }

    @Test(.tags(.waiterCancellation)) func `A refresh lets a canceled waiter go before it ends`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, fixture in
            try await fixture.simulation.clock.sleep(for: .seconds(3_600))
            return fixture.issue(1)
        }
        let session = fixture.makeSession()
        let waiter = fixture.simulation.spawn { try await session.credential() }
        let began = fixture.simulation.now
        try fixture.run {
            try await fixture.simulation.clock.sleep(for: .seconds(1))
            waiter.cancel()
            _ = await waiter.result
        }
        #expect(fixture.simulation.now.timeIntervalSince(began) < 2)
    }

    @Test(.tags(.logoutDuringRefresh)) func `A refresh that ends after the sign-out changes nothing`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let session = fixture.makeSession()
        let waiter = fixture.simulation.spawn { try await session.credential() }
        try fixture.run {
            try await fixture.simulation.clock.sleep(for: .milliseconds(50))
            try await session.signOut()
        }
        #expect(throws: AuthError.superseded) { try fixture.run { try await waiter.value } }
        _ = fixture.simulation.run()
        expectEqual(session.currentState, .signedOut(.user))
        expectNil(fixture.stored)
    }

    @Test(.tags(.logoutDuringRefresh)) func `A refresh of one user does not touch the next`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let session = fixture.makeSession()
        let waiter = fixture.simulation.spawn { try await session.credential() }
        let other = Tokens(access: "other", refresh: "other-refresh")
        try fixture.run {
            try await fixture.simulation.clock.sleep(for: .milliseconds(50))
            try await session.signIn(other)
        }
        #expect(throws: AuthError.superseded) { try fixture.run { try await waiter.value } }
        _ = fixture.simulation.run()
        expectEqual(session.currentState, .signedIn(other))
        expectEqual(fixture.stored, other)
    }

    @Test(.tags(.logoutDuringRefresh)) func `A request of one user is not repeated as the next user`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        let client = fixture.client(session)
        fixture.world.withLock { $0.accepted = ["other"] }
        let request = fixture.simulation.spawn { try await client.respond(to: SessionFixture.request(.post)) }
        try fixture.run {
            try await fixture.simulation.clock.sleep(for: .milliseconds(20))
            try await session.signIn(Tokens(access: "other"))
        }
        #expect(throws: AuthError.superseded) { try fixture.run { try await request.value } }
        expectEqual(fixture.requests.map { $0.fields[.authorization] }, ["Bearer access-0"])
    }

    @Test(.tags(.forcedRefresh))
    func `A refresh follows the refusal of a credential that is not expired, and the request is sent again`()
        throws
    {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        fixture.world.withLock { $0.accepted = [] }
        let client = fixture.client(fixture.makeSession())
        let response = try fixture.run {
            try await client.respond(to: SessionFixture.request(.post, body: "all of it"))
        }
        expectEqual(response.status, .ok)
        expectEqual(fixture.refreshes, 1)
        expectEqual(fixture.requests.map(\.body.text), ["all of it", "all of it"])
        expectEqual(fixture.requests.map { $0.fields[.authorization] }, ["Bearer access-0", "Bearer access-1"])
    }

    @Test(.tags(.forcedRefresh))
    func `A refresh is made once for a server that refuses everything, and its answer is returned`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0)) { _, fixture in fixture.tokens(1) }
        fixture.world.withLock { $0.accepted = [] }
        let client = fixture.client(fixture.makeSession())
        try expectEqual(fixture.run { try await client.respond(to: SessionFixture.request()) }.status, .unauthorized)
        expectEqual(fixture.refreshes, 1)
        expectEqual(fixture.requests.count, 2)
    }

    @Test func `A refresh that goes through its own session does not wait for itself`() throws {
        let client = Mutex<(any Handler)?>(nil)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, fixture in
            _ = try await client.withLock { $0 }?.respond(to: SessionFixture.request(.post))
            return fixture.issue(1)
        }
        let session = fixture.makeSession()
        client.withLock { $0 = fixture.client(session) }
        try expectEqual(fixture.run { try await session.credential() }.access, "access-1")
        expectEqual(fixture.requests.map { $0.fields[.authorization] }, [nil])
    }

    @Test func `A refresh that asks its own session gets an error, not a deadlock`() throws {
        let itself = Mutex<Session<Tokens>?>(nil)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in
            guard let session = itself.withLock({ $0 }) else { throw HTTPError.offline }
            return try await session.credential()
        }
        let session = fixture.makeSession()
        itself.withLock { $0 = session }
        #expect(throws: AuthError.refreshReentered) { try fixture.run { try await session.credential() } }
        itself.withLock { $0 = nil }
    }

    @Test func `A refresh takes over what another session of the same store has refreshed`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let (first, second) = (fixture.makeSession(), fixture.makeSession())
        try fixture.run { try await second.restore() }
        let refreshed = try fixture.run { try await first.credential() }
        try expectEqual(fixture.run { try await second.credential() }, refreshed)
        expectEqual(fixture.refreshes, 1)
    }

    @Test func `A refresh finds the user signed out by another session of the same store`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let (first, second) = (fixture.makeSession(), fixture.makeSession())
        try fixture.run { try await second.restore() }
        try fixture.run { try await first.signOut() }
        #expect(throws: AuthError.missingToken) { try fixture.run { try await second.credential() } }
        expectEqual(second.currentState, .signedOut(.user))
        expectEqual(fixture.refreshes, 0)
    }
}
