// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import Synchronization
import Testing

/// A disk's last word may be an error, and a store may delete before it adds: what the session makes of that.
@Suite struct StoreFailureTests {
    let fixture = SessionFixture(holding: SessionFixture().tokens(0))

    init() {
        fixture.world.withLock { world in
            (world.saveFailure, world.clearFailure) = (.storeUnavailable, .storeUnavailable)
            world.failsAfterwards = true
        }
    }

    @Test func `A store that fails after it has stored makes a sign-in fail, which still counts`() throws {
        let session = fixture.makeSession()
        let tokens = fixture.tokens(7)
        try fixture.run { try await session.restore() }
        #expect(throws: AuthError.storeUnavailable) { try fixture.run { try await session.signIn(tokens) } }
        expectEqual(session.currentState, .signedIn(tokens))
        expectEqual(fixture.stored, tokens)
    }

    @Test func `A store that fails after it has stored makes a sign-out fail, which still counts`() throws {
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        #expect(throws: AuthError.storeUnavailable) { try fixture.run { try await session.signOut() } }
        expectEqual(session.currentState, .signedOut(.user))
        expectNil(fixture.stored)
    }

    @Test func `A store that fails after it has stored does not fail a refresh`() throws {
        let session = fixture.makeSession()
        let refused = fixture.tokens(0)
        try expectEqual(fixture.run { try await session.refreshed(replacing: refused) }.access, "access-1")
        expectEqual(fixture.stored?.access, "access-1")
        expectEqual(session.currentState.credential, fixture.stored)
        expectEqual(fixture.refreshes, 1)
    }

    @Test func `A store that fails after it has stored keeps the state of the session if it cannot be read`() throws {
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        fixture.world.withLock { $0.loadFailure = .storeLocked }
        #expect(throws: AuthError.storeUnavailable) { try fixture.run { try await session.signOut() } }
        expectEqual(session.currentState.credential?.access, "access-0")
    }
}

@Suite struct StoreLossTests {
    @Test
    func `A store that fails and lost its record does not end the session, and gets the successor later`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        let refused = fixture.tokens(0)
        try fixture.run { try await session.restore() }
        fixture.world.withLock { ($0.saveFailure, $0.failsEmpty) = (.storeFull, true) }
        #expect(throws: AuthError.storeFull) { try fixture.run { try await session.refreshed(replacing: refused) } }
        #expect(session.currentState.isSignedIn)
        expectNil(fixture.stored)

        fixture.world.withLock { $0.saveFailure = nil }
        try expectEqual(fixture.run { try await session.refreshed(replacing: refused) }.access, "access-1")
        expectEqual(fixture.stored?.access, "access-1")
        expectEqual(fixture.refreshes, 1)
    }
}
