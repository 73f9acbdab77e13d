// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

@Suite struct AuditQueryTests {
    private static let hour = 3600.0

    /// Adds an entry for each hour, of two accounts and none in turn.
    private func fill(_ store: IdentityStore) async throws {
        for number in 0..<60 {
            try await store.audit(
                number % 2 == 0 ? "signIn.failed" : "device.signedIn", account: ["ada", "bob", nil][number % 3],
                detail: String(number), at: noon.addingTimeInterval(Double(number) * Self.hour))
        }
        // A clock that went wrong for one entry.
        try await store.audit(
            "device.signedIn", account: nil, detail: "early", at: noon.addingTimeInterval(40 * Self.hour))
        try await store.audit(
            "device.signedIn", account: "ada", detail: "60", at: noon.addingTimeInterval(60 * Self.hour))
        // Nor do clocks that were wrong by years hide what came before or after them.
        for (account, years) in [("eve", 20.0), ("eve", 0), ("eve", -20)] {
            try await store.audit(
                "device.signedIn", account: account, detail: "wrong",
                at: noon.addingTimeInterval(20 * Self.hour + years * 365 * 24 * Self.hour))
        }
    }

    private func expectSelections(in store: IdentityStore) async throws {
        let selected = { (change: (inout AuditQuery) -> Void) async throws -> [String?] in
            var query = AuditQuery(limit: 100)
            change(&query)
            return try await store.auditRecords(query).map(\.detail)
        }
        let numbers = { (numbers: [Int]) in numbers.reversed().map { String($0) as String? } }
        try await expectEqual(selected { _ in }.count, 65)
        try await expectEqual(selected { $0.accountID = "ada" }, numbers(Array(stride(from: 0, through: 60, by: 3))))
        #expect(try await selected { $0.accountID = "mallory" }.isEmpty)
        try await expectEqual(selected { $0.event = "signIn.failed" }, numbers(Array(stride(from: 0, to: 60, by: 2))))
        let late = noon.addingTimeInterval(55 * Self.hour)
        try await expectEqual(selected { $0.since = late }.filter { $0 != "wrong" }, numbers(Array(55...60)))
        try await expectEqual(selected { ($0.accountID, $0.since) = ("eve", late) }, ["wrong"])
        let middle = noon.addingTimeInterval(15 * Self.hour)
        try await expectEqual(selected { ($0.accountID, $0.since) = ("eve", middle) }, ["wrong", "wrong"])
        let both = try await selected { query in
            (query.accountID, query.event, query.since) = ("ada", "device.signedIn", late)
        }
        expectEqual(both, numbers([57, 60]))
        let page = try await store.auditRecords(AuditQuery(limit: 2))
        let rest = try await selected { query in
            (query.before, query.limit, query.since, query.event) = (page[1].id, 2, late, "signIn.failed")
        }
        expectEqual(rest, numbers([56, 58]))
        try await expectPages(in: store)
        await store.close()
    }

    /// Expects that the pages of a text have all entries with it, also where a page looks through others in vain.
    private func expectPages(in store: IdentityStore) async throws {
        let all = try await store.auditRecords(AuditQuery(limit: 100))
        let cases: [(text: String, account: String?)] = [
            ("", nil), ("signIn", nil), ("In.failed", "ada"), ("device", "ada"), ("%", nil), ("none", nil),
        ]
        for (text, account) in cases {
            for (limit, count) in [(3, 10), (5, 5), (20, 7), (100, 65), (100, 64)] {
                var query = AuditQuery(limit: limit)
                query.accountID = account
                var (found, pages) = ([AuditRecord](), 0)
                while true {
                    let page = try await store.auditPage(query, containing: text, among: count)
                    #expect(page.records.count <= limit)
                    (found, pages) = (found + page.records, pages + 1)
                    guard let next = page.next else { break }
                    query.before = next
                }
                let expected = all.filter {
                    (text.isEmpty || $0.event.contains(text)) && (account == nil || $0.accountID == account)
                }
                expectEqual(found, expected, "\(text) \(limit) \(count)")
                #expect(pages == 1 || account != nil || count < 65, "\(text) \(limit) \(count) \(pages)")
            }
        }
    }

    @Test func `A query of the audit log selects by account, event and time`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        try await fill(store)
        try await expectSelections(in: store)
    }

    @Test(needsPostgres) func `A query of the audit log selects the same in PostgreSQL`() async throws {
        let store = try await IdentityStore.open(try await IdentityDatabase.create())
        try await fill(store)
        try await expectSelections(in: store)
    }

    @Test
    func `A query of the audit log finds the devices of an account, and the operator signs out one`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        let bob = try await site.signUp("bob@example.com")
        let (phone, laptop) = (try await site.logIn(), try await site.logIn())
        let administration = site.identity.administration
        let devices = try await administration.devices(of: ada.id)
        let lost = try #require(devices.last?.publicID)
        try await expectEqual(administration.endSession(ofDevice: lost, of: bob.id), false)
        try await expectEqual(administration.endSession(ofDevice: "no device", of: ada.id), false)
        #expect(try await administration.endSession(ofDevice: lost, of: ada.id))
        try await expectEqual(administration.endSession(ofDevice: lost, of: ada.id), false)
        try await expectEqual(administration.devices(of: ada.id).map(\.publicID), devices.dropLast().map(\.publicID))
        var query = AuditQuery(limit: 10)
        (query.accountID, query.event) = (ada.id, "device.signedOut")
        try await expectEqual(site.identity.audit.records(query).map(\.detail), ["administrator"])
        let statuses = [try await site.renew(phone.refresh).status, try await site.renew(laptop.refresh).status]
        #expect(statuses.count { $0 == 200 } >= 1)
        await site.close()
    }
}
