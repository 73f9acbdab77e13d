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

/// An owner who has lost the authenticator app and the recovery codes: Documentation/Recovery.md.
@Suite struct FactorRecoveryTests {
    private static let week = 7 * 86_400.0

    private func site(
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> (site: Site, app: AuthenticatorApp, access: String) {
        let site = try await Site { configuration in
            configuration.factorRecoveryDelay = .seconds(Int64(Self.week))
            configuration.accessTokenLifetime = .seconds(86_400)
            change(&configuration)
        }
        let (app, access) = try await site.enrol()
        return (site, app, access)
    }

    /// Signs in with the password in a new browser, and reports the factor as lost.
    private func lose(_ site: Site) async throws -> (agent: UserAgent, page: Response) {
        var agent = UserAgent(site)
        let factor = try await agent.signIn(try await agent.get("/account"))
        expectEqual(factor.title, "Enter your code")
        return (agent, try await agent.submit(factor, [("factor-lost", "yes")]))
    }

    /// Begins the waiting time.
    private func begin(_ site: Site) async throws {
        var (agent, page) = try await lose(site)
        expectEqual(page.title, "Remove a lost second factor", "\(page.text)")
        let code = try #require(await site.mailedCode())
        let done = try await agent.submit(page, [("code", code)])
        #expect(done.status == 200 && done.title == "The waiting time runs", "\(done.text)")
    }

    private func isWaiting(_ site: Site) async throws -> Bool {
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        return try await site.identity.services.store.factorRecovery(of: account.id) != nil
    }

    private func advance(_ site: Site, by seconds: Double) async throws {
        site.clock.advance(by: seconds)
        try await site.housekeep()
    }

    private func events(_ site: Site) async throws -> [String] {
        let records = try await site.identity.services.store.auditRecords(AuditQuery(limit: 100))
        return records.reversed().map(\.event).filter {
            $0.hasPrefix("factor.recovery") && $0 != "factor.recoveryCodeUsed"
        }
    }

    @Test(.tags(.factorChange))
    func `A lost second factor is removed after the waiting time, and the owner gets a notice at both ends`()
        async throws
    {
        let (site, _, _) = try await site()
        var (agent, page) = try await lose(site)
        // Who knows a user name and a password does not learn the address.
        #expect(page.title == "Remove a lost second factor" && !page.text.contains("ada@example.com"))
        #expect(page.text.contains("7 days"), "\(page.text)")
        let wrong = try await agent.submit(page, [("code", "000 00x")])
        #expect(wrong.status == 400 && wrong.text.contains(#"aria-invalid="true""#))
        let code = try #require(await site.mailedCode())
        let done = try await agent.submit(wrong, [("code", code)])
        expectEqual(done.title, "The waiting time runs")
        expectEqual(await site.subjects().last, "Latchwork: Your second factor will be removed")
        // The first day of the waiting time is as good as the last.
        try await advance(site, by: 5.9 * 86_400)
        try await expectEqual(site.logIn().status, 403)
        #expect(await !site.subjects().contains("Latchwork: Your second factor will be removed soon"))
        for _ in 0..<2 { try await advance(site, by: 3700) }
        try await advance(site, by: 0.3 * 86_400)
        expectEqual(
            await site.subjects().filter { $0 == "Latchwork: Your second factor will be removed soon" }.count, 1)
        // A day is left from the notice on, which is late here.
        try await advance(site, by: 0.8 * 86_400)
        try await expectEqual(site.logIn().status, 403)
        try await advance(site, by: 0.3 * 86_400)
        try await expectEqual(site.logIn().status, 200)
        #expect(await site.subjects().contains("Latchwork: Two-factor authentication is off"))
        try await expectEqual(events(site), ["factor.recoveryBegun"])
        await site.close()
    }

    @Test(
        .tags(.factorChange),
        arguments: ["code", "recovery code", "keep", "password", "reset", "suspension", "administrator"])
    func `What proves the owner, or changes the account, keeps the factor`(way: String) async throws {
        let (site, app, access) = try await site()
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        try await begin(site)
        try await expectEqual(isWaiting(site), true)
        // A wrong code proves nothing.
        _ = await refusal { try await site.complete(site.challenge(), app.wrongCode(at: site.clock.now)) }
        try await expectEqual(isWaiting(site), true)
        switch way {
        case "code": _ = try await site.complete(site.challenge(), app.code(at: site.clock.now))
        case "recovery code": _ = try await site.complete(site.challenge(), app.recoveryCodes[0])
        case "keep":
            var agent = UserAgent(site)
            let factor = try await agent.signIn(try await agent.get("/account"))
            _ = try await agent.submit(factor, [("code", app.code(at: site.clock.now))])
            // The sign-in has kept it already; a session of before has the button.
            try await begin(site)
            let page = try await agent.get("/account")
            #expect(page.text.contains("Your second factor will be removed"))
            let kept = try await agent.submit(page, [("keep-factor", "yes")])
            #expect(kept.text.contains("Your second factor stays."))
        case "password":
            try await site.identity.accounts.changePassword(
                of: site.bearer(access), from: Site.password, to: "another sentence", signingOutOthers: false,
                from: .tests)
        case "reset":
            _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
            let link = try #require(await site.mailedToken())
            let done = try await site.post(
                "/api/auth/reset-password", ["token": .string(link), "password": "another sentence"])
            expectEqual(done.status, 200)
        case "suspension":
            _ = try await site.identity.administration.perform(
                .setStatus(.suspended), on: account.id, by: nil, because: "")
        default:
            _ = try await site.identity.administration.perform(.setRole(.admin), on: account.id, by: nil, because: "")
        }
        for _ in 0..<2 { try await advance(site, by: Self.week) }
        let factor = try await site.identity.services.store.secondFactor(of: account.id, isConfirmed: true)
        #expect(factor != nil)
        try await expectEqual(events(site).last, "factor.recoveryCanceled")
        await site.close()
    }

    @Test(.tags(.factorChange)) func `A setting that is turned off keeps the factors that wait`() async throws {
        let (site, _, _) = try await site()
        try await begin(site)
        for _ in 0..<2 {
            site.clock.advance(by: Self.week)
            #expect(try await !site.identity.services.store.recoverDueFactors(isEnabled: false, at: site.clock.now))
        }
        try await expectEqual(events(site), ["factor.recoveryBegun", "factor.recoveryCanceled"])
        try await expectEqual(site.logIn().status, 403)
        await site.close()
    }

    @Test(.tags(.factorChange)) func `A waiting time of earlier credentials ends when the owner begins anew`()
        async throws
    {
        let (site, _, _) = try await site()
        try await begin(site)
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let link = try #require(await site.mailedToken())
        let reset: JSONValue = ["token": .string(link), "password": .string(Site.password)]
        try await expectEqual(site.post("/api/auth/reset-password", reset).status, 200)
        site.clock.advance(by: 3 * 86_400)
        try await begin(site)
        try await expectEqual(
            events(site), ["factor.recoveryBegun", "factor.recoveryCanceled", "factor.recoveryBegun"])
        await site.close()
    }

    @Test(.tags(.factorChange)) func `The mailbox alone begins no waiting time`() async throws {
        let (site, _, _) = try await site { $0.signInCodes = true }
        var agent = UserAgent(site)
        let page = try await agent.submit(try await agent.get("/account"), [("mailed-code", "yes")])
        let code = try await agent.submit(page, [("email", "ada@example.com")])
        let factor = try await agent.submit(code, [("code", try #require(await site.mailedCode()))])
        #expect(factor.title == "Enter your code" && !factor.text.contains("factor-lost"))
        let refused = try await agent.submit(factor, [("factor-lost", "yes")])
        #expect(refused.status == 403 && refused.title == "The second factor stays", "\(refused.text)")
        try await expectEqual(isWaiting(site), false)
        await site.close()
    }

    @Test(.tags(.factorChange)) func `A sign-in by a passkey keeps the factor`() async throws {
        let (site, _, access) = try await site { $0.issuer = Site.issuer }
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: access)
        try await expectEqual(user.register().status, 201)
        try await begin(site)
        var agent = UserAgent(site)
        let page = try await agent.get("/account")
        let credential = String(decoding: try await user.assertion().serialized(), as: UTF8.self)
        try await expectEqual(agent.submit(page, [("credential", credential)]).status, 303)
        try await expectEqual(isWaiting(site), false)
        await site.close()
    }

    @Test func `Codes for a lost factor are limited, end after five wrong ones, and are asked for once`() async throws {
        let (site, _, _) = try await site()
        var (agent, page) = try await lose(site)
        let again = try await agent.submit(page, [("again", "yes")])
        expectEqual(again.title, "Remove a lost second factor")
        let code = try #require(await site.mailedCode())
        for _ in 0..<5 { page = try await agent.submit(again, [("code", code == "000 000" ? "000 001" : "000 000")]) }
        #expect(page.status == 400 && page.title != "Remove a lost second factor", "\(page.title)")
        page = try await agent.submit(again, [("code", code)])
        expectEqual(page.status, 400)
        try await expectEqual(isWaiting(site), false)
        try await begin(site)
        let mails = await site.subjects().count
        // A second report has the date, and sends nothing.
        let (_, second) = try await lose(site)
        expectEqual(second.title, "The waiting time runs")
        await expectEqual(site.subjects().count, mails)
        await site.close()
    }

    @Test(.tags(.factorChange), arguments: ["off", "moderator", "unproved"])
    func `A factor that only an administrator removes stays`(reason: String) async throws {
        let (site, _, _) = try await site { if reason == "off" { $0.factorRecoveryDelay = nil } }
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        if reason == "moderator" {
            _ = try await site.identity.administration.perform(
                .setRole(.moderator), on: account.id, by: nil, because: "")
        }
        if reason == "unproved" {
            try await site.identity.services.store.write { db throws(IdentityError) -> Void in
                try db.run("UPDATE account SET owner_proved_at = NULL WHERE id = $1", [.text(account.id)])
            }
        }
        var agent = UserAgent(site)
        let factor = try await agent.signIn(try await agent.get("/account"))
        #expect(factor.text.contains("factor-lost") == (reason != "off"))
        let mails = await site.subjects().count
        let page = try await agent.submit(factor, [("factor-lost", "yes")])
        #expect(page.status == 403 && page.title == "The second factor stays", "\(page.text)")
        await expectEqual(site.subjects().count, mails)
        await site.close()
    }

    @Test(.tags(.factorChange)) func `A report belongs to the browser that has proved the password`() async throws {
        let (site, _, _) = try await site()
        let (_, page) = try await lose(site)
        let code = try #require(await site.mailedCode())
        var stranger = UserAgent(site)
        _ = try await stranger.get("/account")
        let other = try await stranger.submit(page, [("code", code)])
        expectEqual(other.title, "Sign in")
        try await expectEqual(isWaiting(site), false)
        await site.close()
    }
}
