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

@Suite struct AccountRouteTests {
    @Test(
        .tags(.accountRegistration), arguments: ["/api/clients/register", "/api/auth/clients/register"], Way.allCases)
    func `The registration route makes an account and shows it`(path: String, way: Way) async throws {
        let site = try await Site(way)
        let answer = try await site.post(
            path, ["email": "New@Client.com", "password": "Secret123!", "name": "New Client"])
        expectEqual(answer.status, 201)
        expectEqual(answer.string("email"), "New@Client.com")
        expectEqual(answer.string("name"), "New Client")
        expectEqual(answer.json["roles"]?.arrayValue, [])
        #expect(UUID(uuidString: answer.string("id")) != nil)
        #expect(!answer.text.contains("Secret123!"))
        #expect(!answer.text.contains("argon2"))
        try await expectEqual(site.logIn("new@client.com").status, 200)
        await site.close()
    }

    @Test(.tags(.accountRegistration)) func `The registration route leaves out an absent name`() async throws {
        let site = try await Site()
        let answer = try await site.post(
            "/api/clients/register", ["email": "a@example.com", "password": "Secret123!", "name": nil])
        expectEqual(answer.json.keys.sorted(), ["email", "emailVerified", "id", "permissions", "roles"])
    }

    @Test(.tags(.massAssignment))
    func `The registration route gives no user a privilege from the content`() async throws {
        let site = try await Site()
        let answer = try await site.post(
            "/api/clients/register",
            [
                "email": "a@example.com", "password": "Secret123!", "roles": ["admin"], "permissions": ["users:read"],
                "tenantId": "t1", "emailVerified": true, "id": "chosen", "status": "disabled", "unknown": [1, nil],
            ])
        expectEqual(answer.status, 201)
        expectEqual(answer.json["roles"]?.arrayValue, [])
        expectEqual(answer.json["permissions"]?.arrayValue, [])
        expectEqual(answer.json["emailVerified"]?.boolValue, false)
        expectNotEqual(answer.string("id"), "chosen")
        let claims = try JWT(unverified: try await site.logIn("a@example.com").access).claims
        expectNil(claims.members["roles"])
        expectNil(claims["tenantId"])
    }

    @Test(.tags(.parallelSignUp), arguments: Way.allCases)
    func `The registration route makes one account of ten concurrent sign-ups`(way: Way) async throws {
        let site = try await Site(way)
        let statuses = try await withThrowingTaskGroup { group in
            for number in 0..<10 {
                let email = number.isMultiple(of: 2) ? "same@example.com" : "SAME@Example.com"
                group.addTask {
                    try await site.post(
                        "/api/clients/register", ["email": .string(email), "password": "Secret123!"]
                    ).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expectEqual(statuses.filter { $0 == 201 }.count, 1)
        expectEqual(statuses.filter { $0 == 409 }.count, 9)
        await site.close()
    }

    @Test(.tags(.accountRegistration))
    func `The registration route answers 409 for the address of an account, and does not change that account`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let answer = try await site.post(
            "/api/clients/register", ["email": "Ada@example.com", "password": "Another456!"])
        expectEqual(answer.status, 409)
        expectEqual(answer.string("code"), "alreadyExists")
        try await expectEqual(site.logIn().status, 200)
    }

    @Test(arguments: [
        "short", "12345678", "PASSWORD", "aaaaaaaaaa", "ada@example.com", String(repeating: "x", count: 1025),
    ])
    func `The registration route refuses a password that is easily guessed or too long`(password: String) async throws {
        let site = try await Site()
        let answer = try await site.post(
            "/api/clients/register", ["email": "ada@example.com", "password": .string(password)])
        expectEqual(answer.status, 400)
        expectEqual(answer.string("code"), "weakPassword")
        #expect(answer.json["hint"] != nil)
        try await expectNil(site.identity.administration.account(email: "ada@example.com"))
    }

    @Test(arguments: ["ÜñïçødéÜ", "        x", "nul\u{0}inside", String(repeating: "z", count: 1023) + "y"])
    func `The registration route takes any other password unchanged`(password: String) async throws {
        let site = try await Site()
        let answer = try await site.post(
            "/api/clients/register", ["email": "ada@example.com", "password": .string(password)])
        expectEqual(answer.status, 201)
        try await expectEqual(site.logIn(password: password).status, 200)
        try await expectEqual(site.logIn(password: String(password.dropLast())).status, 401)
    }

    @Test(
        .tags(.lookalikeNames, .mailInjection),
        arguments: [
            "", "plain", "@example.com", "a@", "a b@example.com", "a@b@c", "a@exa mple.com", "a@.com", ".a@example.com",
            "a@example.com\r\nBcc: all@example.com", "a\u{0}@example.com", "аdmin@example.com", "a@exämple.com",
            "<a@example.com>", String(repeating: "a", count: 65) + "@example.com",
        ])
    func `The registration route refuses an address in any other form`(email: String) async throws {
        let site = try await Site()
        let answer = try await site.post(
            "/api/clients/register", ["email": .string(email), "password": "Secret123!"])
        expectEqual(answer.status, 400)
        expectEqual(answer.string("code"), "invalidEmail")
        let other = try await site.post("/auth/signup", ["email": .string(email), "password": "Secret123!"])
        expectEqual(other.errorCode, "INVALID_EMAIL")
        await site.close()
    }

    @Test(
        .tags(.mailInjection), arguments: ["x\r\nSubject: free money", "tab\there", String(repeating: "n", count: 201)])
    func `The registration route refuses a name with control characters or without end`(name: String) async throws {
        let site = try await Site()
        let answer = try await site.post(
            "/api/clients/register", ["email": "a@example.com", "password": "Secret123!", "name": .string(name)])
        expectEqual(answer.status, 400)
    }

    @Test(.tags(.mailInjection)) func `The registration route puts nothing of a name into a mail`() async throws {
        let site = try await Site()
        _ = try await site.post(
            "/api/clients/register",
            ["email": "a@example.com", "password": "Secret123!", "name": "<script>alert(1)</script>"])
        _ = await site.mailedToken(to: "a@example.com")
        expectEqual(site.mailer.messages.count, 1)
        #expect(site.mailer.messages.allSatisfy { !$0.text.contains("script") && !$0.subject.contains("script") })
    }
}

@Suite struct AddressVerificationTests {
    @Test(arguments: Way.allCases)
    func `The verification of an address works by the mailed token, once`(way: Way) async throws {
        let site = try await Site(way)
        _ = try await site.post("/api/clients/register", ["email": "ada@example.com", "password": "Secret123!"])
        let token = try #require(await site.mailedToken())
        let login = try await site.logIn()
        try await expectEqual(site.get("/user/profile", bearer: login.access).json["emailVerified"], false)
        let answer = try await site.post("/api/auth/verify-email", ["token": .string(token)])
        expectEqual(answer.status, 200)
        #expect(answer.message != nil)
        #expect(answer.json["email"] == "ada@example.com" && answer.json["changePending"] == false)
        let next = try await site.logIn()
        try await expectEqual(site.get("/user/profile", bearer: next.access).json["emailVerified"], true)
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(token)]).status, 400)
        await site.close()
    }

    @Test func `The verification of an address is needed for a login only if the setting says so`() async throws {
        let open = try await Site()
        try await open.signUp(isVerified: false)
        try await expectEqual(open.logIn().status, 200)

        let strict = try await Site { $0.requireVerifiedEmail = true }
        try await strict.signUp(isVerified: false)
        try await expectEqual(strict.logIn().string("code"), "emailUnverified")
        let token = try #require(await strict.mailedToken())
        _ = try await strict.post("/api/auth/verify-email", ["token": .string(token)])
        try await expectEqual(strict.logIn().status, 200)
    }

    @Test func `The verification of an address ends in time, and with a newer mail`() async throws {
        let site = try await Site()
        try await site.signUp(isVerified: false)
        let first = try #require(await site.mailedToken())
        try await expectEqual(site.post("/api/auth/resend-verification", ["email": "ada@example.com"]).status, 200)
        let second = try #require(await site.mailedToken())
        expectNotEqual(first, second)
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(first)]).status, 400)
        site.clock.advance(by: 86_400)
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(second)]).status, 400)
    }

    @Test
    func `The verification of an address answers every resend alike, and emails only if necessary`() async throws {
        let site = try await Site()
        try await site.signUp("verified@example.com")
        try await site.signUp("waiting@example.com", isVerified: false)
        _ = await site.mailedToken(to: "waiting@example.com")
        let before = site.mailer.messages.count
        var bodies: [String] = []
        for name in ["verified", "waiting", "nobody"] {
            let answer = try await site.post(
                "/api/auth/resend-verification", ["email": .string("\(name)@example.com")])
            expectEqual(answer.status, 200)
            bodies.append(answer.text)
        }
        expectEqual(Set(bodies).count, 1)
        _ = await site.mailedToken(to: "waiting@example.com")
        expectEqual(site.mailer.messages.dropFirst(before).map(\.recipient), ["waiting@example.com"])
    }
}

@Suite struct AdministratorListTests {
    @Test(.tags(.backendContract), arguments: Way.allCases)
    func `The administrators' list is closed to strangers and to other accounts`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp("admin@example.com", roles: ["admin"])
        try await site.signUp("user@example.com", roles: ["user"])
        let anonymous = try await site.get("/api/users")
        expectEqual(anonymous.status, 401)
        expectEqual(anonymous.field(.wwwAuthenticate), #"Bearer error="invalid_token""#)
        try await expectEqual(site.get("/api/users", bearer: "nonsense").status, 401)
        let user = try await site.logIn("user@example.com")
        try await expectEqual(site.get("/api/users", bearer: user.access).status, 403)
        let admin = try await site.logIn("admin@example.com")
        let answer = try await site.get("/api/users", bearer: admin.access)
        expectEqual(answer.status, 200)
        expectEqual(
            answer.json["users"]?.arrayValue?.compactMap { $0["email"]?.stringValue }.sorted(),
            [
                "admin@example.com", "user@example.com",
            ])
        #expect(!answer.text.contains("argon2"))
        await site.close()
    }

    @Test func `The administrators' list is given in pages`() async throws {
        let site = try await Site()
        try await site.signUp("admin@example.com", roles: ["admin"])
        for number in 0..<6 {
            site.clock.advance(by: 0.001)
            try await site.signUp("user\(number)@example.com")
        }
        let access = try await site.logIn("admin@example.com").access
        var (ids, next, pages) = (Set<String>(), String?.none, 0)
        repeat {
            let query = "/api/users?limit=3" + (next.map { "&after=\($0)" } ?? "")
            let page = try await site.get(query, bearer: access)
            ids.formUnion(page.json["users"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? [])
            next = page.json["next"]?.stringValue
            pages += 1
        } while next != nil
        expectEqual(ids.count, 7)
        expectEqual(pages, 3)
        try await expectEqual(site.get("/api/users?limit=0", bearer: access).status, 400)
        try await expectEqual(site.get("/api/users?limit=many", bearer: access).status, 400)
    }

    @Test(.tags(.backendContract))
    func `The administrators' list leaves the access token its lifetime, and no more`() async throws {
        let site = try await Site { $0.accessTokenLifetime = .seconds(60) }
        try await site.signUp()
        let login = try await site.logIn()
        expectEqual(login.json["expiresIn"]?.intValue, 60)
        site.clock.advance(by: 59)
        try await expectEqual(site.get("/user/profile", bearer: login.access).status, 200)
        site.clock.advance(by: 1)
        try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
    }

    @Test(.tags(.objectAccess)) func `The administrators' list shows each bearer its own profile`() async throws {
        let site = try await Site()
        try await site.signUp("a@example.com")
        try await site.signUp("b@example.com")
        for email in ["a@example.com", "b@example.com"] {
            let login = try await site.logIn(email)
            try await expectEqual(site.get("/user/profile", bearer: login.access).string("email"), email)
        }
    }
}
