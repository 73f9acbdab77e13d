// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The setting `signup`, in every way to create an account.
@Suite struct SignUpSettingTests {
    private func register(_ site: Site, _ email: String) async throws -> Response {
        try await site.post(
            "/api/auth/clients/register", ["email": .string(email), "password": .string(Site.password), "name": "Eve"])
    }

    @Test(arguments: [IdentityConfiguration.SignUpAccess.invitation, .closed])
    func `A server without sign-ups offers none, and takes none from apps`(
        access: IdentityConfiguration.SignUpAccess
    ) async throws {
        let site = try await Site.authorizing { $0.signUp = access }
        var agent = UserAgent(site)
        let app = SignInApp()
        try await expectEqual(agent.get("/signup").title, "Accounts are created by invitation only")
        #expect(try await !agent.get(app.path()).text.contains("Create an account"))
        try await expectEqual(agent.get(app.path(["prompt": "create"])).parameters["error"], "invalid_request")
        let metadata = try await site.get("/.well-known/openid-configuration").json
        expectEqual(metadata["prompt_values_supported"], ["none", "login", "consent", "select_account"])
        let refused = try await register(site, "eve@example.com")
        #expect(refused.status == 403 && refused.string("code") == "signUpClosed")
        try await expectNil(site.identity.administration.account(email: "eve@example.com"))
        await site.close()
    }

    @Test func `A server of domains takes only their addresses, with a reason on the page`() async throws {
        let site = try await Site.authorizing {
            ($0.signUp, $0.signUpDomains) = (.domains, ["Example.com"])
        }
        try await expectEqual(register(site, "eve@other.example").string("code"), "signUpDomain")
        try await expectEqual(register(site, "eve@sub.example.com").string("code"), "signUpDomain")
        try await expectEqual(register(site, "eve@EXAMPLE.com").status, 201)
        // An address of the domain means nothing before it is verified.
        let login = try await site.post(
            "/api/auth/clients/login", ["email": "eve@example.com", "password": .string(Site.password)])
        expectEqual(login.status, 403)
        var agent = UserAgent(site)
        let page = try await agent.submit(try await agent.get("/signup"), [("email", "bob@other.example")])
        #expect(page.status == 403 && page.text.contains("This address cannot have an account here"))
        await expectEqual(site.subjects(to: "bob@other.example"), [])
        await site.close()
    }

    @Test func `An open server lists the prompt of a sign-up`() async throws {
        let site = try await Site()
        let metadata = try await site.get("/.well-known/openid-configuration").json
        expectEqual(metadata["prompt_values_supported"]?.arrayValue?.contains("create"), true)
        await site.close()
    }
}
