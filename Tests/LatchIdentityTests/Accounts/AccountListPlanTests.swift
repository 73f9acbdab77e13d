// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Testing

@testable import LatchIdentity

/// What the pages of a list read, which must not grow with the number of accounts.
@Suite struct AccountListPlanTests {
    let folder: TemporaryFolder
    let backend: RecordingBackend
    let store: IdentityStore

    init() throws {
        folder = try TemporaryFolder()
        backend = RecordingBackend(try IdentityStore(path: folder.file()).backend)
        store = IdentityStore(backend)
    }

    /// Inserts accounts, of which each hundredth is a moderator's.
    private func populate(_ count: Int) async throws {
        let accounts = try (0..<count).map { number in
            var account = Account(
                id: "id-\(10_000 + number)", email: try EmailAddress("u\(number)@example.com"),
                createdAt: noon + Double(number))
            account.roles = number % 100 == 0 ? ["moderator"] : []
            return account
        }
        try await store.write { db throws(IdentityError) in for account in accounts { try db.insert(account) } }
    }

    /// Makes the store count more accounts than it has, so that its queries are those of a large store.
    private func pretend(_ users: Int, moderators: Int) async throws {
        try await store.write { db throws(IdentityError) -> Void in
            for (role, count) in [(0, users), (1, moderators)] {
                try db.run(
                    "UPDATE account_tally SET count = $1 WHERE day = -1 AND class = $2",
                    [.integer(Int64(count)), .integer(Int64(role))])
            }
        }
    }

    /// The steps of SQLite for the statements that read the rows of a page.
    private func plans(_ query: AccountQuery) async throws -> [String] {
        _ = backend.taken()
        _ = try await store.accounts(query)
        let statements = backend.taken().filter { $0.contains("ORDER BY") }
        return try await store.read { db throws(IdentityError) in
            var steps: [String] = []
            for statement in statements {
                steps += try db.all("EXPLAIN QUERY PLAN \(statement)", []) { row throws(IdentityError) in
                    try row.text(3)
                }
            }
            return steps
        }
    }

    @Test(arguments: AccountQuery.Sort.allCases, [nil, "u1", "example"])
    func `A page in any order is read from an index of that order, and nothing is sorted`(
        sort: AccountQuery.Sort, search: String?
    ) async throws {
        try await populate(20)
        // The full-text index would find these few accounts, which are then sorted.
        let isSorted = search != nil && sort != .createdAt
        for isNext in [false, true] {
            var query = AccountQuery()
            (query.sort, query.search, query.limit) = (sort, search ?? "", 5)
            if isNext { query.after = try await store.accounts(query).next }
            let plans = try await plans(query)
            #expect(!plans.isEmpty)
            #expect(plans.contains { $0.contains("TEMP B-TREE") } == isSorted, "\(plans)")
            guard !isSorted else { continue }
            let index = sort == .createdAt ? "class" : sort == .displayName ? "shown_name" : sort.rawValue
            #expect(plans.allSatisfy { $0.contains("INDEX account_list_by_\(index) ") }, "\(plans)")
        }
        await store.close()
    }

    @Test func `A page of a short period is read by the sign-ups, and one of a long period by its order`() async throws
    {
        try await populate(20)
        var query = AccountQuery()
        (query.sort, query.createdAfter) = (.email, noon + 5)
        #expect(try await plans(query).contains { $0.contains("account_list_by_class ") })
        try await store.write { db throws(IdentityError) -> Void in
            try db.run("UPDATE account_tally SET count = 30000 WHERE day >= 0", [])
        }
        #expect(try await plans(query).allSatisfy { $0.contains("account_list_by_email ") })
        await store.close()
    }

    @Test func `A search with a filter reads all accounts of a small class, and of a large one the first matches`()
        async throws
    {
        try await populate(1200)
        func search(_ text: String) async throws -> (page: AccountPage, usesFullText: Bool) {
            var query = AccountQuery()
            (query.search, query.role) = (text, .moderator)
            _ = backend.taken()
            let page = try await store.accounts(query)
            return (page, backend.taken().contains { $0.contains("MATCH") && $0.contains("ORDER BY") })
        }
        try await pretend(1_000_000, moderators: 9000)
        let small = try await search("example")
        #expect(!small.usesFullText && small.page.accounts.count == 12)
        #expect(small.page.total == 12 && !small.page.isTotalMinimum)
        // Few matches cost less than the accounts of the class.
        let few = try await search("u100@")
        #expect(few.usesFullText && few.page.total == 1 && !few.page.isTotalMinimum)
        try await pretend(1_000_000, moderators: 100_000)
        let large = try await search("example")
        #expect(large.usesFullText && large.page.accounts.map(\.account.id) == small.page.accounts.map(\.account.id))
        #expect(large.page.isTotalMinimum && (11...12).contains(large.page.total), "\(large.page.total)")
        await store.close()
    }
}
