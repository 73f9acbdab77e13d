// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestSupport
import Testing

@testable import LatchIdentity

@Suite(needsPostgres) struct RoundTripTests {
    @Test
    func `A page of accounts of PostgreSQL has as many round trips for many rows and classes as for one`() async throws
    {
        let backend = RecordingBackend(try await PostgresBackend.open(try await IdentityDatabase.create()))
        let store = IdentityStore(backend)
        for number in 0..<60 {
            var account = Account(
                id: "id-\(100 + number)", email: try EmailAddress("u\(100 + number)@example.com"), name: nil,
                passwordHash: nil, passwordChangedAt: noon, createdAt: noon + Double(number))
            account.emailVerifiedAt = number % 2 == 0 ? noon : nil
            account.roles = [[], ["moderator"], ["admin"]][number % 3]
            try await store.insert(account, details: nil)
        }
        _ = backend.taken()
        for limit in [1, 7, 50] {
            for search in ["", "u1"] {
                var query = AccountQuery()
                (query.limit, query.search) = (limit, search)
                let page = try await store.accounts(query)
                expectEqual(page.accounts.map(\.account.id), (0..<limit).map { "id-\(159 - $0)" })
                #expect(page.total == 60 && page.next != nil)
                let expected = search.isEmpty ? 3 : 4
                expectEqual(backend.taken().count, expected, "\(limit) rows")
            }
        }
        await store.close()
    }
}
