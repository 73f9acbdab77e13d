// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct SessionRestoreTests {
    @Test(.tags(.tokenSaving)) func `A session stores the signed-in credential, and forgets it at sign-out`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let tokens = fixture.tokens(1)
        try fixture.run { try await session.signIn(tokens) }
        expectEqual(session.currentState, .signedIn(tokens))
        expectEqual(fixture.stored, tokens)

        let last = try fixture.run { try await session.signOut() }
        expectEqual(last, tokens)
        expectEqual(session.currentState, .signedOut(.user))
        expectNil(fixture.stored)
    }

    @Test(.tags(.atomicSaving))
    func `A session and its store keep the earlier pair if the new one cannot be stored, and say so`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: 0))
        let session = fixture.makeSession()
        fixture.world.withLock { $0.saveFailure = .storeFull }
        #expect(throws: AuthError.storeFull) { try fixture.run { try await session.credential() } }
        expectEqual(fixture.stored?.access, "access-0")
        expectEqual(session.currentState.credential?.access, "access-0")
    }

    @Test(.tags(.atomicSaving))
    func `A session stores the pair at the next call without asking the issuer again`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: 0))
        let session = fixture.makeSession()
        fixture.world.withLock { $0.saveFailure = .storeLocked }
        #expect(throws: AuthError.storeLocked) { try fixture.run { try await session.credential() } }
        fixture.world.withLock { $0.saveFailure = nil }
        let current = try fixture.run { try await session.credential() }
        expectEqual(current.access, "access-1")
        expectEqual(fixture.stored, current)
        expectEqual(fixture.refreshes, 1)
    }

    @Test(.tags(.atomicSaving)) func `A sign-in that cannot be stored leaves the session as it was`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let (first, second) = (fixture.tokens(1), fixture.tokens(2))
        try fixture.run { try await session.signIn(first) }
        fixture.world.withLock { $0.saveFailure = .storeDenied }
        #expect(throws: AuthError.storeDenied) { try fixture.run { try await session.signIn(second) } }
        expectEqual(session.currentState, .signedIn(first))
    }

    @Test(.tags(.sessionLoading)) func `A session distinguishes "no account" from "not read yet"`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        expectEqual(session.currentState, .unknown)
        try fixture.run { try await session.restore() }
        expectEqual(session.currentState, .signedOut(.noAccount))
        #expect(throws: AuthError.missingToken) { try fixture.run { try await session.credential() } }
    }

    @Test(.tags(.sessionLoading), arguments: [(900.0, true), (-1.0, false)])
    func `A session restores the kept credential, fresh or expired`(life: Double, isFresh: Bool) throws {
        let tokens = SessionFixture().tokens(0, life: life)
        let fixture = SessionFixture(holding: tokens)
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        expectEqual(session.currentState, isFresh ? .signedIn(tokens) : .expired(tokens))
    }

    @Test(.tags(.sessionLoading)) func `A session takes a locked store for unavailable, and tries again`() throws {
        let tokens = SessionFixture().tokens(0)
        let fixture = SessionFixture(holding: tokens)
        let session = fixture.makeSession()
        fixture.world.withLock { $0.loadFailure = .storeLocked }
        #expect(throws: AuthError.storeLocked) { try fixture.run { try await session.restore() } }
        expectEqual(session.currentState, .unavailable(.storeLocked))
        #expect(throws: AuthError.storeLocked) { try fixture.run { try await session.credential() } }
        fixture.world.withLock { $0.loadFailure = nil }
        try expectEqual(fixture.run { try await session.credential() }, tokens)
    }

    @Test(.tags(.sessionLoading)) func `A session reads the store once, however often it is asked`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        try fixture.run {
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { _ = try await session.credential() } }
                try await group.waitForAll()
            }
            try await session.restore()
        }
        expectEqual(fixture.loads, 1)
    }

    @Test(.tags(.sessionLoading)) func `A sign-in during the restoration wins`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        let tokens = fixture.tokens(7)
        try fixture.run {
            async let restored: Void = session.restore()
            async let signedIn: Void = session.signIn(tokens)
            _ = try await (restored, signedIn)
        }
        expectEqual(session.currentState, .signedIn(tokens))
        expectEqual(fixture.stored, tokens)
    }

    @Test func `A session signs out although the store could never be read`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        fixture.world.withLock { $0.loadFailure = .storeCorrupt }
        try expectNil(fixture.run { try await session.signOut() })
        expectEqual(session.currentState, .signedOut(.user))
        expectNil(fixture.stored)
    }

    @Test func `A session stays signed in if the store cannot forget`() throws {
        let tokens = SessionFixture().tokens(0)
        let fixture = SessionFixture(holding: tokens)
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        fixture.world.withLock { $0.clearFailure = .storeDenied }
        #expect(throws: AuthError.storeDenied) { try fixture.run { try await session.signOut() } }
        expectEqual(session.currentState, .signedIn(tokens))
    }
}
