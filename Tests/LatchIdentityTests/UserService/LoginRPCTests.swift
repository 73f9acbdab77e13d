// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchProtobuf
import LatchRPC
import LatchServer
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct RegisterRPCTests {
    @Test(arguments: Way.allCases)
    func `The call Register makes an account, and a session that works on every other route`(way: Way) async throws {
        let site = try await Site(way)
        let answer = try await site.register(username: "ada")
        expectEqual(answer.status, 200)
        expectEqual(answer.field(.cacheControl), "no-store")
        expectEqual(answer.user["email"], "ada@example.com")
        #expect(answer.user["firstName"] == "Ada" && answer.user["displayName"] == "Ada Lovelace")
        expectEqual(answer.user["role"], "USER_ROLE_USER")
        expectEqual(answer.user["status"], "USER_STATUS_PENDING_VERIFICATION")
        let access = try #require(answer.session["accessToken"]?.stringValue)
        try await expectEqual(site.get("/user/profile", bearer: access).status, 200)
        try await expectEqual(site.renew(answer.session["refreshToken"]?.stringValue ?? "").status, 200)
        expectEqual(answer.session["expiresAt"]?.stringValue, "2035-01-15T08:15:00Z")
        expectEqual(answer.session["isActive"], true)
        expectEqual(answer.session["userId"], answer.user["id"])
        await site.close()
    }

    @Test func `The call Register counts a failure of the server as one, also over gRPC with its status 200`()
        async throws
    {
        let site = try await Site()
        let before = try #require(try await site.metric(#"latch_requests_total{status="5xx"}"#))
        await site.identity.services.store.close()
        try await expectEqual(site.register().status, 503)
        let message = try RegisterRequest(email: "ada@example.com", password: Site.password, acceptTerms: true)
            .serialized()
        let answer = try await site.send(
            .post, "/userservice.v1.UserService/Register", fields: [.contentType: "application/grpc"],
            body: HTTPBody([0, 0, 0, 0, UInt8(message.count)] + message))
        expectEqual(answer.status, 200)
        try await expectEqual(site.metric(#"latch_requests_total{status="5xx"}"#), before + 2)
    }

    @Test func `The call Register is logged as a failure of the server if it failed unexpectedly`() {
        struct Unexpected: Error {}
        var context = CallContext(path: "/")
        let route = MatchedRoute()
        context.http[MatchedRouteKey.self] = route
        for error in [RPCError(.internal), RPCError(.notFound, cause: Unexpected())] { context.noteFailure(error) }
        expectNil(route.failure)
        for cause in [Unexpected(), IdentityError.storeFull] as [any Error] {
            context.noteFailure(RPCError(.internal, cause: cause))
        }
        // The first one, which the others follow from.
        expectEqual(route.failure, "Unexpected")
    }

    @Test func `The call Register is not a failure of the server if its message is cut short`() async throws {
        let site = try await Site()
        let before = try #require(try await site.metric(#"latch_requests_total{status="5xx"}"#))
        for content in [[0, 0, 0, 0, 9, 1], [1, 0, 0, 0, 1, 1]] as [[UInt8]] {
            let answer = try await site.send(
                .post, "/userservice.v1.UserService/Login", fields: [.contentType: "application/grpc"],
                body: HTTPBody(content))
            expectEqual(answer.status, 200)
        }
        try await expectEqual(site.metric(#"latch_requests_total{status="5xx"}"#), before)
        await site.close()
    }

    @Test(.tags(.pendingRegistration))
    func `The call Register gives no session if an address must be verified first`() async throws {
        let site = try await Site { $0.requireVerifiedEmail = true }
        let answer = try await site.register()
        expectEqual(answer.status, 200)
        expectNil(answer.json["session"])
        expectEqual(answer.json["requiresVerification"], true)
        expectEqual(answer.json["requiredActions"], ["verify_email"])
        try await expectEqual(site.login().stableCode, "emailUnverified")
        let token = try #require(await site.mailedToken())
        let verified = try await site.call("VerifyEmail", ["verificationToken": .string(token)])
        expectEqual(verified.json["emailVerified"], true)
        expectNil(verified.json["profile"])
        try await expectEqual(site.login().status, 200)
        await site.close()
    }

    @Test(.tags(.massAssignment)) func `The call Register takes no privileged field from its request`() async throws {
        let site = try await Site()
        for name in ["role", "roles", "permissions", "emailVerified", "status", "id"] {
            let body: JSONValue = .object([
                "email": "ada@example.com", "password": .string(Site.password), name: "USER_ROLE_SUPER_ADMIN",
            ])
            // A member that the message does not have is refused, or read over; in neither case is it believed.
            _ = try await site.call("Register", body)
        }
        _ = try await site.register("eve@example.com")
        for email in ["ada@example.com", "eve@example.com"] {
            guard let account = try await site.identity.administration.account(email: email) else { continue }
            #expect(account.role == .user && account.emailVerifiedAt == nil && account.permissions.isEmpty)
        }
        await site.close()
    }

    @Test func `The call Register names the taken field, and leaves nothing half made`() async throws {
        let site = try await Site()
        try await expectEqual(site.register(username: "ada").status, 200)
        let again = try await site.register()
        #expect(again.status == 409 && again.word == "already_exists" && again.stableCode == "alreadyExists")
        try await expectEqual(site.register("other@example.com", username: "ADA").word, "already_exists")
        try await expectNil(site.identity.administration.account(email: "other@example.com"))
        let long = try await site.call(
            "Register",
            [
                "email": "other@example.com", "password": .string(Site.password),
                "firstName": .string(String(repeating: "a", count: 200)),
            ])
        expectEqual(long.word, "invalid_argument")
        try await expectNil(site.identity.administration.account(email: "other@example.com"))
        await site.close()
    }
}

@Suite struct LoginRPCTests {
    @Test(arguments: Way.allCases)
    func `The calls of a session sign in, renew and sign out, by the same tokens as every other route`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.login(device: "Ada's iPhone")
        expectEqual(login.session["deviceInfo"], "Ada's iPhone")
        let refresh = try #require(login.session["refreshToken"])
        let next = try await site.call("RefreshToken", ["refreshToken": refresh])
        expectEqual(next.status, 200)
        expectEqual(next.session["id"], login.session["id"])
        expectNotEqual(next.session["refreshToken"], refresh)
        expectEqual(next.user["id"], login.user["id"])
        let access = try #require(next.session["accessToken"])
        let out = try await site.call("Logout", ["sessionToken": access])
        #expect(out.status == 200 && out.json.isEmpty)
        try await expectEqual(site.get("/user/profile", bearer: access.stringValue ?? "").status, 401)
        let dead = try await site.call("RefreshToken", ["refreshToken": next.session["refreshToken"] ?? ""])
        #expect(dead.status == 401 && dead.word == "unauthenticated" && dead.stableCode == "invalidGrant")
        // Twice is as good as once.
        try await expectEqual(site.call("Logout", ["sessionToken": access]).status, 200)
        let late = try await site.login()
        site.clock.advance(by: 86_400)
        try await expectEqual(site.call("Logout", ["sessionToken": late.session["accessToken"] ?? ""]).status, 200)
        try await expectEqual(site.renew(late.session["refreshToken"]?.stringValue ?? "").status, 401)
        await site.close()
    }

    @Test(.tags(.refreshReuse))
    func `The calls of a session end as a family if a refresh token comes again later`() async throws {
        let site = try await Site()
        try await site.signUp()
        let refresh = try #require(try await site.login().session["refreshToken"])
        let next = try await site.call("RefreshToken", ["refreshToken": refresh])
        site.clock.advance(by: 31)
        try await expectEqual(site.call("RefreshToken", ["refreshToken": refresh]).word, "unauthenticated")
        let child = try #require(next.session["refreshToken"])
        try await expectEqual(site.call("RefreshToken", ["refreshToken": child]).word, "unauthenticated")
        await site.close()
    }

    @Test(.tags(.logoutEverywhere)) func `The calls of a session sign out everywhere by a valid token`() async throws {
        let site = try await Site()
        try await site.signUp()
        let (one, two) = (try await site.login(), try await site.login())
        let access = try #require(one.session["accessToken"])
        let body: JSONValue = ["sessionToken": access, "logoutAllDevices": true]
        try await expectEqual(site.call("Logout", body).status, 200)
        let other = two.session["accessToken"]?.stringValue ?? ""
        try await expectEqual(site.get("/user/profile", bearer: other).status, 401)
        try await expectEqual(site.call("Logout", body).word, "unauthenticated")
        await site.close()
    }

    /// D1: without the right password, what is told of an account that may not sign in is what is told of none.
    @Test(.tags(.accountEnumeration))
    func `The calls of a session refuse all refused users in the same words, unless the password is right`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        try await site.signUp()
        let shut: [Account.Status] = [.disabled, .suspended, .banned]
        for status in shut {
            let account = try await site.signUp("\(status)@example.com")
            _ = try await site.identity.administration.setStatus(of: account.id, to: status)
        }
        let gone = try await site.signUp("gone@example.com")
        _ = try await site.identity.administration.delete(gone.id, isFinal: false, by: nil, because: "")
        let wrong = try await site.login(password: "not the password")
        #expect(wrong.status == 401 && wrong.stableCode == "invalidCredentials")
        let names = shut.map { "\($0)@example.com" }
        var answers = [try await site.login("gone@example.com")]
        for name in names + ["gone@example.com", "nobody@example.com", "nobody"] {
            answers.append(try await site.login(name, password: "not the password"))
        }
        for answer in answers {
            expectEqual(answer.status, 401)
            expectEqual(answer.text, wrong.text)
            expectEqual(answer.field("latch-code"), wrong.field("latch-code"))
        }
        for (name, code) in zip(names, ["accountClosed", "accountSuspended", "accountClosed"]) {
            let answer = try await site.login(name)
            #expect(answer.status == 403 && answer.word == "permission_denied")
            expectEqual(answer.stableCode, code)
        }
        await site.close()
    }

    @Test(.tags(.loginLimits)) func `The calls of a session are limited, and state for how long`() async throws {
        let site = try await Site()
        try await site.signUp()
        for _ in 0..<10 { _ = try await site.login(password: "not the password") }
        let limited = try await site.login()
        #expect(limited.status == 429 && limited.word == "resource_exhausted")
        expectEqual(limited.stableCode, "tooManyAttempts")
        #expect(Int(limited.field(.retryAfter) ?? "") ?? 0 > 0)
        await site.close()
    }
}

@Suite struct CallRefusalTests {
    /// REFERENCE 000.6, each rule with a request that breaks it, and the field that the message names.
    static let rules: [(String, JSONValue, String)] = [
        ("Register", ["email": "", "password": "long enough"], "email"),
        ("Register", ["email": "ada", "password": "long enough"], "email"),
        ("Register", ["email": "a@b.example", "password": ""], "password"),
        ("Register", ["email": "a@b.example", "password": "1234567"], "password"),
        ("Login", ["email": "", "password": "x"], "email"), ("Login", ["email": "a", "password": ""], "password"),
        ("Logout", ["sessionToken": ""], "session_token"), ("RefreshToken", [:], "refresh_token"),
        ("GetProfile", [:], "user_id"), ("UpdateProfile", [:], "user_id"),
        ("UpdateProfile", ["userId": "x", "email": "no address"], "email"),
        ("ChangePassword", ["currentPassword": "", "newPassword": "long enough"], "current_password"),
        ("ChangePassword", ["currentPassword": "x", "newPassword": ""], "new_password"),
        ("ChangePassword", ["currentPassword": "x", "newPassword": "1234567"], "new_password"),
        ("ChangePassword", ["currentPassword": "the same one", "newPassword": "the same one"], "new_password"),
        ("DeleteUser", [:], "user_id"), ("RequestPasswordReset", [:], "email"),
        ("RequestPasswordReset", ["email": "ada"], "email"),
        ("ResetPassword", ["newPassword": "long enough"], "reset_token"),
        ("ResetPassword", ["resetToken": "x"], "new_password"),
        ("ResetPassword", ["resetToken": "x", "newPassword": "1234567"], "new_password"),
        ("VerifyEmail", [:], "verification_token"), ("ResendVerification", ["email": ""], "email"),
        ("ResendVerification", ["email": "ada"], "email"), ("VerifyTwoFactor", [:], "code"),
        ("RevokeDevice", [:], "device_id"), ("SetUserRole", [:], "user_id"), ("SetUserStatus", [:], "user_id"),
        ("EndUserSessions", [:], "user_id"), ("RemoveTwoFactor", [:], "code"),
        ("RegenerateRecoveryCodes", [:], "code"),
    ]

    @Test(.tags(.validationRules), arguments: 0..<rules.count)
    func `The calls refuse a request that breaks a rule, by the name of its field`(index: Int) async throws {
        let site = try await Site()
        let (method, message, field) = Self.rules[index]
        // Without a token a method that needs one does not read the message.
        let access = try await site.token("grace@example.com", .user).access
        let answer = try await site.call(method, message, bearer: access)
        expectEqual(answer.status, 400)
        expectEqual(answer.word, "invalid_argument")
        #expect(answer.string("message").contains("\(field) must"))
        #expect(!answer.text.contains("1234567") && !answer.text.contains("the same one"))
        await site.close()
    }

    static let needsBearer: [(String, JSONValue)] = [
        ("GetProfile", ["userId": "x"]), ("UpdateProfile", ["userId": "x"]),
        ("ChangePassword", ["currentPassword": "long enough", "newPassword": "long enough 2"]), ("GetUsers", [:]),
        ("DeleteUser", ["userId": "x"]), ("SetupTwoFactor", [:]), ("VerifyTwoFactor", ["code": "123456"]),
        ("GetActiveDevices", [:]), ("RevokeDevice", ["deviceId": "x"]),
        ("SetUserRole", ["userId": "x", "role": "USER_ROLE_USER"]),
        ("SetUserStatus", ["userId": "x", "status": "USER_STATUS_ACTIVE"]), ("EndUserSessions", ["userId": "x"]),
        ("RemoveTwoFactor", ["code": "123456"]), ("RegenerateRecoveryCodes", ["code": "123456"]),
    ]

    @Test(.tags(.immediateRevocation), arguments: 0..<needsBearer.count)
    func `The calls refuse everything without a token, with an invented, a dead or a refresh token`(index: Int)
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let (method, message) = Self.needsBearer[index]
        let login = try await site.login()
        let access = login.session["accessToken"]?.stringValue ?? ""
        let refresh = login.session["refreshToken"]?.stringValue ?? ""
        _ = try await site.call("Logout", ["sessionToken": .string(access)])
        for token in [nil, "", "invented", "a.b.c", "lc1.invented", access, refresh] as [String?] {
            let answer = try await site.call(method, message, bearer: token)
            expectEqual(answer.status, 401)
            #expect(answer.word == "unauthenticated" && answer.stableCode == "invalidToken")
            expectEqual(answer.field(.wwwAuthenticate)?.hasPrefix("Bearer"), true)
        }
        await site.close()
    }

    @Test func `The calls refuse a token of another app than the server's own`() async throws {
        let site = try await Site {
            $0.clients = [OAuthClient(word: "phone;grants=password,refresh_token;scopes=files:read")].compactMap(\.self)
        }
        let ada = try await site.signUp()
        let access = try await site.passwordGrant(as: "phone").accessToken
        let answer = try await site.call("GetProfile", ["userId": .string(ada.id)], bearer: access)
        #expect(answer.status == 403 && answer.word == "permission_denied")
        await site.close()
    }
}
