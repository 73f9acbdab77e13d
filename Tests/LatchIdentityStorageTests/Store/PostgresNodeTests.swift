// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchPostgres
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite(needsPostgres) struct PostgresNodeTests {
    private let address: String
    private let first: Site
    private let second: Site

    /// Both start on an empty database, concurrently.
    init() async throws {
        let address = try await IdentityDatabase.create()
        async let one = Site(storedAt: address)
        async let other = Site(storedAt: address)
        self.address = address
        first = try await one
        second = try await other
    }

    private func close() async {
        await first.close()
        await second.close()
    }

    private func change(_ sql: String) throws -> Int {
        try PostgresConnection(PostgresConfiguration(address)).run(sql)
    }

    @Test func `Two nodes on PostgreSQL sign with one key, and each serves the other's data`() async throws {
        _ = try await first.signUp()
        let login = try await second.logIn()
        expectEqual(login.status, 200)
        try await expectEqual(first.get("/api/auth/links", bearer: login.access).status, 200)
        try await expectEqual(first.renew(login.refresh).status, 200)
        await close()
    }

    @Test
    func `Two nodes on PostgreSQL take accounts that are made in one millisecond, in any random order`() async throws {
        // Of five numbers instead of a million.
        _ = try change("ALTER TABLE account ALTER listed_order SET DEFAULT floor(random() * 5)::bigint")
        for number in 0..<4 {
            _ = try await (number % 2 == 0 ? first : second).signUp("ada\(number)@example.com")
        }
        await #expect(throws: IdentityError.alreadyExists) { try await first.signUp("ada0@example.com") }
        _ = try await first.signUp("ada4@example.com")
        await close()
    }

    @Test(.tags(.parallelRefresh))
    func `Two nodes on PostgreSQL give a concurrent refresh one successor`() async throws {
        _ = try await first.signUp()
        var token = try await first.logIn().refresh
        for _ in 0..<4 {
            let current = token
            let successors = try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    let site = number % 2 == 0 ? first : second
                    group.addTask { try await site.renew(current) }
                }
                return try await group.reduce(into: [String]()) { $0.append($1.refresh) }
            }
            #expect(successors.count == 16 && Set(successors).count == 1 && !successors.contains(""))
            token = successors[0]
        }
        let count = try await first.identity.audit.records(limit: 100).filter { $0.event == "device.signedOut" }.count
        expectEqual(count, 0)
        await close()
    }

    @Test(.tags(.parallelRefresh))
    func `Two nodes on PostgreSQL sign out the family whose old token is used on the other one`() async throws {
        _ = try await first.signUp()
        let stolen = try await first.logIn()
        let renewed = try await second.renew(stolen.refresh)
        first.clock.advance(by: 31)
        try await expectEqual(first.renew(stolen.refresh).status, 401)
        try await expectEqual(second.renew(renewed.refresh).status, 401)
        try await expectEqual(second.get("/api/auth/links", bearer: renewed.access).status, 401)
        await close()
    }

    @Test func `Two nodes on PostgreSQL see a sign-out on the other one within a second`() async throws {
        _ = try await first.signUp()
        let login = try await first.logIn()
        try await expectEqual(second.get("/api/auth/links", bearer: login.access).status, 200)
        #expect(try await first.post("/api/auth/logout", ["refreshToken": .string(login.refresh)]).status < 300)
        // Kept for a second at most (0094).
        second.clock.advance(by: 1)
        try await expectEqual(second.get("/api/auth/links", bearer: login.access).status, 401)
        try await expectEqual(second.renew(login.refresh).status, 401)
        await close()
    }

    @Test func `Two nodes on PostgreSQL serialize concurrent writes`() async throws {
        _ = try await first.signUp()
        let logins = try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                let site = number % 2 == 0 ? first : second
                group.addTask { try await site.logIn() }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1.status) }
        }
        expectEqual(Set(logins), [200])
        let records = try await second.identity.audit.records(limit: 100)
        expectEqual(records.filter { $0.event == "device.signedIn" }.count, 20)
        let results = await withTaskGroup { group in
            for number in 0..<8 {
                let site = number % 2 == 0 ? first : second
                group.addTask { (try? await site.signUp("Bob@example.com")) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(results, 1)
        if case .intact = try await first.identity.audit.verify() {} else { Issue.record("the log is damaged") }
        await close()
    }

    @Test(
        .tags(.auditTampering),
        arguments: [
            "UPDATE audit SET detail = 'user' WHERE event = 'account.role'",
            "UPDATE audit SET account_id = 'other' WHERE event = 'account.role'",
            "DELETE FROM audit WHERE event = 'account.created'",
            "DELETE FROM audit WHERE event = 'account.role'",
            "DELETE FROM audit",
            "DELETE FROM audit_head",
            "DELETE FROM audit_head WHERE chain IN (SELECT id FROM account)",
            "UPDATE audit_head SET last_id = last_id + 1 WHERE chain IN (SELECT id FROM account)",
            "INSERT INTO audit (chain, id, at, event) VALUES ('#1', 1, 0, 'forged')",
            "UPDATE audit_head SET chain = CASE chain WHEN '#1' THEN '#x' ELSE chain END",
        ])
    func `Two nodes on PostgreSQL find each change of the audit log, and continue with it damaged`(sql: String)
        async throws
    {
        let ada = try await first.signUp()
        _ = try await first.identity.administration.setRole(of: ada.id, to: .moderator)
        if case .intact(let count, _) = try await second.identity.audit.verify() { #expect(count > 2) }
        #expect(try change(sql) > 0)
        _ = try await second.identity.administration.setRole(of: ada.id, to: .user)
        try await expectEqual(second.logIn(password: "wrong").status, 401)
        if case .intact = try await first.identity.audit.verify() { Issue.record("the change was not found") }
        await close()
    }

    @Test func `Two nodes on PostgreSQL prune the audit log, and what remains is verified`() async throws {
        let ada = try await first.signUp()
        for role in [Role.moderator, .user, .moderator] {
            second.clock.advance(by: 86_400)
            _ = try await second.identity.administration.setRole(of: ada.id, to: role)
        }
        let store = second.identity.services.store
        let now = second.clock.now
        while try await store.pruneAudit(before: now - 1000, keeping: 1000, atMost: 3, at: now) {}
        let records = try await first.identity.audit.records(limit: 100)
        expectEqual(records.filter { $0.event == "account.role" }.count, 1)
        #expect(records.contains { $0.event == "audit.pruned" })
        if case .intact = try await first.identity.audit.verify() {} else { Issue.record("the log is damaged") }
        await close()
    }

    @Test(.tags(.keyRotation)) func `Two nodes on PostgreSQL rotate a key that is due once`() async throws {
        let age = first.identity.services.configuration.signingKeyLifetime.inSeconds
        for site in [first, second] { site.clock.advance(by: age) }
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                let keys = (number % 2 == 0 ? first : second).identity.signingKeys
                group.addTask { try await keys.refresh() }
            }
            try await group.waitForAll()
        }
        let keys = [try await first.identity.signingKeys.list(), try await second.identity.signingKeys.list()]
        expectEqual(keys[0].map(\.state), [.published, .signing])
        expectEqual(keys[0], keys[1])
        await close()
    }

    /// The codes of a full disk (53100), and of exhausted memory (53200).
    @Test(.tags(.storeFailure), arguments: ["53100", "53200"])
    func `Two nodes on PostgreSQL answer 503 if the server is full, and continue when it has room`(sqlState: String)
        async throws
    {
        _ = try await first.signUp()
        let login = try await first.logIn()
        _ = try change(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'could not extend file' USING ERRCODE = '\(sqlState)';
            END $$
            """)
        _ = try change("CREATE TRIGGER refuse BEFORE INSERT ON device FOR EACH ROW EXECUTE FUNCTION refuse()")
        let refused = try await second.logIn()
        #expect(refused.status == 503 && refused.string("code") == "storeFull" && refused.json["hint"] != nil)
        try await expectEqual(second.renew(login.refresh).status, 200)
        _ = try change("DROP TRIGGER refuse ON device")
        try await expectEqual(second.logIn().status, 200)
        await close()
    }

    @Test func `Two nodes on PostgreSQL list and search accounts as SQLite does`() async throws {
        let sites = [first, try await Site()]
        for site in sites {
            for number in 0..<12 {
                var details = AccountDetails()
                details.firstName = number % 2 == 0 ? "Ólafur 100%" : "First \(number)"
                let account = Account(
                    id: "id-\(number)", email: try EmailAddress("u\(number)@example.com"), name: "Name_\(number)",
                    passwordHash: nil, passwordChangedAt: noon, createdAt: noon + Double(number))
                try await site.identity.services.store.insert(account, details: number % 3 == 0 ? nil : details)
            }
        }
        for search in ["", "100%", "_1", "óla", "u1", "n", "nobody", "\\", "\"", "' OR 1=1"] {
            for sort in AccountQuery.Sort.allCases {
                var query = AccountQuery()
                (query.search, query.sort, query.limit) = (search, sort, 5)
                var found: [[String]] = []
                for site in sites {
                    query.after = nil
                    var ids: [String] = []
                    repeat {
                        let page = try await site.identity.services.store.accounts(query)
                        ids += page.accounts.map(\.account.id)
                        query.after = page.next
                    } while query.after != nil
                    found.append(sort == .updatedAt || sort == .lastLoginAt ? ids.sorted() : ids)
                }
                expectEqual(found[0], found[1], "\(search) by \(sort)")
            }
        }
        let figures = try await first.identity.services.store.statistics(since: noon)
        #expect(figures.total == 12 && figures.active == 0)
        await close()
        await sites[1].close()
    }
}
