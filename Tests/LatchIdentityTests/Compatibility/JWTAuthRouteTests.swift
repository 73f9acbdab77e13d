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

/// The routes of seed 001.
@Suite struct JWTAuthRouteTests {
    private func login(
        _ site: Site, _ name: String = "ada@example.com", password: String = Site.password, as member: String = "email"
    ) async throws -> Response {
        try await site.post("/auth/login", [member: .string(name), "password": .string(password)])
    }

    @Test(arguments: Way.allCases)
    func `The routes under auth log in, renew and log out by JSON, without a cookie (seed 001)`(way: Way) async throws {
        let site = try await Site(way)
        let account = try await site.signUp()
        let login = try await login(site)
        expectEqual(login.status, 200)
        expectNil(login.field(.setCookie))
        expectEqual(login.field(.cacheControl), "no-store")
        expectEqual(login.json["expiresIn"]?.intValue, 900)
        expectEqual(login.string("tokenType"), "Bearer")
        expectEqual(login.string("userId"), account.id)
        try await expectEqual(site.get("/user/profile", bearer: login.access).string("id"), account.id)

        let next = try await site.post("/auth/refresh", ["refreshToken": .string(login.refresh)])
        expectEqual(next.status, 200)
        expectNotEqual(next.refresh, login.refresh)

        let logout = try await site.call(.post, "/auth/logout", bearer: next.access)
        expectEqual(logout.status, 200)
        expectEqual(logout.message?.isEmpty, false)
        try await expectEqual(site.get("/user/profile", bearer: next.access).status, 401)
        let refused = try await site.post("/auth/refresh", ["refreshToken": .string(next.refresh)])
        expectEqual(refused.status, 401)
        expectEqual(refused.message, "The session has ended.")
        expectEqual(refused.errorCode, "INVALID_REFRESH_TOKEN")
        await site.close()
    }

    @Test
    func `The routes under auth log out by only the refresh token, by nothing, and again (seed 001)`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await login(site)
        for _ in 0..<2 {
            let answer = try await site.post("/auth/logout", ["refreshToken": .string(login.refresh)])
            expectEqual(answer.status, 200)
        }
        try await expectEqual(site.send(.post, "/auth/logout").status, 200)
        try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        try await expectEqual(site.metric("latch_families_revoked_total"), 1)
    }

    @Test
    func `The routes under auth log out by an expired access token, which does nothing else (seed 001)`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await login(site)
        site.clock.advance(by: 86_400)
        try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        let all = try await site.call(.post, "/auth/logout", bearer: login.access, ["allDevices": true])
        expectEqual(all.status, 401)
        try await expectEqual(site.call(.post, "/auth/logout", bearer: login.access + "x").status, 200)
        try await expectEqual(site.metric("latch_families_revoked_total"), 0)
        try await expectEqual(site.call(.post, "/auth/logout", bearer: login.access).status, 200)
        try await expectEqual(site.metric("latch_families_revoked_total"), 1)
        await site.close()
    }

    @Test func `The routes under auth answer a lost renewal again, under its key also later (seed 001)`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await login(site)
        let body: JSONValue = ["refreshToken": .string(login.refresh)]
        let first = try await site.post("/auth/refresh", body, fields: [.idempotencyKey: "k"])
        try await expectEqual(site.post("/auth/refresh", body).refresh, first.refresh)
        // An empty key is none.
        let other: JSONValue = ["refreshToken": .string(try await self.login(site).refresh)]
        try await expectEqual(site.post("/auth/refresh", other, fields: [.idempotencyKey: ""]).status, 200)
        site.clock.advance(by: 3600)
        try await expectEqual(site.post("/auth/refresh", body, fields: [.idempotencyKey: "k"]).refresh, first.refresh)
        try await expectEqual(site.post("/auth/refresh", other, fields: [.idempotencyKey: ""]).status, 401)
        // C1: without the key it is a reuse by now.
        try await expectEqual(site.post("/auth/refresh", body).status, 401)
        try await expectEqual(site.post("/auth/refresh", ["refreshToken": .string(first.refresh)]).status, 401)
    }

    @Test(.tags(.accountEnumeration), arguments: Way.allCases)
    func `The routes under auth answer the same for every reason to refuse, unless the password is right`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        let disabled = try await site.signUp("disabled@example.com")
        _ = try await site.identity.administration.setStatus(of: disabled.id, to: .disabled)
        let answers = [
            try await login(site, password: "wrong"), try await login(site, "nobody@example.com"),
            try await login(site, "nobody", as: "username"),
            try await login(site, "disabled@example.com", password: "wrong"),
            try await login(site, "", password: ""),
        ]
        for answer in answers {
            expectEqual(answer.status, 401)
            expectEqual(answer.response.body, answers[0].response.body)
        }
        expectEqual(answers[0].string("code"), "invalidCredentials")
        expectEqual(answers[0].errorCode, "INVALID_CREDENTIALS")
        let closed = try await login(site, "disabled@example.com")
        #expect(closed.status == 403 && closed.string("code") == "accountClosed")
        await site.close()
    }

    @Test(.tags(.loginLimits)) func `The routes under auth share the limits of all logins`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        _ = try await login(site, password: "wrong")
        _ = try await site.logIn(password: "wrong")
        _ = try await site.passwordGrant(password: "wrong")
        for answer in [try await login(site), try await site.logIn(), try await site.passwordGrant()] {
            expectEqual(answer.status, 429)
            expectEqual(answer.field(.retryAfter), "20")
            expectEqual(answer.field("RateLimit"), #""login";r=0;t=20"#)
        }
        let answer = try await site.passwordGrant()
        expectEqual(answer.errorCode, "RATE_LIMIT_EXCEEDED")
        expectEqual(answer.number("retry_after"), 20)
        try await expectEqual(site.metric(#"latch_logins_total{result="limited"}"#), 4)
    }

    @Test(arguments: ["/auth/login", "/auth/refresh", "/auth/signup", "/oauth/token/refresh"])
    func `The routes under auth refuse content that is not a JSON object`(path: String) async throws {
        let site = try await Site()
        for content in ["", "{", "[]", "null", #"{"email":1,"password":2,"refreshToken":3,"refresh_token":4}"#, "{}"] {
            let answer = try await site.send(
                .post, path, fields: [.contentType: "application/json"], body: HTTPBody(content))
            expectEqual(answer.status, 400, "\(content)")
            #expect(!answer.string("detail").isEmpty)
            #expect(!answer.errorCode.isEmpty)
        }
        let form = try await site.post(path, form: "email=a&password=b")
        expectEqual(form.status, path.hasPrefix("/oauth") ? 400 : 415)
    }
}

/// The sign-up of seed 004.
@Suite struct SignUpRouteTests {
    private func signUp(_ site: Site, _ members: JSONObject) async throws -> Response {
        try await site.post("/auth/signup", .object(members))
    }

    private static let ada: JSONObject = [
        "username": "Ada.L", "email": "ada@example.com", "password": .string(Site.password),
    ]

    @Test(.tags(.realServer), arguments: Way.allCases)
    func `The sign-up route makes an account that can log in by its user name and by its address`(way: Way) async throws
    {
        let site = try await Site(way)
        let answer = try await signUp(site, Self.ada)
        expectEqual(answer.status, 201)
        expectEqual(answer.string("username"), "Ada.L")
        expectEqual(answer.string("email"), "ada@example.com")
        expectEqual(answer.string("user_id"), answer.string("id"))
        #expect(!answer.text.contains(Site.password) && !answer.text.contains("argon2"))
        for name in ["ada.l", "ADA.L ", "Ada@example.com"] {
            let login = try await site.passwordGrant(name)
            expectEqual(login.status, 200)
            expectEqual(login.string("user_id"), answer.string("user_id"))
            try await expectEqual(site.get("/user/profile", bearer: login.accessToken).string("username"), "Ada.L")
        }
        await site.close()
    }

    @Test(.tags(.realServer), arguments: Way.allCases)
    func `The sign-up route answers 409 for a taken address or user name, and does not change that account`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await expectEqual(signUp(site, Self.ada).status, 201)
        let others: [JSONObject] = [
            ["username": "other", "email": "ADA@example.com", "password": "Another456!"],
            ["username": "ada.l", "email": "other@example.com", "password": "Another456!"],
        ]
        for members in others {
            let answer = try await signUp(site, members)
            expectEqual(answer.status, 409)
            expectEqual(answer.string("code"), "alreadyExists")
            expectEqual(answer.errorCode, "ALREADY_EXISTS")
            #expect(!answer.string("detail").isEmpty)
        }
        try await expectEqual(site.passwordGrant("ada.l").status, 200)
        try await expectNil(site.identity.administration.account(email: "other@example.com"))
        await site.close()
    }

    @Test(.tags(.massAssignment)) func `The sign-up route gives no user a privilege from the content`() async throws {
        let site = try await Site()
        var members = Self.ada
        members["roles"] = ["admin"]
        members["permissions"] = ["widgets:admin"]
        members["scopes"] = ["widgets:admin"]
        members["scope"] = "widgets:admin"
        members["emailVerified"] = true
        members["email_verified"] = true
        members["tenantId"] = "t"
        members["id"] = "chosen"
        members["user_id"] = "chosen"
        members["status"] = "active"
        let answer = try await signUp(site, members)
        expectEqual(answer.status, 201)
        expectNotEqual(answer.string("id"), "chosen")
        expectEqual(answer.json["roles"]?.arrayValue, [])
        expectEqual(answer.json["permissions"]?.arrayValue, [])
        expectEqual(answer.json["emailVerified"]?.boolValue, false)
        let login = try await site.passwordGrant("ada.l", scope: "widgets:admin widgets:read")
        expectEqual(login.string("scope"), "widgets:read")
        try await expectEqual(site.get("/api/users", bearer: login.accessToken).status, 403)
    }

    @Test func `The sign-up route treats the address as user name as no user name`() async throws {
        let site = try await Site()
        var members = Self.ada
        members["username"] = " ADA@example.com "
        let answer = try await signUp(site, members)
        expectEqual(answer.status, 201)
        expectNil(answer.json["username"])
        try await expectEqual(
            signUp(site, ["email": "b@example.com", "password": "Secret123!", "username": ""]).status, 201)
        try await expectEqual(signUp(site, ["email": "c@example.com", "password": "Secret123!"]).status, 201)
    }

    @Test(
        .tags(.lookalikeNames),
        arguments: [
            "eve@example.com", "a b", "a\u{0}b", "аda", "ada\u{301}", "<ada>", "a/b", String(repeating: "a", count: 65),
        ])
    func `The sign-up route refuses a user name that is another's address, looks like another or is invalid`(
        username: String
    )
        async throws
    {
        let site = try await Site()
        var members = Self.ada
        members["username"] = .string(username)
        let answer = try await signUp(site, members)
        expectEqual(answer.status, 400)
        expectEqual(answer.string("code"), "invalidInput")
        try await expectNil(site.identity.administration.account(email: "ada@example.com"))
    }

    @Test(.tags(.parallelSignUp), arguments: Way.allCases)
    func `The sign-up route makes one account of ten concurrent sign-ups under one user name`(way: Way) async throws {
        let site = try await Site(way)
        let statuses = try await withThrowingTaskGroup { group in
            for number in 0..<10 {
                let members: JSONObject = [
                    "username": number.isMultiple(of: 2) ? "ada" : "ADA", "email": .string("user\(number)@example.com"),
                    "password": .string(Site.password),
                ]
                group.addTask { try await signUp(site, members).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expectEqual(statuses.filter { $0 == 201 }.count, 1)
        expectEqual(statuses.filter { $0 == 409 }.count, 9)
        await site.close()
    }

    @Test(.tags(.accountEnumeration, .loginLimits))
    func `The sign-up route counts guesses by user name and by address separately`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 4 }
        try await expectEqual(signUp(site, Self.ada).status, 201)
        var statuses: [Int] = []
        for name in ["ada.l", "ADA.L", "ada.l", "Ada.l", "ada.l"] {
            statuses.append(try await site.passwordGrant(name, password: "wrong").status)
        }
        expectEqual(statuses, [400, 400, 400, 400, 429])
        let (own, stranger) = (
            try await site.passwordGrant("ada@example.com", password: "wrong"),
            try await site.passwordGrant("eve@example.com", password: "wrong")
        )
        #expect(own.status == 400 && own.status == stranger.status && own.text == stranger.text)
    }

    @Test(arguments: ["short", "password", "ada@example.com"])
    func `The sign-up route refuses a password that is easily guessed`(password: String) async throws {
        let site = try await Site()
        var members = Self.ada
        members["password"] = .string(password)
        let answer = try await signUp(site, members)
        expectEqual(answer.status, 400)
        expectEqual(answer.string("code"), "weakPassword")
    }
}
