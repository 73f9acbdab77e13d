// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct `The accounts of a store` {
    let folder: TemporaryFolder
    let store: SQLiteIdentityStore
    let account: Account

    init() async throws {
        folder = try TemporaryFolder()
        (store, account, _) = try await SQLiteIdentityStore.populated(in: folder)
    }

    @Test func `come back as they were written`() async throws {
        var full = try Account.example("full")
        full.roles = ["admin", "editor"]
        full.permissions = ["users:read"]
        full.emailVerifiedAt = noon
        try await store.insert(full)
        #expect(try store.account(id: full.id) == full)
        #expect(try store.account(emailKey: "full@example.com") == full)
        #expect(try store.account(emailKey: "nobody@example.com") == nil)
    }

    @Test(.tags(.attackD10)) func `are one for each address, whoever comes first`() async throws {
        let results = await withTaskGroup { group in
            for number in 0..<10 {
                group.addTask { () -> Bool in
                    do {
                        let same = Account(
                            id: "other-\(number)", email: try EmailAddress("SAME@example.com"), name: nil,
                            passwordHash: nil, passwordChangedAt: noon, createdAt: noon)
                        try await store.insert(same)
                        return true
                    } catch IdentityError.alreadyExists {
                        return false
                    } catch {
                        Issue.record(error)
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(results == 1)
    }

    @Test func `are listed in pages that neither repeat nor skip`() async throws {
        for number in 10..<25 { try await store.insert(Account.example("user\(number)")) }
        var ids: [String] = []
        while case let page = try store.accounts(after: ids.last, limit: 4), !page.isEmpty {
            ids += page.map(\.id)
        }
        #expect(ids.count == 16)
        #expect(ids == Set(ids).sorted())
    }

    @Test(.tags(.attackD11)) func `get a better hash only while the old one stands`() async throws {
        try await store.upgradePasswordHash(of: account.id, from: "$argon2id$example", to: "better")
        #expect(try store.account(id: account.id)?.passwordHash == "better")
        try await store.upgradePasswordHash(of: account.id, from: "$argon2id$example", to: "late")
        #expect(try store.account(id: account.id)?.passwordHash == "better")
    }

    @Test func `take roles from an administrator's call alone`() async throws {
        #expect(try await store.setRoles(of: account.id, roles: ["admin"], permissions: ["a", "b"], at: noon))
        #expect(try store.account(id: account.id)?.roles == ["admin"])
        #expect(try store.account(id: account.id)?.permissions == ["a", "b"])
        #expect(try await store.setRoles(of: "nobody", roles: [], permissions: [], at: noon) == false)
    }

    @Test func `do not print what they hold`() {
        var text = ""
        dump(account, to: &text)
        text += "\(account) \(String(reflecting: account))"
        #expect(!text.contains("argon2id"))
        #expect(!text.contains("example.com"))
    }
}

@Suite struct `A mailed token in the store` {
    let folder: TemporaryFolder
    let store: SQLiteIdentityStore
    let account: Account
    let device: Device

    init() async throws {
        folder = try TemporaryFolder()
        (store, account, device) = try await SQLiteIdentityStore.populated(in: folder)
    }

    private func digest(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }

    @Test(.tags(.attackE4)) func `is used once, also when 16 try at once`() async throws {
        try await store.insert(.example(1, of: account))
        let successes = try await withThrowingTaskGroup { group in
            for number in 0..<16 {
                group.addTask {
                    try await store.resetPassword(byToken: digest(1), hash: "hash \(number)", at: noon) != nil
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(successes == 1)
    }

    @Test(.tags(.attackE4)) func `ends in time, with a newer one, and with a password change`() async throws {
        try await store.insert(.example(1, of: account, expiresAt: noon + 10))
        #expect(try store.account(forToken: digest(1), purpose: .resetPassword, at: noon + 10) == nil)
        #expect(try await store.resetPassword(byToken: digest(1), hash: "x", at: noon + 10) == nil)

        try await store.insert(.example(2, of: account))
        #expect(try store.account(forToken: digest(1), purpose: .resetPassword, at: noon) == nil)

        try await store.insert(.example(3, of: account, purpose: .verifyEmail))
        #expect(try await store.resetPassword(byToken: digest(2), hash: "x", at: noon) != nil)
        #expect(try await store.verifyEmail(byToken: digest(3), at: noon) == nil)
    }

    @Test(.tags(.attackE4)) func `serves only its own purpose`() async throws {
        try await store.insert(.example(1, of: account, purpose: .verifyEmail))
        #expect(try await store.resetPassword(byToken: digest(1), hash: "x", at: noon) == nil)
        #expect(try await store.verifyEmail(byToken: digest(1), at: noon)?.id == account.id)
        #expect(try store.account(id: account.id)?.emailVerifiedAt == noon)
    }

    @Test(.tags(.attackE7)) func `that sets a password signs out every device`() async throws {
        try await store.insert(.example(1, of: account))
        _ = try await store.resetPassword(byToken: digest(1), hash: "new", at: noon + 1)
        let row = try #require(try store.device(id: device.id))
        #expect(row.revocationReason == .passwordChange)
        let changed = try #require(try store.account(id: account.id))
        #expect(changed.passwordHash == "new")
        #expect(changed.passwordChangedAt == noon + 1)
    }

    @Test func `is nothing to a disabled account`() async throws {
        try await store.insert(.example(1, of: account))
        try await store.perform(.setStatus(.disabled), on: account.id)
        #expect(try store.account(forToken: digest(1), purpose: .resetPassword, at: noon) == nil)
    }

    @Test func `is removed with the devices that ended`() async throws {
        try await store.insert(.example(1, of: account))
        try await store.prune(endedBefore: noon + 3600)
        #expect(try store.device(id: device.id) != nil)
        try await store.prune(endedBefore: noon + 3601)
        #expect(try store.device(id: device.id) == nil)
        #expect(try store.account(forToken: digest(1), purpose: .resetPassword, at: noon) == nil)
    }
}
