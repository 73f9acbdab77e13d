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

@Suite struct CodeSignInTests {
    private static let email = "ada@example.com"
    private let app = SignInApp()

    private func site(_ change: (inout IdentityConfiguration) -> Void = { _ in }) async throws -> Site {
        try await Site.authorizing {
            $0.signInCodes = true
            change(&$0)
        }
    }

    /// Asks for a code on the page of a sign-in, and returns the page that takes it.
    private func asked(
        for email: String = email, _ agent: inout UserAgent, path: String? = nil
    ) async throws -> Response {
        let page = try await agent.get(path ?? app.path())
        #expect(page.title == "Sign in" && page.text.contains(">Email me a code</button>"))
        let address = try await agent.submit(page, [("name", email), ("mailed-code", "yes")])
        #expect(address.title == "Sign in with a code" && address.text.contains("value=\"\(email)\""))
        return try await agent.submit(address, [("email", email)])
    }

    @Test func `A mailed code signs in, and continues with the request that the user came from`() async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let page = try await asked(&agent)
        #expect(page.status == 200 && page.title == "Check your email")
        let code = try #require(await site.mailedCode(to: Self.email))
        await expectEqual(site.subjects().last, "Your sign-in code for Latchwork")
        let done = try await agent.submit(page, [("code", code)])
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)
        let tokens = try await site.exchange(try #require(done.parameters["code"]), app)
        let claims = try JWT(unverified: tokens.string("id_token")).claims
        #expect(claims.strings("amr") == ["otp"] && claims.string("acr") == "1")
        // A code works once.
        var other = UserAgent(site)
        other.cookies = agent.cookies
        try await expectEqual(other.submit(page, [("code", code)]).title, "Sign in with a code")
        await site.close()
    }

    @Test(.tags(.resetEnumeration))
    func `Asking for a code looks the same for every address, and emails only owners`() async throws {
        let site = try await site()
        var pages: [String] = []
        for email in [Self.email, "bob@example.com"] {
            var agent = UserAgent(site)
            let page = try await asked(for: email, &agent)
            let wrong = try await agent.submit(page, [("code", "1234 5678")])
            #expect(page.status == 200 && wrong.status == 400)
            pages.append(
                (page.text + wrong.text).replacing(email, with: "EMAIL").replacing(page.formToken, with: "TOKEN")
                    .replacing(wrong.formToken, with: "TOKEN"))
        }
        expectEqual(pages[0], pages[1])
        await expectEqual(site.subjects(to: "bob@example.com"), [])
        // Another code keeps the address, and its email has the language of the page.
        var agent = UserAgent(site)
        let page = try await agent.get(app.path(["ui_locales": "fr"]))
        let form = try await agent.submit(page, [("name", Self.email), ("mailed-code", "yes")])
        let code = try await agent.submit(form, [("email", Self.email)])
        let again = try await agent.submit(code, [("mailed-code", "yes")])
        #expect(again.text.contains("value=\"\(Self.email)\"") && again.text.contains("<html lang=\"fr\">"))
        await expectEqual(site.subjects().last, "Votre code de connexion à Latchwork")
        await site.close()
    }

    @Test(.tags(.factorCodeReplay)) func `A mailed code is for its browser, for five tries and for ten minutes`()
        async throws
    {
        let site = try await site { $0.loginLimitPerMinute = 100 }
        var agent = UserAgent(site)
        let page = try await asked(&agent)
        let code = try #require(await site.mailedCode(to: Self.email))
        var other = UserAgent(site)
        try await expectEqual(other.submit(page, [("code", code)]).title, "Sign in")
        for _ in 0..<4 { try await expectEqual(agent.submit(page, [("code", "1234 5678")]).title, "Check your email") }
        let ended = try await agent.submit(page, [("code", "1234 5678")])
        #expect(ended.title == "Sign in with a code" && ended.text.contains("This code has expired"))
        try await expectEqual(agent.submit(page, [("code", code)]).title, "Sign in with a code")
        let again = try await agent.submit(ended, [("email", Self.email)])
        let next = try #require(await site.mailedCode(to: Self.email))
        site.clock.advance(by: 601)
        try await expectEqual(agent.submit(again, [("code", next)]).title, "Sign in with a code")
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: [true, false])
    func `An account whose owner has proved nothing gets a link for a new password, and no code signs in to it`(
        isVerified: Bool
    ) async throws {
        let site = try await site()
        try await site.signUp("eve@example.com", isVerified: isVerified)
        if isVerified {
            // As a link without a proof verified it.
            _ = try await site.identity.services.store.update(
                "UPDATE account SET owner_proved_at = NULL WHERE email_key = $1", [.text("eve@example.com")]
            ) { _ in }
        }
        _ = await site.mailedToken(to: "eve@example.com")
        var agent = UserAgent(site)
        let page = try await asked(for: "eve@example.com", &agent)
        await expectEqual(site.subjects(to: "eve@example.com").last, "Reset your password for Latchwork")
        let token = try #require(await site.mailedToken(to: "eve@example.com"))
        let id = try #require(
            try await site.identity.services.store.first("SELECT id FROM address_challenge", []) {
                row throws(IdentityError) in try row.text(0)
            })
        let right = MailedTokens(pepper: site.identity.services.pepper).code(of: id)
        try await expectEqual(agent.submit(page, [("code", right)]).title, "Sign in with a code")
        try await expectEqual(site.post("/reset", form: "token=\(token)&password=Another+456%21").status, 200)
        await site.close()
    }

    @Test func `A mailed code is not a second factor, and opens no suspended account`() async throws {
        let site = try await site()
        let account = try #require(try await site.identity.administration.account(email: Self.email))
        let bearer = try await site.bearer(try await site.logIn().access)
        let factor = AuthenticatorApp(try await site.identity.secondFactors.enroll(bearer))
        try await site.identity.secondFactors.confirm(factor.code(at: site.clock.now), bearer, from: .tests)
        var agent = UserAgent(site)
        let page = try await asked(&agent)
        let code = try #require(await site.mailedCode(to: Self.email))
        let challenged = try await agent.submit(page, [("code", code)])
        expectEqual(challenged.title, "Enter your code")
        _ = try await site.identity.administration.setStatus(of: account.id, to: .suspended, by: nil, because: "")
        let before = await site.subjects().count
        let late = try await asked(&agent)
        #expect(late.title == "Check your email")
        await expectEqual(site.subjects().count, before)
        await site.close()
    }

    @Test func `No page offers or takes a mailed code if the operator does not want it`() async throws {
        let site = try await site { $0.signInCodes = false }
        var agent = UserAgent(site)
        let page = try await agent.get(app.path())
        #expect(!page.text.contains("mailed-code"))
        try await expectEqual(
            agent.submit(page, [("name", Self.email), ("mailed-code", "yes")]).title, "Sign in")
        await expectNil(site.mailedCode(to: Self.email))
        await site.close()
    }
}
