// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct FirstAdministratorTests {
    /// The path of the link of an empty server.
    private func link(_ site: Site) async throws -> String {
        let link = try #require(try await site.identity.firstAdministratorLink())
        return String(link.dropFirst(Site.issuer.count))
    }

    private func create(_ agent: inout UserAgent, _ page: Response, _ email: String = "root@example.com") async throws
        -> Response
    {
        try await agent.submit(page, [("email", email), ("password", Site.password), ("name", "Root")])
    }

    @Test(.tags(.adminAuthorization))
    func `The link of an empty server makes its first administrator, once`() async throws {
        let site = try await Site { $0.issuer = Site.issuer }
        let path = try await link(site)
        var (agent, other) = (UserAgent(site), UserAgent(site))
        let page = try await agent.get(path)
        let second = try await other.get(path)
        expectEqual(page.title, "Set up the administrator account")
        let weak = try await agent.submit(page, [("email", "root@example.com"), ("password", "12345678")])
        expectEqual(weak.status, 400)
        try await expectEqual(create(&agent, page).location, "/admin")
        let full = try #require(try await site.identity.administration.find("root@example.com"))
        #expect(full.account.role == .superAdmin && full.account.emailVerifiedAt != nil)
        try await expectEqual(agent.get("/admin").title, "Administration requires a second factor")
        let setup = try await agent.submit(try await agent.get("/account/factor"))
        let secret = setup.between("<code>", "</code>").replacing(" ", with: "")
        let app = AuthenticatorApp(SecondFactorService.Setup(secret: secret, uri: "", recoveryCodes: []))
        _ = try await agent.submit(setup, [("code", app.code(at: site.clock.now))])
        try await expectEqual(agent.get("/admin").title, "Administration")
        // It works once, and a server with accounts has none.
        for answer in [try await create(&other, second, "eve@example.com"), try await other.get(path)] {
            expectEqual(answer.title, "This link no longer works")
        }
        try await expectNil(site.identity.firstAdministratorLink())
        try await expectNil(site.identity.administration.find("eve@example.com"))
        await site.close()
    }

    @Test func `The first administrator of a server without passwords chooses none, and signs in again`() async throws {
        let site = try await Site {
            $0.issuer = Site.issuer
            $0.signInWays = [.code, .passkey]
        }
        var agent = UserAgent(site)
        let page = try await agent.get(try await link(site))
        #expect(page.status == 200 && !page.text.contains(#"name="password""#))
        let created = try await agent.submit(page, [("email", CodeApp.ada), ("name", "Root")])
        expectEqual(created.location, "/account")
        let account = try await agent.get("/account")
        #expect(account.status == 200 && account.text.contains("passkey"))
        try await expectNil(site.identity.administration.account(email: CodeApp.ada)?.passwordHash)
        let app = CodeApp(site: site)
        let asked = try await app.asked()
        try await expectEqual(app.send(asked.code, asked.challenge).status, 200)
        await site.close()
    }

    @Test(.tags(.adminAuthorization))
    func `A link to the first administrator works for a day, and only with its own token`() async throws {
        let site = try await Site { $0.issuer = Site.issuer }
        let path = try await link(site)
        var agent = UserAgent(site)
        let end = try #require(path.firstMatch(of: /token=([0-9]+)/)?.1)
        let later = path.replacing(String(end), with: "\((Int(end) ?? 0) + 60)")
        for wrong in ["/admin/first", "/admin/first?token=", "/admin/first?token=x.y", later, String(path.dropLast())] {
            try await expectEqual(agent.get(wrong).title, "This link no longer works", "\(wrong)")
        }
        // Another user may sign up first. The operator's link works nevertheless.
        try await site.signUp("eve@example.com")
        #expect(try await site.identity.firstAdministratorLink() != nil)
        let page = try await agent.get(path)
        try await expectEqual(create(&agent, page, "eve@example.com").status, 409)
        site.clock.advance(by: 86_401)
        try await expectEqual(create(&agent, page).title, "This link no longer works")
        await site.close()
    }
}
