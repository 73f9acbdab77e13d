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

@Suite struct FactorRemovalRPCTests {
    private static let both = ["RemoveTwoFactor", "RegenerateRecoveryCodes"]

    private func code(_ app: AuthenticatorApp, _ site: Site) -> JSONValue {
        ["code": .string(app.code(at: site.clock.now))]
    }

    @Test(arguments: Way.allCases)
    func `The calls that change a second factor remove it by a code, and the next login asks for none`(way: Way)
        async throws
    {
        let site = try await Site(way)
        let (app, access) = try await site.enrol()
        try await expectEqual(site.call("RemoveTwoFactor", code(app, site), bearer: access).status, 200)
        try await expectEqual(site.login().session["isActive"], true)
        let devices = try await site.call("GetActiveDevices", bearer: access).json["devices"]?.arrayValue ?? []
        expectEqual(devices.count, 2)
        #expect(devices.allSatisfy { $0.objectValue?["isTrusted"] == nil })
        // A user who did not do it reads of it, with a link to the page of the account that has no token.
        await site.identity.services.mails.flush()
        let mail = try #require(site.mailer.messages.first { $0.text.contains("no longer requires a code") })
        expectEqual(mail.recipient, "ada@example.com")
        #expect(mail.text.contains("/account\n") && !mail.text.contains("token="))
        let again = try await site.call("RemoveTwoFactor", code(app, site), bearer: access)
        #expect(again.word == "failed_precondition" && again.stableCode == "noSecondFactor")
        await site.close()
    }

    @Test(.tags(.recoveryCodes))
    func `The calls that change a second factor make new recovery codes, and the old ones are invalid`() async throws {
        let site = try await Site()
        let (app, access) = try await site.enrol()
        let made = try await site.call("RegenerateRecoveryCodes", code(app, site), bearer: access)
        let codes = made.json["recoveryCodes"]?.arrayValue?.compactMap(\.stringValue) ?? []
        #expect(made.status == 200 && codes.count == 10 && Set(codes).isDisjoint(with: app.recoveryCodes))
        let old = try await site.challenge()
        await expectEqual(refusal { try await site.complete(old, app.recoveryCodes[0]) }, "invalidCode")
        _ = try await site.complete(old, codes[0])
        let next = try await site.challenge()
        await expectEqual(refusal { try await site.complete(next, codes[0]) }, "invalidCode")
        // A recovery code proves the factor as well, and is used up by it.
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")).id
        let byCode = try await site.call("RegenerateRecoveryCodes", ["code": .string(codes[1])], bearer: access)
        expectEqual(byCode.status, 200)
        try expectEqual(site.recoveryCodeCount(of: id), 10)
        let used = try await site.call("RemoveTwoFactor", ["code": .string(codes[1])], bearer: access)
        expectEqual(used.stableCode, "invalidCode")
        await site.close()
    }

    @Test(.tags(.factorCodeReplay), arguments: both)
    func `The calls that change a second factor use a code up, and concurrent ones count as one`(method: String)
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, access) = try await site.enrol()
        let message = code(app, site)
        let words = try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { try await site.call(method, message, bearer: access).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expectEqual(words.count { $0 == 200 }, 1, "\(words)")
        // A code that opened a login opens nothing else.
        if method == "RegenerateRecoveryCodes" {
            site.clock.advance(by: 30)
            let challenge = try await site.challenge()
            _ = try await site.complete(challenge, app.code(at: site.clock.now))
            try await expectEqual(site.call(method, code(app, site), bearer: access).stableCode, "invalidCode")
        }
        await site.close()
    }

    @Test(.tags(.factorChange), arguments: both)
    func `The calls that change a second factor need a recent sign-in, for any code`(method: String) async throws {
        let site = try await Site { $0.accessTokenLifetime = .seconds(3600) }
        let (app, access) = try await site.enrol()
        site.clock.advance(by: 901)
        let late = try await site.call(method, code(app, site), bearer: access)
        #expect(late.word == "unauthenticated" && late.stableCode == "signInAgain")
        // The code was not looked at, and so not used up.
        let challenge = try await site.challenge()
        _ = try await site.complete(challenge, app.code(at: site.clock.now))
        await site.close()
    }

    @Test(.tags(.factorGuessing))
    func `The calls that change a second factor share their guesses with each other and every login`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, access) = try await site.enrol()
        let wrong = app.wrongCode(at: site.clock.now)
        let message: JSONValue = ["code": .string(wrong)]
        try await expectEqual(site.call("RemoveTwoFactor", message, bearer: access).stableCode, "invalidCode")
        try await expectEqual(site.call("RegenerateRecoveryCodes", message, bearer: access).stableCode, "invalidCode")
        let challenge = try await site.challenge()
        try await expectEqual(site.call("VerifyTwoFactor", message, bearer: challenge).stableCode, "invalidCode")
        let login: JSONValue = [
            "email": "ada@example.com", "password": .string(Site.password), "otp": .string(wrong),
        ]
        try await expectEqual(site.post("/api/auth/clients/login", login).string("code"), "invalidCode")
        let grant = try await site.token([
            "grant_type": "password", "username": "ada@example.com", "password": Site.password, "otp": wrong,
        ])
        expectEqual(grant.status, 400)
        // That were five: the right one is not looked at any more, on no way.
        let right = code(app, site)
        for method in Self.both {
            let locked = try await site.call(method, right, bearer: access)
            #expect(locked.status == 429 && locked.field(.retryAfter) == "30", "\(method)")
        }
        try await expectEqual(site.call("VerifyTwoFactor", right, bearer: challenge).status, 429)
        var rest = login.objectValue ?? [:]
        rest["otp"] = right.objectValue?["code"]
        try await expectEqual(site.post("/api/auth/clients/login", .object(rest)).status, 429)
        try await expectEqual(
            site.call("RemoveTwoFactor", ["code": .string(app.recoveryCodes[0])], bearer: access).status, 200)
        await site.close()
    }

    @Test(.tags(.loginLimits)) func `Passwords that are guessed by calls and by routes share one limit`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 4 }
        try await site.signUp()
        let wrong: JSONValue = ["email": "ada@example.com", "password": "wrong one"]
        try await expectEqual(site.post("/api/auth/clients/login", wrong).status, 401)
        try await expectEqual(site.login(password: "wrong one").status, 401)
        try await expectEqual(site.passwordGrant(password: "wrong one").status, 400)
        try await expectEqual(site.post("/auth/login", wrong).status, 401)
        try await expectEqual(site.login().status, 429)
        try await expectEqual(site.logIn().status, 429)
        try await expectEqual(site.passwordGrant().status, 429)
        await site.close()
    }

    @Test(arguments: both)
    func `The calls that change a second factor refuse every wrong code in the same words`(method: String) async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, access) = try await site.enrol()
        let used = app.code(at: site.clock.now, offset: -1)
        var answers: Set<String> = []
        for typed in [
            app.wrongCode(at: site.clock.now), used, "abcd-efgh-ijkl-mnop", "12345", "no code at all",
            app.code(at: site.clock.now, offset: 5),
        ] {
            let answer = try await site.call(method, ["code": .string(typed)], bearer: access)
            answers.insert("\(answer.status) \(answer.text)")
        }
        expectEqual(answers.count, 1, "\(answers)")
        await site.close()
    }
}

@Suite struct AdministratorFactorRemovalTests {
    @Test
    func `A second factor that an administrator removes goes without a code, and signs its owner out`() async throws {
        let site = try await Site()
        let (_, access) = try await site.enrol()
        let boss = try await site.token("boss@example.com", .admin).access
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")).id
        let answer = try await site.call("RemoveTwoFactor", ["userId": .string(id)], bearer: boss)
        expectEqual(answer.status, 200)
        // The phone that was lost may have been signed in.
        try await expectEqual(site.call("GetProfile", ["userId": .string(id)], bearer: access).word, "unauthenticated")
        try await expectEqual(site.login().session["isActive"], true)
        await site.identity.services.mails.flush()
        expectEqual(site.mailer.messages.last?.recipient, "ada@example.com")
        let none = try await site.call("RemoveTwoFactor", ["userId": .string(id)], bearer: boss)
        expectEqual(none.stableCode, "noSecondFactor")
        await site.close()
    }

    @Test
    func `A second factor that an administrator removes is never their own, and needs a recent sign-in`() async throws {
        let site = try await Site { $0.accessTokenLifetime = .seconds(3600) }
        let (_, access) = try await site.enrol("boss@example.com")
        let boss = try #require(try await site.identity.administration.account(email: "boss@example.com"))
        _ = try await site.identity.administration.setRole(of: boss.id, to: .superAdmin)
        let own = try await site.call("RemoveTwoFactor", ["userId": .string(boss.id)], bearer: access)
        expectEqual(own.word, "invalid_argument")
        let target = try await site.signUp("target@example.com")
        site.clock.advance(by: 901)
        for (method, message) in [
            ("RemoveTwoFactor", ["userId": .string(target.id)]),
            ("SetUserRole", ["userId": .string(target.id), "role": "USER_ROLE_ADMIN"]),
        ] as [(String, JSONValue)] {
            try await expectEqual(site.call(method, message, bearer: access).stableCode, "signInAgain")
        }
        await site.close()
    }
}

@Suite struct RoleAndStatusRPCTests {
    private func events(_ site: Site, of id: String) throws -> [String] {
        let raw = try SQLiteConnection(path: site.folder.file(), access: .readOnly)
        return try raw.all(
            "SELECT event || coalesce(' ' || detail, '') FROM audit WHERE account_id = ? ORDER BY id", [.text(id)]
        ) { row throws(IdentityError) in try row.text(0) }
    }

    @Test
    func `A role or status that a call sets takes effect immediately, and is logged with actor and reason`()
        async throws
    {
        let site = try await Site()
        let (bossID, boss) = try await site.token("boss@example.com", .admin)
        let (id, access) = try await site.token("ada@example.com", .user)
        let promoted = try await site.call(
            "SetUserRole", ["userId": .string(id), "role": "USER_ROLE_MODERATOR"], bearer: boss)
        #expect(promoted.status == 200 && promoted.json["role"] == "USER_ROLE_MODERATOR")
        try await expectEqual(site.call("GetProfile", ["userId": .string(bossID)], bearer: access).status, 403)
        let shut = try await site.call(
            "SetUserStatus", ["userId": .string(id), "status": "USER_STATUS_BANNED", "reason": "spam\n\u{1B}[31m"],
            bearer: boss)
        #expect(shut.status == 200 && shut.json["status"] == "USER_STATUS_BANNED")
        try await expectEqual(site.call("GetActiveDevices", bearer: access).word, "unauthenticated")
        try await expectEqual(site.login().stableCode, "accountClosed")
        let open = try await site.call(
            "SetUserStatus", ["userId": .string(id), "status": "USER_STATUS_ACTIVE"], bearer: boss)
        expectEqual(open.json["status"], "USER_STATUS_ACTIVE")
        try await expectEqual(site.login().status, 200)
        try await expectEqual(site.login().status, 200)
        let ended = try await site.call("EndUserSessions", ["userId": .string(id)], bearer: boss)
        expectEqual(ended.json["endedSessions"], 2)
        let notes = try events(site, of: id)
        for note in [
            "account.role moderator by \(bossID)", "account.banned by \(bossID): spam[31m",
            "account.active by \(bossID)", "account.sessionsEnded by \(bossID)", "device.allSignedOut administrator",
        ] {
            #expect(notes.contains(note), "\(note) in \(notes)")
        }
        await site.close()
    }

    private func demote(_ id: String, _ token: String, _ site: Site) async throws -> Response {
        try await site.call("SetUserRole", ["userId": .string(id), "role": "USER_ROLE_USER"], bearer: token)
    }

    @Test(.tags(.adminAuthorization)) func `Roles and statuses that calls set leave one administrator`() async throws {
        let site = try await Site()
        let (id, first) = try await site.token("first@example.com", .superAdmin)
        let (other, second) = try await site.token("second@example.com", .superAdmin)
        try await expectEqual(demote(id, first, site).word, "permission_denied")
        // Both concurrently dismiss each other: one of them stays.
        async let one = demote(other, first, site)
        async let two = demote(id, second, site)
        let statuses = try await [one.status, two.status]
        expectEqual(statuses.count { $0 == 200 }, 1, "\(statuses)")
        let left = try await site.call(
            "GetUsers", ["roleFilter": "USER_ROLE_SUPER_ADMIN"], bearer: statuses[0] == 200 ? first : second)
        expectEqual(left.json["totalCount"], 1)
        await site.close()
    }

    @Test func `Roles and statuses that calls set must be valid, and a moderator cannot lift a ban`() async throws {
        let site = try await Site()
        let boss = try await site.token("boss@example.com", .admin).access
        let moderator = try await site.token("mod@example.com", .moderator).access
        let ada = try await site.signUp()
        for (method, message) in [
            ("SetUserRole", ["role": "USER_ROLE_UNSPECIFIED"]), ("SetUserRole", [:]), ("SetUserRole", ["role": 99]),
            ("SetUserStatus", [:]), ("SetUserStatus", ["status": "USER_STATUS_PENDING_VERIFICATION"]),
            ("SetUserStatus", ["status": 99]),
        ] as [(String, JSONObject)] {
            var message = message
            message["userId"] = .string(ada.id)
            try await expectEqual(site.call(method, .object(message), bearer: boss).word, "invalid_argument")
        }
        let set = { (status: String, token: String) in
            try await site.call("SetUserStatus", ["userId": .string(ada.id), "status": .string(status)], bearer: token)
        }
        try await expectEqual(set("USER_STATUS_SUSPENDED", moderator).status, 200)
        try await expectEqual(set("USER_STATUS_ACTIVE", moderator).status, 200)
        try await expectEqual(set("USER_STATUS_BANNED", boss).status, 200)
        try await expectEqual(set("USER_STATUS_ACTIVE", moderator).word, "permission_denied")
        try await expectEqual(set("USER_STATUS_SUSPENDED", moderator).word, "permission_denied")
        await site.close()
    }

    @Test func `Roles and statuses that calls set are filters of lists, also for unverified accounts`() async throws {
        let site = try await Site()
        let boss = try await site.token("boss@example.com", .admin).access
        for number in 0..<4 { try await site.signUp("u\(number)@example.com", isVerified: number == 0) }
        let count = { (message: JSONValue) in
            try await site.call("GetUsers", message, bearer: boss).json["totalCount"]?.intValue
        }
        try await expectEqual(count(["verificationFilter": "VERIFICATION_FILTER_UNVERIFIED"]), 3)
        try await expectEqual(count(["verificationFilter": "VERIFICATION_FILTER_VERIFIED"]), 2)
        try await expectEqual(count(["emailVerifiedFilter": true]), 2)
        // As it always was: a flag that is not set is no filter.
        try await expectEqual(count(["emailVerifiedFilter": false]), 5)
        for both in [
            ["emailVerifiedFilter": true, "verificationFilter": "VERIFICATION_FILTER_UNVERIFIED"],
            ["verificationFilter": 99],
        ] as [JSONValue] {
            try await expectEqual(site.call("GetUsers", both, bearer: boss).word, "invalid_argument")
        }
        await site.close()
    }
}
