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

@Suite struct LoginRouteTests {
    @Test(.tags(.accountLogin, .responseCaching), arguments: Way.allCases)
    func `The login route gives both tokens, their life and a cookie`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let answer = try await site.logIn()
        expectEqual(answer.status, 200)
        expectEqual(answer.field(.contentType), "application/json; charset=utf-8")
        expectEqual(answer.field(.cacheControl), "no-store")
        #expect(answer.field(.requestID) != nil)
        expectEqual(answer.access.split(separator: ".").count, 3)
        #expect(answer.refresh.hasPrefix("lr1."))
        expectEqual(answer.json["expiresIn"]?.intValue, 900)
        expectEqual(
            answer.field(.setCookie),
            "refreshToken=\(answer.refresh); Path=/api/auth; Max-Age=2592000; HttpOnly; SameSite=Strict")
        await site.close()
    }

    @Test(.tags(.backendContract))
    func `The login route marks its cookie Secure when the issuer is https`() async throws {
        let site = try await Site { $0.issuer = "https://id.example.com" }
        try await site.signUp()
        try await expectEqual(site.logIn().field(.setCookie)?.hasSuffix("; SameSite=Strict; Secure"), true)
    }

    @Test func `The login route gives its cookie the path that browsers see, below that of the issuer`() async throws {
        let site = try await Site { $0.issuer = "https://example.com/id/" }
        try await site.signUp()
        try await expectEqual(site.logIn().field(.setCookie)?.contains("; Path=/id/api/auth; "), true)
        await site.close()
    }

    @Test(.tags(.accountLogin))
    func `The login route puts the account into the claims of an access token that its public keys verify`()
        async throws
    {
        let site = try await Site()
        let account = try await site.identity.accounts.signUp(
            email: "Ada@Example.com", password: Site.password, name: "Ada", roles: ["admin", "editor"],
            permissions: ["users:read"])
        let login = try await site.logIn()
        let keys = try KeySet(jwks: try await site.get("/.well-known/jwks.json").response.body.bytes)
        let verifier = JWTVerifier(
            keys: keys, algorithms: [.es256], issuer: "http://127.0.0.1:8080", audience: "http://127.0.0.1:8080",
            type: "at+jwt", clock: site.clock.wallClock())
        let claims = try verifier.verify(login.access)
        expectEqual(claims.subject, account.id)
        expectEqual(claims.string("id"), account.id)
        expectEqual(claims.string("email"), "Ada@Example.com")
        expectEqual(claims.string("name"), "Ada")
        expectEqual(claims.strings("roles"), ["admin", "editor"])
        expectEqual(claims.strings("permissions"), ["users:read"])
        expectEqual(claims.expiry, noon + 900)
        #expect(claims.id != nil)
        expectNil(claims["tenantId"])
        #expect(!(try JSONValue(parsing: try await site.get("/.well-known/jwks.json").text).serialized().isEmpty))
        try await expectEqual(site.get("/.well-known/jwks.json").text.contains(#""d":"#), false)
    }

    @Test(.tags(.accountEnumeration), arguments: Way.allCases)
    func `The login route answers the same for every reason to refuse, unless the password is right`(way: Way)
        async throws
    {
        let site = try await Site(way) { $0.requireVerifiedEmail = true }
        try await site.signUp("right@example.com")
        try await site.signUp("unverified@example.com", isVerified: false)
        let disabled = try await site.signUp("disabled@example.com")
        _ = try await site.identity.administration.setStatus(of: disabled.id, to: .disabled)
        let answers = [
            try await site.logIn("right@example.com", password: "wrong password"),
            try await site.logIn("nobody@example.com"),
            try await site.logIn("unverified@example.com", password: "wrong password"),
            try await site.logIn("disabled@example.com", password: "wrong password"),
            try await site.logIn("not an address"),
            try await site.logIn("right@example.com", password: ""),
        ]
        for answer in answers {
            expectEqual(answer.status, 401)
            expectEqual(answer.response.body, answers[0].response.body)
            expectNil(answer.field(.setCookie))
        }
        expectEqual(answers[0].message, "The email address or the password is wrong.")
        let unverified = try await site.logIn("unverified@example.com")
        #expect(unverified.status == 403 && unverified.string("code") == "emailUnverified")
        let closed = try await site.logIn("disabled@example.com")
        #expect(closed.status == 403 && closed.string("code") == "accountClosed")
        try await expectEqual(site.logIn("right@example.com").status, 200)
        await site.close()
    }

    @Test(.tags(.lookalikeNames))
    func `The login route finds an account regardless of case and of space around its address`()
        async throws
    {
        let site = try await Site()
        try await site.signUp("Ada@Example.com")
        try await expectEqual(site.logIn(" aDA@example.COM\t").status, 200)
    }

    @Test(.tags(.tokenUniqueness))
    func `The login route gives different tokens to logins within one second`() async throws {
        let site = try await Site()
        try await site.signUp()
        let (first, second) = (try await site.logIn(), try await site.logIn())
        expectNotEqual(first.access, second.access)
        expectNotEqual(first.refresh, second.refresh)
    }
}

@Suite struct RefreshRouteTests {
    @Test(.tags(.backendContract), arguments: Way.allCases)
    func `The refresh route rotates the token of the content`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.logIn()
        let answer = try await site.renew(login.refresh)
        expectEqual(answer.status, 200)
        expectEqual(answer.field(.cacheControl), "no-store")
        expectNotEqual(answer.refresh, login.refresh)
        expectNotEqual(answer.access, login.access)
        expectEqual(answer.json["expiresIn"]?.intValue, 900)
        try await expectEqual(site.get("/user/profile", bearer: answer.access).status, 200)
        await site.close()
    }

    @Test(.tags(.backendContract), arguments: Way.allCases)
    func `The refresh route takes the cookie, and gives the next one`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.logIn()
        let answer = try await site.send(
            .post, "/api/auth/refresh-token", fields: [.cookie: "a=b; refreshToken=\(login.refresh)"])
        expectEqual(answer.status, 200)
        expectEqual(answer.field(.setCookie)?.hasPrefix("refreshToken=\(answer.refresh);"), true)
        await site.close()
    }

    @Test(.tags(.refreshReuse), arguments: Way.allCases)
    func `The refresh route takes a reused token for theft and ends the device with its access tokens`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.logIn()
        let next = try await site.renew(login.refresh)
        site.clock.advance(by: 31)
        let reuse = try await site.renew(login.refresh)
        expectEqual(reuse.status, 401)
        expectEqual(reuse.string("code"), "invalidGrant")
        // C6: the successor is dead, too, and so is what it was issued with.
        try await expectEqual(site.renew(next.refresh).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: next.access).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        try await expectEqual(site.metric("latch_families_revoked_total"), 1)
        try await expectEqual(site.metric(#"latch_token_replays_total{outcome="revoked"}"#), 1)
        await site.close()
    }

    @Test(.tags(.parallelRefresh), arguments: Way.allCases)
    func `The refresh route gives one successor to 16 parallel renewals of one token`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.logIn()
        let answers = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try await site.renew(login.refresh) } }
            return try await group.reduce(into: [Response]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        expectEqual(Set(answers.map(\.refresh)).count, 1)
        expectEqual(Set(answers.map(\.access)).count, 16)
        try await expectEqual(site.renew(answers[0].refresh).status, 200)
        try await expectEqual(site.metric(#"latch_token_replays_total{outcome="repeated"}"#), 15)
        await site.close()
    }

    @Test(.tags(.lostRefreshResponse))
    func `The refresh route answers a lost renewal again until the window ends`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        let lost = try await site.renew(login.refresh)
        site.clock.advance(by: 30)
        try await expectEqual(site.renew(login.refresh).refresh, lost.refresh)
    }

    @Test(.tags(.lostRefreshResponse))
    func `The refresh route answers a lost renewal by its Idempotency-Key while its successor is unused`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        let lost = try await site.renew(login.refresh, fields: [.idempotencyKey: "k1"])
        site.clock.advance(by: 7200)
        try await expectEqual(site.renew(login.refresh, fields: [.idempotencyKey: "k1"]).refresh, lost.refresh)
        try await expectEqual(site.renew(lost.refresh).status, 200)
        try await expectEqual(site.renew(login.refresh, fields: [.idempotencyKey: "k1"]).status, 401)
    }

    @Test(.tags(.grandparentToken)) func `The refresh route takes a grandparent for theft`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        let child = try await site.renew(login.refresh)
        let grandchild = try await site.renew(child.refresh)
        try await expectEqual(site.renew(login.refresh).status, 401)
        try await expectEqual(site.renew(grandchild.refresh).status, 401)
    }

    @Test(.tags(.absoluteExpiry))
    func `The refresh route ends a session after 30 days, however often it is used`() async throws {
        let site = try await Site()
        try await site.signUp()
        var token = try await site.logIn().refresh
        for _ in 0..<29 {
            site.clock.advance(by: 86_400)
            token = try await site.renew(token).refresh
        }
        site.clock.advance(by: 86_399)
        let last = try await site.renew(token)
        expectEqual(last.status, 200)
        site.clock.advance(by: 1)
        try await expectEqual(site.renew(last.refresh).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: last.access).status, 401)
    }

    @Test(.tags(.refreshAfterChange))
    func `The refresh route refuses a disabled account, and gives a changed role at once`() async throws {
        let site = try await Site()
        let account = try await site.signUp(roles: ["admin"])
        let login = try await site.logIn()
        try await expectEqual(site.get("/api/users", bearer: login.access).status, 200)
        _ = try await site.identity.administration.setRoles(of: account.id, roles: ["reader"], permissions: [])
        let next = try await site.renew(login.refresh)
        try expectEqual(JWT(unverified: next.access).claims.strings("roles"), ["reader"])
        try await expectEqual(site.get("/api/users", bearer: login.access).status, 403)
        _ = try await site.identity.administration.setStatus(of: account.id, to: .disabled)
        try await expectEqual(site.renew(next.refresh).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: next.access).status, 401)
    }

    @Test(.tags(.refreshAfterChange))
    func `The refresh route refuses a renewal after all devices were signed out`() async throws {
        let site = try await Site()
        let account = try await site.signUp()
        let logins = [try await site.logIn(), try await site.logIn()]
        try await expectEqual(site.identity.administration.endSessions(of: account.id, by: nil), 2)
        for login in logins { try await expectEqual(site.renew(login.refresh).status, 401) }
    }

    @Test(.tags(.tokenDisagreement))
    func `The refresh route refuses a cookie and a content that disagree, and changes nothing`() async throws {
        let site = try await Site()
        try await site.signUp()
        let (first, second) = (try await site.logIn(), try await site.logIn())
        let answer = try await site.renew(first.refresh, fields: [.cookie: "refreshToken=\(second.refresh)"])
        expectEqual(answer.status, 400)
        #expect(answer.message != nil)
        try await expectEqual(site.renew(first.refresh, fields: [.cookie: "refreshToken=\(first.refresh)"]).status, 200)
        try await expectEqual(site.renew(second.refresh).status, 200)
    }

    @Test(
        .tags(.crossSiteRefresh, .crossSiteRequest),
        arguments: [
            ("Origin", "https://evil.example"), ("Origin", "null"), ("Origin", "http://127.0.0.1:9999"),
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
        ])
    func `The refresh route refuses another site's request that has only the cookie`(name: String, value: String)
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        let cookie = "refreshToken=\(login.refresh)"
        let fields: HTTPFields = [.cookie: cookie, HTTPFieldName(name): value]
        try await expectEqual(site.send(.post, "/api/auth/refresh-token", fields: fields).status, 403)
        try await expectEqual(site.send(.post, "/api/auth/logout", fields: fields).status, 403)
        let own: HTTPFields = [.cookie: cookie, "Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"]
        try await expectEqual(site.send(.post, "/api/auth/refresh-token", fields: own).status, 200)
    }

    @Test(.tags(.crossSiteRefresh)) func `The refresh route lets an allowed origin use the cookie`() async throws {
        let site = try await Site { $0.allowedOrigins = ["https://app.example.com"] }
        try await site.signUp()
        let login = try await site.logIn()
        let fields: HTTPFields = [.cookie: "refreshToken=\(login.refresh)", "Origin": "https://app.example.com"]
        try await expectEqual(site.send(.post, "/api/auth/refresh-token", fields: fields).status, 200)
    }

    @Test(.tags(.commitCrash))
    func `The refresh route continues after a crash between the commit and the answer`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        _ = try await site.renew(login.refresh)
        // The files as they are while the first server still runs are what is left when it is killed.
        let copy = try TemporaryFolder()
        for name in ["store.sqlite", "store.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: site.folder.file(name), toPath: copy.file(name))
        }
        let restarted = try await Site(in: copy)
        let answer = try await restarted.renew(login.refresh)
        expectEqual(answer.status, 200)
        try await expectEqual(restarted.renew(answer.refresh).status, 200)
        try await expectEqual(restarted.get("/user/profile", bearer: login.access).status, 200)
    }

    @Test(arguments: ["", "lr1.", "nonsense", "lr1." + String(repeating: "A", count: 70), "eyJhbGciOiJub25lIn0.e30."])
    func `The refresh route refuses a token that it did not make`(token: String) async throws {
        let site = try await Site()
        let answer = try await site.renew(token)
        expectEqual(answer.status, 401)
        #expect(answer.message != nil)
    }

    @Test func `The refresh route refuses a token in which one character was changed`() async throws {
        let site = try await Site()
        try await site.signUp()
        let token = try await site.logIn().refresh
        for offset in stride(from: 4, to: token.count, by: 7) {
            var characters = Array(token)
            characters[offset] = characters[offset] == "A" ? "B" : "A"
            try await expectEqual(site.renew(String(characters)).status, 401)
        }
        try await expectEqual(site.renew(token).status, 200)
    }

    @Test func `The refresh route refuses an access token in place of a refresh token, and the reverse`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        try await expectEqual(site.renew(login.access).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: login.refresh).status, 401)
    }
}

@Suite struct LogoutRouteTests {
    @Test(.tags(.accountLogout), arguments: Way.allCases)
    func `The logout route ends the device by either token, clears the cookie, and can be repeated`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        let (first, second) = (try await site.logIn(), try await site.logIn())

        let byRefresh = try await site.post("/api/auth/logout", ["refreshToken": .string(first.refresh)])
        expectEqual(byRefresh.status, 200)
        #expect(byRefresh.message != nil)
        expectEqual(byRefresh.field(.setCookie)?.contains("Max-Age=0"), true)
        try await expectEqual(site.renew(first.refresh).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: first.access).status, 401)

        // The other device goes on until it logs out itself, by its access token.
        try await expectEqual(site.get("/user/profile", bearer: second.access).status, 200)
        let fields: HTTPFields = [.authorization: "Bearer \(second.access)"]
        try await expectEqual(site.send(.post, "/api/auth/logout", fields: fields).status, 200)
        try await expectEqual(site.renew(second.refresh).status, 401)
        try await expectEqual(site.send(.post, "/api/auth/logout", fields: fields).status, 200)
        try await expectEqual(site.send(.post, "/api/auth/logout").status, 200)
        await site.close()
    }

    @Test(.tags(.accountLogout)) func `The logout route leaves nothing for a renewal in progress`() async throws {
        let site = try await Site()
        try await site.signUp()
        for _ in 0..<20 {
            let login = try await site.logIn()
            async let renewal = site.renew(login.refresh)
            async let logout = site.post("/api/auth/logout", ["refreshToken": .string(login.refresh)])
            let (renewed, ended) = (try await renewal, try await logout)
            expectEqual(ended.status, 200)
            guard renewed.status == 200 else { continue }
            try await expectEqual(site.renew(renewed.refresh).status, 401)
        }
    }

    @Test(.tags(.accountLogout))
    func `The logout route ends both devices when cookie and content name two`() async throws {
        let site = try await Site()
        try await site.signUp()
        let (first, second) = (try await site.logIn(), try await site.logIn())
        let answer = try await site.post(
            "/api/auth/logout", ["refreshToken": .string(first.refresh)],
            fields: [.cookie: "refreshToken=\(second.refresh)"])
        expectEqual(answer.status, 200)
        for login in [first, second] { try await expectEqual(site.renew(login.refresh).status, 401) }
    }

    @Test func `The logout route ignores tokens that it did not make`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        /// A token with another character before its last two, which may be those of any other.
        func forged(_ token: String) -> String {
            let (start, end) = (token.dropLast(3), token.suffix(3))
            return start + (end.first == "A" ? "B" : "A") + end.dropFirst()
        }
        let refresh: JSONValue = ["refreshToken": .string(forged(login.refresh))]
        try await expectEqual(site.post("/api/auth/logout", refresh).status, 200)
        let fields: HTTPFields = [.authorization: "Bearer \(forged(login.access))"]
        try await expectEqual(site.send(.post, "/api/auth/logout", fields: fields).status, 200)
        try await expectEqual(site.renew(login.refresh).status, 200)
    }
}
