// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchTesting
import Synchronization
import Testing

@Suite struct FileCoordinationTests {
    /// A process's session over the record in `folder`: with stores, locks and watches of its own.
    private func session(
        in folder: String, refresh: @escaping Session<Tokens>.Refresh = { _ in throw AuthError.refreshFailed }
    ) -> Session<Tokens> {
        let secrets = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
        let store = SecretTokenStore<Tokens>(
            secrets, name: "account", coordination: FileCoordination(path: "\(folder)/account"))
        return Session(store: store, refresh: refresh)
    }

    private func next(
        _ states: inout AsyncStream<Session<Tokens>.State>.Iterator, where isWanted: (Session<Tokens>.State) -> Bool
    ) async -> Session<Tokens>.State? {
        while let state = await states.next() {
            if isWanted(state) { return state }
        }
        return nil
    }

    @Test func `Sessions that share a record by files see each other's changes without being asked`() async throws {
        try await withTemporaryFolder { folder in
            let one = session(in: folder) { _ in Tokens(access: "second", refresh: "r2") }
            let other = session(in: folder)
            await #expect(throws: AuthError.missingToken) { try await other.credential() }
            var states = other.states.makeAsyncIterator()

            try await one.signIn(Tokens(access: "first", refresh: "r1"))
            await expectEqual(next(&states) { $0.isSignedIn }?.credential?.access, "first")
            _ = try await one.refreshed(replacing: Tokens(access: "first", refresh: "r1"))
            await expectEqual(next(&states) { $0.credential?.access != "first" }?.credential?.access, "second")
            try await one.signOut()
            await expectEqual(next(&states) { !$0.isSignedIn }, .signedOut(.user))
        }
    }

    @Test
    func `Sessions that share a record by files learn from each other that the issuer ended the session`() async throws
    {
        try await withTemporaryFolder { folder in
            let one = session(in: folder) { _ in throw AuthError.reauthenticationRequired }
            let other = session(in: folder)
            let tokens = Tokens(access: "first", refresh: "r1")
            try await one.signIn(tokens)
            try await expectEqual(other.credential(), tokens)
            var states = other.states.makeAsyncIterator()
            await #expect(throws: AuthError.reauthenticationRequired) { try await one.refreshed(replacing: tokens) }
            await expectEqual(next(&states) { !$0.isSignedIn }, .signedOut(.issuer))
            // Also who starts later is told why.
            let late = session(in: folder)
            await #expect(throws: AuthError.reauthenticationRequired) { try await late.credential() }
        }
    }

    @Test func `Sessions that share a record by files refresh once for all of them`() async throws {
        try await withTemporaryFolder { folder in
            let refreshes = Mutex(0)
            let sessions = (0..<4).map { _ in
                session(in: folder) { _ in
                    let number = refreshes.withLock { count in
                        count += 1
                        return count
                    }
                    return Tokens(access: "refreshed \(number)", refresh: "next")
                }
            }
            let old = Tokens(access: "old", refresh: "r", expiry: Date(timeIntervalSinceNow: -1))
            try await sessions[0].signIn(old)
            let all = try await withThrowingTaskGroup(of: String.self) { group in
                for session in sessions {
                    for _ in 0..<20 { group.addTask { try await session.credential().access } }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            expectEqual(all, ["refreshed 1"])
            expectEqual(refreshes.withLock { $0 }, 1)
        }
    }

    @Test
    func `Sessions that share a record by files distinguish a refresh elsewhere from another user's sign-in`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let one = session(in: folder)
            let other = session(in: folder)
            let ada = Tokens(access: "ada", refresh: "ra")
            try await one.signIn(ada)
            try await expectEqual(other.credential(), ada)
            let snapshot = try await one.snapshot()
            try await other.signIn(Tokens(access: "bob", refresh: "rb"))
            // A request that was begun as Ada is not repeated as Bob.
            await #expect(throws: AuthError.superseded) { try await one.refreshed(replacing: snapshot) }
            try await expectEqual(one.credential().access, "bob")
        }
    }

    @Test(arguments: SessionSection.allCases)
    func `Sessions that share files get a free lock immediately, and learn immediately if it is taken`(
        section: SessionSection
    ) async throws {
        try await withTemporaryFolder { folder in
            let (one, other) = (FileCoordination(path: "\(folder)/a"), FileCoordination(path: "\(folder)/a"))
            let turn = try #require(try await one.enterIfFree(section))
            try await expectNil(other.enterIfFree(section))
            try await expectNil(one.enterIfFree(section))
            for free in SessionSection.allCases where free != section {
                try #require(try await other.enterIfFree(free)).release()
            }
            turn.release()
            try #require(try await other.enterIfFree(section)).release()
            try await other.enter(section).release()
        }
        let nowhere = FileCoordination(path: "/proc/no-such-folder/a")
        await #expect(throws: AuthError.self) { try await nowhere.enterIfFree(section) }
    }

    /// An announcement follows the change without the lock, and may be in the middle of being written for a while.
    @Test func `Sessions that share a record by files know it while its change is announced`() async throws {
        try await withTemporaryFolder { folder in
            let coordination = FileCoordination(path: "\(folder)/account")
            let lock = try await coordination.enter(.store)
            let stamp = try #require(lock.renewStamp())
            lock.release()
            expectEqual(coordination.stamp, stamp)
            coordination.announceChange()
            expectEqual(coordination.stamp, stamp)
            let announcement = AtomicFile("\(folder)/account.changed")
            try announcement.replace(with: [])
            expectEqual(coordination.stamp, stamp)
            // Earlier versions announce a bare random value, and change the record without a stamp.
            try announcement.replace(with: Array("0123456789abcdef".utf8))
            expectNil(coordination.stamp)
        }
    }

    @Test func `Sessions that share a record by files say so if the folder takes no locks`() async throws {
        let session = session(in: "/proc/no-such-folder")
        await #expect(throws: AuthError.self) { try await session.signIn(Tokens(access: "a")) }
        #expect(!session.currentState.isSignedIn)
    }
}
