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

@Suite struct InvitationTests {
    private func invite(
        _ site: Site, by access: String?, _ content: JSONObject = ["email": "new@example.com"]
    ) async throws -> Response {
        let fields: HTTPFields = access.map { [.authorization: "Bearer \($0)"] } ?? [:]
        return try await site.post("/api/users/invite", .object(content), fields: fields)
    }

    @Test(
        .tags(.adminAuthorization),
        arguments: [
            (["user"], ["client"], 403), (["moderator"], [], 403), (["admin"], ["client"], 201),
            (["admin"], ["moderator"], 201), (["admin"], ["admin"], 403), (["admin"], ["super_admin"], 403),
            (["admin", "super_admin"], ["admin", "super_admin"], 201),
            (["admin", "super_admin"], ["super_admin"], 201), (["admin"], ["client", "owner"], 403),
            (["admin", "owner"], ["owner", "moderator"], 201), (["admin", "super_admin"], ["owner"], 201),
        ] as [([String], [String], Int)])
    func `An invitation gives no role as high as that of the inviter`(roles: [String], given: [String], status: Int)
        async throws
    {
        let site = try await Site()
        try await site.signUp("root@example.com", roles: roles)
        let access = try await site.logIn("root@example.com").access
        let response = try await invite(
            site, by: access, ["email": "new@example.com", "roles": .array(given.map { .string($0) })])
        expectEqual(response.status, status)
        let account = try await site.identity.administration.account(email: "new@example.com")
        expectEqual(account != nil, status == 201)
        if let account {
            expectEqual(account.roles.contains("super_admin"), given.contains("super_admin"))
            #expect(account.passwordHash == nil && account.emailVerifiedAt == nil)
            let record = try await site.identity.audit.records(limit: 20).first { $0.event == "account.created" }
            #expect(record?.accountID == account.id && record?.detail?.hasPrefix("invited by ") == true)
        }
        await site.close()
    }

    @Test func `An invitation needs an administrator who has logged in recently, and an address`() async throws {
        let site = try await Site()
        try await site.signUp("root@example.com", roles: ["admin"])
        let login = try await site.logIn("root@example.com")
        try await expectEqual(invite(site, by: nil).status, 401)
        try await expectEqual(invite(site, by: login.access, [:]).status, 400)
        try await expectEqual(invite(site, by: login.access, ["email": "no address"]).status, 400)
        try await expectEqual(invite(site, by: login.access, ["email": "a@example.com", "roles": "admin"]).status, 400)
        try await expectEqual(invite(site, by: login.access, ["email": "root@example.com"]).status, 409)
        site.clock.advance(by: 901)
        let late = try await invite(site, by: try await site.renew(login.refresh).access)
        #expect(late.status == 401 && late.string("code") == "signInAgain")
        await site.close()
    }

    @Test func `An invitation is a mail whose link sets the password, for as long as a verification`() async throws {
        let site = try await Site()
        try await site.signUp("root@example.com", roles: ["admin"])
        try await expectEqual(invite(site, by: try await site.logIn("root@example.com").access).status, 201)
        let token = try #require(await site.mailedToken(to: "new@example.com"))
        expectEqual(
            site.mailer.messages.last { $0.recipient == "new@example.com" }?.subject, "You are invited to Latchwork")
        // Longer than a link for a forgotten password.
        site.clock.advance(by: 7200)
        let reset: JSONValue = ["token": .string(token), "password": "a sentence of my own"]
        try await expectEqual(site.post("/api/auth/reset-password", reset).status, 200)
        let login = try await site.logIn("new@example.com", password: "a sentence of my own")
        try await expectEqual(site.get("/user/profile", bearer: login.access).json["emailVerified"], true)
        try await expectEqual(site.post("/api/auth/reset-password", reset).status, 400)
        await site.close()
    }
}
