// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AccountRPCTests {
    private let profile: JSONValue = [
        "bio": "Notes on an engine", "phone": "+44 20 1234", "location": "London", "website": "https://example.com/",
        "dateOfBirth": "1815-12-10T00:00:00Z", "company": "Analytical", "jobTitle": "Countess",
        "interests": ["engines"],
        "socialLinks": [["platform": "web", "url": "https://example.com/ada", "isPublic": true]],
    ]

    @Test(arguments: Way.allCases)
    func `The calls of an account change the present fields, and show them again`(way: Way) async throws {
        let site = try await Site(way)
        let (id, access) = try await site.token("ada@example.com", .user)
        let changed = try await site.call(
            "UpdateProfile",
            [
                "userId": .string(id), "firstName": "Ada", "displayName": "Countess", "username": "ada",
                "avatarUrl": "https://example.com/a.png", "profile": profile,
                "preferences": ["language": "en", "theme": "dark", "pushNotifications": true],
            ], bearer: access)
        expectEqual(changed.status, 200)
        let shown = try await site.call(
            "GetProfile", ["userId": .string(id), "includePreferences": true], bearer: access)
        #expect(shown.json["firstName"] == "Ada" && shown.json["username"] == "ada")
        expectEqual(shown.json["profile"], profile)
        expectEqual(shown.json["preferences"]?.objectValue?["theme"], "dark")
        expectEqual(shown.json["status"], "USER_STATUS_ACTIVE")
        expectEqual(shown.json["createdAt"], "2035-01-15T08:00:00Z")
        // Nothing but the last name is in this one; the empty text takes away, and is not "not given".
        let again = try await site.call(
            "UpdateProfile", ["userId": .string(id), "lastName": "Lovelace", "displayName": ""], bearer: access)
        expectEqual(again.json["displayName"], "Ada Lovelace")
        expectEqual(again.json["profile"], profile)
        let without = try await site.call("GetProfile", ["userId": .string(id)], bearer: access)
        #expect(without.json["preferences"] == nil && without.json["devices"] == nil)
        await site.close()
    }

    @Test func `The calls of an account refuse an invalid field by its name`() async throws {
        let site = try await Site()
        let (id, access) = try await site.token("ada@example.com", .user)
        let refused = try await site.call(
            "UpdateProfile", ["userId": .string(id), "avatarUrl": "javascript:alert(1)"], bearer: access)
        #expect(refused.status == 400 && refused.string("message").contains("'avatar_url'"))
        #expect(!refused.text.contains("alert"))
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `The calls of an account begin a change of address, which completes after both ends have answered`()
        async throws
    {
        let site = try await Site()
        let (id, access) = try await site.token("ada@example.com", .user)
        let begun = try await site.call(
            "UpdateProfile", ["userId": .string(id), "email": "ada@new.example"], bearer: access)
        #expect(begun.status == 200 && begun.json["email"] == "ada@example.com")
        let tokens = [await site.mailedToken(), await site.mailedToken(to: "ada@new.example")]
        for (token, address) in zip(tokens, ["ada@example.com", "ada@new.example"]) {
            let verified = try await site.call("VerifyEmail", ["verificationToken": .string(token ?? "")])
            expectEqual(verified.status, 200)
            expectEqual(verified.json["email"]?.stringValue, address)
        }
        let boss = try await site.token("boss@example.com", .admin).access
        let other = try await site.call(
            "UpdateProfile", ["userId": .string(id), "email": "boss2@example.com"], bearer: boss)
        expectEqual(other.word, "permission_denied")
        await site.close()
    }

    @Test(.tags(.passwordChange))
    func `The calls of an account replace a password, and honor the choice for the other sessions`() async throws {
        let site = try await Site()
        let (_, access) = try await site.token("ada@example.com", .user)
        let other = try await site.login().session["refreshToken"] ?? ""
        let body = { (old: String, all: Bool) -> JSONValue in
            [
                "currentPassword": .string(old), "newPassword": "another sentence to keep",
                "logoutOtherSessions": .bool(all),
            ]
        }
        let wrong = try await site.call("ChangePassword", body("wrong one", true), bearer: access)
        #expect(wrong.word == "permission_denied" && wrong.stableCode == "invalidCredentials")
        try await expectEqual(site.call("ChangePassword", body(Site.password, true), bearer: access).status, 200)
        try await expectEqual(site.call("RefreshToken", ["refreshToken": other]).word, "unauthenticated")
        try await expectEqual(site.get("/user/profile", bearer: access).status, 200)
        try await expectEqual(site.login(password: "another sentence to keep").status, 200)
        await site.close()
    }

    @Test(.tags(.passwordChange))
    func `The calls of an account replace a password once if two requests know it, and keep the session`() async throws
    {
        let site = try await Site()
        let (_, access) = try await site.token("ada@example.com", .user)
        let answers = try await withThrowingTaskGroup { group in
            for number in 0..<3 {
                group.addTask {
                    try await site.call(
                        "ChangePassword",
                        [
                            "currentPassword": .string(Site.password),
                            "newPassword": .string("sentence number \(number)"),
                        ],
                        bearer: access)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(answers.count { $0.status == 200 }, 1)
        for answer in answers where answer.status != 200 {
            #expect(["accountChanged", "invalidCredentials"].contains(answer.stableCode))
        }
        try await expectEqual(site.get("/user/profile", bearer: access).status, 200)
        await site.close()
    }

    @Test(.tags(.accountRecovery))
    func `The calls of an account reset, verify and mail again, and reveal no account`() async throws {
        let site = try await Site()
        _ = try await site.register()
        for (method, known, unknown) in [
            ("RequestPasswordReset", "ada@example.com", "nobody@example.com"),
            ("ResendVerification", "ada@example.com", "nobody@example.com"),
        ] {
            let answers = [
                try await site.call(method, ["email": .string(known)]),
                try await site.call(method, ["email": .string(unknown)]),
            ]
            expectEqual(answers.map(\.status), [200, 200])
            expectEqual(answers[0].text, answers[1].text)
        }
        await site.identity.services.mails.flush()
        #expect(site.mailer.messages.allSatisfy { $0.recipient == "ada@example.com" })
        _ = try await site.call("RequestPasswordReset", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let reset: JSONValue = ["resetToken": .string(token), "newPassword": "another sentence to keep"]
        try await expectEqual(site.call("ResetPassword", reset).status, 200)
        let again = try await site.call("ResetPassword", reset)
        #expect(again.status == 400 && again.stableCode == "invalidLink")
        for invented in ["x", token, String(repeating: "a", count: 5000)] {
            let answer = try await site.call("VerifyEmail", ["verificationToken": .string(invented)])
            expectEqual(answer.stableCode, "invalidLink")
        }
        try await expectEqual(site.login(password: "another sentence to keep").status, 200)
        await site.close()
    }

    @Test(.tags(.objectAccess)) func `The calls of an account show and end only its own devices`() async throws {
        let site = try await Site()
        let (id, access) = try await site.token("ada@example.com", .user)
        let phone = try await site.login(device: "Ada's iPhone")
        let (bobID, bob) = try await site.token("bob@example.com", .user)
        let list = try await site.call("GetActiveDevices", bearer: access)
        let devices = try #require(list.json["devices"]?.arrayValue)
        expectEqual(devices.count, 2)
        let named = try #require(devices.first { $0.objectValue?["name"] == "Ada's iPhone" }?.objectValue)
        #expect(named["os"] == "iOS" && named["type"] == "phone" && named["isTrusted"] == nil)
        let device: JSONValue = ["deviceId": named["id"] ?? ""]
        expectEqual(named["id"], phone.session["id"])
        try await expectEqual(site.call("RevokeDevice", device, bearer: bob).word, "not_found")
        try await expectEqual(site.call("RevokeDevice", ["deviceId": "invented"], bearer: access).word, "not_found")
        try await expectEqual(
            site.call("GetActiveDevices", bearer: phone.session["accessToken"]?.stringValue).status, 200)
        try await expectEqual(site.call("RevokeDevice", device, bearer: access).status, 200)
        try await expectEqual(site.call("RevokeDevice", device, bearer: access).word, "not_found")
        let dead = phone.session["accessToken"]?.stringValue
        try await expectEqual(site.call("GetActiveDevices", bearer: dead).word, "unauthenticated")
        // Somebody else's account is forbidden, and so is one that is nobody's.
        for other in [bobID, "nobody"] {
            for method in ["GetProfile", "UpdateProfile", "DeleteUser"] {
                let answer = try await site.call(method, ["userId": .string(other)], bearer: access)
                expectEqual(answer.status, 403)
            }
        }
        let own = try await site.call(
            "GetProfile", ["userId": .string(id), "includeDevices": true], bearer: access)
        expectEqual(own.json["devices"]?.arrayValue?.count, 1)
        await site.close()
    }

    @Test func `The calls of an account delete it after a recent sign-in, and end with it`() async throws {
        let site = try await Site { $0.accessTokenLifetime = .seconds(3600) }
        let (id, old) = try await site.token("ada@example.com", .user)
        site.clock.advance(by: 900)
        let late = try await site.call("DeleteUser", ["userId": .string(id)], bearer: old)
        #expect(late.status == 401 && late.stableCode == "signInAgain")
        let access = try await site.login().session["accessToken"]?.stringValue ?? ""
        try await expectEqual(
            site.call("DeleteUser", ["userId": .string(id), "hardDelete": true], bearer: access).status, 200)
        try await expectEqual(site.call("GetProfile", ["userId": .string(id)], bearer: access).word, "unauthenticated")
        try await expectEqual(site.register().status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: [true, false])
    func `The calls of an account keep the address of a deleted account, unless it was unproved`(isProved: Bool)
        async throws
    {
        let site = try await Site()
        try await site.signUp("ada@example.com", isVerified: isProved)
        let login = try await site.logIn()
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")).id
        let deletion = try await site.call("DeleteUser", ["userId": .string(id)], bearer: login.access)
        expectEqual(deletion.status, 200)
        try await expectEqual(site.register().status, isProved ? 409 : 200)
        await site.close()
    }
}

@Suite struct AdministratorRPCTests {
    @Test(arguments: Way.allCases)
    func `The calls of an administrator list accounts in parts, with their number and figures`(way: Way) async throws {
        let site = try await Site(way)
        let boss = try await site.token("boss@example.com", .admin).access
        for number in 0..<7 {
            site.clock.advance(by: 1)
            try await site.signUp("u\(number)@example.com", isVerified: number % 2 == 0)
        }
        var (cursor, emails, pages) = ("", [String](), 0)
        repeat {
            let page = try await site.call(
                "GetUsers", ["limit": 3, "cursor": .string(cursor), "sortField": "email", "sortAscending": true],
                bearer: boss)
            expectEqual(page.status, 200)
            expectEqual(page.json["totalCount"], 8)
            let figures = page.json["statistics"]?.objectValue
            #expect(figures?["totalUsers"] == 8 && figures?["verifiedUsers"] == 5)
            expectEqual(figures?["verificationRate"], 0.625)
            emails += page.json["users"]?.arrayValue?.compactMap { $0.objectValue?["email"]?.stringValue } ?? []
            expectEqual(page.json["hasMore"] == true, !page.string("nextCursor").isEmpty)
            cursor = page.string("nextCursor")
            pages += 1
        } while !cursor.isEmpty
        expectEqual(pages, 3)
        expectEqual(emails, ["boss@example.com"] + (0..<7).map { "u\($0)@example.com" })
        let found = try await site.call(
            "GetUsers", ["searchQuery": "u3", "statusFilter": "USER_STATUS_PENDING_VERIFICATION"], bearer: boss)
        expectEqual(found.json["totalCount"], 1)
        let verified = try await site.call(
            "GetUsers",
            [
                "emailVerifiedFilter": true, "roleFilter": "USER_ROLE_USER", "createdAfter": "2035-01-15T08:00:01Z",
                "createdBefore": "2035-01-15T08:00:07Z",
            ], bearer: boss)
        expectEqual(verified.json["totalCount"], 2)
        await site.close()
    }

    @Test func `The calls of an administrator refuse the cursor of another list, and an invented one`() async throws {
        let site = try await Site()
        let boss = try await site.token("boss@example.com", .admin).access
        for number in 0..<3 { try await site.signUp("u\(number)@example.com") }
        let page = try await site.call("GetUsers", ["limit": 2, "sortField": "email"], bearer: boss)
        let cursor = page.string("nextCursor")
        let same = try await site.call(
            "GetUsers", ["limit": 1, "sortField": "email", "cursor": .string(cursor)], bearer: boss)
        expectEqual(same.status, 200)
        let others: [JSONValue] = [
            ["cursor": .string(cursor)], ["cursor": .string(cursor), "sortField": "username"],
            ["cursor": .string(cursor), "sortField": "email", "sortAscending": true],
            ["cursor": .string(cursor), "sortField": "email", "searchQuery": "u"],
            ["cursor": .string(cursor + "A"), "sortField": "email"], ["cursor": "AAAA", "sortField": "email"],
            ["cursor": .string(String(repeating: "A", count: 5000)), "sortField": "email"],
            ["limit": -1], ["limit": 501], ["sortField": "password_hash"], ["roleFilter": 99], ["statusFilter": 99],
            ["searchQuery": .string(String(repeating: "a", count: 201))],
        ]
        for other in others {
            let answer = try await site.call("GetUsers", other, bearer: boss)
            #expect(answer.status == 400 && answer.stableCode == "invalidInput", "\(other)")
        }
        await site.close()
    }

    /// The lowest role that may make each call on an account of the role `user`.
    static let matrix: [(String, Role)] = [
        ("GetUsers", .admin), ("GetProfile", .moderator), ("UpdateProfile", .admin), ("DeleteUser", .admin),
    ]

    @Test(.tags(.adminAuthorization), arguments: 0..<matrix.count, Role.allCases)
    func `The calls of an administrator are for those with the required role`(index: Int, role: Role) async throws {
        let site = try await Site()
        let (method, least) = Self.matrix[index]
        let access = try await site.token("actor@example.com", role).access
        let target = try await site.signUp("target@example.com")
        let answer = try await site.call(
            method, method == "GetUsers" ? [:] : ["userId": .string(target.id)], bearer: access)
        expectEqual(answer.status, role >= least ? 200 : 403)
        if role < least { expectEqual(answer.word, "permission_denied") }
        await site.close()
    }

    @Test(.tags(.adminAuthorization))
    func `The calls of an administrator end with the role, though the token lives on`() async throws {
        let site = try await Site()
        let (id, access) = try await site.token("boss@example.com", .admin)
        try await site.signUp("root@example.com", roles: Role.superAdmin.words)
        try await expectEqual(site.call("GetUsers", bearer: access).status, 200)
        _ = try await site.identity.administration.setRole(of: id, to: .user)
        try await expectEqual(site.call("GetUsers", bearer: access).status, 403)
        await site.close()
    }

    @Test(.tags(.adminAuthorization))
    func `The calls of an administrator leave one administrator, and end no higher account`() async throws {
        let site = try await Site()
        let (id, access) = try await site.token("boss@example.com", .admin)
        let last = try await site.call("DeleteUser", ["userId": .string(id)], bearer: access)
        #expect(last.word == "failed_precondition" && last.stableCode == "lastAdministrator")
        let root = try await site.signUp("root@example.com", roles: Role.superAdmin.words)
        try await expectEqual(site.call("DeleteUser", ["userId": .string(root.id)], bearer: access).status, 403)
        try await expectEqual(site.call("DeleteUser", ["userId": "nobody"], bearer: access).word, "not_found")
        await site.close()
    }

    @Test
    func `The calls of an administrator show an administrator the devices of a user, and no secret`() async throws {
        let site = try await Site()
        let boss = try await site.token("boss@example.com", .admin).access
        let id = try await site.token("ada@example.com", .user).id
        let seen = try await site.call(
            "GetProfile", ["userId": .string(id), "includeDevices": true, "includePreferences": true], bearer: boss)
        expectEqual(seen.json["devices"]?.arrayValue?.count, 1)
        #expect(!seen.text.contains("argon2"))
        await site.close()
    }
}
