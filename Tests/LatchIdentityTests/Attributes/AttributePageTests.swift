// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The attributes on the pages of users and administrators.
@Suite struct AttributePageTests {
    private static let path = "/account/attributes"

    private func site() async throws -> Site { try await Site.authorizing(change: Attributes.set) }

    private func signedIn(_ site: Site, _ path: String = "/account") async throws -> UserAgent {
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get(path))
        return agent
    }

    @Test(.tags(.objectAccess)) func `A user sees the own attributes, and nothing of administrators`() async throws {
        let site = try await site()
        _ = try await site.store([
            "department": "R&D", "note": ["<b>": 1], "risk": "secret-1", "source": "secret-2", "old": "secret-3",
            "teams": ["red", "blue"],
        ])
        var agent = try await signedIn(site)
        let page = try await agent.get("/account")
        #expect(page.text.contains("R&amp;D") && page.text.contains("&lt;b&gt;"))
        #expect(page.text.contains("red, blue") && page.text.contains("Not set"))
        #expect(!page.text.contains("secret") && !page.text.contains("risk") && !page.text.contains("<b>"))
        let form = try await agent.get(Self.path)
        for name in ["nickname", "seats", "newsletter"] { #expect(form.text.contains("attribute_\(name)")) }
        for name in ["department", "teams", "note", "risk", "source", "old", "company"] {
            #expect(!form.text.contains("attribute_\(name)"))
        }
        await site.close()
    }

    @Test func `A user changes texts, numbers and flags on a page`() async throws {
        let site = try await site()
        var agent = try await signedIn(site)
        let form = try await agent.get(Self.path)
        let fields = [("attribute_nickname", " Ada "), ("attribute_seats", "12.5"), ("attribute_newsletter", "true")]
        let done = try await agent.submit(form, fields)
        #expect(done.status == 200 && done.text.contains("Your profile is saved."), "\(done.text)")
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(account.attributes, ["nickname": "Ada", "seats": 12.5, "newsletter": true])
        try await expectEqual(site.audited("account.attributes")?.detail, "newsletter nickname seats")
        let again = try await agent.get(Self.path)
        #expect(again.text.contains(#"value="12.5""#) && again.text.contains(#"<option value="true" selected>"#))
        let cleared = try await agent.submit(
            again, [("attribute_nickname", ""), ("attribute_seats", "12.5"), ("attribute_newsletter", "")])
        expectEqual(cleared.status, 200)
        let later = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(later.attributes, ["seats": 12.5])
        await site.close()
    }

    @Test(.tags(.massAssignment))
    func `A page with attributes takes no value of another form, and none that is not the user's`() async throws {
        let site = try await site()
        var agent = try await signedIn(site)
        let form = try await agent.get(Self.path)
        for (name, text) in [("seats", "many"), ("newsletter", "maybe"), ("nickname", "a\u{202E}b")] {
            let refused = try await agent.submit(form, [("attribute_\(name)", text)])
            #expect(refused.status == 400 && refused.text.contains("Check \(name)."), "\(refused.text)")
        }
        let others = ["department", "risk", "source", "old"].map { ("attribute_\($0)", "Sales") }
        try await expectEqual(agent.submit(form, others).status, 200)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(account.attributes, [:])
        await site.close()
    }

    @Test func `The page with attributes leads to the account if there are none to change`() async throws {
        let site = try await Site.authorizing()
        var agent = try await signedIn(site)
        try await expectEqual(agent.get(Self.path).location, "/account")
        await site.close()
    }

    @Test func `Administrators see all attributes of an account, with what users do not see`() async throws {
        let site = try await Site.authorizing {
            Attributes.set(&$0)
            $0.issuer = Site.issuer
        }
        let eve = try await site.signUp("eve@example.com")
        _ = try await site.store(
            ["risk": ["score": 7], "old": "x", "newsletter": false], of: "eve@example.com")
        let full = try #require(try await site.identity.services.store.fullAccount(id: eve.id))
        expectEqual(full.account.attributes.count, 3)
        let id = try #require(try await site.accountID("ada@example.com"))
        _ = try await site.identity.administration.setRole(of: id, to: .admin)
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(user.register().status, 201)
        var agent = UserAgent(site)
        let signIn = try await agent.get("/admin")
        let signed = String(decoding: try await user.assertion().serialized(), as: UTF8.self)
        _ = try await agent.submit(signIn, [("credential", signed)])
        let page = try await agent.get("/admin/users/\(eve.id)")
        #expect(page.text.contains("Attributes") && page.text.contains("administrators only"), "\(page.text)")
        #expect(page.text.contains("not in the settings") && page.text.contains("score"))
        await site.close()
    }
}
