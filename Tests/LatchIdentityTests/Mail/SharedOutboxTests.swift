// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchPostgres
import TestSupport
import Testing

@testable import LatchIdentity

@Suite(needsPostgres, .timeLimit(.minutes(2))) struct SharedOutboxTests {
    private let claim = MailClaim(
        now: noon, leaseEnd: noon + 120, verificationEnd: noon + 3600, resetEnd: noon + 3600, digest: { Array($0.utf8) }
    )

    /// Opens a store for each node, with mails of as many accounts.
    private func stores(mails: Int, _ purpose: OutboxMail.Purpose) async throws -> [IdentityStore] {
        let address = try await IdentityDatabase.create()
        var stores: [IdentityStore] = []
        for _ in 0..<4 { stores.append(IdentityStore(try await PostgresBackend.open(address))) }
        for number in 0..<mails {
            let email = EmailAddress(text: "ada\(number)@example.com", key: "ada\(number)@example.com")
            let account = Account(id: "account\(number)", email: email, createdAt: noon)
            try await stores[0].insert(account, details: nil)
            try await stores[0].insert(
                OutboxMail(purpose, to: email, accountID: account.id, id: "mail\(number)", at: noon))
        }
        return stores
    }

    // Tokens of links are stored in serializable transactions, which conflict as often as they happen to meet.
    @Test(arguments: [OutboxMail.Purpose.passwordChanged, .verifyEmail])
    func `The outbox of four nodes gives each mail to one of many workers`(
        purpose: OutboxMail.Purpose
    ) async throws {
        let stores = try await stores(mails: 200, purpose)
        let ids = try await withThrowingTaskGroup { group in
            for store in stores + stores {
                group.addTask { [claim] in
                    var ids: [String] = []
                    while let claimed = try await store.claimMail(claim) {
                        #expect(claimed.recipient == claimed.mail.recipient && claimed.mail.attempts == 1)
                        ids.append(claimed.mail.id)
                        try await store.remove(mail: claimed.mail.id)
                    }
                    return ids
                }
            }
            return try await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(ids.count == 200 && Set(ids).count == 200)
        try await expectEqual(stores[0].mailBacklog(dueBefore: noon).count, 0)
        let tokens = try await stores[1].read { db throws(IdentityError) in
            try db.number("SELECT count(*) FROM one_time_token")
        }
        expectEqual(tokens, purpose == .verifyEmail ? 200 : 0)
        for store in stores { await store.close() }
    }

    @Test
    func `The outbox of four nodes keeps a mail for a worker that extends its lease, until another takes it`()
        async throws
    {
        let stores = try await stores(mails: 1, .verifyEmail)
        func claim(after seconds: Double) -> MailClaim {
            MailClaim(
                now: noon + seconds, leaseEnd: noon + seconds + 120, verificationEnd: noon + 3600,
                resetEnd: noon + 3600, digest: { Array($0.utf8) })
        }
        let first = try #require(try await stores[0].claimMail(claim(after: 0)))
        try await stores[0].extendLease(of: first.mail, to: noon + 300)
        try await expectNil(stores[1].claimMail(claim(after: 299)))
        #expect(try await stores[1].claimMail(claim(after: 300)) != nil)
        try await stores[0].extendLease(of: first.mail, to: noon + 3000)
        #expect(try await stores[2].claimMail(claim(after: 420)) != nil)
        for store in stores { await store.close() }
    }

    @Test func `The outbox of four nodes skips a mail that another worker is taking`() async throws {
        let stores = try await stores(mails: 2, .verifyEmail)
        let first = try #require(try await stores[0].claimMail(claim))
        let second = try #require(try await stores[1].claimMail(claim))
        expectEqual(Set([first.mail.id, second.mail.id]).count, 2)
        try await expectNil(stores[2].claimMail(claim))
        // A worker whose lease has ended postpones nothing that another one has taken.
        try await stores[0].postpone(first.mail, until: noon + 5)
        let again = try #require(
            try await stores[2].claimMail(
                MailClaim(
                    now: noon + 5, leaseEnd: noon + 125, verificationEnd: noon + 3600, resetEnd: noon + 3600,
                    digest: { Array($0.utf8) })))
        #expect(again.mail.id == first.mail.id && again.mail.attempts == 2)
        try await stores[0].postpone(first.mail, until: noon + 3000)
        let due = try await stores[0].read { db throws(IdentityError) in
            try db.number("SELECT count(*) FROM mail WHERE leased_until IS NULL OR due_at > $1", [.date(noon + 5)])
        }
        expectEqual(due, 0)
        for store in stores { await store.close() }
    }
}
