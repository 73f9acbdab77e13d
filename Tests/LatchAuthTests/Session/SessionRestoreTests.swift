// SPDX-License-Identifier: Apache-2.0

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
        #expect(session.currentState == .signedIn(tokens))
        #expect(fixture.stored == tokens)

        let last = try fixture.run { try await session.signOut() }
        #expect(last == tokens)
        #expect(session.currentState == .signedOut(.user))
        #expect(fixture.stored == nil)
    }

    @Test(.tags(.atomicSaving))
    func `A session and its store keep the earlier pair if the new one cannot be stored, and say so`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: 0))
        let session = fixture.makeSession()
        fixture.world.withLock { $0.saveFailure = .storeFull }
        #expect(throws: AuthError.storeFull) { try fixture.run { try await session.credential() } }
        #expect(fixture.stored?.access == "access-0")
        #expect(session.currentState.credential?.access == "access-0")
    }

    @Test(.tags(.atomicSaving))
    func `A session stores the pair at the next call without asking the issuer again`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: 0))
        let session = fixture.makeSession()
        fixture.world.withLock { $0.saveFailure = .storeLocked }
        #expect(throws: AuthError.storeLocked) { try fixture.run { try await session.credential() } }
        fixture.world.withLock { $0.saveFailure = nil }
        let current = try fixture.run { try await session.credential() }
        #expect(current.access == "access-1")
        #expect(fixture.stored == current)
        #expect(fixture.refreshes == 1)
    }

    @Test(.tags(.atomicSaving)) func `A sign-in that cannot be stored leaves the session as it was`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let (first, second) = (fixture.tokens(1), fixture.tokens(2))
        try fixture.run { try await session.signIn(first) }
        fixture.world.withLock { $0.saveFailure = .storeDenied }
        #expect(throws: AuthError.storeDenied) { try fixture.run { try await session.signIn(second) } }
        #expect(session.currentState == .signedIn(first))
    }

    @Test(.tags(.sessionLoading)) func `A session distinguishes "no account" from "not read yet"`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        #expect(session.currentState == .unknown)
        try fixture.run { try await session.restore() }
        #expect(session.currentState == .signedOut(.noAccount))
        #expect(throws: AuthError.missingToken) { try fixture.run { try await session.credential() } }
    }

    @Test(.tags(.sessionLoading), arguments: [(900.0, true), (-1.0, false)])
    func `A session restores the kept credential, fresh or expired`(life: Double, isFresh: Bool) throws {
        let tokens = SessionFixture().tokens(0, life: life)
        let fixture = SessionFixture(holding: tokens)
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        #expect(session.currentState == (isFresh ? .signedIn(tokens) : .expired(tokens)))
    }

    @Test(.tags(.sessionLoading)) func `A session takes a locked store for unavailable, and tries again`() throws {
        let tokens = SessionFixture().tokens(0)
        let fixture = SessionFixture(holding: tokens)
        let session = fixture.makeSession()
        fixture.world.withLock { $0.loadFailure = .storeLocked }
        #expect(throws: AuthError.storeLocked) { try fixture.run { try await session.restore() } }
        #expect(session.currentState == .unavailable(.storeLocked))
        #expect(throws: AuthError.storeLocked) { try fixture.run { try await session.credential() } }
        fixture.world.withLock { $0.loadFailure = nil }
        #expect(try fixture.run { try await session.credential() } == tokens)
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
        #expect(fixture.loads == 1)
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
        #expect(session.currentState == .signedIn(tokens))
        #expect(fixture.stored == tokens)
    }

    @Test func `A session signs out although the store could never be read`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        fixture.world.withLock { $0.loadFailure = .storeCorrupt }
        #expect(try fixture.run { try await session.signOut() } == nil)
        #expect(session.currentState == .signedOut(.user))
        #expect(fixture.stored == nil)
    }

    @Test func `A session stays signed in if the store cannot forget`() throws {
        let tokens = SessionFixture().tokens(0)
        let fixture = SessionFixture(holding: tokens)
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        fixture.world.withLock { $0.clearFailure = .storeDenied }
        #expect(throws: AuthError.storeDenied) { try fixture.run { try await session.signOut() } }
        #expect(session.currentState == .signedIn(tokens))
    }
}
