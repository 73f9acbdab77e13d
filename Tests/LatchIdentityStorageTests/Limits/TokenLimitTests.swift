// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

@Suite struct TokenLimitTests {
    private func revoke(_ site: Site, from address: String) async throws -> Response {
        var request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:8080", path: "/oauth/revoke",
            fields: [
                .contentType: "application/x-www-form-urlencoded",
                "X-Forwarded-For": "203.0.113.\(Int.random(in: 1...9))",
            ], body: HTTPBody("token=x"))
        request.context[RemoteAddress.self] = address
        return Response(try await site.identity.handler.respond(to: request))
    }

    @Test(.tags(.realServer), arguments: Way.allCases)
    func `Too many token requests are refused with 429, and every earlier answer has the remaining number`(way: Way)
        async throws
    {
        let site = try await Site(way) { $0.tokenLimitPerMinute = 3 }
        try await site.signUp()
        let first = try await site.passwordGrant()
        expectEqual(first.status, 200)
        expectEqual(first.field("RateLimit-Policy"), #""token";q=3;w=60"#)
        expectEqual(first.field("RateLimit"), #""token";r=2;t=20"#)
        expectEqual(first.field("X-RateLimit-Limit"), "3")
        expectEqual(first.field("X-RateLimit-Remaining"), "2")
        expectEqual(first.field("X-RateLimit-Reset"), "2052460820")
        try await expectEqual(site.refreshGrant("nonsense").field("RateLimit"), #""token";r=1;t=40"#)
        try await expectEqual(site.form("/oauth/revoke", ["token": "x"]).field("X-RateLimit-Remaining"), "0")
        for path in ["/oauth/token", "/oauth/token/refresh", "/oauth/revoke", "/auth/login", "/auth/signup"] {
            let refused = try await site.post(path, ["refresh_token": .string(first.refreshToken)])
            expectEqual(refused.status, 429)
            expectEqual(refused.field(.retryAfter), "20")
            expectEqual(refused.field("RateLimit"), #""token";r=0;t=20"#)
            expectEqual(refused.field("X-RateLimit-Remaining"), "0")
            expectEqual(refused.errorCode, "RATE_LIMIT_EXCEEDED")
            expectEqual(refused.number("retry_after"), 20)
            #expect(!refused.string("detail").isEmpty)
        }
        // No answer of theirs has used anything up: the token is as good as it was.
        site.clock.advance(by: 20)
        try await expectEqual(site.refreshGrant(first.refreshToken).status, 200)
        await site.close()
    }

    @Test(.tags(.loginLimits))
    func `Too many token requests are counted by network, and not by a claim of the request`() async throws {
        let site = try await Site { $0.tokenLimitPerMinute = 2 }
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(try await revoke(site, from: "192.0.2.1").status) }
        expectEqual(statuses, [200, 200, 429, 429])
        try await expectEqual(revoke(site, from: "192.0.2.2").status, 200)
        statuses = []
        for number in 0..<4 { statuses.append(try await revoke(site, from: "2001:db8:0:7::\(number)").status) }
        expectEqual(statuses, [200, 200, 429, 429])
    }

    @Test(.tags(.loginLimits))
    func `Too many token requests of one account are counted together, and its tokens stay good`() async throws {
        let site = try await Site { $0.refreshLimitPerMinute = 4 }
        try await site.signUp()
        try await site.signUp("eve@example.com")
        var (one, two) = (try await site.passwordGrant().refreshToken, try await site.passwordGrant().refreshToken)
        for _ in 0..<2 {
            one = try await site.refreshGrant(one).refreshToken
            two = try await site.refreshGrant(two).refreshToken
        }
        let refused = try await site.refreshGrant(one)
        expectEqual(refused.status, 429)
        expectEqual(refused.field("RateLimit"), #""refresh";r=0;t=15"#)
        expectEqual(refused.errorCode, "RATE_LIMIT_EXCEEDED")
        try await expectEqual(site.renew(two).status, 429)
        let eve = try await site.passwordGrant("eve@example.com")
        try await expectEqual(site.refreshGrant(eve.refreshToken).status, 200)
        site.clock.advance(by: 60)
        try await expectEqual(site.refreshGrant(one).status, 200)
        try await expectEqual(site.refreshGrant(two).status, 200)
    }

    @Test(.tags(.loginLimits)) func `Too many token requests of one device are limited more than those of its account`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let first = try await site.passwordGrant().refreshToken
        var token = first
        for _ in 0..<60 { token = try await site.refreshGrant(token).refreshToken }
        let refused = try await site.refreshGrant(token)
        expectEqual(refused.status, 429)
        expectEqual(refused.field("RateLimit"), #""device-refresh";r=0;t=1"#)
        // The account's other devices have limits of their own.
        try await expectEqual(site.refreshGrant(try await site.passwordGrant().refreshToken).status, 200)
        site.clock.advance(by: 1)
        token = try await site.refreshGrant(token).refreshToken
        // A copy is noticed all the same: its thief could put that off by refreshing without a pause.
        try await expectEqual(site.refreshGrant(first).oauthError, "invalid_grant")
        site.clock.advance(by: 60)
        try await expectEqual(site.refreshGrant(token).oauthError, "invalid_grant")
    }

    @Test(.tags(.loginLimits))
    func `A device over its limit hides no copied token from a node that lacks the newest one`()
        async throws
    {
        let one = try await Site { $0.refreshLimitPerMinute = 100 }
        let two = try await Site(in: one.folder)
        try await one.signUp()
        var token = try await one.passwordGrant().refreshToken
        for _ in 0..<10 { token = try await one.refreshGrant(token).refreshToken }
        let copy = token
        try await expectEqual(one.refreshGrant(copy).status, 429)
        for _ in 0..<2 { token = try await two.refreshGrant(token).refreshToken }
        try await expectEqual(one.refreshGrant(copy).oauthError, "invalid_grant")
        try await expectEqual(two.refreshGrant(token).oauthError, "invalid_grant")
    }

    @Test(.tags(.lockoutDenial))
    func `Requests with a revoked token use up nothing of the account's limit`() async throws {
        let site = try await Site { $0.refreshLimitPerMinute = 2 }
        try await site.signUp()
        let (dead, living) = (try await site.passwordGrant(), try await site.passwordGrant())
        _ = try await site.form("/oauth/revoke", ["token": dead.refreshToken])
        for _ in 0..<5 { try await expectEqual(site.refreshGrant(dead.refreshToken).oauthError, "invalid_grant") }
        try await expectEqual(site.refreshGrant(living.refreshToken).status, 200)
    }

    @Test func `Requests that issue no tokens do not count against the token limit`() async throws {
        let site = try await Site { $0.tokenLimitPerMinute = 1 }
        try await site.signUp()
        let login = try await site.passwordGrant()
        for _ in 0..<5 {
            let answer = try await site.get("/user/profile", bearer: login.accessToken)
            expectEqual(answer.status, 200)
            expectEqual(answer.field("RateLimit")?.hasPrefix("\"request\";"), true)
        }
    }
}
