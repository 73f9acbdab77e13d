// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct `A session and its store` {
    @Test(.tags(.j4)) func `stores what is signed in, and forgets it at sign-out`() throws {
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

    @Test(.tags(.j5)) func `keeps the earlier pair when the new one cannot be stored, and says so`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: 0))
        let session = fixture.makeSession()
        fixture.world.withLock { $0.saveFailure = .storeFull }
        #expect(throws: AuthError.storeFull) { try fixture.run { try await session.credential() } }
        #expect(fixture.stored?.access == "access-0")
        #expect(session.currentState.credential?.access == "access-0")
    }

    @Test(.tags(.j5)) func `stores the pair at the next call without asking the issuer again`() throws {
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

    @Test(.tags(.j5)) func `a sign-in that cannot be stored leaves the session as it was`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        let (first, second) = (fixture.tokens(1), fixture.tokens(2))
        try fixture.run { try await session.signIn(first) }
        fixture.world.withLock { $0.saveFailure = .storeDenied }
        #expect(throws: AuthError.storeDenied) { try fixture.run { try await session.signIn(second) } }
        #expect(session.currentState == .signedIn(first))
    }

    @Test(.tags(.j6)) func `tells "no account" from "not read yet"`() throws {
        let fixture = SessionFixture()
        let session = fixture.makeSession()
        #expect(session.currentState == .unknown)
        try fixture.run { try await session.restore() }
        #expect(session.currentState == .signedOut(.noAccount))
        #expect(throws: AuthError.missingToken) { try fixture.run { try await session.credential() } }
    }

    @Test(.tags(.j6), arguments: [(900.0, true), (-1.0, false)])
    func `restores what is kept, fresh or expired`(life: Double, isFresh: Bool) throws {
        let tokens = SessionFixture().tokens(0, life: life)
        let fixture = SessionFixture(holding: tokens)
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        #expect(session.currentState == (isFresh ? .signedIn(tokens) : .expired(tokens)))
    }

    @Test(.tags(.j6)) func `takes a locked store for unavailable, and tries again`() throws {
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

    @Test(.tags(.j6)) func `reads the store once, whoever asks and how often`() throws {
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

    @Test(.tags(.j6)) func `a sign-in during the restoration wins`() throws {
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

    @Test func `signs out although the store could never be read`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        fixture.world.withLock { $0.loadFailure = .storeCorrupt }
        #expect(try fixture.run { try await session.signOut() } == nil)
        #expect(session.currentState == .signedOut(.user))
        #expect(fixture.stored == nil)
    }

    @Test func `stays signed in when the store cannot forget`() throws {
        let tokens = SessionFixture().tokens(0)
        let fixture = SessionFixture(holding: tokens)
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        fixture.world.withLock { $0.clearFailure = .storeDenied }
        #expect(throws: AuthError.storeDenied) { try fixture.run { try await session.signOut() } }
        #expect(session.currentState == .signedIn(tokens))
    }
}
