// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// An app that signs in or up with a mailed code.
struct CodeApp {
    static let ada = "ada@example.com"
    static let eve = "eve@example.com"

    let site: Site
    var purpose = "sign_in"

    static func site(
        storedAt location: String? = nil, hooks: IdentityHooks = IdentityHooks(),
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        let site = try await Site(storedAt: location, hooks: hooks) {
            $0.signInCodes = true
            $0.loginLimitPerMinute = 100
            change(&$0)
        }
        try await site.signUp(ada)
        return site
    }

    func ask(_ email: String = ada, again challenge: String? = nil, key: String? = nil) async throws -> Response {
        var content: JSONObject = ["email": .string(email), "purpose": .string(purpose)]
        if let challenge { content["challenge"] = .string(challenge) }
        return try await site.post("/api/auth/code", .object(content), fields: Self.fields(key))
    }

    /// Asks for a code, and returns the challenge with the mailed code.
    func asked(_ email: String = ada) async throws -> (challenge: String, code: String) {
        let response = try await ask(email)
        expectEqual(response.status, 202)
        return (response.string("challenge"), try #require(await site.mailedCode(to: email)))
    }

    func send(
        _ code: String, _ challenge: String, _ others: JSONObject = [:], key: String? = nil, fields: HTTPFields = [:]
    ) async throws -> Response {
        var content = others
        (content["challenge"], content["code"]) = (.string(challenge), .string(code))
        var fields = fields
        fields["Idempotency-Key"] = key
        let path = purpose == "sign_in" ? "login" : "register"
        return try await site.post("/api/auth/code/\(path)", .object(content), fields: fields)
    }

    private static func fields(_ key: String?) -> HTTPFields { key.map { ["Idempotency-Key": $0] } ?? [:] }

    func devices(_ email: String = ada) async throws -> Int {
        let account = try #require(try await site.identity.administration.account(email: email))
        return try await site.identity.services.store.devices(of: account.id, at: site.clock.now).count
    }
}

@Suite struct CodeRouteTests {
    private static let key = "0123456789abcdef"

    @Test(arguments: SharedStore.all)
    func `A mailed code signs an app in once, and the session is that of a login`(store: SharedStore) async throws {
        let site = try await CodeApp.site(storedAt: try await store.location())
        let app = CodeApp(site: site)
        let asked = try await app.asked()
        let done = try await app.send(asked.code, asked.challenge)
        #expect(done.status == 200 && done.json["expiresIn"] != nil)
        #expect(done.field(.setCookie)?.hasPrefix("refreshToken=\(done.refresh);") == true)
        try await expectEqual(site.get("/user/profile", bearer: done.access).string("email"), CodeApp.ada)
        try await expectEqual(site.renew(done.refresh).status, 200)
        let again = try await app.send(asked.code, asked.challenge)
        #expect(again.status == 400 && again.string("code") == "codeEnded")
        try await expectEqual(app.devices(), 1)
        await site.close()
    }

    @Test(.tags(.resetEnumeration))
    func `Asking an app's server for a code is the same for every address, and emails only owners`() async throws {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site)
        var seen: [[String]] = []
        for email in [CodeApp.ada, CodeApp.eve] {
            let asked = try await app.ask(email)
            let wrong = try await app.send("1234 5678", asked.string("challenge"))
            seen.append([
                "\(asked.status) \(asked.json.map(\.key)) \(asked.string("challenge").count)",
                "\(wrong.status) \(wrong.text)",
            ])
        }
        // One of the addresses is as long as the other.
        expectEqual(seen[0], seen[1])
        await expectEqual(site.subjects(to: CodeApp.eve), [])
        await expectEqual(site.subjects().last, "Your sign-in code for Latchwork")
        await site.close()
    }

    @Test(.tags(.foreignCode))
    func `A code works only with the challenge that asked for it, and for its purpose`() async throws {
        let site = try await CodeApp.site()
        let (app, signUp) = (CodeApp(site: site), CodeApp(site: site, purpose: "sign_up"))
        let mine = try await app.asked()
        // A stranger who reads the code has a challenge of the same address, or of another one.
        for email in [CodeApp.ada, CodeApp.eve] {
            let theirs = try await app.ask(email).string("challenge")
            try await expectEqual(app.send(mine.code, theirs).string("code"), "invalidCode")
        }
        let eve = try await signUp.asked(CodeApp.eve)
        try await expectEqual(app.send(eve.code, eve.challenge).string("code"), "codeEnded")
        try await expectEqual(
            signUp.send(mine.code, mine.challenge, ["password": .string(Site.password)]).string("code"), "codeEnded")
        let changed = String(mine.challenge.dropLast()) + (mine.challenge.hasSuffix("A") ? "B" : "A")
        for text in ["", "x", changed, "lc1." + mine.challenge.dropFirst(4), mine.challenge + "A"] {
            try await expectEqual(app.send(mine.code, text).string("code"), "codeEnded", "\(text)")
        }
        let other = try await app.ask(CodeApp.eve, again: mine.challenge)
        #expect(other.status == 400 && other.string("field") == "challenge")
        try await expectEqual(app.send(mine.code, mine.challenge).status, 200)
        await site.close()
    }

    @Test(.tags(.factorCodeReplay)) func `A key that is used again later does not bring an old code back to life`()
        async throws
    {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site)
        let first = try await app.ask(key: Self.key).string("challenge")
        let code = try #require(await site.mailedCode())
        try await expectEqual(app.ask(key: Self.key).status, 202)
        await expectEqual(site.subjects().count, 1)
        try await expectEqual(app.send(code, first).status, 200)
        site.clock.advance(by: 3 * 3600)
        try await site.housekeep()
        let later = try await app.ask(key: Self.key).string("challenge")
        await expectEqual(site.subjects().count, 2)
        try await expectEqual(app.send(code, later).string("code"), "invalidCode")
        await site.close()
    }

    @Test(.tags(.factorGuessing)) func `A code of an app has five tries, ten minutes, and few wrong ones a day`()
        async throws
    {
        let site = try await CodeApp.site { $0.mailLimitPerHour = 100 }
        let app = CodeApp(site: site)
        let first = try await app.asked()
        for number in 1...5 {
            let wrong = try await app.send("1234 5678", first.challenge)
            expectEqual(wrong.string("code"), number < 5 ? "invalidCode" : "codeEnded")
        }
        try await expectEqual(app.send(first.code, first.challenge).string("code"), "codeEnded")
        let second = try await app.asked()
        site.clock.advance(by: 601)
        try await expectEqual(app.send(second.code, second.challenge).string("code"), "codeEnded")
        var statuses: [Int] = []
        for _ in 0..<5 {
            site.clock.advance(by: 720)
            let asked = try await app.ask().string("challenge")
            for _ in 0..<5 { try await statuses.append(app.send("1234 5678", asked).status) }
        }
        #expect(statuses.last == 429 && statuses.first == 400)
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: [true, false])
    func `An account without a proved owner gets a link for a new password, and no code opens it in an app`(
        isVerified: Bool
    ) async throws {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site)
        try await site.signUp(CodeApp.eve, isVerified: isVerified)
        if isVerified {
            // As a link without a proof verified it.
            _ = try await site.identity.services.store.update(
                "UPDATE account SET owner_proved_at = NULL WHERE email_key = $1", [.text(CodeApp.eve)]
            ) { _ in }
        }
        let challenge = try await app.ask(CodeApp.eve).string("challenge")
        await expectEqual(site.subjects(to: CodeApp.eve).last, "Reset your password for Latchwork")
        let services = site.identity.services
        let id = try MailedCodeCipher(pepper: services.pepper).open(challenge, for: .signIn, at: site.clock.now).id
        let right = MailedTokens(pepper: services.pepper).code(of: id)
        try await expectEqual(app.send(right, challenge).string("code"), "codeEnded")
        await site.close()
    }

    @Test(.tags(.factorBypass)) func `A missing second factor does not use the mailed code up`() async throws {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site)
        let factor = try await site.enrol(with: site.logIn().access)
        let asked = try await app.asked()
        for _ in 0..<2 {
            let missing = try await app.send(asked.code, asked.challenge)
            #expect(missing.status == 403 && missing.string("code") == "mfaRequired")
        }
        let wrong = try await app.send(asked.code, asked.challenge, ["otp": "000000"])
        #expect(wrong.status != 400 && wrong.string("code") == "invalidCode")
        // The second factor opens nothing without the mailed code.
        let otp = JSONValue.string(factor.code(at: site.clock.now))
        try await expectEqual(app.send("1234 5678", asked.challenge, ["otp": otp]).status, 400)
        try await expectEqual(app.send(asked.code, asked.challenge, ["otp": otp]).status, 200)
        try await expectEqual(app.send(asked.code, asked.challenge, ["otp": otp]).string("code"), "codeEnded")
        await site.close()
    }

    @Test func `A mailed code opens no account that was suspended in the meantime, and none at all if it is off`()
        async throws
    {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site)
        let asked = try await app.asked()
        let account = try #require(try await site.identity.administration.account(email: CodeApp.ada))
        _ = try await site.identity.administration.setStatus(of: account.id, to: .suspended, by: nil, because: "")
        let refused = try await app.send(asked.code, asked.challenge)
        #expect(refused.status == 403 && refused.string("code") == "accountSuspended")
        await site.close()
        let closed = try await CodeApp.site { $0.signInCodes = false }
        let other = CodeApp(site: closed)
        try await expectEqual(other.ask().string("code"), "signInWayOff")
        await expectEqual(closed.subjects(), [])
        await closed.close()
    }

    @Test(.tags(.parallelRedemption), arguments: SharedStore.all)
    func `A repetition with the same key gets the same session, and another request none`(store: SharedStore)
        async throws
    {
        let site = try await CodeApp.site(storedAt: try await store.location())
        let app = CodeApp(site: site)
        let asked = try await app.asked()
        let first = try await app.send(asked.code, asked.challenge, key: Self.key)
        let again = try await app.send(asked.code, asked.challenge, key: Self.key)
        #expect(first.status == 200 && again.status == 200 && again.refresh == first.refresh)
        try await expectEqual(site.get("/user/profile", bearer: again.access).status, 200)
        try await expectEqual(app.devices(), 1)
        // The key opens nothing without the code, and neither does the code without the key.
        try await expectEqual(app.send("1234 5678", asked.challenge, key: Self.key).string("code"), "codeEnded")
        try await expectEqual(app.send(asked.code, asked.challenge, key: "another \(Self.key)").status, 400)
        try await expectEqual(app.send(asked.code, asked.challenge).status, 400)
        // A client that has refreshed has not lost the response.
        try await expectEqual(site.renew(first.refresh).status, 200)
        try await expectEqual(app.send(asked.code, asked.challenge, key: Self.key).status, 400)
        await site.close()
    }

    @Test(.tags(.parallelRedemption), arguments: [true, false])
    func `Concurrent requests with one code start one session`(hasKey: Bool) async throws {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site)
        let asked = try await app.asked()
        let responses = try await withThrowingTaskGroup(of: Response.self) { group in
            for _ in 0..<8 {
                group.addTask { try await app.send(asked.code, asked.challenge, key: hasKey ? Self.key : nil) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let refreshes = Set(responses.filter { $0.status == 200 }.map(\.refresh))
        #expect(refreshes.count == 1)
        #expect(responses.count { $0.status == 200 } == (hasKey ? 8 : 1))
        try await expectEqual(app.devices(), 1)
        await site.close()
    }

    @Test func `A repetition after ten minutes, or after the sign-out, gets no session`() async throws {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site)
        for isSignedOut in [true, false] {
            let asked = try await app.asked()
            let first = try await app.send(asked.code, asked.challenge, key: Self.key)
            expectEqual(first.status, 200)
            if isSignedOut {
                _ = try await site.post("/api/auth/logout", ["refreshToken": .string(first.refresh)])
            } else {
                site.clock.advance(by: 601)
            }
            try await expectEqual(app.send(asked.code, asked.challenge, key: Self.key).string("code"), "codeEnded")
        }
        await site.close()
    }

    @Test(.tags(.mailFlood), arguments: ["sign_in", "sign_up"])
    func `A repeated request for a code causes one email, and another email has the same code`(purpose: String)
        async throws
    {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site, purpose: purpose)
        let email = purpose == "sign_in" ? CodeApp.ada : CodeApp.eve
        let first = try await app.ask(email, key: Self.key)
        for _ in 0..<3 { try await expectEqual(app.ask(email, key: Self.key).status, 202) }
        await expectEqual(site.subjects(to: email).count, 1)
        let code = try #require(await site.mailedCode(to: email))
        site.clock.advance(by: 590)
        let again = try await app.ask(email, again: first.string("challenge"))
        #expect(again.status == 202 && again.json["expiresIn"] == 600)
        await expectEqual(site.subjects(to: email).count, 2)
        await expectEqual(site.mailedCode(to: email), code)
        site.clock.advance(by: 590)
        let details: JSONObject = purpose == "sign_in" ? [:] : ["password": .string(Site.password)]
        let status = try await app.send(code, first.string("challenge"), details).status
        expectEqual(status, purpose == "sign_in" ? 200 : 201)
        for key in ["short", String(repeating: "x", count: 256)] {
            try await expectEqual(app.ask(email, key: key).string("field"), "Idempotency-Key")
        }
        await site.close()
    }

    @Test(.tags(.loginForgery), arguments: ["sign_in", "sign_up"])
    func `A page of another site signs no browser in with a code`(purpose: String) async throws {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site, purpose: purpose)
        let asked = try await app.asked(purpose == "sign_in" ? CodeApp.ada : CodeApp.eve)
        let response = try await app.send(
            asked.code, asked.challenge, ["password": .string(Site.password)],
            fields: ["Origin": "https://evil.example"])
        #expect(response.status == 403 && response.field(.setCookie) == nil)
        await site.close()
    }
}
