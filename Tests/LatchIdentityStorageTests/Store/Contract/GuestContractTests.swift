// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct GuestContractTests {
    private static func guest(_ number: UInt8 = 1) -> (account: Account, device: Device) {
        let account = Account(
            id: "guest-\(number)", email: nil, passwordChangedAt: noon, createdAt: noon, guestUntil: noon + 1000)
        return (account, .example(100 + number, of: account, expiresAt: noon + 1_000_000))
    }

    /// Inserts a guest, and returns it as it is stored.
    private static func insert(_ number: UInt8 = 1, into store: IdentityStore) async throws -> (Account, Device) {
        let (account, device) = guest(number)
        try await store.insert(guest: account, on: device)
        return (try #require(try await store.account(id: account.id)), device)
    }

    private static func registered(_ account: Account, as email: String, username: String? = nil) throws -> Account {
        var account = account
        account.email = try EmailAddress(email)
        account.username = try username.map { text throws(IdentityError) in try Username(choosing: text) }
        (account.passwordHash, account.guestUntil) = ("$argon2id$example", nil)
        return account
    }

    private static func register(
        _ account: Account, on device: Device, in store: IdentityStore, at now: Date = noon + 10
    ) async throws {
        let mail = OutboxMail(
            .verifyEmail, to: try account.requireAddress(), accountID: account.id, id: "m-\(account.label)", at: now)
        try await store.register(
            guest: account, changing: [:], mail: mail, on: device.id, endingSessionsBy: now + 500, at: now)
    }

    @Test(arguments: StoreBackend.all)
    func `Guests have no address, are found by their ID only, and begin once for each device`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        let (account, device) = try await Self.insert(into: store)
        #expect(account.email == nil && account.isGuest && account.guestUntil == noon + 1000)
        try await expectNil(store.account(emailKey: account.id))
        try await expectNil(store.account(emailKey: ""))
        try await expectNil(store.account(named: account.id))
        _ = try await Self.insert(2, into: store)
        let again = Account(id: "guest-9", email: nil, passwordChangedAt: noon, createdAt: noon, guestUntil: noon)
        await expectEqual(
            refusal {
                try await store.insert(guest: again, on: Device.example(101, of: again))
            }, "alreadyExists")
        try await expectNil(store.account(id: again.id))
        #expect(try await store.device(id: device.id) != nil)
        let exported = try await store.exportedAccounts(after: "", limit: 10).map(\.account.id)
        #expect(exported.contains(fixture.account.id) && !exported.contains(account.id))
        let statistics = try await store.statistics(since: noon)
        #expect(statistics.guests == 2 && statistics.total == 1 && statistics.newToday == 1)
        await store.close()
    }

    @Test(.tags(.parallelSignUp), arguments: StoreBackend.all)
    func `A registration keeps ID and sessions of a guest, happens once, and takes nothing of another account`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        let (account, device) = try await Self.insert(into: store)
        let taken = try Self.registered(account, as: try fixture.account.requireAddress().text)
        await expectEqual(refusal { try await Self.register(taken, on: device, in: store) }, "alreadyExists")
        try await expectEqual(store.account(id: account.id), account)
        let (one, other) = (
            try Self.registered(account, as: "one@example.com", username: "first"),
            try Self.registered(account, as: "two@example.com")
        )
        await expectNil(refusal { try await Self.register(one, on: device, in: store) })
        await expectEqual(refusal { try await Self.register(other, on: device, in: store) }, "accountChanged")
        let user = try #require(try await store.account(emailKey: "one@example.com"))
        #expect(user.id == account.id && !user.isGuest && user.username?.text == "first")
        #expect(user.passwordHash != nil && user.emailVerifiedAt == nil && user.passwordChangedAt > noon)
        // The session goes on, and ends like those of other users.
        try await expectEqual(store.device(id: device.id)?.expiresAt, noon + 510)
        try await expectEqual(store.removeGuests(unusedFor: 1, at: noon + 1_000_000), false)
        #expect(try await store.account(id: account.id) != nil)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A guest is removed after the last use of its sessions, and cannot register then`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        let (account, device) = try await Self.insert(into: store)
        let (unused, _) = try await Self.insert(2, into: store)
        try await expectEqual(store.removeGuests(unusedFor: 1000, at: noon + 999), false)
        #expect(try await store.account(id: unused.id) != nil)
        _ = try await store.rotation(.of(device, at: noon + 600))
        try await expectEqual(store.removeGuests(unusedFor: 1000, at: noon + 1000), false)
        try await expectNil(store.account(id: unused.id))
        try await expectEqual(store.account(id: account.id)?.guestUntil, noon + 1600)
        _ = try await store.removeGuests(unusedFor: 1000, at: noon + 1600)
        try await expectNil(store.account(id: account.id))
        let late = try Self.registered(account, as: "late@example.com")
        await expectEqual(
            refusal { try await Self.register(late, on: device, in: store, at: noon + 1601) }, "invalidToken")
        #expect(try await store.account(id: fixture.account.id) != nil)
        await store.close()
    }
}
