// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchPostgres
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

/// Somebody who writes the database, and has neither store key nor pepper.
@Suite(needsPostgres) struct PostgresAnchorTests {
    private let address: String
    private let site: Site
    private let ada: Account

    /// The heads are kept before the entries that somebody will remove.
    init() async throws {
        address = try await IdentityDatabase.create()
        site = try await Site(storedAt: address)
        ada = try await site.signUp()
        _ = try await site.signUp("bob@example.com")
        _ = try change("CREATE TABLE kept AS SELECT * FROM audit_head")
        for role in [Role.moderator, .user, .moderator] {
            _ = try await site.identity.administration.setRole(of: ada.id, to: role)
        }
        for _ in 0..<3 { _ = try await site.logIn("nobody@example.com") }
        _ = try await site.identity.signingKeys.rotate(isCompromised: true)
        _ = try await site.logIn("bob@example.com")
    }

    private func change(_ sql: String) throws -> Int {
        try PostgresConnection(PostgresConfiguration(address)).run(sql)
    }

    private var store: IdentityStore { site.identity.services.store }

    private func anchor(after seconds: Double = 3600) async throws {
        try await store.anchorAudit(at: noon.addingTimeInterval(seconds))
    }

    private func anchors() async throws -> [AuditRecord] {
        try await site.identity.audit.records(limit: 100).filter { $0.event == AuditAnchor.event }
    }

    private func isDamaged() async throws -> Bool {
        if case .damaged = try await site.identity.audit.verify() { true } else { false }
    }

    private func expectIntact(_ other: Site? = nil) async throws {
        if case .damaged(_, let reason) = try await (other ?? site).identity.audit.verify() {
            Issue.record("damaged: \(reason)")
        }
    }

    /// Removes the entries of chains that are newer than their kept ends, and puts the ends back.
    private func putBack(_ condition: String) throws {
        let isChosen = "kept.chain = audit_head.chain AND \(condition)"
        let chosen = "SELECT kept.chain FROM kept, audit_head WHERE \(isChosen)"
        let removed = try change(
            """
            DELETE FROM audit USING kept
            WHERE audit.chain = kept.chain AND audit.id > kept.last_id AND kept.chain IN (\(chosen))
            """)
        #expect(removed > 0)
        _ = try change(
            """
            UPDATE audit_head SET base_id = kept.base_id, base_digest = kept.base_digest, last_id = kept.last_id,
                last_digest = kept.last_digest, digest = kept.digest FROM kept WHERE \(isChosen)
            """)
    }

    private static let others = """
        kept.chain LIKE '#%' AND kept.chain <> (SELECT chain FROM audit WHERE event = 'audit.anchored')
        """

    @Test(.tags(.auditTampering))
    func `The anchors of an audit log find a chain that was put back, with and without an account`() async throws {
        try await anchor()
        try await expectEqual(anchors().count, 1)
        try await expectIntact()
        try putBack("kept.chain = '\(ada.id)'")
        #expect(try await isDamaged())
        // The server goes on, and makes nothing whole of what it finds.
        _ = try await site.identity.administration.setRole(of: ada.id, to: .user)
        try await anchor(after: 7200)
        #expect(try await isDamaged())
        await site.close()
    }

    @Test(.tags(.auditTampering))
    func `The anchors of an audit log find that failed logins and ended keys were removed`() async throws {
        try await anchor()
        try putBack(Self.others)
        #expect(try await isDamaged())
        await site.close()
    }

    @Test(.tags(.auditTampering))
    func `The anchors of an audit log find an account that was removed with its chain`() async throws {
        try await anchor()
        for table in ["audit", "audit_head"] { _ = try change("DELETE FROM \(table) WHERE chain = '\(ada.id)'") }
        _ = try change("DELETE FROM account WHERE id = '\(ada.id)'")
        #expect(try await isDamaged())
        await site.close()
    }

    @Test(.tags(.auditTampering))
    func `The anchors of an audit log are missed by the running server if all of them were removed`() async throws {
        try await anchor()
        try await anchor(after: 3700)
        try putBack("(kept.chain LIKE '#%' OR kept.chain = '\(ada.id)')")
        #expect(try await anchors().isEmpty)
        let error = await #expect(throws: IdentityError.self) { try await anchor(after: 7200) }
        expectEqual(error?.code, IdentityError.corruptStore.code)
        await site.close()
    }

    @Test func `The anchors of an audit log are added one after the other, and cover each entry once`() async throws {
        try await anchor(after: 600)
        #expect(try await anchors().isEmpty)
        try await anchor()
        try await anchor(after: 7200)
        try await expectEqual(anchors().count, 1)
        _ = try await site.logIn(password: "wrong")
        try await anchor(after: 14_400)
        let found = try await anchors().compactMap { AuditAnchor(detail: $0.detail) }
        #expect(found.count == 2 && found[0].start == found[1].end)
        try await expectIntact()
        await site.close()
    }

    @Test func `The anchors of an audit log do not cover new entries after the date was set back`() async throws {
        try await anchor(after: 86_400)
        try await anchor(after: 86_401)
        _ = try await site.signUp("eve@example.com")
        try await expectIntact()
        await site.close()
    }

    @Test func `The anchors of an audit log leave a pruned, copied or restored log intact`() async throws {
        try await anchor()
        _ = try await site.logIn(password: "wrong")
        try await anchor(after: 7200)
        let folder = site.folder
        let administration = try StoreAdministration(storeKey: nil)
        let (copy, restored) = (try await IdentityDatabase.create(), try await IdentityDatabase.create())
        let key = try BackupKey(hex: String(repeating: "1f", count: 32))
        _ = try await administration.copy(from: address, to: copy)
        _ = try await administration.copy(from: address, to: folder.file("copy.sqlite"))
        _ = try await administration.backUp(address, to: folder.file("backup"), key: key)
        _ = try await administration.restore(from: folder.file("backup"), to: restored, key: key)
        let again = try await IdentityDatabase.create()
        _ = try await administration.copy(from: folder.file("copy.sqlite"), to: again)
        for location in [copy, restored, folder.file("copy.sqlite"), again] {
            let next = try await Site(storedAt: location)
            try await expectIntact(next)
            await next.close()
        }
        let now = noon.addingTimeInterval(7200)
        _ = try await store.pruneAudit(before: noon.addingTimeInterval(-1000), keeping: 4, atMost: 3, at: now)
        try await expectIntact()
        while try await store.pruneAudit(before: noon.addingTimeInterval(60), keeping: 1000, atMost: 3, at: now) {}
        try await expectIntact()
        try await expectEqual(anchors().count, 2)
        await site.close()
    }

    @Test func `The anchors of an audit log are written by the housekeeping server, once an hour`() async throws {
        site.clock.advance(by: 7200)
        let house = Housekeeping(site.identity.services)
        // The server's own loop may be the one that has its turn.
        _ = try await house.prune()
        while try await anchors().isEmpty { await Task.yield() }
        _ = try await house.prune()
        try await expectEqual(anchors().count, 1)
        try await expectIntact()
        await site.close()
    }
}
