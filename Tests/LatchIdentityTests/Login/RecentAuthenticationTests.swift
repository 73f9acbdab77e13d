// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct RecentAuthenticationTests {
    private static let new = "another sentence to keep"

    private func site(_ change: (inout IdentityConfiguration) -> Void = { _ in }) async throws -> Site {
        try await Site {
            $0.accessTokenLifetime = .seconds(7200)
            $0.loginLimitPerMinute = 1000
            change(&$0)
        }
    }

    private func changeEmail(_ site: Site, _ access: String, _ id: String) async throws -> Response {
        try await site.call("UpdateProfile", ["userId": .string(id), "email": "eve@example.com"], bearer: access)
    }

    @Test(.tags(.addressChange), arguments: [true, false])
    func `A session with an old authentication begins no change of address, verified or not`(isVerified: Bool)
        async throws
    {
        let site = try await site()
        let ada = try await site.signUp(isVerified: isVerified)
        let access = try await site.logIn().access
        let session = try await site.bearer(access)
        site.clock.advance(by: 900)
        let accounts = site.identity.accounts
        await expectEqual(
            refusal { try await accounts.changeEmail(of: session, to: "eve@example.com", from: .tests) }, "signInAgain")
        let late = try await changeEmail(site, access, ada.id)
        #expect(late.status == 401 && late.word == "unauthenticated" && late.stableCode == "signInAgain")
        // RFC 9470 §3.
        let challenge = try #require(late.field(.wwwAuthenticate))
        #expect(challenge.contains(#"error="insufficient_user_authentication""#))
        #expect(challenge.contains(#"max_age="900""#))
        _ = await site.mailedToken()
        #expect(!site.mailer.messages.contains { $0.recipient == "eve@example.com" })
        try await expectEqual(changeEmail(site, try await site.logIn().access, ada.id).status, 200)
        await site.close()
    }

    @Test(.tags(.factorChange))
    func `A session with an old authentication changes no factor and no account, by any call`() async throws {
        let site = try await site()
        let (app, access) = try await site.enrol()
        let ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        site.clock.advance(by: 900)
        let code: JSONValue = ["code": .string(app.code(at: site.clock.now))]
        let password: JSONValue = [
            "currentPassword": .string(Site.password), "newPassword": .string(Self.new),
        ]
        for (method, message) in [
            ("SetupTwoFactor", [:]), ("VerifyTwoFactor", code), ("RemoveTwoFactor", code),
            ("RegenerateRecoveryCodes", code), ("ChangePassword", password),
            ("DeleteUser", ["userId": .string(ada.id)]), ("RemoveTwoFactor", ["userId": "another"]),
            ("SetUserRole", ["userId": "another", "role": "USER_ROLE_MODERATOR"]),
        ] as [(String, JSONValue)] {
            try await expectEqual(site.call(method, message, bearer: access).stableCode, "signInAgain")
        }
        await site.close()
    }

    @Test(
        .tags(.addressChange),
        arguments: ["DeleteUser", "SetUserStatus", "EndUserSessions", "UpdateProfile", "SetUserRole"])
    func `A session with an old authentication administers no other account`(method: String) async throws {
        let site = try await site()
        let eve = try await site.signUp("eve@example.com")
        let (_, access) = try await site.token("ada@example.com", .superAdmin)
        site.clock.advance(by: 900)
        var message: JSONObject = ["userId": .string(eve.id)]
        if method == "SetUserStatus" { message["status"] = "USER_STATUS_SUSPENDED" }
        if method == "SetUserRole" { message["role"] = "USER_ROLE_ADMIN" }
        if method == "UpdateProfile" { message["firstName"] = "Eve" }
        let late = try await site.call(method, .object(message), bearer: access)
        expectEqual(late.stableCode, "signInAgain", "\(late.text)")
        let again: JSONValue = ["password": .string(Site.password)]
        try await expectEqual(site.call(.post, "/api/auth/reauthenticate", bearer: access, again).status, 200)
        try await expectEqual(site.call(method, .object(message), bearer: access).status, 200)
        await site.close()
    }

    @Test func `A session with an old authentication changes the profile, but not the login name`() async throws {
        let site = try await site()
        let ada = try await site.signUp()
        let access = try await site.logIn().access
        let change = { (name: JSONValue) in
            try await site.call(
                "UpdateProfile", ["userId": .string(ada.id), "firstName": "Ada", "username": name], bearer: access)
        }
        try await expectEqual(change("ada").status, 200)
        site.clock.advance(by: 900)
        try await expectEqual(change("ada").status, 200)
        try await expectEqual(change("countess").stableCode, "signInAgain")
        await site.close()
    }

    @Test(.tags(.passwordChange))
    func `A session with an old authentication changes a password by the old one`() async throws {
        let site = try await site()
        try await site.signUp()
        let access = try await site.logIn().access
        site.clock.advance(by: 3600)
        let message: JSONValue = ["currentPassword": .string(Site.password), "newPassword": .string(Self.new)]
        try await expectEqual(site.call("ChangePassword", message, bearer: access).status, 200)
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A session with an old authentication is not renewed by a refresh`() async throws {
        let site = try await site()
        let ada = try await site.signUp()
        let login = try await site.logIn()
        site.clock.advance(by: 900)
        let access = try await site.renew(login.refresh).access
        try await expectEqual(site.get("/user/profile", bearer: access).status, 200)
        try await expectEqual(changeEmail(site, access, ada.id).stableCode, "signInAgain")
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A session with an old authentication is renewed by the password, on that device only`() async throws {
        let site = try await site()
        let ada = try await site.signUp()
        let (here, other) = (try await site.logIn().access, try await site.logIn().access)
        site.clock.advance(by: 900)
        let path = "/api/auth/reauthenticate"
        let wrong = try await site.call(.post, path, bearer: here, ["password": "not the password"])
        // A 401 would make the client refresh the token, and send the wrong password twice.
        #expect(wrong.status == 403 && wrong.string("code") == "invalidCredentials")
        expectNil(wrong.field(.wwwAuthenticate))
        try await expectEqual(changeEmail(site, here, ada.id).stableCode, "signInAgain")
        try await expectEqual(site.call(.post, path, bearer: here, ["password": .string(Site.password)]).status, 200)
        try await expectEqual(changeEmail(site, other, ada.id).stableCode, "signInAgain")
        site.clock.advance(by: 899)
        try await expectEqual(changeEmail(site, here, ada.id).status, 200)
        site.clock.advance(by: 1)
        try await expectEqual(changeEmail(site, here, ada.id).stableCode, "signInAgain")
        try await expectEqual(site.call(.post, path, bearer: "invented", ["password": "x"]).status, 401)
        await site.close()
    }

    @Test(.tags(.factorChange))
    func `A session with an old authentication is also renewed by the second factor, if there is one`() async throws {
        let site = try await site()
        let (app, access) = try await site.enrol()
        site.clock.advance(by: 900)
        let path = "/api/auth/reauthenticate"
        let password = JSONValue.string(Site.password)
        try await expectEqual(
            site.call(.post, path, bearer: access, ["password": password]).string("code"), "mfaRequired")
        let wrong: JSONValue = ["password": password, "otp": .string(app.wrongCode(at: site.clock.now))]
        let refused = try await site.call(.post, path, bearer: access, wrong)
        #expect(refused.status == 403 && refused.string("code") == "invalidCode")
        try await expectEqual(site.call("SetupTwoFactor", bearer: access).stableCode, "signInAgain")
        let right: JSONValue = ["password": password, "otp": .string(app.code(at: site.clock.now))]
        try await expectEqual(site.call(.post, path, bearer: access, right).status, 200)
        try await expectEqual(site.call("SetupTwoFactor", bearer: access).status, 200)
        try await expectEqual(site.call(.post, path, bearer: access, right).string("code"), "invalidCode")
        await site.close()
    }

    @Test
    func `A session with an old authentication is renewed by no extra guess, and not by another client`() async throws {
        let site = try await site {
            $0.loginLimitPerMinute = 3
            $0.clients = [OAuthClient(word: "phone;grants=password,refresh_token;scopes=files:read")].compactMap(\.self)
        }
        try await site.signUp()
        let phone = try await site.passwordGrant(as: "phone").accessToken
        let access = try await site.logIn().access
        let path = "/api/auth/reauthenticate"
        let right: JSONValue = ["password": .string(Site.password)]
        try await expectEqual(site.call(.post, path, bearer: phone, right).status, 403)
        for _ in 0..<3 { _ = try await site.call(.post, path, bearer: access, ["password": "guess"]) }
        try await expectEqual(site.call(.post, path, bearer: access, right).status, 429)
        await site.close()
    }

    @Test func `A session with an old authentication is as old as the setting says`() async throws {
        let site = try await site { $0.recentAuthentication = .seconds(60) }
        let ada = try await site.signUp()
        let access = try await site.logIn().access
        site.clock.advance(by: 59)
        try await expectEqual(changeEmail(site, access, ada.id).status, 200)
        site.clock.advance(by: 1)
        let late = try await changeEmail(site, access, ada.id)
        expectEqual(late.field(.wwwAuthenticate)?.contains(#"max_age="60""#), true)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A session with an old authentication is not renewed by a replaced password`() async throws {
        let site = try await site()
        try await site.signUp()
        let session = try await site.bearer(try await site.logIn().access)
        let store = site.identity.services.store
        let hash = try await site.identity.services.passwords.hash(Self.new, for: .change, from: nil)
        let isChanged = try await store.changePassword(
            of: session.account, to: hash, on: session.device.id, signingOutOthers: false, at: site.clock.now)
        #expect(isChanged)
        let late = try await store.authenticate(
            device: session.device.id, of: session.account, factorAt: nil, at: site.clock.now)
        #expect(!late)
        await site.close()
    }
}
