// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Testing

@testable import LatchIdentity

@Suite struct AccountListTests {
    let folder: TemporaryFolder
    let store: IdentityStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try IdentityStore(path: folder.file())
    }

    /// Accounts whose fields run against each other, so that each order is another one.
    private func populate(_ count: Int) async throws {
        for number in 0..<count {
            let place = number * 7 % count
            var account = Account(
                id: "id-\(100 + number)", email: try EmailAddress("u\(100 + place)@example.com"),
                username: number % 3 == 0 ? nil : try Username("name\(100 + count - place)"), name: nil,
                passwordHash: nil, passwordChangedAt: noon, createdAt: noon + Double(number / 2))
            account.emailVerifiedAt = number % 2 == 0 ? noon : nil
            account.roles = number % 10 == 0 ? ["moderator"] : []
            var details = AccountDetails()
            details.firstName = "First \(place % 5)"
            details.lastName = number % 2 == 0 ? "Ünal" : "Ólafur 100%"
            try await store.insert(account, details: number % 4 == 0 ? nil : details)
        }
    }

    private func ids(_ query: AccountQuery, page: Int = 4) async throws -> [String] {
        var (query, ids) = (query, [String]())
        query.limit = page
        while true {
            let part = try await store.accounts(query)
            ids += part.accounts.map(\.account.id)
            guard let next = part.next else { return ids }
            query.after = next
        }
    }

    @Test(arguments: AccountQuery.Sort.allCases, [true, false])
    func `A list of accounts is the same in parts as in one piece, in every order`(
        sort: AccountQuery.Sort, isAscending: Bool
    ) async throws {
        try await populate(30)
        var query = AccountQuery()
        (query.sort, query.isAscending) = (sort, isAscending)
        let whole = try await ids(query, page: 100)
        expectEqual(whole.count, 30)
        expectEqual(Set(whole).count, 30)
        for page in [1, 4, 7, 30] { try await expectEqual(ids(query, page: page), whole) }
        var other = query
        other.isAscending.toggle()
        try await expectEqual(ids(other), whole.reversed())
        try await expectEqual(store.accounts(query).total, 30)
        await store.close()
    }

    @Test func `A list of accounts neither repeats nor hides a row while others come and go`() async throws {
        try await populate(12)
        var query = AccountQuery()
        (query.sort, query.isAscending, query.limit) = (.email, true, 5)
        let first = try await store.accounts(query)
        // One row before the place comes, one of those that were shown goes.
        try await store.insert(Account.example("aaa"))
        let gone = try #require(first.accounts.last).account.id
        try await store.perform(.delete(isFinal: true), on: gone)
        query.after = first.next
        let second = try await store.accounts(query)
        #expect(first.accounts.count == 5 && second.accounts.count == 5)
        expectEqual(Set((first.accounts + second.accounts).map(\.account.id)).count, 10)
        query.after = nil
        query.limit = 100
        let addresses = try await store.accounts(query).accounts.map(\.account.ownerKey)
        expectEqual(second.accounts.map(\.account.ownerKey), Array(addresses[5..<10]))
        await store.close()
    }

    @Test func `A list of accounts is filtered by role, standing, verification and time, also together`() async throws {
        try await populate(40)
        var query = AccountQuery()
        query.role = .moderator
        try await expectEqual(ids(query).count, 4)
        query.isVerified = true
        try await expectEqual(ids(query).count, 4)
        query.isVerified = false
        #expect(try await ids(query).isEmpty)
        query = AccountQuery()
        query.isVerified = true
        try await expectEqual(ids(query).count, 20)
        query.createdAfter = noon + 4
        query.createdBefore = noon + 10
        try await expectEqual(ids(query).count, 5)
        query = AccountQuery()
        try await store.perform(.setStatus(.suspended), on: "id-100")
        try await store.perform(.setStatus(.banned), on: "id-101")
        try await store.perform(.setStatus(.disabled), on: "id-102")
        try await store.perform(.delete(isFinal: false), on: "id-103")
        let expected: [(AccountStatus, Int)] = [
            (.suspended, 1), (.banned, 1), (.inactive, 1), (.active, 18), (.pendingVerification, 18),
        ]
        for (standing, count) in expected {
            query.status = standing
            try await expectEqual(ids(query).count, count)
            #expect(try await store.accounts(query).accounts.allSatisfy { $0.status == standing })
        }
        await store.close()
    }

    @Test
    func `A list of accounts is searched in address, user name and names, and a pattern in the search is text`()
        async throws
    {
        try await populate(20)
        let found = { (search: String) in
            var query = AccountQuery()
            query.search = search
            return try await ids(query).count
        }
        try await expectEqual(found("U100@EXAMPLE"), 1)
        try await expectEqual(found("example.com"), 20)
        #expect(try await found("name11") > 1)
        #expect(try await found("first 3") > 1)
        // Letters beyond ASCII in any case: the search key is folded where it is written.
        try await expectEqual(found("ünal"), 5)
        try await expectEqual(found("ÓLAFUR 100%"), 10)
        for pattern in ["%", "_", "100_", "\\", "' OR 1=1 --", "nobody", "\"\u{301}abc", "ab\u{600}\" OR \"name"] {
            try await expectEqual(found(pattern), 0)
            // In the order of the sign-ups few accounts are read one after another; another order asks the full-text index.
            var query = AccountQuery()
            (query.search, query.sort) = (pattern, .email)
            #expect(try await ids(query).isEmpty)
        }
        try await expectEqual(found("100%"), 10)
        try await expectEqual(found("\"OR\" name"), 0)
        await store.close()
    }

    @Test func `A list of accounts keeps a small number of statements for all filters`() async throws {
        try await populate(4)
        for sort in AccountQuery.Sort.allCases {
            for number in 0..<32 {
                var query = AccountQuery()
                query.sort = sort
                query.search = number & 1 == 0 ? "" : "a"
                query.role = number & 2 == 0 ? nil : .user
                query.status = number & 4 == 0 ? nil : .active
                query.isVerified = number & 8 == 0 ? nil : true
                query.createdAfter = number & 16 == 0 ? nil : noon
                _ = try await store.accounts(query)
            }
        }
        let count = try await store.read { db throws(IdentityError) in db.statementCount }
        #expect(count < 30)
        await store.close()
    }

    @Test
    func `A list of accounts comes with figures that count days in UTC and leave out deleted accounts`() async throws {
        let midnight = Date(timeIntervalSince1970: (noon.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
        let ages: [Double] = [0, 1, 86_400, 6 * 86_400, 7 * 86_400, 29 * 86_400, 30 * 86_400, 400 * 86_400]
        for (number, age) in ages.enumerated() {
            var account = Account(
                id: "id-\(number)", email: try EmailAddress("u\(number)@example.com"), name: nil, passwordHash: nil,
                passwordChangedAt: noon, createdAt: midnight - age)
            account.emailVerifiedAt = number < 4 ? noon : nil
            try await store.insert(account)
        }
        try await store.perform(.setStatus(.banned), on: "id-3")
        var figures = try await store.statistics(since: midnight)
        expectEqual(figures.total, 8)
        expectEqual(figures.active, 3)
        expectEqual(figures.verified, 4)
        expectEqual(figures.newToday, 1)
        expectEqual(figures.newThisWeek, 4)
        expectEqual(figures.newThisMonth, 6)
        expectEqual(figures.verificationRate, 0.5)
        try await store.perform(.delete(isFinal: false), on: "id-0")
        figures = try await store.statistics(since: midnight)
        #expect(figures.total == 7 && figures.newToday == 0 && figures.verified == 3)
        expectEqual(AccountStatistics().verificationRate, 0)
        await store.close()
    }
}
