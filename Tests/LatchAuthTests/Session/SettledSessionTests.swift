// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchTesting
import SessionSimulation
import Synchronization
import Testing

@Suite struct SettledSessionTests {
    /// An issuer that answers after so many seconds.
    private func fixture(answeringAfter seconds: Int, life: Double) -> SessionFixture {
        SessionFixture(holding: SessionFixture().tokens(0, life: life)) { _, fixture in
            try await fixture.simulation.clock.sleep(for: .seconds(seconds))
            return fixture.issue(1)
        }
    }

    @Test func `A session that waits to settle waits for the answer that an impatient caller left`() throws {
        let fixture = fixture(answeringAfter: 70, life: 100)
        let session = fixture.makeSession()
        try fixture.pass(.seconds(90))
        try expectEqual(fixture.run { try await session.credential() }.access, "access-0")
        expectEqual(fixture.stored?.access, "access-0")
        #expect(try fixture.run { await session.settled() })
        expectEqual(fixture.stored?.access, "access-1")
        expectEqual(fixture.refreshes, 1)
    }

    @Test
    func `A session that waits to settle stores an answer that comes after the time limit of its callers`() throws {
        let fixture = fixture(answeringAfter: 200, life: -1)
        let session = fixture.makeSession()
        #expect(throws: AuthError.refreshTimedOut) { try fixture.run { try await session.credential() } }
        #expect(try fixture.run { await session.settled() })
        expectEqual(fixture.stored?.access, "access-1")
        try expectEqual(fixture.run { try await session.credential() }.access, "access-1")
        expectEqual(fixture.refreshes, 1)
    }

    @Test
    func `A session that waits to settle reports that it is not at rest at the limit or on cancellation`() throws {
        let fixture = fixture(answeringAfter: 1_000, life: -1)
        let session = fixture.makeSession()
        fixture.simulation.spawn { _ = try? await session.credential() }
        try fixture.pass(.seconds(1))
        #expect(try !fixture.run { await session.settled(within: .seconds(10)) })
        let leaving = fixture.simulation.spawn { await session.settled() }
        let patient = fixture.simulation.spawn { await session.settled() }
        try fixture.pass(.seconds(1))
        leaving.cancel()
        #expect(try !fixture.run { try await leaving.value })
        #expect(try fixture.run { try await patient.value })
        expectEqual(fixture.stored?.access, "access-1")
    }

    @Test func `A session that waits to settle tries again to store a result that a full disk refused`() throws {
        let fixture = fixture(answeringAfter: 1, life: -1)
        fixture.world.withLock { $0.saveFailure = .storeFull }
        let session = fixture.makeSession()
        #expect(throws: AuthError.storeFull) { try fixture.run { try await session.credential() } }
        let rest = fixture.simulation.spawn { await session.settled() }
        try fixture.pass(.seconds(20))
        fixture.world.withLock { $0.saveFailure = nil }
        #expect(try fixture.run { try await rest.value })
        expectEqual(fixture.stored?.access, "access-1")
        expectEqual(fixture.refreshes, 1)
    }

    @Test func `A session that waits to settle is not at rest while suspended with a request in flight`() throws {
        let fixture = fixture(answeringAfter: 60, life: -1)
        let session = fixture.makeSession()
        fixture.simulation.spawn { _ = try? await session.credential() }
        try fixture.pass(.seconds(1))
        try fixture.run { await session.prepareToSuspend(within: .zero) }
        #expect(try !fixture.run { await session.settled(within: .seconds(10)) })
        try fixture.pass(.seconds(60))
        // The answer is here, and not stored.
        #expect(try !fixture.run { await session.settled(within: .seconds(10)) })
        try fixture.run { await session.resume() }
        #expect(try fixture.run { await session.settled() })
        expectEqual(fixture.stored?.access, "access-1")
    }

    @Test
    func `A session that waits to settle keeps the answer for an app that signs in again with its tokens`() throws {
        let fixture = fixture(answeringAfter: 10, life: -1)
        let session = fixture.makeSession()
        fixture.simulation.spawn { _ = try? await session.credential() }
        try fixture.pass(.seconds(1))
        try fixture.run { try await session.signIn(SessionFixture().tokens(0, life: -1)) }
        #expect(try fixture.run { await session.settled() })
        expectEqual(fixture.stored?.refresh, "refresh-1")
        expectEqual(fixture.refreshes, 1)
    }

    @Test func `A session that waits to settle is not held up by a hanging request of an earlier session`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { request, fixture in
            if request.credential.refresh == "refresh-0" {
                try await fixture.simulation.clock.sleep(for: .seconds(5_000))
            }
            return fixture.issue(9)
        }
        let session = fixture.makeSession()
        fixture.simulation.spawn { _ = try? await session.credential() }
        try fixture.pass(.seconds(1))
        try fixture.run { try await session.stepUp(to: SessionFixture().tokens(5, life: -1)) }
        try expectEqual(fixture.run { try await session.credential() }.access, "access-9")
        expectEqual(fixture.refreshes, 2)
    }

    @Test func `A session that waits to settle waits without a limit for a store, if its caller says so`() throws {
        let fixture = fixture(answeringAfter: 1, life: -1)
        fixture.world.withLock { $0.saveFailure = .storeFull }
        let session = fixture.makeSession()
        #expect(throws: AuthError.storeFull) { try fixture.run { try await session.credential() } }
        let rest = fixture.simulation.spawn { await session.settled(within: .seconds(5), orUnstored: true) }
        try fixture.pass(.seconds(300))
        expectEqual(fixture.stored?.access, "access-0")
        fixture.world.withLock { $0.saveFailure = nil }
        #expect(try fixture.run { try await rest.value })
        expectEqual(fixture.stored?.access, "access-1")
    }

    @Test func `A session that waits to settle is at rest at once if nothing happens`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        #expect(try fixture.run { await session.settled() })
        try expectEqual(fixture.run { try await session.credential() }.access, "access-0")
        #expect(try fixture.run { await session.settled(within: .zero) })
    }
}
