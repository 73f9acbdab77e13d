// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import Testing

@testable import LatchIdentity

@Suite struct SharedTaskContractTests {
    @Test(arguments: StoreBackend.all)
    func `A task that servers share is one server's until its end, and then the next server's`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        #expect(try await store.isFree(.pruning, at: noon))
        #expect(try await store.take(.pruning, as: "one", at: noon, until: noon + 300))
        try await expectEqual(store.isFree(.pruning, at: noon + 299), false)
        try await expectEqual(store.take(.pruning, as: "other", at: noon + 299, until: noon + 900), false)
        // Who has it keeps it, for as long as it is at work.
        #expect(try await store.take(.pruning, as: "one", at: noon + 299, until: noon + 600))
        try await expectEqual(store.take(.pruning, as: "other", at: noon + 599, until: noon + 900), false)
        #expect(try await store.isFree(.pruning, at: noon + 600))
        #expect(try await store.take(.pruning, as: "other", at: noon + 600, until: noon + 900))
        try await expectEqual(store.take(.pruning, as: "one", at: noon + 601, until: noon + 900), false)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `Of many servers that take a shared task concurrently, one gets it`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        let takers = try await withThrowingTaskGroup { group in
            for number in 0..<16 {
                group.addTask { try await store.take(.pruning, as: "\(number)", at: noon, until: noon + 300) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(takers, 1)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A task that servers share is free if its end is the mistake of a wrong clock`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        #expect(try await store.take(.pruning, as: "one", at: noon + 1_000_000, until: noon + 1_000_300))
        #expect(try await store.isFree(.pruning, at: noon))
        #expect(try await store.take(.pruning, as: "other", at: noon, until: noon + 300))
        await store.close()
    }

    /// Each mail is such a task: whoever has taken it may be dead.
    @Test(arguments: StoreBackend.all)
    func `A mail is a task that servers share: one sends it, and another after the lease`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.insert(
            OutboxMail(.passwordChanged, to: try account.requireAddress(), accountID: account.id, id: "m", at: noon))
        let claims = [0.0, 119, 120].map { seconds in
            MailClaim(
                now: noon + seconds, leaseEnd: noon + seconds + 120, verificationEnd: noon + 3600,
                resetEnd: noon + 3600, digest: { Array($0.utf8) })
        }
        try await expectEqual(store.claimMail(claims[0])?.mail.attempts, 1)
        try await expectNil(store.claimMail(claims[1]))
        let again = try #require(try await store.claimMail(claims[2]))
        #expect(again.mail.attempts == 2 && again.mail.id == "m" && again.recipient == account.email)
        await store.close()
    }

    /// A worker that takes the older of two mails may be the slower one.
    @Test(arguments: StoreBackend.all)
    func `A mail is a task that servers share, whose link ends with that of a newer one`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        func claim(_ id: String, from minute: Double) async throws -> ClaimedMail? {
            try await store.insert(
                OutboxMail(
                    .resetPassword, to: try account.requireAddress(), accountID: account.id, id: id,
                    at: noon + minute * 60))
            return try await store.claimMail(
                MailClaim(
                    now: noon + 3000, leaseEnd: noon + 3600, verificationEnd: noon + 9000, resetEnd: noon + 9000,
                    digest: { Array($0.utf8) }))
        }
        func tokens() async throws -> [String] {
            try await store.all("SELECT digest FROM one_time_token WHERE account_id = $1", [.text(account.id)]) {
                row throws(IdentityError) in String(decoding: try row.blob(0), as: UTF8.self)
            }
        }
        try await expectEqual(claim("newer", from: 10)?.recipient, account.email)
        let older = try #require(try await claim("older", from: 5))
        #expect(older.mail.id == "older" && older.recipient == nil)
        try await expectEqual(tokens(), ["newer"])
        try await expectEqual(claim("newest", from: 15)?.recipient, account.email)
        try await expectEqual(tokens(), ["newest"])
        await store.close()
    }
}
