// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Testing

@testable import LatchAuth

@Suite struct LostLockTests {
    @Test(arguments: SessionSection.allCases)
    func `A section whose lock file was removed is known to be shared before anything is done in it`(
        section: SessionSection
    ) async throws {
        try await withTemporaryFolder { folder in
            let (one, other) = (FileCoordination(path: "\(folder)/a"), FileCoordination(path: "\(folder)/a"))
            let lock = try await one.enter(section)
            #expect(lock.isHeld)
            try FileManager.default.removeItem(atPath: "\(folder)/a.\(section.rawValue)")
            #expect(!lock.isHeld)
            // Others cannot know of the first one, which therefore has to stop.
            let second = try #require(try await other.enterIfFree(section))
            #expect(second.isHeld && !lock.isHeld)
            lock.release()
            try await expectNil(one.enterIfFree(section))
            second.release()
            #expect(!second.isHeld)
        }
    }

    @Test func `A section whose lock file was removed is no longer written in`() async throws {
        try await withTemporaryFolder { folder in
            let secrets = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
            let coordination = FileCoordination(path: "\(folder)/account")
            let store = SecretTokenStore<Tokens>(secrets, name: "account", coordination: coordination)
            let records = SessionRecords(store)
            let lock = try await coordination.enter(.store)
            try await records.save(TokenRecord(credential: Tokens(access: "first")), under: lock)
            try FileManager.default.removeItem(atPath: "\(folder)/account.store")
            await #expect(throws: AuthError.lockLost) {
                try await records.save(TokenRecord(credential: Tokens(access: "second")), under: lock)
            }
            lock.release()
            try await expectEqual(store.load()?.access, "first")
            // The next turn is on the new file.
            let next = try await coordination.enter(.store)
            try await records.save(TokenRecord(credential: Tokens(access: "third")), under: next)
            next.release()
            try await expectEqual(store.load()?.access, "third")
        }
    }
}
