// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestSupport
import Testing

@testable import LatchIdentity

@Suite struct StoreCopyTests {
    /// Copies, and compares both stores; the audit log of the copy has one entry more.
    private func copied(_ source: TransferFixture, to target: String) async throws {
        let content = try await StoreAdministration.plain().copy(from: source.location, to: target)
        let before = try TransferFixture.summaries(of: source.location)
        let after = try TransferFixture.summaries(of: target)
        #expect(before.allSatisfy { $0.count > 0 }, "\(before.filter { $0.count == 0 }.map(\.table.name))")
        expectEqual(before.filter { $0.table.name != "audit" }, after.filter { $0.table.name != "audit" })
        expectEqual(content.counts.map(\.rows), before.map(\.count))
        let entries = { (summaries: [StoreTableSummary]) in summaries.first { $0.table.name == "audit" }?.count ?? 0 }
        expectEqual(entries(after), entries(before) + 1)
        expectEqual(content.log.count, entries(before))
    }

    /// Continues a session on the copy, and checks its log and its list of accounts.
    private func served(_ fixture: TransferFixture, from target: String) async throws {
        await fixture.site.close()
        let site = try await Site(storedAt: target)
        try await expectEqual(site.renew(fixture.login.refresh).status, 200)
        try await expectEqual(site.logIn().status, 200)
        let entry = try await site.identity.audit.records(limit: 100).first { $0.event == "store.copied" }
        expectEqual(entry?.detail?.contains("entries, the last with "), true)
        if case .intact = try await site.identity.audit.verify() {} else { Issue.record("the log is damaged") }
        var query = AccountQuery()
        query.search = "ada"
        let store = site.identity.services.store
        try await expectEqual(store.accounts(query).accounts.count, 1)
        let count = try await site.identity.audit.records(limit: 1000).count
        #expect(try await !store.pruneAudit(before: noon - 1, keeping: 1_000_000, atMost: 10_000, at: noon))
        try await expectEqual(site.identity.audit.records(limit: 1000).count, count, "what is not due was removed")
        while try await store.pruneAudit(before: noon + 1, keeping: 1_000_000, atMost: 3, at: noon + 2) {}
        #expect(try await site.identity.audit.records(limit: 1000).allSatisfy { $0.at > noon })
        if case .intact = try await site.identity.audit.verify() {} else { Issue.record("the log is damaged") }
        await site.close()
    }

    @Test func `A copy of a store has every row, and serves the sessions of the first`() async throws {
        let (source, folder) = (try await TransferFixture(), try TemporaryFolder())
        try await copied(source, to: folder.file())
        try expectEqual(folder.names(), ["store.sqlite"])
        try expectEqual(folder.permissions(of: "store.sqlite"), 0o600)
        try await served(source, from: folder.file())
    }

    @Test(needsPostgres) func `A copy of a store goes to PostgreSQL and back`() async throws {
        let (source, folder) = (try await TransferFixture(), try TemporaryFolder())
        let (first, second) = (try await IdentityDatabase.create(), try await IdentityDatabase.create())
        try await copied(source, to: first)
        _ = try await StoreAdministration.plain().copy(from: first, to: second)
        _ = try await StoreAdministration.plain().copy(from: second, to: folder.file())
        let tables = { (location: String) in
            try TransferFixture.summaries(of: location).filter { $0.table.name != "audit" }
        }
        let expected = try tables(source.location)
        try expectEqual(tables(second), expected)
        try expectEqual(tables(folder.file()), expected)
        try await served(source, from: second)
        let site = try await Site(storedAt: folder.file())
        if case .intact = try await site.identity.audit.verify() {} else { Issue.record("the log is damaged") }
        await site.close()
    }

    @Test func `A copy of a store is not made of a store whose audit log was changed`() async throws {
        let (source, folder) = (try await TransferFixture(), try TemporaryFolder())
        let raw = try SQLiteConnection(path: source.location, access: .readWrite)
        try raw.run("UPDATE audit SET event = 'forged' WHERE id = 1")
        await #expect(throws: IdentityError.corruptStore) {
            try await StoreAdministration.plain().copy(from: source.location, to: folder.file())
        }
        #expect(try folder.names().isEmpty)
    }

    @Test
    func `A copy of a store does not go into a store that exists or is in use, nor next to its leftovers`() async throws
    {
        let (source, other, folder) = (try await TransferFixture(), try await TransferFixture(), try TemporaryFolder())
        await #expect(throws: IdentityError.storeInUse) {
            try await StoreAdministration.plain().copy(from: source.location, to: other.location)
        }
        await other.site.close()
        await #expect(throws: IdentityError.storeNotEmpty) {
            try await StoreAdministration.plain().copy(from: source.location, to: other.location)
        }
        try Data([1]).write(to: URL(filePath: folder.file("store.sqlite-wal")))
        await #expect(throws: IdentityError.storeNotEmpty) {
            try await StoreAdministration.plain().copy(from: source.location, to: folder.file())
        }
        try expectEqual(folder.names(), ["store.sqlite-wal"])
    }

    @Test(needsPostgres)
    func `A copy of a store does not go into a database that a server uses, or has used`() async throws {
        let source = try await TransferFixture()
        let other = try await TransferFixture(storedAt: try await IdentityDatabase.create())
        let before = try TransferFixture.summaries(of: other.location)
        let copy = { try await StoreAdministration.plain().copy(from: source.location, to: other.location) }
        let error = await #expect(throws: IdentityError.self) { try await copy() }
        #expect(error == .storeInUse && error?.hint?.contains("pg_terminate_backend(") == true)
        await other.site.close()
        await #expect(throws: IdentityError.storeNotEmpty) { try await copy() }
        try expectEqual(TransferFixture.summaries(of: other.location), before)
    }

    @Test func `A copy of a store is one moment of a store to which a server writes`() async throws {
        let (source, folder) = (try await TransferFixture(), try TemporaryFolder())
        let store = source.site.identity.services.store
        let count = try await StoreConnections.onThread { () throws(IdentityError) in
            try StoreConnections.snapshot(of: source.location) { db throws(IdentityError) in
                let before = try StoreRows(db: db).send()
                let writer = try SQLiteConnection(path: source.location, access: .readWrite)
                try writer.run("DELETE FROM spent_sign_in")
                return try StoreRows(db: db).send() == before
            }
        }
        #expect(count)
        try await store.checkHealth(at: noon)
        let content = try await StoreAdministration.plain().copy(from: source.location, to: folder.file())
        #expect(content.counts.contains { $0 == ("spent_sign_in", 0) })
    }
}
