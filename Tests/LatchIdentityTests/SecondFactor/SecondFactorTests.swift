// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct SecondFactorTests {
    @Test func `A second factor is asked for once it is confirmed, and lets its owner in`() async throws {
        let site = try await Site()
        try await site.signUp()
        let bearer = try await site.bearer(try await site.logIn().access)
        let app = AuthenticatorApp(try await site.identity.secondFactors.enroll(bearer))
        guard case .success = try await site.begin() else { throw IdentityError.forbidden }
        try await site.identity.secondFactors.confirm(app.code(at: site.clock.now), bearer, from: .tests)
        site.clock.advance(by: 30)
        let grant = try await site.complete(try await site.challenge(), app.code(at: site.clock.now))
        expectEqual(grant.device.factorAt, site.clock.now)
        try await expectEqual(site.get("/user/profile", bearer: grant.accessToken).status, 200)
        // The owner learns of a factor that somebody else has set up.
        await site.identity.services.mails.flush()
        #expect(site.mailer.messages.contains { $0.subject == "Latchwork: Two-factor authentication is on" })
        await site.close()
    }

    @Test
    func `A second factor is confirmed again only by the same code, for a client whose response was lost`() async throws
    {
        let site = try await Site()
        try await site.signUp()
        let access = try await site.logIn().access
        let factors = site.identity.secondFactors
        let app = AuthenticatorApp(try await factors.enroll(try await site.bearer(access)))
        let code = app.code(at: site.clock.now)
        try await factors.confirm(code, try await site.bearer(access), from: .tests)
        let before = try await site.identity.audit.records(limit: 50)
        try await factors.confirm(code, try await site.bearer(access), from: .tests)
        try await expectEqual(site.identity.audit.records(limit: 50), before)
        let bearer = try await site.bearer(access)
        for other in [app.code(at: site.clock.now, offset: 1), app.recoveryCodes[0], app.wrongCode(at: site.clock.now)]
        {
            await expectEqual(refusal { try await factors.confirm(other, bearer, from: .tests) }, "noSecondFactor")
        }
        // The code is used up all the same.
        let challenge = try await site.challenge()
        await expectEqual(refusal { try await site.complete(challenge, code) }, "invalidCode")
        site.clock.advance(by: 120)
        await expectEqual(refusal { try await factors.confirm(code, bearer, from: .tests) }, "noSecondFactor")
        await site.close()
    }

    @Test(.tags(.factorSecret))
    func `A second factor is shown once, and its secret is nowhere in the file`() async throws {
        let site = try await Site()
        try await site.signUp()
        let bearer = try await site.bearer(try await site.logIn().access)
        let setup = try await site.identity.secondFactors.enroll(bearer)
        let app = AuthenticatorApp(setup)
        #expect(
            setup.uri.hasPrefix("otpauth://totp/Latchwork:ada%40example.com?secret=\(setup.secret)&issuer=Latchwork&"))
        expectEqual(setup.secret.count, 32)
        expectEqual(setup.recoveryCodes.count, 10)
        #expect(!"\(setup) \(String(reflecting: setup))".contains(setup.secret))
        await site.close()
        let bytes = try site.folder.names().reduce(into: Data()) { $0 += try site.folder.bytes(of: $1) }
        expectNil(bytes.range(of: Data(app.secret)))
        expectNil(bytes.range(of: Data(setup.secret.utf8)))
        for code in setup.recoveryCodes {
            expectNil(bytes.range(of: Data(code.utf8)))
            expectNil(bytes.range(of: Data(code.filter { $0 != "-" }.utf8)))
        }
    }

    @Test(.tags(.factorCodeReplay))
    func `A second factor takes each code once, also for many concurrent logins`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await site.enrol()
        var challenges: [String] = []
        for _ in 0..<8 { challenges.append(try await site.challenge()) }
        let code = app.code(at: site.clock.now)
        let refusals = await withTaskGroup { group in
            for challenge in challenges {
                group.addTask { await refusal { try await site.complete(challenge, code) } }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        expectEqual(refusals.filter { $0 == nil }.count, 1)
        #expect(refusals.compactMap(\.self).allSatisfy { $0 == "invalidCode" || $0 == "tooManyAttempts" })
        await site.close()
    }

    @Test(.tags(.factorCodeReplay))
    func `A second factor takes no code of a step before an accepted one`() async throws {
        let site = try await Site()
        let (app, _) = try await site.enrol()
        site.clock.advance(by: 300)
        _ = try await site.complete(try await site.challenge(), app.code(at: site.clock.now))
        let challenge = try await site.challenge()
        for offset in Int64(-1)...0 {
            let code = app.code(at: site.clock.now, offset: offset)
            await expectEqual(refusal { try await site.complete(challenge, code) }, "invalidCode")
        }
        // The one of the next step is another code, and early by less than a step.
        _ = try await site.complete(challenge, app.code(at: site.clock.now, offset: 1))
        await site.close()
    }

    @Test(.tags(.factorGuessing))
    func `A second factor checks five wrong codes, and then waits longer each time`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await site.enrol()
        for _ in 0..<5 {
            let challenge = try await site.challenge()
            let wrong = app.wrongCode(at: site.clock.now)
            await expectEqual(refusal { try await site.complete(challenge, wrong) }, "invalidCode")
        }
        // Now not even the right one is looked at; a new login with the right password changes nothing about it.
        let challenge = try await site.challenge()
        let right = app.code(at: site.clock.now)
        await expectEqual(refusal { try await site.complete(challenge, right) }, "tooManyAttempts")
        var waits: [Double] = []
        for _ in 0..<4 {
            let factor = try #require(try await site.factor())
            let end = try #require(factor.lockedUntil)
            waits.append(end.timeIntervalSince(site.clock.now))
            site.clock.advance(by: end.timeIntervalSince(site.clock.now))
            let (text, wrong) = (try await site.challenge(), app.wrongCode(at: site.clock.now))
            await expectEqual(refusal { try await site.complete(text, wrong) }, "invalidCode")
        }
        expectEqual(waits, [30, 60, 120, 240])
        let end = try #require(try await site.factor()?.lockedUntil)
        site.clock.advance(by: end.timeIntervalSince(site.clock.now))
        _ = try await site.complete(try await site.challenge(), app.code(at: site.clock.now))
        try await expectEqual(site.factor()?.failures, 0)
        await site.close()
    }

    @Test func `A second factor is asked for after a right password, which counts as incomplete`() async throws {
        let site = try await Site()
        _ = try await site.enrol()
        let series = #"latch_logins_total{result="incomplete"}"#
        let before = try #require(try await site.metric(series))
        let body: JSONValue = ["email": "ada@example.com", "password": .string(Site.password)]
        try await expectEqual(site.post("/api/auth/clients/login", body).json["code"], "mfaRequired")
        try await expectEqual(site.metric(series), before + 1)
        let whole = try await site.metric(#"latch_logins_total{result="success"}"#)
        // A challenge for an app and one for a page.
        _ = try await site.challenge()
        _ = try await site.signIns.beginOnPage(name: "ada@example.com", password: Site.password, from: .tests)
        try await expectEqual(site.metric(series), before + 3)
        try await expectEqual(site.metric(#"latch_logins_total{result="success"}"#), whole)
        try await expectEqual(site.metric(#"latch_logins_total{result="failure"}"#), 0)
        await site.close()
    }

    @Test func `A second factor counts codes that a network's limit refuses like those of a lock`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1 }
        let (app, _) = try await site.enrol()
        let (challenge, wrong) = (try await site.challenge(), app.wrongCode(at: site.clock.now))
        await expectEqual(refusal { try await site.complete(challenge, wrong) }, "invalidCode")
        await expectEqual(refusal { try await site.complete(challenge, wrong) }, "tooManyAttempts")
        try await expectEqual(site.metric(#"latch_second_factors_total{result="limited"}"#), 1)
        await site.close()
    }

    @Test(.tags(.passwordSpraying, .factorGuessing))
    func `A second factor bounds guesses at many accounts from one address`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        let limits = site.identity.services.limits
        func isTaken(_ account: String, _ address: String) -> Bool {
            let attempts = limits.secondFactor(of: account, address: address)
            return limits.rejection(taking: attempts) == nil
        }
        for number in 0..<30 { #expect(isTaken("id-\(number)", "192.0.2.1")) }
        #expect(!isTaken("another", "192.0.2.1"))
        #expect(isTaken("another", "192.0.2.2"))
        for number in 0..<269 {
            let last = number / 29 + 3
            #expect(isTaken("id-\(number)", "192.0.2.\(last)"))
        }
        #expect(!isTaken("another", "192.0.2.99"))
        #expect(isTaken("another", "198.51.100.1"))
        await site.close()
    }

    @Test(.tags(.mailFlood))
    func `A second factor is begun a few times an hour, also by accounts made again for one address`()
        async throws
    {
        let site = try await Site()
        var outcomes: [String?] = []
        for _ in 0..<3 { outcomes += try await attemptsToBegin(5, at: site) }
        #expect(outcomes.prefix(10).allSatisfy { $0 == nil })
        #expect(outcomes.dropFirst(10).allSatisfy { $0 == "tooManyAttempts" })
        await site.close()
    }

    /// Begins a setup for a new account with an address of a stranger, and deletes that; returns the code of each refusal.
    private func attemptsToBegin(_ count: Int, at site: Site) async throws -> [String?] {
        let account = try await site.signUp(isVerified: false)
        let session = try await site.bearer(try await site.logIn().access)
        var outcomes: [String?] = []
        for _ in 0..<count { outcomes.append(await refusal { try await site.identity.secondFactors.enroll(session) }) }
        _ = try await site.identity.administration.delete(
            account.id, isFinal: true, by: AccountActor(account.id), because: "")
        return outcomes
    }

    @Test(.tags(.factorGuessing)) func `A second factor bounds concurrent guesses, also over a restart`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await site.enrol()
        let challenge = try await site.challenge()
        let wrong = app.wrongCode(at: site.clock.now)
        let refusals = await withTaskGroup { group in
            for _ in 0..<64 { group.addTask { await refusal { try await site.complete(challenge, wrong) } } }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        expectEqual(refusals.filter { $0 == "invalidCode" }.count, 5)
        expectEqual(refusals.filter { $0 == "tooManyAttempts" }.count, 59)
        await site.close()
        let again = try await Site(in: site.folder)
        again.clock.advance(by: 30)
        let factor = try #require(try await again.factor())
        expectEqual(factor.failures, 5)
        await again.close()
    }

    @Test(.tags(.factorGuessing))
    func `A second factor does not lock out an owner with a recovery code`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await site.enrol()
        for _ in 0..<5 {
            let (challenge, wrong) = (try await site.challenge(), app.wrongCode(at: site.clock.now))
            #expect(await refusal { try await site.complete(challenge, wrong) } != nil)
        }
        _ = try await site.complete(try await site.challenge(), app.recoveryCodes[0])
        await site.close()
    }

    @Test(.tags(.recoveryCodes))
    func `A second factor takes each recovery code once, even concurrently, and of its account only`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await site.enrol()
        let (other, _) = try await site.enrol("bob@example.com")
        let challenge = try await site.challenge()
        await expectEqual(refusal { try await site.complete(challenge, other.recoveryCodes[0]) }, "invalidCode")
        _ = try await site.complete(challenge, app.recoveryCodes[0].uppercased())
        let later = try await site.challenge()
        await expectEqual(refusal { try await site.complete(later, app.recoveryCodes[0]) }, "invalidCode")
        var challenges: [String] = []
        for _ in 0..<6 { challenges.append(try await site.challenge()) }
        let refusals = await withTaskGroup { group in
            for challenge in challenges {
                group.addTask { await refusal { try await site.complete(challenge, app.recoveryCodes[1]) } }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        expectEqual(refusals.filter { $0 == nil }.count, 1)
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")?.id)
        try expectEqual(site.recoveryCodeCount(of: id), 8)
        await site.close()
    }

    @Test func `A second factor signs out every other device when it is confirmed`() async throws {
        let site = try await Site()
        try await site.signUp()
        let (old, here) = (try await site.logIn(), try await site.logIn())
        let bearer = try await site.bearer(here.access)
        let app = AuthenticatorApp(try await site.identity.secondFactors.enroll(bearer))
        try await site.identity.secondFactors.confirm(app.code(at: site.clock.now), bearer, from: .tests)
        // F8: neither the tokens that are out nor a renewal of them.
        try await expectEqual(site.get("/user/profile", bearer: old.access).status, 401)
        try await expectEqual(site.renew(old.refresh).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: here.access).status, 200)
        try await expectEqual(site.renew(here.refresh).status, 200)
        await site.close()
    }

    @Test(.tags(.factorChange)) func `A second factor is begun and confirmed only by a recent sign-in`() async throws {
        let site = try await Site()
        try await site.signUp()
        let bearer = try await site.bearer(try await site.logIn().access)
        let app = AuthenticatorApp(try await site.identity.secondFactors.enroll(bearer))
        site.clock.advance(by: 901)
        await expectEqual(refusal { try await site.identity.secondFactors.enroll(bearer) }, "signInAgain")
        let code = app.code(at: site.clock.now)
        await expectEqual(
            refusal { try await site.identity.secondFactors.confirm(code, bearer, from: .tests) }, "signInAgain")
        await site.close()
    }

    @Test(.tags(.factorChange))
    func `A second factor is removed only with its code, and replaced only by a confirmed one`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, access) = try await site.enrol()
        let bearer = try await site.bearer(access)
        let factors = site.identity.secondFactors
        let wrong = app.wrongCode(at: site.clock.now)
        await expectEqual(refusal { try await factors.remove(code: wrong, bearer, from: .tests) }, "invalidCode")
        let next = AuthenticatorApp(try await factors.enroll(bearer))
        // What was begun is asked for nowhere yet, and its recovery codes are nobody's.
        let challenge = try await site.challenge()
        await expectEqual(refusal { try await site.complete(challenge, next.recoveryCodes[0]) }, "invalidCode")
        await expectEqual(
            refusal { try await factors.confirm(app.recoveryCodes[0], bearer, from: .tests) }, "invalidCode")
        try await factors.confirm(next.code(at: site.clock.now), bearer, from: .tests)
        site.clock.advance(by: 30)
        let again = try await site.challenge()
        await expectEqual(refusal { try await site.complete(again, app.recoveryCodes[0]) }, "invalidCode")
        _ = try await site.complete(again, next.recoveryCodes[0])
        try await factors.remove(code: next.code(at: site.clock.now), bearer, from: .tests)
        guard case .success = try await site.begin() else { throw IdentityError.forbidden }
        await site.close()
    }

    @Test(.tags(.resetWithoutFactor)) func `A second factor is also asked for after a password reset`() async throws {
        let site = try await Site()
        _ = try await site.enrol()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let body: JSONValue = ["token": .string(token), "password": "another sentence to keep"]
        try await expectEqual(site.post("/api/auth/reset-password", body).status, 200)
        try await expectEqual(site.logIn(password: "another sentence to keep").string("code"), "mfaRequired")
        await site.close()
    }

    @Test func `A second factor accepts recovery codes under another pepper, and no codes of the app`() async throws {
        let site = try await Site { $0.tokenPepper = "first" }
        let (app, _) = try await site.enrol()
        await site.close()
        let other = try await Site(in: site.folder) {
            ($0.tokenPepper, $0.acceptsAnotherPepper) = ("second", true)
        }
        other.clock.advance(by: 60)
        let challenge = try await other.challenge()
        let code = app.code(at: other.clock.now)
        await expectEqual(refusal { try await other.complete(challenge, code) }, "factorUnreadable")
        _ = try await other.complete(challenge, app.recoveryCodes[0])
        await other.close()
    }
}

extension Site {
    func factor(_ email: String = "ada@example.com") async throws -> SecondFactor? {
        guard let id = try await identity.administration.account(email: email)?.id else { return nil }
        return try await identity.services.store.secondFactor(of: id, isConfirmed: true)
    }
}
