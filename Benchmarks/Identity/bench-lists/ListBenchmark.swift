// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchIdentity

/// ListBenchmark that cost differently, and how long they take.
enum ListBenchmark {
    static func all(among count: Int) -> [(String, AccountQuery)] {
        func query(_ change: (inout AccountQuery) -> Void) -> AccountQuery {
            var query = AccountQuery()
            change(&query)
            return query
        }
        let middle = AccountFixture.start.addingTimeInterval(Double(count) * 5)
        return [
            ("newest", query { _ in }),
            ("oldest of the later half", query { ($0.isAscending, $0.createdAfter) = (true, middle) }),
            ("by address", query { ($0.sort, $0.isAscending) = (.email, true) }),
            ("by last name", query { $0.sort = .lastName }),
            ("by last sign-in, all equal", query { $0.sort = .lastLoginAt }),
            ("administrators", query { $0.role = .admin }),
            ("not verified", query { $0.isVerified = false }),
            ("banned, none", query { $0.status = .banned }),
            ("search: one address", query { $0.search = "name\(count / 2)" }),
            ("search: a fiftieth of all", query { $0.search = "example7.com" }),
            ("search: everybody", query { $0.search = "example" }),
            ("search: nobody", query { $0.search = "no such person" }),
            ("search: two letters", query { $0.search = "gr" }),
            ("search: two letters of nobody", query { $0.search = "qq" }),
            ("search: everybody, by address", query { ($0.search, $0.sort) = ("example", .email) }),
            ("search: few, by address", query { ($0.search, $0.sort) = ("family 77", .email) }),
            ("search: everybody, administrators", query { ($0.search, $0.role) = ("example", .admin) }),
        ]
    }

    /// Returns the median and the worst time of consecutive pages in milliseconds, and the rows of the last one.
    static func time(_ query: AccountQuery, _ store: IdentityStore) async throws -> (Double, Double, Int) {
        var (query, times, rows) = (query, [Double](), 0)
        for _ in 0..<40 {
            let start = ContinuousClock.now
            let page = try await store.accounts(query)
            times.append(milliseconds(start.duration(to: .now)))
            rows = page.accounts.count
            query.after = page.next
        }
        times.sort()
        return (times[times.count / 2], times.last ?? 0, rows)
    }

    static func timeStatistics(_ store: IdentityStore) async throws -> Double {
        var times: [Double] = []
        for _ in 0..<40 {
            let start = ContinuousClock.now
            _ = try await store.statistics(since: AccountFixture.start)
            times.append(milliseconds(start.duration(to: .now)))
        }
        return times.sorted()[times.count / 2]
    }

    static func text(_ milliseconds: Double) -> String { String(Double(Int(milliseconds * 100)) / 100) }

    private static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) * 1000 + Double(attoseconds) / 1e15
    }
}
