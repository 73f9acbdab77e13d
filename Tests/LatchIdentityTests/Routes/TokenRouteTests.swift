// SPDX-License-Identifier: Apache-2.0

import Foundation
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
        #expect(answer.status == 200)
        #expect(answer.field(.cacheControl) == "no-store")
        #expect(answer.field("Pragma") == "no-cache")
        #expect(answer.field(.setCookie) == nil)
        #expect(answer.string("token_type") == "Bearer")
        #expect(answer.number("expires_in") == 900)
        #expect(answer.string("scope") == "widgets:read widgets:write projects:read")
        #expect(answer.string("user_id") == account.id)
        #expect(answer.refreshToken.hasPrefix("lr1."))
        let claims = try JWT(unverified: answer.accessToken).claims
        #expect(claims.string("scope") == "widgets:read widgets:write projects:read")
        #expect(claims.string("client_id") == "first-party")
        #expect(claims.subject == account.id)
        #expect(try await site.get("/user/profile", bearer: answer.accessToken).status == 200)
        #expect(try await site.metric(#"latch_tokens_issued_total{grant="password"}"#) == 1)
        #expect(try await site.metric(#"latch_logins_total{result="success"}"#) == 1)
        await site.close()
    }

    @Test(.tags(.realServer), arguments: Way.allCases)
    func `The token route rotates the refresh token, by the form and by seed 004's JSON`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.passwordGrant(scope: "files:read")
        let next = try await site.refreshGrant(login.refreshToken)
        #expect(next.status == 200)
        #expect(next.refreshToken != login.refreshToken)
        #expect(next.string("scope") == "files:read")
        #expect(next.string("user_id") == login.string("user_id"))
        let last = try await site.post("/oauth/token/refresh", ["refresh_token": .string(next.refreshToken)])
        #expect(last.status == 200)
        #expect(last.refreshToken != next.refreshToken)
        #expect(last.string("scope") == "files:read")
        #expect(try await site.get("/files", bearer: last.accessToken).status == 200)
        #expect(try await site.metric(#"latch_tokens_issued_total{grant="refresh_token"}"#) == 2)
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
        #expect(reuse.status == 400)
        #expect(reuse.oauthError == "invalid_grant")
        #expect(reuse.errorCode == "INVALID_REFRESH_TOKEN")
        // C6: the successor died with it.
        #expect(try await site.refreshGrant(next.refreshToken).status == 400)
        #expect(try await site.get("/widgets", bearer: next.accessToken).status == 401)
        #expect(try await site.get("/widgets", bearer: login.accessToken).status == 401)
        #expect(try await site.metric("latch_families_revoked_total") == 1)
        #expect(try await site.metric(#"latch_token_replays_total{outcome="revoked"}"#) == 1)
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
        #expect(Set(answers.map(\.refreshToken)).count == 1)
        await site.close()
    }

    @Test(.tags(.lateParent))
    func `The token route refuses a parent after the grace, and answers it again within`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        let next = try await site.refreshGrant(login.refreshToken)
        site.clock.advance(by: 29)
        #expect(try await site.refreshGrant(login.refreshToken).refreshToken == next.refreshToken)
        site.clock.advance(by: 2)
        #expect(try await site.refreshGrant(login.refreshToken).oauthError == "invalid_grant")
    }

    @Test(.tags(.lateParent))
    func `The token route answers a repeat under its Idempotency-Key long after the grace`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        let next = try await site.refreshGrant(login.refreshToken, fields: [.idempotencyKey: "k1"])
        site.clock.advance(by: 3600)
        let again = try await site.refreshGrant(login.refreshToken, fields: [.idempotencyKey: "k1"])
        #expect(again.refreshToken == next.refreshToken)
    }

    @Test(.tags(.grandparentToken))
    func `The token route takes a grandparent for theft, also within the grace`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        let child = try await site.refreshGrant(login.refreshToken)
        let grandchild = try await site.refreshGrant(child.refreshToken)
        #expect(try await site.refreshGrant(login.refreshToken).oauthError == "invalid_grant")
        #expect(try await site.refreshGrant(grandchild.refreshToken).oauthError == "invalid_grant")
    }
}
