// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Synchronization
import Testing

@testable import LatchAuth

@Suite struct SessionRecordsTests {
    @Test
    func `A session's own announcement during its next change, or after a failure, is not another's change`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let secrets = InMemorySecretStore()
            let store = ObservedStore(secrets)
            let (own, other) = (records(in: folder, store), records(in: folder, secrets))
            store.writer.withLock { $0 = own }
            await own.coordination?.announceChange()
            try await save("a", by: own)
            await own.coordination?.announceChange()
            try await save("b", by: own)
            #expect(!own.mayHaveChanged && own.isCurrent)
            store.isFull.withLock { $0 = true }
            await #expect(throws: AuthError.storeFull) { try await save("c", by: own) }
            // What the store holds is not known after a failure, though, and is read each time.
            #expect(!own.mayHaveChanged && !own.isCurrent)
            try await expectEqual(own.load(under: nil)?.credential?.access, "b")
            #expect(!own.mayHaveChanged && !own.isCurrent)

            await other.coordination?.announceChange()
            #expect(own.mayHaveChanged)
            await own.coordination?.announceChange()
            try await save("d", by: other)
            #expect(own.mayHaveChanged)
            try await expectEqual(own.load(under: nil)?.credential?.access, "d")
            #expect(!own.mayHaveChanged && own.isCurrent)
        }
    }

    /// A change as a session makes it: under the lock of the store, and read again there after a failure.
    private func save(_ access: String, by records: SessionRecords<Tokens>) async throws {
        let lock = try await records.coordination?.enter(.store)
        defer { lock?.release() }
        _ = try await records.load(under: lock)
        do {
            try await records.save(TokenRecord(credential: Tokens(access: access)), under: lock)
        } catch {
            _ = try await records.load(under: lock)
            throw error
        }
    }

    private func records(in folder: String, _ secrets: any SecretStore) -> SessionRecords<Tokens> {
        let coordination = FileCoordination(path: "\(folder)/account")
        return SessionRecords(SecretTokenStore<Tokens>(secrets, name: "account", coordination: coordination))
    }
}

/// A store that looks at the session which writes to it, and may be full.
private final class ObservedStore: SecretStore {
    let writer = Mutex<SessionRecords<Tokens>?>(nil)
    let isFull = Mutex(false)
    private let secrets: any SecretStore

    init(_ secrets: any SecretStore) { self.secrets = secrets }

    func read(_ name: String) async throws -> [UInt8]? { try await secrets.read(name) }

    func write(_ secret: [UInt8], for name: String) async throws {
        expectEqual(writer.withLock { $0 }?.mayHaveChanged, false)
        if isFull.withLock({ $0 }) { throw AuthError.storeFull }
        try await secrets.write(secret, for: name)
    }

    func remove(_ name: String) async throws { try await secrets.remove(name) }

    func names() async throws -> [String] { try await secrets.names() }
}
