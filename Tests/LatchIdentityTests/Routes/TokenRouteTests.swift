// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct TokenRouteTests {
    @Test(.tags(.realServer, .responseCaching), arguments: Way.allCases)
    func `The token route gives the documented response of seed 004 for a password`(way: Way) async throws {
        let site = try await Site(way)
        let account = try await site.signUp()
        let answer = try await site.passwordGrant(scope: "widgets:read widgets:write projects:read")
        expectEqual(answer.status, 200)
        expectEqual(answer.field(.cacheControl), "no-store")
        expectEqual(answer.field("Pragma"), "no-cache")
        expectNil(answer.field(.setCookie))
        expectEqual(answer.string("token_type"), "Bearer")
        expectEqual(answer.number("expires_in"), 900)
        expectEqual(answer.string("scope"), "widgets:read widgets:write projects:read")
        expectEqual(answer.string("user_id"), account.id)
        #expect(answer.refreshToken.hasPrefix("lr1."))
        let claims = try JWT(unverified: answer.accessToken).claims
        expectEqual(claims.string("scope"), "widgets:read widgets:write projects:read")
        expectEqual(claims.string("client_id"), "first-party")
        expectEqual(claims.subject, account.id)
        try await expectEqual(site.get("/user/profile", bearer: answer.accessToken).status, 200)
        try await expectEqual(site.metric(#"latch_tokens_issued_total{grant="password"}"#), 1)
        try await expectEqual(site.metric(#"latch_logins_total{result="success"}"#), 1)
        await site.close()
    }

    @Test(.tags(.realServer), arguments: Way.allCases)
    func `The token route rotates the refresh token, by the form and by seed 004's JSON`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.passwordGrant(scope: "files:read")
        let next = try await site.refreshGrant(login.refreshToken)
        expectEqual(next.status, 200)
        expectNotEqual(next.refreshToken, login.refreshToken)
        expectEqual(next.string("scope"), "files:read")
        expectEqual(next.string("user_id"), login.string("user_id"))
        let last = try await site.post("/oauth/token/refresh", ["refresh_token": .string(next.refreshToken)])
        expectEqual(last.status, 200)
        expectNotEqual(last.refreshToken, next.refreshToken)
        expectEqual(last.string("scope"), "files:read")
        try await expectEqual(site.get("/files", bearer: last.accessToken).status, 200)
        try await expectEqual(site.metric(#"latch_tokens_issued_total{grant="refresh_token"}"#), 2)
        await site.close()
    }

    @Test(.tags(.realServer, .refreshReuse), arguments: Way.allCases)
    func `The token route takes a reused token for theft, and ends the family with its access tokens`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.passwordGrant()
        let next = try await site.refreshGrant(login.refreshToken)
        site.clock.advance(by: 31)
        let reuse = try await site.refreshGrant(login.refreshToken)
        expectEqual(reuse.status, 400)
        expectEqual(reuse.oauthError, "invalid_grant")
        expectEqual(reuse.errorCode, "INVALID_REFRESH_TOKEN")
        // C6: the successor died with it.
        try await expectEqual(site.refreshGrant(next.refreshToken).status, 400)
        try await expectEqual(site.get("/widgets", bearer: next.accessToken).status, 401)
        try await expectEqual(site.get("/widgets", bearer: login.accessToken).status, 401)
        try await expectEqual(site.metric("latch_families_revoked_total"), 1)
        try await expectEqual(site.metric(#"latch_token_replays_total{outcome="revoked"}"#), 1)
        await site.close()
    }

    @Test(.tags(.parallelRefresh), arguments: Way.allCases)
    func `The token route gives one successor to 16 parallel renewals of one token`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.passwordGrant()
        let answers = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try await site.refreshGrant(login.refreshToken) } }
            return try await group.reduce(into: [Response]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        expectEqual(Set(answers.map(\.refreshToken)).count, 1)
        await site.close()
    }

    @Test(.tags(.lateParent))
    func `The token route refuses a parent after the grace, and answers it again within`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        let next = try await site.refreshGrant(login.refreshToken)
        site.clock.advance(by: 29)
        try await expectEqual(site.refreshGrant(login.refreshToken).refreshToken, next.refreshToken)
        site.clock.advance(by: 2)
        try await expectEqual(site.refreshGrant(login.refreshToken).oauthError, "invalid_grant")
    }

    @Test(.tags(.lateParent))
    func `The token route answers a repeat under its Idempotency-Key long after the grace`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        let next = try await site.refreshGrant(login.refreshToken, fields: [.idempotencyKey: "k1"])
        site.clock.advance(by: 3600)
        let again = try await site.refreshGrant(login.refreshToken, fields: [.idempotencyKey: "k1"])
        expectEqual(again.refreshToken, next.refreshToken)
    }

    @Test(.tags(.grandparentToken))
    func `The token route takes a grandparent for theft, also within the grace`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        let child = try await site.refreshGrant(login.refreshToken)
        let grandchild = try await site.refreshGrant(child.refreshToken)
        try await expectEqual(site.refreshGrant(login.refreshToken).oauthError, "invalid_grant")
        try await expectEqual(site.refreshGrant(grandchild.refreshToken).oauthError, "invalid_grant")
    }
}
