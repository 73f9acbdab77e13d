// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

/// A server over a store that outlives it, with a mail server of its own.
private struct Node {
    let identity: Identity
    let folder: TemporaryFolder
    let clock: ManualClock
    let mailer: UnreliableMailer

    init(
        in folder: TemporaryFolder, clock: ManualClock = ManualClock(noon), mailer: UnreliableMailer,
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        configuration.issuer = "https://id.example.com"
        change(&configuration)
        self.folder = folder
        self.clock = clock
        self.mailer = mailer
        identity = try await Identity(
            configuration: configuration, storePath: folder.file(), mailer: mailer, clock: clock.wallClock())
    }

    private func send(_ method: HTTPMethod, _ path: String, _ json: JSONValue? = nil) async throws -> Response {
        Response(
            try await identity.handler.respond(
                to: HTTPRequest(
                    method: method, scheme: "https", authority: "id.example.com", path: path,
                    fields: json == nil ? [:] : [.contentType: "application/json"],
                    body: json.map { HTTPBody($0.serialized()) } ?? .empty)))
    }

    func post(_ path: String, _ json: JSONValue) async throws -> Response { try await send(.post, path, json) }
    func get(_ path: String) async throws -> Response { try await send(.get, path) }

    func forget(_ email: String) async throws -> Int {
        try await post("/api/auth/forgot-password", ["email": .string(email)]).status
    }

    /// The number of waiting mails, as the health check shows it.
    var waiting: Int? {
        get async throws {
            guard case .integer(let count)? = try await get("/healthz").json["mail"]?.objectValue?["waiting"] else {
                return nil
            }
            return Int(count)
        }
    }

    /// Lets time pass in steps in which attempts fall due.
    func pass(_ seconds: Int, step: Int = 60) async {
        for _ in 0..<(seconds / step) {
            clock.advance(by: .seconds(step))
            await identity.services.mails.flush()
        }
    }

    func audited() async throws -> [String] {
        let store = identity.services.store
        return try await store.all("SELECT event FROM audit ORDER BY id", []) { row throws(IdentityError) in
            try row.text(0)
        }
    }
}

private func token(in message: MailMessage?) -> JSONValue {
    .string(message?.text.split(separator: "token=").last?.split(separator: "\n").first.map(String.init) ?? "")
}

@Suite struct MailOutboxTests {
    @Test func `An accepted mail arrives after an outage of ten minutes and the death of the process`() async throws {
        let folder = try TemporaryFolder()
        let mailer = UnreliableMailer()
        mailer.set(isDown: true)
        // Nobody closes the first server: once its time stands still it is as dead as after kill -9, with leases on mails.
        let first = try await Node(in: folder, mailer: mailer)
        for number in 0..<20 {
            let body: JSONValue = ["email": .string("user\(number)@example.com"), "password": .string(Site.password)]
            #expect(try await first.post("/api/clients/register", body).status == 201)
            #expect(try await first.forget("user\(number)@example.com") == 200)
        }
        await first.pass(300)
        let store = first.identity.services.store
        try await store.write { db throws(IdentityError) -> Void in
            try db.run("UPDATE mail SET leased_until = ?", [.date(first.clock.now.addingTimeInterval(120))])
        }
        let second = try await Node(in: folder, clock: ManualClock(first.clock.now), mailer: mailer)
        await second.pass(300)
        #expect(mailer.sent.isEmpty)
        #expect(try await second.waiting == 40)
        mailer.set(isDown: false)
        await second.pass(600)
        #expect(Set(mailer.sent.map { $0.recipient + $0.subject }).count == 40)
        #expect(try await second.waiting == 0)
        for number in 0..<20 {
            let mails = mailer.sent.filter { $0.recipient == "user\(number)@example.com" }
            let verification = mails.last { $0.subject.contains("Confirm") }
            let reset = mails.last { $0.subject.contains("Reset") }
            #expect(
                try await second.post("/api/auth/verify-email", ["token": token(in: verification)]).status == 200)
            #expect(
                try await second.post(
                    "/api/auth/reset-password", ["token": token(in: reset), "password": "Another456!"]
                ).status == 200)
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
        let second = try await Node(in: folder, mailer: mailer)
        await second.pass(60)
        #expect(mailer.sent.isEmpty)
        await second.pass(120)
        #expect(mailer.sent.count == 1)
        hanging.release()
        await first.services.mails.flush()
        #expect(hanging.messages.first?.id == mailer.sent.first?.id)
        #expect(hanging.messages.first?.text == mailer.sent.first?.text)
        #expect(
            try await second.post("/api/auth/verify-email", ["token": token(in: mailer.sent.first)]).status == 200)
        await first.close()
        await second.identity.close()
    }

    @Test func `An accepted mail is tried again with growing pauses, while the server warns operators`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.identity.services.mails.flush()
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:8080", path: "/readyz")
        let seen = Response(try await node.identity.handler.respond(to: request))
        #expect(seen.status == 200 && seen.string("mail") == "failing")
        var outside = request
        outside.fields["X-Forwarded-For"] = "192.0.2.1"
        outside.context[RemoteAddress.self] = "127.0.0.1"
        #expect(Response(try await node.identity.handler.respond(to: outside)).json == ["status": "ready"])
        await node.pass(3600, step: 1)
        // 5, 10, 20 … seconds up to 300, each shortened by a half at most: 18 to 31 attempts an hour.
        #expect((15...35).contains(node.mailer.attempts))
        await node.identity.close()
    }

    @Test(.tags(.resetEnumeration))
    func `An accepted mail is tried a few times if it is refused, and delays no other`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.refuse("dead@example.com")
        _ = try await node.identity.accounts.signUp(email: "dead@example.com", password: Site.password)
        await node.identity.services.mails.flush()
        // A mail server that refuses one recipient is not out of order: nothing is kept for addresses without an account.
        #expect(try await node.forget("nobody@example.com") == 200)
        await node.identity.services.mails.flush()
        #expect(try await node.waiting == 1)
        await node.pass(95 * 3600, step: 3600)
        #expect((16...32).contains(node.mailer.attempts))
        await node.pass(7 * 3600, step: 3600)
        #expect(try await node.waiting == 0)
        #expect(try await node.audited().filter { $0 == "mail.abandoned" }.count == 1)
        await node.identity.close()
    }

    @Test func `An accepted mail is given up after four days, counted and recorded`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        // The outage is known before the mail that nobody receives, which would be removed otherwise.
        await node.identity.services.mails.flush()
        #expect(try await node.forget("nobody@example.com") == 200)
        await node.pass(95 * 3600, step: 3600)
        #expect(try await node.waiting == 2)
        await node.pass(7200, step: 3600)
        #expect(try await node.waiting == 0)
        #expect(try await node.get("/metrics").text.contains(#"latch_mails_total{result="abandoned"} 1"#))
        #expect(try await node.audited().filter { $0 == "mail.abandoned" }.count == 1)
        await node.identity.close()
    }

    @Test func `An accepted mail has a link that is valid when it arrives late`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        node.mailer.set(isDown: true)
        #expect(try await node.forget("ada@example.com") == 200)
        await node.pass(7200)
        node.mailer.set(isDown: false)
        await node.pass(300)
        let body: JSONValue = ["token": token(in: node.mailer.sent.last), "password": "Another456!"]
        #expect(try await node.post("/api/auth/reset-password", body).status == 200)
        await node.identity.close()
    }

    @Test func `An accepted mail of an invitation makes no used link valid, though its reply was lost`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        let store = node.identity.services.store
        let invited = try Account.example("new", hash: nil)
        node.mailer.loseReplies()
        try await store.insert(
            invited, details: nil,
            mail: OutboxMail(.invitation, to: invited.email, accountID: invited.id, id: "m", at: noon))
        await node.identity.services.mails.flush()
        let body: JSONValue = ["token": token(in: node.mailer.sent.first), "password": .string(Site.password)]
        #expect(try await node.post("/api/auth/reset-password", body).status == 200)
        await node.pass(600)
        #expect(try await node.post("/api/auth/reset-password", body).status == 400)
        await node.identity.close()
    }

    @Test func `An accepted mail does not end the link of a newer one by a further attempt`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer()) {
            $0.resetLifetime = .seconds(86_400)
        }
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        node.mailer.refuse("ada@example.com")
        #expect(try await node.forget("ada@example.com") == 200)
        await node.identity.services.mails.flush()
        node.mailer.refuse("")
        await node.pass(60)
        // One refused address is no outage of the mail server.
        let backlog = try await node.identity.services.measurements.mailBacklog()
        #expect(backlog.count == 1 && backlog.age == 0)
        #expect(try await node.forget("ada@example.com") == 200)
        await node.identity.services.mails.flush()
        #expect(node.mailer.sent.count == 1)
        await node.pass(8 * 3600, step: 3600)
        #expect(try await node.waiting == 0)
        #expect(node.mailer.sent.count == 1)
        await node.identity.close()
    }

    @Test func `An accepted mail of a later version delays no other`() async throws {
        let folder = try TemporaryFolder()
        let node = try await Node(in: folder, mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.identity.services.mails.flush()
        try SQLiteConnection(path: folder.file(), access: .readWrite).run(
            "UPDATE mail SET purpose = 'greeting', due_at = 0", [])
        node.mailer.set(isDown: false)
        _ = try await node.identity.accounts.signUp(email: "bob@example.com", password: Site.password)
        await node.pass(60)
        #expect(node.mailer.sent.map(\.recipient) == ["bob@example.com"])
        #expect(try await node.waiting == 1)
        await node.identity.close()
    }

    @Test(.tags(.mailedTokenReuse)) func `An accepted mail does not make a used link valid again`() async throws {
        let folder = try TemporaryFolder()
        let node = try await Node(in: folder, mailer: UnreliableMailer())
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        #expect(try await node.forget("ada@example.com") == 200)
        await node.identity.services.mails.flush()
        // As if the process had died between the mail server's reply and the removal.
        let sent = try #require(node.mailer.sent.last)
        let store = node.identity.services.store
        try await store.insert(
            OutboxMail(.resetPassword, to: try EmailAddress("ada@example.com"), id: sent.id, at: node.clock.now + 60))
        let body: JSONValue = ["token": token(in: sent), "password": "Another456!"]
        #expect(try await node.post("/api/auth/reset-password", body).status == 200)
        await node.pass(120)
        #expect(node.mailer.sent.map(\.id).filter { $0 == sent.id }.count == 1)
        #expect(try await node.post("/api/auth/reset-password", body).status == 400)
        await node.identity.close()
    }

    @Test func `An accepted mail is durable before the answer, and the store holds no token`() async throws {
        let folder = try TemporaryFolder()
        let node = try await Node(in: folder, mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.pass(60)
        node.mailer.set(isDown: false)
        await node.pass(300)
        guard case .string(let secret) = token(in: node.mailer.sent.last) else { return }
        await node.identity.close()
        #expect(secret.utf8.count == 43)
        #expect(try folder.bytes().range(of: Data(secret.utf8)) == nil)
    }
}

@Suite struct OutboxTests {
    @Test(.tags(.resetEnumeration))
    func `The outbox has the same length and the same writes for unknown addresses`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        for number in 0..<20 {
            _ = try await node.identity.accounts.signUp(email: "ada\(number)@example.com", password: Site.password)
        }
        await node.identity.services.mails.flush()
        node.mailer.set(isDown: true)
        // The mail server has refused a mail, as an attacker can bring about with an account of their own.
        #expect(try await node.forget("ada0@example.com") == 200)
        await node.identity.services.mails.flush()
        let before = try #require(try await node.waiting)
        let store = node.identity.services.store
        var costs: [Int] = []
        for name in ["ada", "nobody"] {
            let jobs = store.writeStatistics.jobs
            for number in 0..<20 {
                #expect(try await node.forget("\(name)\(number)@example.com") == 200)
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
        // Two workers that look for a mail at once write once more; a write for each mail would be twenty.
        #expect(abs(costs[0] - costs[1]) < 10)
        #expect(try await node.waiting == before + 40)
        await node.pass(600)
        #expect(try await node.waiting == before + 40)
        node.mailer.set(isDown: false)
        await node.pass(900)
        #expect(try await node.waiting == 0)
        #expect(!node.mailer.sent.contains { $0.recipient.hasPrefix("nobody") })
        await node.identity.close()
    }

    @Test(.tags(.mailFlood))
    func `The outbox limits the emails of an address, whether it has an account or not`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        for _ in 0..<5 { #expect(try await node.forget("new@example.com") == 200) }
        await node.identity.services.mails.flush()
        #expect(try await node.forget("new@example.com") == 200)
        let lines = try await node.get("/metrics").text.split(separator: "\n")
        #expect(lines.contains(#"latch_mails_total{result="limited"} 1"#))
        // The mail of a sign-up is promised, whatever others have requested for the address.
        let body: JSONValue = ["email": "new@example.com", "password": .string(Site.password)]
        #expect(try await node.post("/api/clients/register", body).status == 201)
        await node.pass(60)
        #expect(node.mailer.sent.map(\.subject) == ["Confirm your email address for Latchwork"])
        await node.identity.close()
    }

    @Test(.tags(.mailFlood))
    func `The outbox does not let emails without a recipient suppress the one that resets a password`()
        async throws
    {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        for _ in 0..<6 {
            #expect(try await node.post("/api/auth/resend-verification", ["email": "ada@example.com"]).status == 200)
        }
        #expect(try await node.forget("ada@example.com") == 200)
        await node.pass(60)
        #expect(node.mailer.sent.map(\.subject) == ["Reset your password for Latchwork"])
        await node.identity.close()
    }

    @Test func `The outbox shows its length and its age, and no address`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.pass(600)
        let health = try await node.get("/healthz")
        #expect(health.json["mail"] == ["waiting": 1, "oldestSeconds": 600])
        let metrics = try await node.get("/metrics").text
        #expect(metrics.contains("\nlatch_mails_waiting 1\n") && metrics.contains("\nlatch_mails_oldest_seconds 600\n"))
        #expect(!health.text.contains("ada") && !metrics.contains("ada"))
        await node.identity.close()
    }

    @Test func `The outbox rejects a mail that it cannot keep instead of dropping it`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer())
        node.mailer.set(isDown: true)
        let store = node.identity.services.store
        try await store.write { db throws(IdentityError) -> Void in
            try db.run(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(SQLiteConnection.maximumMails))
                INSERT INTO mail SELECT 'm' || i, 'verifyEmail', 'x@example.com', 'x@example.com', NULL, 0, 9e15, NULL, 0,
                    NULL
                FROM n
                """)
        }
        for address in ["ada@example.com", "nobody@example.com"] { #expect(try await node.forget(address) == 503) }
        let body: JSONValue = ["email": "new@example.com", "password": .string(Site.password)]
        #expect(try await node.post("/api/clients/register", body).status == 503)
        #expect(try await node.identity.administration.account(email: "new@example.com") == nil)
        let account = try Account.example("bob")
        try await store.insert(account)
        let change = EmailChange(
            accountID: account.id, email: try EmailAddress("bob@new.example"), oldEmailKey: account.email.key,
            oldDigest: nil, newDigest: [2], expiresAt: noon + 60)
        let mail = OutboxMail(.newAddress, to: change.email, accountID: account.id, id: "change", at: noon)
        let refused = await refusal {
            try await store.insert(change, for: account, by: nil, mails: [mail], at: noon)
        }
        #expect(refused == "overloaded")
        #expect(try await store.confirmEmail(byToken: [2], with: .none, at: noon) == nil)
        await node.identity.close()
    }

    @Test func `The outbox lets no worker postpone a mail that another one has taken since`() async throws {
        let folder = try TemporaryFolder()
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        try await store.insert(OutboxMail(.resetPassword, to: account.email, id: "mail", at: noon))
        let claim = { (now: Date) in
            MailClaim(
                now: now, leaseEnd: now + 120, verificationEnd: now + 1000, resetEnd: now + 1000, digest: { _ in [1] })
        }
        let first = try #require(try await store.claimMail(claim(noon)))
        #expect(try await store.claimMail(claim(noon + 119)) == nil)
        #expect(try await store.claimMail(claim(noon + 120)) != nil)
        try await store.postpone(first.mail, until: noon + 5000)
        #expect(try await store.claimMail(claim(noon + 239)) == nil)
        #expect(try await store.claimMail(claim(noon + 240)) != nil)
        await store.close()
        withExtendedLifetime(folder) {}
    }

    @Test func `The outbox is shared by two servers, and each mail goes once`() async throws {
        let folder = try TemporaryFolder()
        let (clock, mailer) = (ManualClock(noon), UnreliableMailer())
        let first = try await Node(in: folder, clock: clock, mailer: mailer)
        let second = try await Node(in: folder, clock: clock, mailer: mailer)
        for number in 0..<20 {
            let node = number.isMultiple(of: 2) ? first : second
            _ = try await node.identity.accounts.signUp(email: "u\(number)@example.com", password: Site.password)
        }
        await first.pass(60)
        await second.pass(30, step: 30)
        #expect(mailer.sent.count == 20)
        #expect(Set(mailer.sent.map(\.id)).count == 20)
        await first.identity.close()
        await second.identity.close()
    }

    @Test func `The outbox is emptied at the end as far as time allows, and keeps the rest`() async throws {
        let folder = try TemporaryFolder()
        let (clock, mailer) = (ManualClock(noon), UnreliableMailer())
        let first = try await Node(in: folder, clock: clock, mailer: mailer)
        for number in 0..<50 {
            _ = try await first.identity.accounts.signUp(email: "u\(number)@example.com", password: Site.password)
        }
        await first.identity.close()
        #expect(mailer.sent.count == 50)
        mailer.set(isDown: true)
        let second = try await Node(in: folder, clock: clock, mailer: mailer)
        #expect(try await second.forget("u1@example.com") == 200)
        await second.identity.close()
        mailer.set(isDown: false)
        let third = try await Node(in: folder, clock: clock, mailer: mailer)
        await third.pass(60)
        #expect(mailer.sent.count == 51)
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
        let node = try await Node(
            in: folder, clock: ManualClock(Date(timeIntervalSinceNow: 1)), mailer: UnreliableMailer())
        await node.identity.services.mails.flush()
        #expect(node.mailer.sent.count == 1)
        await node.identity.close()
    }

    @Test func `The outbox waits until the server knows its address`() async throws {
        let node = try await Node(in: try TemporaryFolder(), mailer: UnreliableMailer()) { $0.issuer = nil }
        _ = try await node.identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await node.identity.services.mails.flush()
        #expect(node.mailer.attempts == 0)
        node.identity.adoptIssuer("http://127.0.0.1:8080")
        await node.identity.services.mails.flush()
        #expect(node.mailer.sent.count == 1)
        await node.identity.close()
    }
}
