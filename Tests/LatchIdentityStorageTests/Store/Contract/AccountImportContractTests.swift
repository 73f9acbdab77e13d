// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AccountImportContractTests {
    private static func account(_ number: Int, foreignID: String? = nil) throws -> ImportedAccount {
        ImportedAccount(
            Account(
                id: "imported-\(number)", email: try EmailAddress("user\(number)@example.com"),
                username: try Username(choosing: "user\(number)"), passwordChangedAt: noon, createdAt: noon,
                foreignID: foreignID))
    }

    private func insert(
        _ accounts: [ImportedAccount], into store: IdentityStore, isDryRun: Bool = false
    ) async throws -> [ImportedAccount.Outcome] {
        try await store.insert(imported: accounts, isDryRun: isDryRun, note: "imported by a test", at: noon)
    }

    @Test(arguments: StoreBackend.all)
    func `Imported accounts have all that their owners sign in by, and a chain in the audit log`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        var full = try Self.account(1, foreignID: "f1")
        full.factor = SecondFactor(accountID: "imported-1", sealedSecret: [1, 2], isConfirmed: true, createdAt: noon)
        full.links = [UpstreamIdentity(issuer: "https://sso.example.com", subject: "1", provider: "staff")]
        full.passkeys = [
            Passkey(
                id: [7], accountID: "imported-1", relyingPartyID: "example.com", publicKey: [8], counter: 9,
                isBackupEligible: true, isBackedUp: false, aaguid: [UInt8](repeating: 0, count: 16),
                transports: "usb", name: "Key", createdAt: noon, userHandle: [4, 5])
        ]
        // Hundreds have the same time, as accounts without one do.
        let others = try (2..<200).map { try Self.account($0) }
        let outcomes = try await insert([full] + others, into: store)
        #expect(outcomes.count == 199 && outcomes.allSatisfy { $0 == .imported })
        let exported = try await store.exportedAccounts(after: "", limit: 1000)
        expectEqual(exported.count, 200)
        expectEqual(exported.first { $0.account.id == "imported-1" }?.passkeys, full.passkeys)
        expectEqual(exported.first { $0.account.id == "imported-1" }?.factor, full.factor)
        expectEqual(exported.first { $0.account.id == "imported-1" }?.links, full.links)
        expectEqual(exported.first { $0.account.id == "imported-1" }?.account.foreignID, "f1")
        let first = try await store.exportedAccounts(after: "", limit: 10)
        let next = try await store.exportedAccounts(after: try #require(first.last).account.id, limit: 1000)
        expectEqual((first + next).map(\.account.id), exported.map(\.account.id))
        var query = AuditQuery(limit: 10)
        query.accountID = "imported-1"
        let entries = try await store.auditRecords(query)
        expectEqual(entries.map(\.event), ["account.created"])
        expectEqual(entries.first?.detail, "imported by a test")
        try await store.audit("test", account: "imported-1", detail: nil, at: noon)
        expectEqual(try await store.accounts(after: "", limit: 1000).count, 200)
    }

    @Test(arguments: StoreBackend.all)
    func `Accounts that the store knows stay as they are, and a trial inserts none`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        var linked = try Self.account(1, foreignID: "f1")
        linked.links = [UpstreamIdentity(issuer: "https://sso.example.com", subject: "1", provider: "staff")]
        _ = try await insert([linked], into: store)
        var sameLink = try Self.account(2)
        sameLink.links = linked.links
        var sameName = try Self.account(3)
        sameName.account.username = linked.account.username
        var sameAddress = try Self.account(4)
        sameAddress.account.email = linked.account.email
        var again = try Self.account(5, foreignID: "f1")
        again.account.email = linked.account.email
        // Another system has counted its users too.
        let other = try Self.account(7, foreignID: "f1")
        let accounts = try [sameLink, sameName, sameAddress, again, other, Self.account(6)]
        let expected: [ImportedAccount.Outcome] = [
            .taken(.link), .taken(.username), .taken(.email), .known, .taken(.foreignID), .imported,
        ]
        try await expectEqual(insert(accounts, into: store, isDryRun: true), expected)
        try await expectNil(store.account(id: "imported-6"))
        try await expectEqual(insert(accounts, into: store), expected)
        try await expectEqual(store.account(id: "imported-6")?.email?.text, "user6@example.com")
        try await expectEqual(store.account(id: "imported-1")?.username, linked.account.username)
    }
}
