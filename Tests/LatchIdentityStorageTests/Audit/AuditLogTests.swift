// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AuditLogTests {
    private func change(_ site: Site, _ sql: String, _ values: [SQLValue] = []) throws {
        try SQLiteConnection(path: site.folder.file(), access: .readWrite).run(sql, values)
    }

    private func events(_ site: Site) async throws -> [String] {
        try await site.identity.audit.records(limit: 1000).map(\.event).reversed()
    }

    private func isIntact(_ site: Site) async throws -> Bool {
        if case .intact = try await site.identity.audit.verify() { true } else { false }
    }

    /// A server with some entries.
    private func used() async throws -> Site {
        let site = try await Site()
        let ada = try await site.signUp()
        for number in 0..<5 { try await site.signUp("u\(number)@example.com") }
        _ = try await site.identity.administration.setRole(of: ada.id, to: .moderator)
        _ = try await site.identity.administration.setStatus(of: ada.id, to: .suspended, because: "case 12")
        return site
    }

    @Test(.tags(.auditTampering))
    func `The audit log has failed logins and administration, for known and unknown accounts`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        try await expectEqual(site.logIn(password: "wrong").status, 401)
        try await expectEqual(site.logIn("nobody@example.com").status, 401)
        _ = try await site.identity.administration.setRole(of: ada.id, to: .admin)
        _ = try await site.identity.signingKeys.rotate()
        let records = try await site.identity.audit.records(limit: 100)
        let failed = records.filter { $0.event == "login.failed" }
        expectEqual(failed.map(\.accountID), [nil, ada.id])
        // What was typed as a name may be a password.
        #expect(!records.contains { ($0.detail ?? "").contains("nobody") })
        #expect(records.contains { $0.event == "account.role" } && records.contains { $0.event == "key.created" })
        #expect(try await isIntact(site))
        await site.close()
    }

    static let changes: [String] = [
        "UPDATE audit SET detail = 'user' WHERE event = 'account.role'",
        "UPDATE audit SET at = at + 1 WHERE id = 5",
        "UPDATE audit SET account_id = 'other' WHERE id = 5",
        "DELETE FROM audit WHERE id = 5",
        "DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)",
        "DELETE FROM audit WHERE id > 4",
        "DELETE FROM audit",
        "DELETE FROM audit_head",
        "INSERT INTO audit (at, event) VALUES (0, 'forged')",
        "INSERT INTO audit (id, at, event) VALUES (-1, 0, 'forged')",
        "UPDATE audit_head SET last_id = 4, last_digest = (SELECT digest FROM audit WHERE id = 4)",
        "UPDATE audit_head SET base_id = 4, base_digest = (SELECT digest FROM audit WHERE id = 4)",
        "UPDATE audit SET digest = (SELECT digest FROM audit WHERE id = 4) WHERE id = 5",
    ]

    @Test(.tags(.auditTampering), arguments: changes)
    func `The audit log shows every change made without the server`(sql: String) async throws {
        let site = try await used()
        #expect(try await isIntact(site))
        try change(site, sql)
        try await expectEqual(isIntact(site), false)
        // The server goes on, and does not make a chain of what it finds.
        try await site.signUp("later@example.com")
        try await expectEqual(isIntact(site), false)
        await site.close()
    }

    @Test(
        .tags(.auditTampering),
        arguments: [("last_id = 4, last_digest", "id > 4"), ("base_id = 4, base_digest", "id <= 4")])
    func `The audit log shows that entries were cut off together with an end of the chain`(
        end: String, entries: String
    ) async throws {
        let site = try await used()
        try change(site, "UPDATE audit_head SET \(end) = (SELECT digest FROM audit WHERE id = 4)")
        try change(site, "DELETE FROM audit WHERE \(entries)")
        try await expectEqual(isIntact(site), false)
        try await site.signUp("later@example.com")
        try await expectEqual(isIntact(site), false)
        await site.close()
    }

    @Test(.tags(.auditTampering))
    func `The audit log shows that an earlier end of the chain was put back`() async throws {
        let site = try await used()
        try change(site, "CREATE TABLE kept AS SELECT * FROM audit_head")
        let last = try #require(try await site.identity.audit.records(limit: 1).first).id
        try await site.signUp("hidden@example.com")
        try change(site, "DELETE FROM audit WHERE id > ?", [.integer(last)])
        try change(site, "DELETE FROM audit_head")
        try change(site, "INSERT INTO audit_head SELECT * FROM kept")
        try await site.signUp("later@example.com")
        try await expectEqual(isIntact(site), false)
        await site.close()
    }

    @Test(.tags(.auditTampering)) func `The audit log whose chain was removed stays damaged`() async throws {
        let site = try await used()
        for sql in ["DELETE FROM audit", "DELETE FROM audit_head"] { try change(site, sql) }
        try await site.signUp("later@example.com")
        try await expectEqual(isIntact(site), false)
        try await expectEqual(events(site), ["account.created"])
        await site.close()
    }

    @Test
    func `The audit log is not cut by an operator's command, which does not know the server's retention`() async throws
    {
        let site = try await used()
        let count = try await events(site).count
        await site.close()
        // By the system's clock the entries are older than the standard setting keeps them.
        try change(site, "UPDATE audit SET at = 0")
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        let command = try await Identity(administering: site.folder.file(), configuration: configuration)
        try await expectEqual(command.signingKeys.list().count, 1)
        try await expectEqual(command.audit.records(limit: 1000).count, count)
        await command.close()
    }

    @Test(.tags(.auditTampering))
    func `The audit log cannot be chained again by a reader of the database`() async throws {
        let site = try await used()
        try change(site, "UPDATE audit SET detail = 'forged' WHERE id = 5")
        // A chain with any key of one's own.
        let forger = try IdentityStore(path: site.folder.file())
        for sql in ["UPDATE audit SET digest = NULL", "DELETE FROM audit_head"] { try change(site, sql) }
        try await forger.beginAudit(with: Array(repeating: 1, count: 32), at: noon) { _, _ in
            StoredSecret(name: "forged", content: [1])
        }
        try await forger.audit("forged", account: nil, detail: nil, at: noon)
        await forger.close()
        try await expectEqual(isIntact(site), false)
        await site.close()
    }

    private static let storeKey = String(repeating: "ab", count: 32)

    private func sealed(in folder: TemporaryFolder? = nil) async throws -> Site {
        try await Site(in: folder) { $0.storeKey = Self.storeKey }
    }

    @Test(.tags(.auditTampering), arguments: ["DELETE FROM audit WHERE id = 5", "DELETE FROM audit"])
    func `The audit log is not chained again by the server after its chain was removed`(forgery: String) async throws {
        let site = try await sealed()
        for number in 0..<5 { try await site.signUp("u\(number)@example.com") }
        await site.close()
        for sql in [forgery, "UPDATE audit SET digest = NULL", "DELETE FROM audit_head"] { try change(site, sql) }
        let next = try await sealed(in: site.folder)
        try await expectEqual(isIntact(next), false)
        #expect(try await events(next).filter { $0 == "audit.chained" }.count <= 1)
        await next.close()
        // Without its key, the store is not opened.
        try change(site, "DELETE FROM secret WHERE name = 'audit_key'")
        let error = await #expect(throws: IdentityError.self) { try await sealed(in: site.folder) }
        expectEqual(error, .corruptStore)
        try change(site, "DELETE FROM secret")
        try change(site, "DELETE FROM signing_key")
        if forgery != "DELETE FROM audit" {
            await #expect(throws: IdentityError.self) { try await sealed(in: site.folder) }
        }
    }

    @Test func `The audit log of a store that gets a key later continues`() async throws {
        let plain = try await used()
        try await plain.identity.signingKeys.reseal(with: Self.storeKey)
        await plain.close()
        let site = try await sealed(in: plain.folder)
        try await site.signUp("late@example.com")
        #expect(try await isIntact(site))
        try await expectEqual(events(site).filter { $0 == "audit.chained" }.count, 1)
        await site.close()
    }

    @Test func `The audit log is the same chain after restarts and on two nodes`() async throws {
        let first = try await used()
        let second = try await Site(in: first.folder)
        try await second.signUp("two@example.com")
        try await first.signUp("three@example.com")
        #expect(try await isIntact(first))
        await first.close()
        await second.close()
        let third = try await Site(in: first.folder)
        try await third.signUp("four@example.com")
        #expect(try await isIntact(third))
        try await expectEqual(events(third).filter { $0 == "audit.chained" }.count, 1)
        await third.close()
    }

    @Test func `The audit log of an earlier store is chained at its first start, which an entry marks`() async throws {
        let folder = try TemporaryFolder()
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        _ = try await store.perform(.setRole(.admin), on: account.id)
        await store.close()
        let site = try await Site(in: folder)
        try await expectEqual(
            events(site).prefix(4), ["account.created", "device.signedIn", "account.role", "audit.chained"])
        #expect(try await isIntact(site))
        try change(site, "UPDATE audit SET detail = 'x' WHERE id = 1")
        try await expectEqual(isIntact(site), false)
        await site.close()
    }

    @Test func `The audit log stays verifiable when its oldest entries are removed`() async throws {
        let site = try await used()
        site.clock.advance(by: 86_400)
        try await site.signUp("late@example.com")
        let store = site.identity.services.store
        _ = try await store.pruneAudit(before: noon + 1, keeping: 1000, atMost: 10_000, at: site.clock.now)
        try await expectEqual(events(site), ["account.created", "audit.pruned"])
        #expect(try await isIntact(site))
        for number in 0..<5 { try await site.signUp("later\(number)@example.com") }
        _ = try await store.pruneAudit(before: .distantPast, keeping: 3, atMost: 10_000, at: site.clock.now)
        try await expectEqual(events(site).count, 4)
        #expect(try await isIntact(site))
        try change(site, "INSERT INTO audit (id, at, event) VALUES (1, 0, 'forged')")
        try await expectEqual(isIntact(site), false)
        await site.close()
    }

    @Test func `The audit log is read in pages`() async throws {
        let site = try await used()
        let all = try await site.identity.audit.records(limit: 100)
        let first = try await site.identity.audit.records(limit: 3)
        let rest = try await site.identity.audit.records(before: first.last?.id, limit: 100)
        expectEqual(first + rest, all)
        await site.close()
    }
}
