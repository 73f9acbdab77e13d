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

@Suite struct ScopeGrantTests {
    private static let standard = "widgets:read widgets:write projects:read projects:write files:read"

    private func claims(_ answer: Response) throws -> String? {
        try JWT(unverified: answer.accessToken).claims.string("scope")
    }

    @Test
    func `The scope of a token is never more than the account can have, whatever the app requests (seed 004)`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let all = site.identity.services.scopePolicy.known.text
        let answer = try await site.passwordGrant(scope: all + " planets:admin")
        expectEqual(answer.status, 200)
        expectEqual(
            answer.string("scope"),
            """
            widgets:read widgets:write widgets:delete projects:read projects:write projects:delete \
            files:read files:write files:delete
            """)
        try expectEqual(claims(answer), answer.string("scope"))
        try await expectEqual(site.passwordGrant(scope: "widgets:admin").oauthError, "invalid_scope")
    }

    @Test func `The scope of a token without a request is the documented one`() async throws {
        let site = try await Site()
        try await site.signUp()
        for scope in [nil, "", "   "] {
            let answer = try await site.passwordGrant(scope: scope)
            expectEqual(answer.string("scope"), Self.standard)
        }
        try expectEqual(JWT(unverified: try await site.logIn().access).claims.string("scope"), Self.standard)
    }

    @Test func `The scope of a token has each scope once, in the requested order`() async throws {
        let site = try await Site()
        try await site.signUp()
        let answer = try await site.passwordGrant(scope: " files:read  widgets:read files:read ")
        expectEqual(answer.string("scope"), "files:read widgets:read")
    }

    @Test
    func `The scope of a token holds an admin scope only for the role, or for a permission of that name`() async throws
    {
        let site = try await Site()
        try await site.signUp("root@example.com", roles: ["admin"])
        let other = try await site.signUp("other@example.com")
        _ = try await site.identity.administration.setRoles(
            of: other.id, roles: ["editor"], permissions: ["widgets:admin", "reports"])
        let asked = "widgets:admin projects:admin"
        try await expectEqual(site.passwordGrant("root@example.com", scope: asked).string("scope"), asked)
        try await expectEqual(site.passwordGrant("other@example.com", scope: asked).string("scope"), "widgets:admin")
    }

    @Test func `The scope of a token can be of any configured name`() async throws {
        let site = try await Site {
            $0.scopes = Scopes(parsing: "organizations:read user:profile widgets:execute")
            $0.defaultScopes = Scopes(parsing: "user:profile")
        }
        try await site.signUp()
        try await expectEqual(site.passwordGrant().string("scope"), "user:profile")
        let answer = try await site.passwordGrant(scope: "widgets:execute widgets:read organizations:read")
        expectEqual(answer.string("scope"), "widgets:execute organizations:read")
    }

    @Test func `The scope of a token can be empty if none was requested`() async throws {
        let site = try await Site { $0.defaultScopes = [] }
        try await site.signUp()
        let answer = try await site.passwordGrant()
        expectEqual(answer.status, 200)
        expectNil(answer.json["scope"])
        try await expectEqual(site.get("/user/profile", bearer: answer.accessToken).status, 200)
        try await expectEqual(site.get("/widgets", bearer: answer.accessToken).status, 403)
    }

    @Test(.tags(.scopeWidening), arguments: Way.allCases)
    func `The scope of a token is never widened by a renewal, and the attempt costs nothing`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp(roles: ["admin"])
        let login = try await site.passwordGrant(scope: "widgets:write files:read")
        for wider in ["widgets:delete", "widgets:admin", "files:write", "widgets:write projects:read", "planets:read"] {
            let answer = try await site.refreshGrant(login.refreshToken, scope: wider)
            expectEqual(answer.status, 400)
            expectEqual(answer.oauthError, "invalid_scope")
        }
        let json = try await site.post(
            "/oauth/token/refresh", ["refresh_token": .string(login.refreshToken), "scope": "widgets:admin"])
        expectEqual(json.oauthError, "invalid_scope")
        site.clock.advance(by: 60)
        // The token has not been rotated by any of it.
        let next = try await site.refreshGrant(login.refreshToken)
        expectEqual(next.string("scope"), "widgets:write files:read")
        await site.close()
    }

    @Test(.tags(.refreshReuse)) func `The scope of a stolen token hides no theft, however wide it is`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant(scope: "files:read")
        let next = try await site.refreshGrant(login.refreshToken)
        site.clock.advance(by: 31)
        let reuse = try await site.refreshGrant(login.refreshToken, scope: "widgets:admin")
        expectEqual(reuse.oauthError, "invalid_grant")
        try await expectEqual(site.refreshGrant(next.refreshToken).oauthError, "invalid_grant")
        try await expectEqual(site.refreshGrant(next.refreshToken, scope: "widgets:admin").oauthError, "invalid_grant")
    }

    @Test(.tags(.scopeWidening))
    func `The scope of a token is narrowed by a renewal for its access token only`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant(scope: "widgets:write files:read")
        let narrow = try await site.refreshGrant(login.refreshToken, scope: "widgets:read")
        expectEqual(narrow.string("scope"), "widgets:read")
        try expectEqual(claims(narrow), "widgets:read")
        try await expectEqual(site.call(.post, "/widgets", bearer: narrow.accessToken, ["name": "w"]).status, 403)
        // RFC 6749 §6: the scope of the new refresh token is that of the old one.
        let wide = try await site.refreshGrant(narrow.refreshToken)
        expectEqual(wide.string("scope"), "widgets:write files:read")
        try await expectEqual(site.refreshGrant(wide.refreshToken, scope: "files:read").string("scope"), "files:read")
    }

    @Test(.tags(.refreshAfterChange))
    func `The scope of a token loses what the account loses, at once and at the next renewal`() async throws {
        let site = try await Site()
        let account = try await site.signUp(roles: ["admin"])
        let login = try await site.passwordGrant(scope: "widgets:admin widgets:read")
        try await expectEqual(site.get("/widgets/all", bearer: login.accessToken).status, 200)
        _ = try await site.identity.administration.setRoles(of: account.id, roles: [], permissions: [])
        try await expectEqual(site.get("/widgets/all", bearer: login.accessToken).status, 403)
        try await expectEqual(site.get("/widgets", bearer: login.accessToken).status, 200)
        // Asking for what is gone is refused, and does not use the token up.
        let refused = try await site.refreshGrant(login.refreshToken, scope: "widgets:admin")
        expectEqual(refused.oauthError, "invalid_scope")
        site.clock.advance(by: 60)
        let next = try await site.refreshGrant(login.refreshToken)
        expectEqual(next.string("scope"), "widgets:read")
    }

    @Test(.tags(.refreshAfterChange))
    func `The scope of a token ends with the account, the password and the device`() async throws {
        let site = try await Site()
        let account = try await site.signUp()
        let logins = [try await site.passwordGrant(), try await site.passwordGrant(), try await site.passwordGrant()]
        try await expectEqual(site.identity.administration.endSessions(of: account.id, by: nil), 3)
        for login in logins {
            try await expectEqual(site.refreshGrant(login.refreshToken).oauthError, "invalid_grant")
            try await expectEqual(site.get("/files", bearer: login.accessToken).status, 401)
        }
        let last = try await site.passwordGrant()
        _ = try await site.identity.administration.setStatus(of: account.id, to: .disabled)
        try await expectEqual(site.refreshGrant(last.refreshToken).oauthError, "invalid_grant")
        try await expectEqual(site.get("/files", bearer: last.accessToken).status, 401)
    }

    @Test(.tags(.refreshAfterChange)) func `The scope of a token ends with a password that is reset`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let reset = try await site.post(
            "/api/auth/reset-password", ["token": .string(token), "password": "Another456!"])
        expectEqual(reset.status, 200)
        try await expectEqual(site.refreshGrant(login.refreshToken).oauthError, "invalid_grant")
        try await expectEqual(site.get("/files", bearer: login.accessToken).status, 401)
        try await expectEqual(site.passwordGrant().oauthError, "invalid_grant")
        try await expectEqual(site.passwordGrant(password: "Another456!").status, 200)
    }

    @Test
    func `The scope of a token of a login by the routes of seeds 001 and 002 is renewed by any of them`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        let next = try await site.refreshGrant(login.refresh)
        expectEqual(next.string("scope"), Self.standard)
        let last = try await site.post("/auth/refresh", ["refreshToken": .string(next.refreshToken)])
        expectEqual(last.status, 200)
        try await expectEqual(site.renew(last.refresh).status, 200)
    }

    @Test(arguments: [
        String(repeating: "a", count: 5000), "a\u{7F}b", "ümlaut", #"a\b"#, "a\tb",
    ])
    func `The scope of a token is refused if it is invalid`(scope: String) async throws {
        let site = try await Site()
        try await site.signUp()
        try await expectEqual(site.passwordGrant(scope: scope).oauthError, "invalid_scope")
    }
}
