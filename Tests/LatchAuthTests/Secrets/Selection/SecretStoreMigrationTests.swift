// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Synchronization
import Testing

@testable import LatchAuth

@Suite struct SecretStoreMigrationTests {
    @Test
    func `Secrets that move to another store are gone from the old one, and sessions find the new one`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            let atWork = fixture.store()
            for number in UInt8(0)..<5 { try await atWork.write([number], for: "name \(number)") }
            let report = try await fixture.selection().migrate(to: .file)
            #expect(report.from == .secretService && report.to == .file && report.names.count == 5)
            #expect(fixture.keyring.names().isEmpty)
            try await expectEqual(atWork.read("name 3"), [3])
            try await atWork.write([9], for: "name 3")
            try await expectEqual(fixture.store(["SSH_TTY": "t"]).read("name 3"), [9])
            try await expectEqual(fixture.selection().choice().kind, .file)
            let again = try await fixture.selection().migrate(to: .file)
            #expect(again.from == nil && again.names.count == 5)
        }
    }

    @Test func `Secrets that move to another store go through every kind and back`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await fixture.store().write([1], for: "a")
            for kind in [SecretStoreKind.file, .secretService, .file, .secretService] {
                _ = try await fixture.selection().migrate(to: kind)
                try await expectEqual(fixture.store().read("a"), [1])
                try await expectEqual(fixture.store().names(), ["a"])
            }
        }
    }

    /// Fails at the given call of either store, counted over both, or at the switch.
    private func interrupted(at step: Int, from old: InMemorySecretStore, to new: InMemorySecretStore) async -> Bool {
        let steps = Steps(step)
        let stores = (old: CountedStore(store: old, steps: steps), new: CountedStore(store: new, steps: steps))
        let isSwitched = Mutex(false)
        do {
            try await SecretStoreMigration.run(from: stores.old, to: stores.new) { isSwitched.withLock { $0 = true } }
        } catch {}
        return isSwitched.withLock { $0 }
    }

    /// The number of calls that two stores answer together.
    final class Steps: Sendable {
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        func pass() throws {
            let left = left.withLock { count in
                count -= 1
                return count
            }
            if left < 0 { throw AuthError.storeUnavailable }
        }
    }

    /// A store that is gone when the steps are used up.
    struct CountedStore: SecretStore {
        let store: InMemorySecretStore
        let steps: Steps

        private func pass() throws { try steps.pass() }

        func read(_ name: String) async throws -> [UInt8]? {
            try pass()
            return store.read(name)
        }

        func write(_ secret: [UInt8], for name: String) async throws {
            try pass()
            store.write(secret, for: name)
        }

        func remove(_ name: String) async throws {
            try pass()
            store.remove(name)
        }

        func names() async throws -> [String] {
            try pass()
            return store.names()
        }
    }

    @Test(arguments: 0..<24)
    func `Secrets that move to another store are not lost if it is interrupted, and arrive on the repeat`(step: Int)
        async throws
    {
        let (old, new) = (InMemorySecretStore(), InMemorySecretStore())
        for number in UInt8(0)..<4 { old.write([number], for: "\(number)") }
        new.write([7], for: "of an earlier attempt")
        let isSwitched = await interrupted(at: step, from: old, to: new)
        // The store that counts is whole at each moment.
        let counting = isSwitched ? new : old
        expectEqual(counting.names(), ["0", "1", "2", "3"])
        if !isSwitched { try await SecretStoreMigration.run(from: old, to: new) {} }
        for number in UInt8(0)..<4 { expectEqual(new.read("\(number)"), [number]) }
        expectEqual(new.names(), ["0", "1", "2", "3"])
    }

    @Test func `Secrets that move to another store leave nothing behind after an interrupted removal`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await fixture.store().write([1], for: "a")
            _ = try await fixture.selection().migrate(to: .file)
            // As it was between the switch and the removal.
            fixture.keyring.write([1], for: "a")
            try SecretStoreRecord(kind: .file, reason: "moved", leaving: .secretService)
                .write(fixture.selection().recordFile)
            try await expectEqual(fixture.store().read("a"), [1])
            _ = try await fixture.selection().migrate(to: .file)
            #expect(fixture.keyring.names().isEmpty)
            try expectNil(SecretStoreRecord.read(fixture.selection().recordFile)?.leaving)
            try await expectEqual(fixture.store().read("a"), [1])
        }
    }

    @Test
    func `Secrets that move to another store stay in place if one of the two stores cannot be used`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await fixture.store(["LATCH_SECRET_STORE": "file"]).write([1], for: "a")
            fixture.trouble.withLock { $0 = .storeLocked }
            await #expect(throws: AuthError.storeLocked) { try await fixture.selection().migrate(to: .secretService) }
            try await expectEqual(fixture.store().read("a"), [1])
            await #expect(throws: AuthError.storeUnavailable) { try await fixture.selection().migrate(to: .keychain) }
            try await expectEqual(fixture.store().read("a"), [1])
        }
    }

    @Test func `Secrets that two processes move to another store concurrently move once, while others write`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await fixture.store().write([0], for: "a")
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { _ = try await fixture.selection().migrate(to: .file) } }
                for number in 0..<20 {
                    let store = fixture.store()
                    group.addTask { try await store.write([1], for: "\(number)") }
                }
                try await group.waitForAll()
            }
            try await expectEqual(fixture.store().names().count, 21)
            #expect(fixture.keyring.names().isEmpty)
        }
    }
}
