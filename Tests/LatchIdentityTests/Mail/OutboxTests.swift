// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

@Suite struct OutboxTests {
    @Test(.tags(.resetEnumeration))
    func `The outbox has the same length and the same writes for unknown addresses`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        for number in 0..<20 {
            _ = try await node.identity.accounts.signUp(email: "ada\(number)@example.com", password: Site.password)
        }
        await node.identity.services.mails.flush()
        node.mailer.set(isDown: true)
        // The mail server has refused a mail, as an attacker can bring about with an account of their own.
        try await expectEqual(node.forget("ada0@example.com"), 200)
        await node.identity.services.mails.flush()
        let before = try #require(try await node.waiting)
        let store = node.identity.services.store
        var costs: [Int] = []
        for name in ["ada", "nobody"] {
            let jobs = store.writeStatistics.jobs
            for number in 0..<20 {
                try await expectEqual(node.forget("\(name)\(number)@example.com"), 200)
                // A flush would begin a second worker, and two that look for a mail write once more.
                try await eventually {
                    try await store.first(
                        "SELECT 1 FROM mail WHERE due_at <= ?", [.date(node.clock.now)],
                        read: { row throws(IdentityError) in try row.integer(0) }) == nil
                }
            }
            await node.identity.services.mails.flush()
            costs.append(store.writeStatistics.jobs - jobs)
        }
        // Two workers that look for a mail at the same time write once more; a write for each mail would be twenty.
        #expect(abs(costs[0] - costs[1]) < 10)
        try await expectEqual(node.waiting, before + 40)
        await node.pass(600)
        try await expectEqual(node.waiting, before + 40)
        node.mailer.set(isDown: false)
        await node.pass(900)
        try await expectEqual(node.waiting, 0)
        #expect(!node.mailer.sent.contains { $0.recipient.hasPrefix("nobody") })
        await node.identity.close()
    }

    @Test(.tags(.mailFlood))
    func `The outbox limits the emails of an address, whether it has an account or not`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        for _ in 0..<5 { try await expectEqual(node.forget("new@example.com"), 200) }
        await node.identity.services.mails.flush()
        try await expectEqual(node.forget("new@example.com"), 200)
        let lines = try await node.get("/metrics").text.split(separator: "\n")
        #expect(lines.contains(#"latch_mails_total{result="limited"} 1"#))
        // The mail of a sign-up is promised, whatever others have requested for the address.
        let body: JSONValue = ["email": "new@example.com", "password": .string(Site.password)]
        try await expectEqual(node.post("/api/clients/register", body).status, 201)
        await node.pass(60)
        expectEqual(node.mailer.sent.map(\.subject), ["Confirm your email address for Latchwork"])
        await node.identity.close()
    }

    @Test(.tags(.mailFlood))
    func `The outbox does not let emails without a recipient suppress the one that resets a password`()
        async throws
    {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        for _ in 0..<6 {
            try await expectEqual(node.post("/api/auth/resend-verification", ["email": "ada@example.com"]).status, 200)
        }
        try await expectEqual(node.forget("ada@example.com"), 200)
        await node.pass(60)
        expectEqual(node.mailer.sent.map(\.subject), ["Reset your password for Latchwork"])
        await node.identity.close()
    }

    @Test func `The outbox shows its length and its age, and no address`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.pass(600)
        let health = try await node.get("/healthz")
        expectEqual(health.json["mail"], ["waiting": 1, "oldestSeconds": 600])
        let metrics = try await node.get("/metrics").text
        #expect(metrics.contains("\nlatch_mails_waiting 1\n") && metrics.contains("\nlatch_mails_oldest_seconds 600\n"))
        #expect(!health.text.contains("ada") && !metrics.contains("ada"))
        await node.identity.close()
    }

    @Test func `The outbox rejects a mail that it cannot keep instead of dropping it`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        let store = node.identity.services.store
        try await store.write { db throws(IdentityError) -> Void in
            try db.run(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(SQLiteConnection.maximumMails))
                INSERT INTO mail SELECT 'm' || i, 'verifyEmail', 'x@example.com', 'x@example.com', NULL, 0, 9e15, NULL, 0,
                    NULL, NULL, NULL
                FROM n
                """)
        }
        for address in ["ada@example.com", "nobody@example.com"] { try await expectEqual(node.forget(address), 503) }
        let body: JSONValue = ["email": "new@example.com", "password": .string(Site.password)]
        try await expectEqual(node.post("/api/clients/register", body).status, 503)
        try await expectNil(node.identity.administration.account(email: "new@example.com"))
        let account = try Account.example("bob")
        try await store.insert(account)
        let change = EmailChange(
            accountID: account.id, email: try EmailAddress("bob@new.example"), oldEmailKey: account.ownerKey,
            oldDigest: nil, newDigest: [2], expiresAt: noon + 60)
        let mail = OutboxMail(.newAddress, to: change.email, accountID: account.id, id: "change", at: noon)
        let refused = await refusal {
            try await store.insert(change, for: account, by: nil, mails: [mail], at: noon)
        }
        expectEqual(refused, "overloaded")
        try await expectNil(store.confirmEmail(byToken: [2], with: .none, at: noon))
        await node.identity.close()
    }

    @Test func `The outbox lets no worker postpone a mail that another one has taken since`() async throws {
        let folder = try TemporaryFolder()
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        try await store.insert(OutboxMail(.resetPassword, to: try account.requireAddress(), id: "mail", at: noon))
        let claim = { (now: Date) in
            MailClaim(
                now: now, leaseEnd: now + 120, verificationEnd: now + 1000, resetEnd: now + 1000, digest: { _ in [1] })
        }
        let first = try #require(try await store.claimMail(claim(noon)))
        try await expectNil(store.claimMail(claim(noon + 119)))
        #expect(try await store.claimMail(claim(noon + 120)) != nil)
        try await store.postpone(first.mail, until: noon + 5000)
        try await expectNil(store.claimMail(claim(noon + 239)))
        #expect(try await store.claimMail(claim(noon + 240)) != nil)
        await store.close()
        withExtendedLifetime(folder) {}
    }

    @Test func `The outbox is shared by two servers, and each mail goes once`() async throws {
        let folder = try TemporaryFolder()
        let (clock, mailer) = (ManualClock(noon), UnreliableMailer())
        let first = try await MailNode(in: folder, clock: clock, mailer: mailer)
        let second = try await MailNode(in: folder, clock: clock, mailer: mailer)
        for number in 0..<20 {
            let node = number.isMultiple(of: 2) ? first : second
            _ = try await node.identity.accounts.signUp(email: "u\(number)@example.com", password: Site.password)
        }
        await first.pass(60)
        await second.pass(30, step: 30)
        expectEqual(mailer.sent.count, 20)
        expectEqual(Set(mailer.sent.map(\.id)).count, 20)
        await first.identity.close()
        await second.identity.close()
    }

    @Test func `The outbox is emptied at the end as far as time allows, and keeps the rest`() async throws {
        let folder = try TemporaryFolder()
        let (clock, mailer) = (ManualClock(noon), UnreliableMailer())
        let first = try await MailNode(in: folder, clock: clock, mailer: mailer)
        for number in 0..<50 {
            _ = try await first.identity.accounts.signUp(email: "u\(number)@example.com", password: Site.password)
        }
        await first.identity.close()
        expectEqual(mailer.sent.count, 50)
        mailer.set(isDown: true)
        let second = try await MailNode(in: folder, clock: clock, mailer: mailer)
        try await expectEqual(second.forget("u1@example.com"), 200)
        await second.identity.close()
        mailer.set(isDown: false)
        let third = try await MailNode(in: folder, clock: clock, mailer: mailer)
        await third.pass(60)
        expectEqual(mailer.sent.count, 51)
        await third.identity.close()
    }

    @Test func `The outbox is left to the server by the operator's commands`() async throws {
        let folder = try TemporaryFolder()
        var configuration = IdentityConfiguration()
        configuration.issuer = "https://id.example.com"
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        await (try IdentityStore(path: folder.file())).close()
        let command = try await Identity(administering: folder.file(), configuration: configuration)
        _ = try await command.accounts.signUp(email: "ada@example.com", password: Site.password)
        await command.close()
        let node = try await MailNode(
            in: folder, clock: ManualClock(Date(timeIntervalSinceNow: 1)), mailer: UnreliableMailer())
        await node.identity.services.mails.flush()
        expectEqual(node.mailer.sent.count, 1)
        await node.identity.close()
    }

    @Test func `The outbox waits until the server knows its address`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer()) { $0.issuer = nil }
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.identity.services.mails.flush()
        expectEqual(node.mailer.attempts, 0)
        node.identity.adoptIssuer("http://127.0.0.1:8080")
        await node.identity.services.mails.flush()
        expectEqual(node.mailer.sent.count, 1)
        await node.identity.close()
    }
}
