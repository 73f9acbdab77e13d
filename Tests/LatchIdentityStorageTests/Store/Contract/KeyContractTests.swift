// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Testing

@testable import LatchIdentity

@Suite struct KeyContractTests {
    @Test(arguments: StoreBackend.all)
    func `The keys of a store are created once, by one of many nodes`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        #expect(try await store.signingKeys().isEmpty)
        let kept = try await withThrowingTaskGroup { group in
            for number in 0..<8 as Range<UInt8> {
                group.addTask {
                    let key = StoredKey(id: "key \(number)", privateJWK: [number], createdAt: noon)
                    let secret = try await store.secret(proposing: StoredSecret(name: "pepper", content: [number]))
                    return (try await store.signingKeys(proposing: key), secret.content)
                }
            }
            return try await group.reduce(into: [([StoredKey], [UInt8])]()) { $0.append($1) }
        }
        #expect(Set(kept.map(\.0)).count == 1 && Set(kept.map(\.1)).count == 1)
        try await expectEqual(store.signingKeys(), kept[0].0)
        try await expectEqual(store.secret(proposing: StoredSecret(name: "other", content: [9])).content, [9])
        try await expectEqual(store.secrets().map(\.name), ["other", "pepper", "signing_keys"])
        await fixture.store.close()
    }
}

@Suite struct AuditLogContractTests {
    @Test(arguments: StoreBackend.all)
    func `The audit log of a store has an entry for each change, with its account and its actor`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, id) = (fixture.store, fixture.account.id)
        _ = try await store.rotation(.of(fixture.device))
        for action in [AccountAction.setRole(.admin), .setStatus(.banned), .endSessions, .delete(isFinal: true)] {
            _ = try await store.perform(action, on: id, by: AccountActor("boss"), because: "a note", at: noon) { _ in
                true
            }
        }
        let refused = await failure {
            try await store.perform(.endSessions, on: id, by: nil, because: nil, at: noon) { _ throws(IdentityError) in
                throw IdentityError.forbidden
            }
        }
        expectEqual(refused, .forbidden)
        let entries = [
            ("account.created", nil), ("device.signedIn", nil), ("account.role", "admin by boss: a note"),
            ("device.allSignedOut", "accountDisabled"), ("account.banned", "by boss: a note"),
            ("account.sessionsEnded", "by boss: a note"), ("account.deleted", "final by boss: a note"),
        ]
        try await expectEqual(fixture.audit(), entries.map { AuditEntry(event: $0, accountID: id, detail: $1) })
    }
}

@Suite struct MaintenanceContractTests {
    @Test(arguments: StoreBackend.all)
    func `The maintenance of a store removes ended rows, and proves that commits work`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        try await store.checkHealth(at: noon)
        #expect(store.writeStatistics.commits >= 3)
        try await store.prune(endedBefore: fixture.device.expiresAt)
        #expect(try await store.device(id: fixture.device.id) != nil)
        try await store.prune(endedBefore: fixture.device.expiresAt + 1)
        try await expectNil(store.device(id: fixture.device.id))
        await store.close()
        await expectEqual(failure { try await store.checkHealth(at: noon) }, .storeClosed)
        await expectEqual(failure { _ = try await store.device(id: fixture.device.id) }, .storeClosed)
        await expectEqual(failure { _ = try await store.devices(of: fixture.account.id, at: noon) }, .storeClosed)
    }
}
