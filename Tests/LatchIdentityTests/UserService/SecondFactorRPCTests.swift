// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct SecondFactorRPCTests {
    /// Sets a factor up over the wire; the next step has begun then.
    private func enrol(_ site: Site) async throws -> (app: AuthenticatorApp, access: String) {
        try await site.signUp()
        let access = try await site.login().session["accessToken"]?.stringValue ?? ""
        let setup = try await site.call("SetupTwoFactor", bearer: access)
        expectEqual(setup.status, 200)
        #expect(setup.string("otpauthUri").hasPrefix("otpauth://totp/"))
        let codes = setup.json["recoveryCodes"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let app = AuthenticatorApp(.init(secret: setup.string("secret"), uri: "", recoveryCodes: codes))
        let code = app.code(at: site.clock.now)
        let confirmed = try await site.call("VerifyTwoFactor", ["code": .string(code)], bearer: access)
        #expect(confirmed.status == 200 && confirmed.json["session"] == nil)
        expectEqual(confirmed.user["email"], "ada@example.com")
        site.clock.advance(by: 30)
        return (app, access)
    }

    @Test(arguments: Way.allCases)
    func `The calls of a second factor set one up, and complete a login by it`(way: Way) async throws {
        let site = try await Site(way)
        let (app, _) = try await enrol(site)
        let half = try await site.login(device: "Laptop")
        expectEqual(half.status, 200)
        expectEqual(half.json["requires2fa"], true)
        expectEqual(half.json["requiredActions"], ["verify_two_factor"])
        // Nothing of the account, no refresh token, and a session that says itself that it is none.
        #expect(half.json["user"] == nil && half.session["refreshToken"] == nil && half.session["isActive"] == nil)
        let challenge = half.session["accessToken"]?.stringValue ?? ""
        let wrong = try await site.call(
            "VerifyTwoFactor", ["code": .string(app.wrongCode(at: site.clock.now))], bearer: challenge)
        #expect(wrong.status == 401 && wrong.stableCode == "invalidCode")
        let full = try await site.call(
            "VerifyTwoFactor", ["code": .string(app.code(at: site.clock.now))], bearer: challenge)
        #expect(full.status == 200 && full.session["isActive"] == true)
        let access = full.session["accessToken"]?.stringValue
        let devices = try await site.call("GetActiveDevices", bearer: access).json["devices"]?.arrayValue
        expectEqual(devices?.allSatisfy { $0.objectValue?["isTrusted"] == true }, true)
        expectEqual(devices?.count, 2)
        await site.close()
    }

    @Test(.tags(.halfAuthentication))
    func `The calls of a second factor reach nothing else before it is proved`() async throws {
        let site = try await Site()
        let (app, _) = try await enrol(site)
        let challenge = try await site.login().session["accessToken"]?.stringValue ?? ""
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")).id
        for (method, message) in CallRefusalTests.needsBearer
        where method != "VerifyTwoFactor" {
            try await expectEqual(site.call(method, message, bearer: challenge).word, "unauthenticated")
        }
        let own = try await site.call("GetProfile", ["userId": .string(id)], bearer: challenge)
        expectEqual(own.word, "unauthenticated")
        try await expectEqual(site.call("RefreshToken", ["refreshToken": .string(challenge)]).word, "unauthenticated")
        try await expectEqual(site.get("/user/profile", bearer: challenge).status, 401)
        try await expectEqual(site.call("Logout", ["sessionToken": .string(challenge)]).status, 200)
        // F1: one code, many at the same time with one challenge: one session.
        let code: JSONValue = ["code": .string(app.code(at: site.clock.now))]
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { try await site.call("VerifyTwoFactor", code, bearer: challenge).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expectEqual(statuses.sorted(), [200, 401, 401, 401])
        await site.close()
    }

    @Test(.tags(.factorGuessing))
    func `The calls of a second factor are locked after five wrong codes, and state for how long`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await enrol(site)
        for _ in 0..<5 {
            let challenge = try await site.login().session["accessToken"]?.stringValue
            let wrong: JSONValue = ["code": .string(app.wrongCode(at: site.clock.now))]
            try await expectEqual(site.call("VerifyTwoFactor", wrong, bearer: challenge).stableCode, "invalidCode")
        }
        let challenge = try await site.login().session["accessToken"]?.stringValue
        let right: JSONValue = ["code": .string(app.code(at: site.clock.now))]
        let locked = try await site.call("VerifyTwoFactor", right, bearer: challenge)
        #expect(locked.status == 429 && locked.field(.retryAfter) == "30")
        let recovery: JSONValue = ["code": .string(app.recoveryCodes[3])]
        try await expectEqual(site.call("VerifyTwoFactor", recovery, bearer: challenge).status, 200)
        await site.close()
    }

    @Test(.tags(.factorChange))
    func `The calls of a second factor need a recent sign-in, and a begun enrollment`() async throws {
        let site = try await Site()
        let (_, access) = try await site.token("ada@example.com", .user)
        let none = try await site.call("VerifyTwoFactor", ["code": "123456"], bearer: access)
        #expect(none.word == "failed_precondition" && none.stableCode == "noSecondFactor")
        site.clock.advance(by: 899)
        try await expectEqual(site.call("SetupTwoFactor", bearer: access).status, 200)
        let refresh = try await site.login().session["refreshToken"] ?? ""
        site.clock.advance(by: 901)
        let renewed = try await site.call("RefreshToken", ["refreshToken": refresh]).session["accessToken"]?.stringValue
        let late = try await site.call("SetupTwoFactor", bearer: renewed)
        #expect(late.word == "unauthenticated" && late.stableCode == "signInAgain")
        await site.close()
    }
}

@Suite struct UserServiceWireTests {
    @Test func `The user service on the wire speaks Connect in binary, gRPC-Web and Connect by GET`() async throws {
        let site = try await Site(.socket)
        try await site.signUp()
        for wire in [RPCProtocol.connect, .grpcWeb] {
            for codec in [RPCCodec.binary, .json] {
                let channel = try site.channel(using: wire, codec: codec)
                let users = UserServiceStub(channel)
                let login = try await users.login(LoginRequest(email: "ada@example.com", password: Site.password))
                expectEqual(login.user?.email, "ada@example.com")
                var options = CallOptions()
                options.metadata[.authorization] = "Bearer \(login.session?.accessToken ?? "")"
                let user = try await users.getProfile(GetProfileRequest(userId: login.user?.id ?? ""), options: options)
                expectEqual(user.createdAt, noon)
                #expect(!"\(login)".contains(login.session?.accessToken ?? "?"))
                do {
                    _ = try await users.getUsers(GetUsersRequest(), options: options)
                    Issue.record("an account without a role was shown the others")
                } catch let error as RPCError {
                    expectEqual(error.status, .permissionDenied)
                    expectEqual(error.metadata["latch-code"], "forbidden")
                }
            }
        }
        await site.close()
    }

    @Test
    func `The user service on the wire answers unknown methods, and is absent if it is turned off`() async throws {
        let site = try await Site()
        try await expectEqual(site.call("NoSuchMethod").word, "unimplemented")
        let form = try await site.post("/userservice.v1.UserService/Login", form: "email=a")
        expectEqual(form.status, 415)
        try await expectEqual(site.get("/userservice.v1.UserService/Login").status, 405)
        let cut = try await site.send(
            .post, "/userservice.v1.UserService/Login", fields: [.contentType: "application/json"],
            body: HTTPBody("{\"email\":"))
        expectEqual(cut.word, "invalid_argument")
        await site.close()
        let without = try await Site { $0.hasUserService = false }
        try await expectEqual(without.login().status, 404)
        await without.close()
    }
}
