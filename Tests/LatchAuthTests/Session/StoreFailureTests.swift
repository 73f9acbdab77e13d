// SPDX-License-Identifier: Apache-2.0

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
        #expect(session.currentState == .signedIn(tokens))
        #expect(fixture.stored == tokens)
    }

    @Test func `A store that fails after it has stored makes a sign-out fail, which still counts`() throws {
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        #expect(throws: AuthError.storeUnavailable) { try fixture.run { try await session.signOut() } }
        #expect(session.currentState == .signedOut(.user))
        #expect(fixture.stored == nil)
    }

    @Test func `A store that fails after it has stored does not fail a refresh`() throws {
        let session = fixture.makeSession()
        let refused = fixture.tokens(0)
        #expect(try fixture.run { try await session.refreshed(replacing: refused) }.access == "access-1")
        #expect(fixture.stored?.access == "access-1")
        #expect(session.currentState.credential == fixture.stored)
        #expect(fixture.refreshes == 1)
    }

    @Test func `A store that fails after it has stored keeps the state of the session if it cannot be read`() throws {
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        fixture.world.withLock { $0.loadFailure = .storeLocked }
        #expect(throws: AuthError.storeUnavailable) { try fixture.run { try await session.signOut() } }
        #expect(session.currentState.credential?.access == "access-0")
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
        #expect(fixture.stored == nil)

        fixture.world.withLock { $0.saveFailure = nil }
        #expect(try fixture.run { try await session.refreshed(replacing: refused) }.access == "access-1")
        #expect(fixture.stored?.access == "access-1")
        #expect(fixture.refreshes == 1)
    }
}
