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

/// The use of a mailed code, with an address that gets one.
enum CodeUse: String, CaseIterable, Sendable {
    case signIn = "sign-in"
    case signUp = "sign-up"

    var email: String { self == .signIn ? "ada@example.com" : "eve@example.com" }
    var next: String { self == .signIn ? "" : "Your account" }

    /// Returns the page of the address, with the app's request.
    func address(_ agent: inout UserAgent) async throws -> Response {
        let app = SignInApp()
        guard self == .signIn else { return try await agent.get(app.path(["prompt": "create"])) }
        return try await agent.submit(try await agent.get(app.path()), [("name", email), ("mailed-code", "yes")])
    }
}

@Suite struct MailedCodeTests {
    private func site(change: (inout IdentityConfiguration) -> Void = { _ in }) async throws -> Site {
        try await Site.authorizing {
            $0.signInCodes = true
            $0.loginLimitPerMinute = 100
            change(&$0)
        }
    }

    /// The emails with a code for an address.
    private func mails(_ site: Site, to email: String) async -> [MailMessage] {
        await site.identity.flushMails()
        return site.mailer.messages.filter { $0.recipient == email }
    }

    private func accepts(_ code: String, on page: Response, _ use: CodeUse, _ agent: UserAgent) async throws -> Bool {
        var agent = agent
        let next = try await agent.submit(page, [("code", code)])
        return use == .signIn ? next.parameters["code"] != nil : next.title == use.next
    }

    @Test(.tags(.mailFlood), arguments: CodeUse.allCases)
    func `A form for a code that is sent again, also concurrently, causes one email`(use: CodeUse) async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let address = try await use.address(&agent)
        let kept = agent
        var pages = try await withThrowingTaskGroup(of: Response.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var agent = kept
                    return try await agent.submit(address, [("email", use.email)])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for _ in 0..<4 { try await pages.append(agent.submit(address, [("email", use.email)])) }
        #expect(pages.allSatisfy { $0.status == 200 && $0.title == "Check your email" })
        await expectEqual(mails(site, to: use.email).count, 1)
        // The copies did not count: four of the five emails of the hour are left.
        for page in pages.prefix(4) { try await expectEqual(agent.submit(page, [("again", "yes")]).status, 200) }
        try await expectEqual(agent.submit(address, [("email", use.email)]).status, 200)
        await expectEqual(mails(site, to: use.email).count, 5)
        let code = try #require(await site.mailedCode(to: use.email))
        #expect(try await accepts(code, on: pages[5], use, agent))
        // The code is used up for all of them, and sending the form once more brings no other one.
        let reloaded = try await agent.submit(address, [("email", use.email)])
        #expect(try await !accepts(code, on: reloaded, use, agent))
        await expectEqual(mails(site, to: use.email).count, 5)
        await site.close()
    }

    @Test(.tags(.factorCodeReplay), arguments: CodeUse.allCases)
    func `A code that is sent again is the same, with its tries, and the page of the first email takes it`(
        use: CodeUse
    ) async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let address = try await use.address(&agent)
        let page = try await agent.submit(address, [("email", use.email)])
        let code = try #require(await site.mailedCode(to: use.email))
        #expect(code.contains(/^[0-9]{3} [0-9]{3}$/), "\(code)")
        for _ in 0..<2 { try await expectEqual(agent.submit(page, [("code", "1234 5678")]).status, 400) }
        // Almost at its end.
        site.clock.advance(by: 590)
        let again = try await agent.submit(page, [("again", "yes")])
        #expect(again.status == 200 && again.title == "Check your email" && again.text.contains("another email"))
        try await expectEqual(agent.submit(page, [("again", "yes")]).title, "Check your email")
        let mails = await mails(site, to: use.email)
        expectEqual(mails.count, 2)
        #expect(mails.allSatisfy { $0.text.contains("\n\(code)\n") } && mails[0].id != mails[1].id)
        // The email says ten minutes.
        site.clock.advance(by: 590)
        for _ in 0..<2 { try await expectEqual(agent.submit(again, [("code", "1234 5678")]).status, 400) }
        #expect(try await accepts(code.replacing(" ", with: "  "), on: page, use, agent))
        await site.close()
    }

    @Test(.tags(.factorCodeReplay), arguments: CodeUse.allCases, [true, false])
    func `A code that has ended is sent again as a new one`(use: CodeUse, isExpired: Bool) async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let page = try await agent.submit(try await use.address(&agent), [("email", use.email)])
        let first = try #require(await site.mailedCode(to: use.email))
        if isExpired {
            site.clock.advance(by: 601)
        } else {
            for _ in 0..<5 { _ = try await agent.submit(page, [("code", "1234 5678")]) }
        }
        let again = try await agent.submit(page, [("again", "yes")])
        let second = try #require(await site.mailedCode(to: use.email))
        // The same form has the same page.
        let reloaded = try await agent.submit(page, [("again", "yes")])
        await expectEqual(mails(site, to: use.email).count, 2)
        #expect(try await !accepts(first, on: page, use, agent))
        #expect(try await accepts(second, on: isExpired ? again : reloaded, use, agent))
        await site.close()
    }

    @Test(.tags(.mailFlood), arguments: CodeUse.allCases)
    func `Each email with a code counts, and the page stays when there can be no further one`(use: CodeUse) async throws
    {
        let site = try await site()
        var agent = UserAgent(site)
        var page = try await agent.submit(try await use.address(&agent), [("email", use.email)])
        for _ in 0..<4 { page = try await agent.submit(page, [("again", "yes")]) }
        let code = try #require(await site.mailedCode(to: use.email))
        let refused = try await agent.submit(page, [("again", "yes")])
        #expect(refused.status == 429 && refused.title == "Check your email" && refused.field(.retryAfter) != nil)
        await expectEqual(mails(site, to: use.email).count, 5)
        #expect(try await accepts(code, on: refused, use, agent))
        await site.close()
    }

    @Test(.tags(.factorGuessing), arguments: CodeUse.allCases)
    func `An address has few wrong codes a day, over all of its codes`(use: CodeUse) async throws {
        let site = try await site { $0.mailLimitPerHour = 100 }
        var agent = UserAgent(site)
        var statuses: [Int] = []
        for _ in 0..<6 {
            let page = try await agent.submit(try await use.address(&agent), [("email", use.email)])
            for _ in 0..<5 { try await statuses.append(agent.submit(page, [("code", "1234 5678")]).status) }
            site.clock.advance(by: 720)
        }
        let rejected = statuses.count { $0 == 429 }
        #expect((1...5).contains(rejected) && statuses.last == 429, "\(statuses)")
        await site.close()
    }

    @Test(arguments: CodeUse.allCases)
    func `The pages of a code lead to another address, to the sign-in, and back to the app`(use: CodeUse) async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let address = try await use.address(&agent)
        let page = try await agent.submit(address, [("email", use.email)])
        let other = try await agent.submit(page, [("mailed-code", "yes")])
        #expect(other.title == address.title && other.text.contains("value=\"\(use.email)\""))
        let signIn = try await agent.submit(page, [("signin", "yes")])
        expectEqual(signIn.title, "Sign in")
        #expect(try await agent.signIn(signIn).parameters["code"] != nil)
        for page in [address, page] {
            try await expectEqual(agent.submit(page, [("refuse", "yes")]).parameters["error"], "access_denied")
        }
        await site.close()
    }

    @Test func `An account of a sign-up on pages keeps the language of its pages for later emails`() async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let page = try await agent.get(SignInApp().path(["prompt": "create", "ui_locales": "fr"]))
        let typing = try await agent.submit(page, [("email", "eve@example.com")])
        let code = try #require(await site.mailedCode(to: "eve@example.com"))
        let details = try await agent.submit(typing, [("code", code)])
        _ = try await agent.submit(details, [("name", "Eve"), ("password", Site.password)])
        let account = try #require(try await site.identity.administration.account(email: "eve@example.com"))
        let full = try await site.identity.services.store.fullAccount(id: account.id)
        expectEqual(full?.details.preferences.language, "fr")
        // A request without a language changes the password.
        _ = try await site.post("/forgot", form: "email=eve@example.com")
        let token = try #require(await site.mailedToken(to: "eve@example.com"))
        try await expectEqual(site.post("/reset", form: "token=\(token)&password=Another+456%21").status, 200)
        let last = try #require(await mails(site, to: "eve@example.com").last)
        expectEqual(last.language, "fr")
        await site.close()
    }
}
