// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PasskeyRecoveryTests {
    private static let email = "ada@example.com"

    /// An account that a stranger has signed up with the owner's address, which the owner's app verifies by the link alone.
    private func verifiedByLinkAlone(_ site: Site) async throws -> String {
        try await site.signUp(isVerified: false)
        let token = try #require(await site.mailedToken())
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(token)]).status, 200)
        try await expectNil(site.identity.administration.account(email: Self.email)?.ownerProvedAt)
        return try await site.logIn().access
    }

    private func resetPassword(_ site: Site) async throws {
        _ = try await site.post("/api/auth/forgot-password", ["email": .string(Self.email)])
        let token = try #require(await site.mailedToken())
        let reset: JSONValue = ["token": .string(token), "password": "Another 456!"]
        try await expectEqual(site.post("/api/auth/reset-password", reset).status, 200)
    }

    private func passkey(_ site: Site, _ access: String) async throws -> PasskeyUser {
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: access)
        try await expectEqual(user.register().status, 201)
        return user
    }

    @Test(.tags(.accountPreHijack))
    func `A passkey that a stranger has set up ends with the owner's reset`() async throws {
        let site = try await Site.withPasskeys { $0.firstAdministrator = Self.email }
        let stranger = try await passkey(site, try await verifiedByLinkAlone(site))
        try await resetPassword(site)
        #expect(try await site.identity.administration.account(email: Self.email)?.ownerProvedAt != nil)
        try await expectEqual(stranger.signIn().status, 401)
        try await expectEqual(site.identity.administration.account(email: Self.email)?.role, .user)
        // The owner's own, from now on, stays with a further reset.
        let owner = try await passkey(site, try await site.logIn(password: "Another 456!").access)
        site.clock.advance(by: 60)
        try await resetPassword(site)
        try await expectEqual(owner.signIn().status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack, .upstreamState))
    func `A link to a provider that a stranger has set up ends with the owner's reset`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let access = try await verifiedByLinkAlone(site)
        let app = UpstreamApp()
        let eve: Claims = ["sub": "eve-1", "email": "eve@example.com", "email_verified": true, "name": "Eve"]
        let code = try await site.linkCode(upstream, app, as: eve)
        try await expectEqual(site.link(code, app, bearer: access).status, 201)
        try await resetPassword(site)
        let account = try #require(try await site.accountID(Self.email))
        #expect(try await site.identity.services.store.links(of: account).isEmpty)
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A way in that a stranger has set up ends with the reset of the address's present owner`() async throws {
        let site = try await Site.withPasskeys()
        try await site.signUp("eve@example.com")
        let eve = try await passkey(site, try await site.logIn("eve@example.com").access)
        try await site.identity.accounts.changeEmail(
            of: try await site.bearer(eve.access), to: Self.email, from: .tests)
        for address in [Self.email, "eve@example.com"] {
            let token = try #require(await site.mailedToken(to: address))
            try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(token)]).status, 200)
        }
        try await resetPassword(site)
        try await expectEqual(eve.signIn().status, 401)
        await site.close()
    }

    @Test
    func `A way in that a stranger has set up is removed by the operator, who need not recognize it`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let id = try #require(try await site.accountID(Self.email))
        try await expectEqual(site.identity.administration.removePasskeys(of: id, because: "case 12"), true)
        try await expectEqual(user.signIn().status, 401)
        try await expectEqual(site.identity.administration.removePasskeys(of: id), false)
        #expect(await site.mailSubjects().contains("Latchwork: A passkey was removed"))
        await site.close()
    }

    @Test(.tags(.hashFlood))
    func `A way in that a stranger has set up is tried within a limit, also of a wider network`() async throws {
        let site = try await Site.withPasskeys { $0.loginLimitPerMinute = 1 }
        let service = site.identity.services.passkeySignIns
        var limited = 0
        for index in 0..<110 {
            let origin = RequestOrigin(address: "2001:db8:7:\(String(index, radix: 16))::1", userAgent: nil)
            if await refusal({ try await service.signIn([:], from: origin) }) == "tooManyAttempts" { limited += 1 }
        }
        expectEqual(limited, 10)
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A way in that a stranger has set up needs a recent authentication, without which nothing is used up`()
        async throws
    {
        let site = try await Site.withPasskeys { $0.recentAuthentication = .seconds(60) }
        try await site.signUp()
        let stolen = try await site.logIn().access
        site.clock.advance(by: 61)
        for _ in 0..<30 {
            let response = try await site.call(.post, "/api/auth/passkeys", bearer: stolen, ["credential": [:]])
            expectEqual(response.status, 400)
        }
        _ = try await passkey(site, try await site.logIn().access)
        await site.close()
    }
}
