// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct MailedTokenContractTests {
    private func digest(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }

    @Test(.tags(.mailedTokenReuse), arguments: StoreBackend.all)
    func `A mailed token in the store is used once, also for 16 concurrent attempts`(backend: StoreBackend) async throws
    {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.insert(.example(1, of: account))
        let successes = try await withThrowingTaskGroup { group in
            for number in 0..<16 {
                group.addTask {
                    try await store.resetPassword(byToken: digest(1), hash: "hash \(number)", at: noon)
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(successes, 1)
    }

    @Test(arguments: StoreBackend.all)
    func `A mailed token in the store sets a first password, and the owner is informed`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        for (name, notices) in [("invited", 0), ("linked", 1)] {
            let account = try Account.example(name, hash: nil)
            if notices == 0 {
                try await store.insert(account, details: nil)
            } else {
                let identity = UpstreamIdentity(
                    issuer: "https://accounts.example", subject: "1", provider: "google", email: account.email)
                _ = try await store.insert(account, linkedTo: identity, mail: nil)
            }
            try await store.insert(.example(5, of: account))
            #expect(try await store.resetPassword(byToken: digest(5), hash: "$new", at: noon))
            try await expectEqual(store.mailBacklog(dueBefore: noon).count, notices)
        }
    }

    @Test(.tags(.mailedTokenReuse), arguments: StoreBackend.all)
    func `A mailed token in the store ends in time, with a newer one, and with a password change`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.insert(.example(1, of: account, expiresAt: noon + 10))
        try await expectNil(store.account(forToken: digest(1), purpose: .resetPassword, at: noon + 10))
        try await expectEqual(store.resetPassword(byToken: digest(1), hash: "x", at: noon + 10), false)

        try await store.insert(.example(2, of: account))
        try await expectNil(store.account(forToken: digest(1), purpose: .resetPassword, at: noon))

        try await store.insert(.example(3, of: account, purpose: .verifyEmail))
        #expect(try await store.resetPassword(byToken: digest(2), hash: "x", at: noon))
        try await expectNil(store.verifyEmail(byToken: digest(3), with: .none, at: noon))
    }

    @Test(.tags(.mailedTokenReuse), arguments: StoreBackend.all)
    func `A mailed token in the store serves only its own purpose`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.insert(.example(1, of: account, purpose: .verifyEmail))
        try await expectEqual(store.resetPassword(byToken: digest(1), hash: "x", at: noon), false)
        try await expectEqual(store.verifyEmail(byToken: digest(1), with: .none, at: noon)?.id, account.id)
        try await expectEqual(store.account(id: account.id)?.emailVerifiedAt, noon)
    }

    @Test(.tags(.accountPreHijack), arguments: StoreBackend.all)
    func `A mailed token in the store that verifies sets no password once the address is verified`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.insert(.example(1, of: account, purpose: .verifyEmail))
        #expect(try await store.verifyEmail(byToken: digest(1), with: .none, at: noon) != nil)
        try await store.insert(.example(2, of: account, purpose: .verifyEmail))
        try await expectNil(store.verifyEmail(byToken: digest(2), with: .newPassword(hash: "new"), at: noon))
        try await expectEqual(store.account(id: account.id)?.passwordHash, account.passwordHash)
    }

    @Test(.tags(.accountPreHijack), arguments: StoreBackend.all)
    func `A mailed token in the store comes with the account's present password`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.insert(.example(1, of: account, purpose: .verifyEmail))
        try await store.perform(.setStatus(.disabled), on: account.id)
        try await store.perform(.setStatus(.active), on: account.id)
        try await expectNil(store.verifyEmail(byToken: digest(1), with: .password(account), at: noon))
        let now = try #require(try await store.account(id: account.id))
        expectNil(now.emailVerifiedAt)
        #expect(try await store.verifyEmail(byToken: digest(1), with: .password(now), at: noon) != nil)
    }

    @Test(.tags(.resetRevocation), arguments: StoreBackend.all)
    func `A mailed token in the store that sets a password signs out every device`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account, device) = (fixture.store, fixture.account, fixture.device)
        try await store.insert(.example(1, of: account))
        _ = try await store.resetPassword(byToken: digest(1), hash: "new", at: noon + 1)
        let row = try #require(try await store.device(id: device.id))
        expectEqual(row.revocationReason, .passwordChange)
        let changed = try #require(try await store.account(id: account.id))
        expectEqual(changed.passwordHash, "new")
        expectEqual(changed.passwordChangedAt, noon + 1)
    }

    @Test(arguments: StoreBackend.all)
    func `A mailed token in the store is refused for a disabled account`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.insert(.example(1, of: account))
        try await store.perform(.setStatus(.disabled), on: account.id)
        try await expectNil(store.account(forToken: digest(1), purpose: .resetPassword, at: noon))
    }

    @Test(arguments: StoreBackend.all)
    func `A mailed token in the store is removed with the devices that ended`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account, device) = (fixture.store, fixture.account, fixture.device)
        try await store.insert(.example(1, of: account))
        try await store.prune(endedBefore: noon + 3600)
        #expect(try await store.device(id: device.id) != nil)
        try await store.prune(endedBefore: noon + 3601)
        try await expectNil(store.device(id: device.id))
        try await expectNil(store.account(forToken: digest(1), purpose: .resetPassword, at: noon))
    }

    @Test(.tags(.addressChange), arguments: StoreBackend.all)
    func `A mailed token of a change of address ends with the sign-out of its requester`(backend: StoreBackend)
        async throws
    {
        for way in ["nothing", "everywhere", "by the operator", "suspended", "copied token"] {
            let fixture = try await backend.populated()
            let (store, account, device) = (fixture.store, fixture.account, fixture.device)
            let change = EmailChange(
                accountID: account.id, email: try EmailAddress("eve@example.com"), oldEmailKey: account.ownerKey,
                oldDigest: nil, newDigest: digest(2), expiresAt: noon + 60)
            #expect(try await store.insert(change, for: account, by: device, mails: [], at: noon))
            switch way {
            case "everywhere": _ = try await store.revokeDevices(of: account.id, because: .logout, at: noon)
            case "by the operator": try await store.perform(.endSessions, on: account.id)
            case "suspended":
                try await store.perform(.setStatus(.suspended), on: account.id)
                try await store.perform(.setStatus(.active), on: account.id)
            case "copied token":
                _ = try await store.rotation(.of(device))
                try await expectEqual(store.rotation(.of(device, at: noon + 31)), .reused)
            default: break
            }
            let confirmed = try await store.confirmEmail(byToken: digest(2), with: .none, at: noon + 32)
            expectEqual(confirmed == nil, way != "nothing", "\(way)")
        }
    }

    @Test(.tags(.addressChange), arguments: StoreBackend.all)
    func `A mailed token of a change of address counts once both ends are confirmed`(backend: StoreBackend) async throws
    {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        let new = try EmailAddress("ada@new.example")
        let change = EmailChange(
            accountID: account.id, email: new, oldEmailKey: account.ownerKey, oldDigest: digest(1),
            newDigest: digest(2), expiresAt: noon + 60)
        let device = Device.example(2, of: account)
        await #expect(throws: IdentityError.invalidToken) {
            try await store.insert(change, for: account, by: device, mails: [], at: noon)
        }
        try await expectNil(store.confirmEmail(byToken: digest(2), with: .none, at: noon))
        #expect(try await store.insert(change, for: account, by: fixture.device, mails: [], at: noon))
        try await expectNil(store.confirmEmail(byToken: digest(2), with: .none, at: noon + 60))
        // A password that was another one when it was checked proves nothing, and the link still works.
        var earlier = account
        earlier.credentialVersion -= 1
        try await expectNil(store.confirmEmail(byToken: digest(2), with: .password(earlier), at: noon))
        try await expectEqual(store.confirmEmail(byToken: digest(2), with: .none, at: noon)?.email, account.email)
        try await expectNil(store.confirmEmail(byToken: digest(2), with: .none, at: noon))
        try await expectEqual(store.confirmEmail(byToken: digest(1), with: .none, at: noon)?.email, new)
    }
}
