// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import Testing

@testable import LatchIdentity

@Suite struct ClientAssertionContractTests {
    @Test(arguments: StoreBackend.all)
    func `A client's assertion is spent once, for each digest`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        #expect(try await store.spend(assertion: [1], until: noon + 60))
        try await expectEqual(store.spend(assertion: [1], until: noon + 90), false)
        #expect(try await store.spend(assertion: [2], until: noon + 60))
        // Sign-ins use the same table.
        try await expectEqual(store.spend(attempt: [1], until: noon + 60), false)
        try await store.prune(endedBefore: noon + 60)
        try await expectEqual(store.spend(assertion: [1], until: noon + 90), false)
        try await store.prune(endedBefore: noon + 61)
        #expect(try await store.spend(assertion: [1], until: noon + 120))
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `Of many concurrent uses of a client's assertion, one is the first`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        let conflicts = store.writeStatistics.conflicts
        let first = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try await store.spend(assertion: [7], until: noon + 60) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(first, 1)
        // It is not a transaction that a concurrent one rolls back.
        expectEqual(store.writeStatistics.conflicts, conflicts)
        await store.close()
    }
}
