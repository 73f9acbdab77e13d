// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchIdentity

/// Accounts with uncorrelated names, roles and dates.
struct AccountFixture {
    static let start = Date(timeIntervalSince1970: 1_700_000_000)
    private static let names = [
        "Ada", "Grace", "Alan", "Edsger", "Barbara", "Tony", "Leslie", "Frances", "John", "Radia",
    ]

    let store: IdentityStore
    let count: Int

    /// Inserts the accounts concurrently, and returns the time for one.
    func fill() async throws -> Duration {
        let start = ContinuousClock.now
        let (store, count) = (store, count)
        try await withThrowingTaskGroup { group in
            for lane in 0..<64 {
                group.addTask {
                    for number in stride(from: lane, to: count, by: 64) {
                        try await store.insert(try Self.account(number), details: Self.details(number))
                    }
                }
            }
            try await group.waitForAll()
        }
        return start.duration(to: .now) / count
    }

    private static func account(_ number: Int) throws -> Account {
        let mixed = number &* 2_654_435_761 & 0xFFFF_FFFF
        var account = Account(
            id: "account-\(number)", email: try EmailAddress("u\(mixed)@example\(number % 50).com"),
            createdAt: start.addingTimeInterval(Double(number) * 10))
        account.username = try Username("name\(number)")
        account.emailVerifiedAt = number % 10 == 0 ? nil : start
        account.roles = number % 50_000 == 0 ? ["admin"] : number % 1000 == 0 ? ["moderator"] : []
        return account
    }

    private static func details(_ number: Int) -> AccountDetails {
        var details = AccountDetails()
        details.firstName = names[number % names.count]
        details.lastName = "Family \(number / 7 % 5000)"
        return details
    }
}
