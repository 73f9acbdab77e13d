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

private func token(in message: MailMessage?) -> JSONValue {
    .string(message?.text.split(separator: "token=").last?.split(separator: "\n").first.map(String.init) ?? "")
}

@Suite struct MailOutboxTests {
    @Test func `An accepted mail arrives after an outage of ten minutes and the death of the process`() async throws {
        let folder = try TemporaryFolder()
        let mailer = UnreliableMailer()
        mailer.set(isDown: true)
        // Nobody closes the first server: once its time stands still it is as dead as after kill -9, with leases on mails.
        let first = try await MailNode(in: folder, mailer: mailer)
        for number in 0..<20 {
            let body: JSONValue = ["email": .string("user\(number)@example.com"), "password": .string(Site.password)]
            try await expectEqual(first.post("/api/clients/register", body).status, 201)
            try await expectEqual(first.forget("user\(number)@example.com"), 200)
        }
        await first.pass(300)
        let store = first.identity.services.store
        try await store.write { db throws(IdentityError) -> Void in
            try db.run("UPDATE mail SET leased_until = ?", [.date(first.clock.now.addingTimeInterval(120))])
        }
        let second = try await MailNode(in: folder, clock: ManualClock(first.clock.now), mailer: mailer)
        await second.pass(300)
        #expect(mailer.sent.isEmpty)
        try await expectEqual(second.waiting, 40)
        mailer.set(isDown: false)
        await second.pass(600)
        expectEqual(Set(mailer.sent.map { $0.recipient + $0.subject }).count, 40)
        try await expectEqual(second.waiting, 0)
        for number in 0..<20 {
            let mails = mailer.sent.filter { $0.recipient == "user\(number)@example.com" }
            let verification = mails.last { $0.subject.contains("Confirm") }
            let reset = mails.last { $0.subject.contains("Reset") }
            try await expectEqual(second.post("/api/auth/verify-email", ["token": token(in: verification)]).status, 200)
            try await expectEqual(
                second.post(
                    "/api/auth/reset-password", ["token": token(in: reset), "password": "Another456!"]
                ).status, 200)
        }
        await second.identity.close()
    }

    @Test func `An accepted mail comes at most twice with one Message-ID, and the link works`() async throws {
        let folder = try TemporaryFolder()
        let hanging = HangingMailer()
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        configuration.issuer = "https://id.example.com"
        let first = try await Identity(
            configuration: configuration, storePath: folder.file(), mailer: hanging,
            clock: ManualClock(noon).wallClock())
        _ = try await first.accounts.signUp(email: "ada@example.com", password: Site.password)
        await hanging.untilCalled()
        // The first server has the mail; the second one leaves it alone until the lease ends.
        let mailer = UnreliableMailer()
        let second = try await MailNode(in: folder, mailer: mailer)
        await second.pass(60)
        #expect(mailer.sent.isEmpty)
        await second.pass(120)
        expectEqual(mailer.sent.count, 1)
        hanging.release()
        await first.services.mails.flush()
        expectEqual(hanging.messages.first?.id, mailer.sent.first?.id)
        expectEqual(hanging.messages.first?.text, mailer.sent.first?.text)
        try await expectEqual(
            second.post("/api/auth/verify-email", ["token": token(in: mailer.sent.first)]).status, 200)
        await first.close()
        await second.identity.close()
    }

    @Test func `An accepted mail is tried again with growing pauses, while the server warns operators`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.identity.services.mails.flush()
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:8080", path: "/readyz")
        let seen = Response(try await node.identity.handler.respond(to: request))
        #expect(seen.status == 200 && seen.string("mail") == "failing")
        var outside = request
        outside.fields["X-Forwarded-For"] = "192.0.2.1"
        outside.context[RemoteAddress.self] = "127.0.0.1"
        expectEqual(Response(try await node.identity.handler.respond(to: outside)).json, ["status": "ready"])
        await node.pass(3600, step: 1)
        // 5, 10, 20 … seconds up to 300, each shortened by a half at most: 18 to 31 attempts an hour.
        #expect((15...35).contains(node.mailer.attempts))
        await node.identity.close()
    }

    @Test(.tags(.resetEnumeration))
    func `An accepted mail is tried a few times if it is refused, and delays no other`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.refuse("dead@example.com")
        _ = try await node.identity.accounts.signUp(email: "dead@example.com", password: Site.password)
        await node.identity.services.mails.flush()
        // A mail server that refuses one recipient is not out of order: nothing is kept for addresses without an account.
        try await expectEqual(node.forget("nobody@example.com"), 200)
        await node.identity.services.mails.flush()
        try await expectEqual(node.waiting, 1)
        await node.pass(95 * 3600, step: 3600)
        #expect((16...32).contains(node.mailer.attempts))
        await node.pass(7 * 3600, step: 3600)
        try await expectEqual(node.waiting, 0)
        try await expectEqual(node.audited().filter { $0 == "mail.abandoned" }.count, 1)
        await node.identity.close()
    }

    @Test func `An accepted mail is given up after four days, counted and recorded`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        // The outage is known before the mail that nobody receives, which would be removed otherwise.
        await node.identity.services.mails.flush()
        try await expectEqual(node.forget("nobody@example.com"), 200)
        await node.pass(95 * 3600, step: 3600)
        try await expectEqual(node.waiting, 2)
        await node.pass(7200, step: 3600)
        try await expectEqual(node.waiting, 0)
        #expect(try await node.get("/metrics").text.contains(#"latch_mails_total{result="abandoned"} 1"#))
        try await expectEqual(node.audited().filter { $0 == "mail.abandoned" }.count, 1)
        await node.identity.close()
    }

    @Test func `An accepted mail has a link that is valid when it arrives late`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        node.mailer.set(isDown: true)
        try await expectEqual(node.forget("ada@example.com"), 200)
        await node.pass(7200)
        node.mailer.set(isDown: false)
        await node.pass(300)
        let body: JSONValue = ["token": token(in: node.mailer.sent.last), "password": "Another456!"]
        try await expectEqual(node.post("/api/auth/reset-password", body).status, 200)
        await node.identity.close()
    }

    @Test func `An accepted mail of an invitation makes no used link valid, though its reply was lost`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer())
        let store = node.identity.services.store
        let invited = try Account.example("new", hash: nil)
        node.mailer.loseReplies()
        try await store.insert(
            invited, details: nil,
            mail: OutboxMail(.invitation, to: try invited.requireAddress(), accountID: invited.id, id: "m", at: noon))
        await node.identity.services.mails.flush()
        let body: JSONValue = ["token": token(in: node.mailer.sent.first), "password": .string(Site.password)]
        try await expectEqual(node.post("/api/auth/reset-password", body).status, 200)
        await node.pass(600)
        try await expectEqual(node.post("/api/auth/reset-password", body).status, 400)
        await node.identity.close()
    }

    @Test func `An accepted mail does not end the link of a newer one by a further attempt`() async throws {
        let node = try await MailNode(in: try TemporaryFolder(), mailer: UnreliableMailer()) {
            $0.resetLifetime = .seconds(86_400)
        }
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        node.mailer.refuse("ada@example.com")
        try await expectEqual(node.forget("ada@example.com"), 200)
        await node.identity.services.mails.flush()
        node.mailer.refuse("")
        await node.pass(60)
        // One refused address is no outage of the mail server.
        let backlog = try await node.identity.services.measurements.mailBacklog()
        #expect(backlog.count == 1 && backlog.age == 0)
        try await expectEqual(node.forget("ada@example.com"), 200)
        await node.identity.services.mails.flush()
        expectEqual(node.mailer.sent.count, 1)
        await node.pass(8 * 3600, step: 3600)
        try await expectEqual(node.waiting, 0)
        expectEqual(node.mailer.sent.count, 1)
        await node.identity.close()
    }

    @Test func `An accepted mail of a later version delays no other`() async throws {
        let folder = try TemporaryFolder()
        let node = try await MailNode(in: folder, mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.identity.services.mails.flush()
        try SQLiteConnection(path: folder.file(), access: .readWrite).run(
            "UPDATE mail SET purpose = 'greeting', due_at = 0", [])
        node.mailer.set(isDown: false)
        _ = try await node.identity.accounts.signUp(email: "bob@example.com", password: Site.password)
        await node.pass(60)
        expectEqual(node.mailer.sent.map(\.recipient), ["bob@example.com"])
        try await expectEqual(node.waiting, 1)
        await node.identity.close()
    }

    @Test(.tags(.mailedTokenReuse)) func `An accepted mail does not make a used link valid again`() async throws {
        let folder = try TemporaryFolder()
        let node = try await MailNode(in: folder, mailer: UnreliableMailer())
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        try await expectEqual(node.forget("ada@example.com"), 200)
        await node.identity.services.mails.flush()
        // As if the process had died between the mail server's reply and the removal.
        let sent = try #require(node.mailer.sent.last)
        let store = node.identity.services.store
        try await store.insert(
            OutboxMail(.resetPassword, to: try EmailAddress("ada@example.com"), id: sent.id, at: node.clock.now + 60))
        let body: JSONValue = ["token": token(in: sent), "password": "Another456!"]
        try await expectEqual(node.post("/api/auth/reset-password", body).status, 200)
        await node.pass(120)
        expectEqual(node.mailer.sent.map(\.id).filter { $0 == sent.id }.count, 1)
        try await expectEqual(node.post("/api/auth/reset-password", body).status, 400)
        await node.identity.close()
    }

    @Test func `An accepted mail is durable before the answer, and the store holds no token`() async throws {
        let folder = try TemporaryFolder()
        let node = try await MailNode(in: folder, mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.pass(60)
        node.mailer.set(isDown: false)
        await node.pass(300)
        guard case .string(let secret) = token(in: node.mailer.sent.last) else { return }
        await node.identity.close()
        expectEqual(secret.utf8.count, 43)
        try expectNil(folder.bytes().range(of: Data(secret.utf8)))
    }
}
