// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AccountDeletionContractTests {
    private func request(_ fixture: StoreFixture, due: TimeInterval, at date: Date = noon) async throws {
        try await fixture.store.requestDeletion(
            of: fixture.account, dueAt: noon + due, on: fixture.device.id, causedBy: MailCause(), at: date)
    }

    @Test(arguments: StoreBackend.all)
    func `A deletion keeps the date of its first request, and removes all rows when it is due`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, id) = (fixture.store, fixture.account.id)
        try await request(fixture, due: 1000)
        try await request(fixture, due: 2000, at: noon + 1)
        let deletion = AccountDeletion(accountID: id, requestedAt: noon, dueAt: noon + 1000)
        try await expectEqual(store.deletion(of: id), deletion)
        try await expectEqual(store.deleteDueAccounts(at: noon + 999), false)
        #expect(try await store.account(id: id) != nil)
        let before = try await store.personalData(of: id)
        #expect(before["device"] != nil && before["account_deletion"] != nil)
        try await expectEqual(store.deleteDueAccounts(at: noon + 1000), false)
        try await expectNil(store.account(id: id))
        // The audit log, and the emails that are on their way.
        let after = try await store.personalData(of: id)
        #expect(Set(after.keys).isSubset(of: ["audit", "mail", "client_notice"]), "\(after.keys)")
        let events = after["audit"]?.arrayValue?.compactMap { $0["event"]?.stringValue } ?? []
        #expect(events.first == "account.deleted" && events.contains("account.deletionRequested"))
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A deletion is canceled once, and not requested on a device that was signed out`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, id) = (fixture.store, fixture.account.id)
        try await request(fixture, due: 1000)
        #expect(try await store.cancelDeletion(of: id, at: noon + 1))
        try await expectEqual(store.cancelDeletion(of: id, at: noon + 1), false)
        _ = try await store.deleteDueAccounts(at: noon + 1000)
        #expect(try await store.account(id: id) != nil)
        _ = try await store.revoke(device: fixture.device.id, ownedBy: nil, because: .logout, at: noon + 1001)
        await expectEqual(
            refusal { try await request(fixture, due: 3000, at: noon + 1002) }, "invalidToken")
        try await expectNil(store.deletion(of: id))
        await store.close()
    }
}
