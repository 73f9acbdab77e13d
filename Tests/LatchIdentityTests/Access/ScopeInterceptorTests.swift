// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct ScopeInterceptorTests {
    /// A router beside the server's, as an app that embeds the server has one.
    private func router(_ identity: Identity, requiring scopes: Scopes) -> Router {
        var router = Router()
        router.group(
            prefix: "/media", interceptors: [identity.errorInterceptor, identity.requiring(scopes)]
        ) { media in
            media.post("/{id}") { request in
                let bearer = try #require(request.principal)
                return HTTPResponse(
                    status: .ok, body: HTTPBody("\(bearer.accountID ?? "") \(bearer.clientID) \(bearer.scopes.text)"))
            }
        }
        return router
    }

    private func post(_ router: Router, bearer: String?) async throws -> Response {
        let request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1", path: "/media/1",
            fields: bearer.map { [.authorization: "Bearer \($0)"] } ?? [:])
        return Response(try await router.respond(to: request))
    }

    @Test func `Custom routes behind scopes know the user and the purpose`() async throws {
        let site = try await Site()
        let account = try await site.signUp()
        let router = router(site.identity, requiring: Scopes(parsing: "files:read"))
        let login = try await site.passwordGrant(scope: "files:write widgets:read")
        let answer = try await post(router, bearer: login.accessToken)
        expectEqual(answer.status, 200)
        expectEqual(answer.text, "\(account.id) first-party files:write widgets:read")
    }

    @Test
    func `Custom routes behind scopes can require several scopes at once, and name them (seed 004)`() async throws {
        let site = try await Site()
        try await site.signUp()
        let router = router(site.identity, requiring: Scopes(parsing: "widgets:write files:write"))
        let half = try await post(router, bearer: try await site.passwordGrant(scope: "widgets:delete").accessToken)
        expectEqual(half.status, 403)
        expectEqual(half.json["required_scopes"], ["widgets:write", "files:write"])
        expectEqual(half.json["provided_scopes"], ["widgets:delete"])
        expectEqual(
            half.field(.wwwAuthenticate), #"Bearer error="insufficient_scope", scope="widgets:write files:write""#)
        let both = try await site.passwordGrant(scope: "widgets:delete files:write")
        try await expectEqual(post(router, bearer: both.accessToken).status, 200)
    }

    @Test func `Custom routes behind scopes can require only a token`() async throws {
        let site = try await Site { $0.defaultScopes = [] }
        try await site.signUp()
        let router = router(site.identity, requiring: [])
        try await expectEqual(post(router, bearer: nil).status, 401)
        try await expectEqual(post(router, bearer: try await site.passwordGrant().accessToken).status, 200)
    }

    @Test
    func `Custom routes behind scopes refuse a token that is revoked, expired, foreign or of another kind`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let router = router(site.identity, requiring: [])
        let revoked = try await site.passwordGrant()
        _ = try await site.form("/oauth/revoke", ["token": revoked.refreshToken])
        let login = try await site.passwordGrant()
        let other = try await Site()
        try await other.signUp()
        let foreign = try await other.passwordGrant()
        for token in [revoked.accessToken, foreign.accessToken, login.refreshToken, login.accessToken + "x", ""] {
            try await expectEqual(post(router, bearer: token).status, 401)
        }
        try await expectEqual(post(router, bearer: login.accessToken).status, 200)
        site.clock.advance(by: 900)
        try await expectEqual(post(router, bearer: login.accessToken).status, 401)
    }

    @Test(.tags(.realServer))
    func `Custom routes behind scopes end a token at its exact second, however the clock is set`() async throws {
        let site = try await Site()
        try await site.signUp()
        let router = router(site.identity, requiring: [])
        let login = try await site.passwordGrant()
        site.clock.advance(by: 899)
        try await expectEqual(post(router, bearer: login.accessToken).status, 200)
        site.clock.advance(by: 1)
        try await expectEqual(post(router, bearer: login.accessToken).status, 401)
        site.clock.advance(by: -1)
        try await expectEqual(post(router, bearer: login.accessToken).status, 200)
        // The renewal of a client whose server's clock was set back by an hour goes on as well.
        site.clock.advance(by: -3600)
        let next = try await site.refreshGrant(login.refreshToken)
        expectEqual(next.status, 200)
        expectEqual(next.number("expires_in"), 900)
        try await expectEqual(post(router, bearer: next.accessToken).status, 200)
        try await expectEqual(site.refreshGrant(login.refreshToken).refreshToken, next.refreshToken)
    }
}
