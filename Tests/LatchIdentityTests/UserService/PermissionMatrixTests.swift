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

/// Every call by every kind of caller (attacks K9 and G4).
@Suite struct PermissionMatrixTests {
    /// The caller.
    ///
    /// The target of a call is the account `same`, and `half` waits for its second factor.
    enum Caller: Int, CaseIterable, Sendable {
        case nobody, expired, other, same, moderator, admin, suspended, lesser, half
    }

    /// One letter for each caller, in their order:
    /// `.` is done, `u` unauthenticated, `p` permission denied, `n` not found, `f` failed precondition, `i` invalid argument.
    static let table: [(method: String, answers: String)] = [
        // These ask for no token, and none changes what they do.
        ("Register", "........."), ("Login", "........."), ("Logout", "........."),
        ("RefreshToken", "uuuuuuuuu"), ("RequestPasswordReset", "........."), ("ResetPassword", "iiiiiiiii"),
        ("VerifyEmail", "iiiiiiiii"), ("ResendVerification", "........."),
        // These are about whoever calls.
        ("ChangePassword", "uu....upu"), ("SetupTwoFactor", "uu....upu"), ("VerifyTwoFactor", "uuffffupu"),
        ("GetActiveDevices", "uu....upu"), ("RegenerateRecoveryCodes", "uuffffupu"),
        // These are about an account or a device that the request names.
        ("GetProfile", "uup...upu"), ("UpdateProfile", "uup.p.upu"), ("DeleteUser", "uup.p.upu"),
        ("RevokeDevice", "uun.nnupu"), ("GetUsers", "uuppp.upu"), ("SetUserRole", "uuppp.upu"),
        ("SetUserStatus", "uupp..upu"), ("EndUserSessions", "uuppp.upu"), ("RemoveTwoFactor", "uupfpfupu"),
    ]

    @Test func `Each call of the user service is in the table`() async throws {
        let site = try await Site()
        let paths = UserServiceHandler(site.identity.services).rpcMethods.map(\.path)
        expectEqual(paths.sorted(), Self.table.map { "/userservice.v1.UserService/\($0.method)" }.sorted())
        await site.close()
    }

    @Test(arguments: 0..<table.count)
    func `Each call of the user service answers each caller as the table says`(line: Int) async throws {
        let (method, answers) = Self.table[line]
        for (caller, letter) in zip(Caller.allCases, answers) {
            // A scene of its own: what one caller did is not there for the next.
            let scene = try await Scene()
            let answer = try await scene.call(method, by: caller)
            let expected = [
                ".": "", "u": "unauthenticated", "p": "permission_denied", "n": "not_found", "f": "failed_precondition",
                "i": "invalid_argument",
            ][letter]
            expectEqual(answer.word, expected, "\(method) by \(caller): \(answer.text)")
            expectEqual(answer.field(.cacheControl), "no-store")
            await scene.site.close()
        }
    }

    @Test(.tags(.resetEnumeration))
    func `Each call of the user service reveals accounts only to callers with access to others`() async throws {
        let scene = try await Scene()
        for method in [
            "GetProfile", "UpdateProfile", "DeleteUser", "SetUserRole", "SetUserStatus", "EndUserSessions",
            "RemoveTwoFactor",
        ] {
            let there = try await scene.call(method, by: .other)
            let nowhere = try await scene.call(method, by: .other, target: "no such account")
            #expect(there.status == nowhere.status && there.text == nowhere.text, "\(method)")
            let known = try await scene.call(method, by: .admin, target: "no such account")
            expectEqual(known.word, "not_found", "\(method)")
        }
        await scene.site.close()
    }

    @Test(.tags(.massAssignment))
    func `Each call of the user service takes no privileged field from a change of details`() async throws {
        let scene = try await Scene()
        let extra: [JSONValue] = [
            ["role": "USER_ROLE_SUPER_ADMIN"], ["status": "USER_STATUS_ACTIVE"], ["emailVerified": true],
            ["permissions": ["everything"]], ["id": "another"], ["updateMask": "role,permissions"],
            ["profile": ["role": 4]], ["preferences": ["permissions": ["everything"]]],
        ]
        let before = try await scene.site.identity.administration.account(email: "same@example.com")
        for members in extra {
            var message = members.objectValue ?? [:]
            message["userId"] = .string(scene.targetID)
            let answer = try await scene.site.call("UpdateProfile", .object(message), bearer: scene.tokens[.same])
            #expect([200, 400].contains(answer.status))
            let after = try await scene.site.identity.administration.account(email: "same@example.com")
            expectEqual(after, before, "\(members)")
        }
        await scene.site.close()
    }
}

/// A site with everybody who calls.
private struct Scene {
    let site: Site
    let targetID: String
    let deviceID: String
    let tokens: [PermissionMatrixTests.Caller: String]

    init() async throws {
        site = try await Site {
            $0.loginLimitPerMinute = 1000
            $0.clients = [OAuthClient(word: "phone;grants=password,refresh_token")].compactMap(\.self)
        }
        var tokens: [PermissionMatrixTests.Caller: String] = [:]
        let target = try await site.signUp("same@example.com")
        tokens[.expired] = try await Self.access(site, "same@example.com")
        site.clock.advance(by: 1000)
        let login = try await site.login("same@example.com")
        tokens[.same] = login.session["accessToken"]?.stringValue
        deviceID = login.session["id"]?.stringValue ?? ""
        targetID = target.id
        tokens[.other] = try await site.token("other@example.com", .user).access
        tokens[.moderator] = try await site.token("moderator@example.com", .moderator).access
        tokens[.admin] = try await site.token("admin@example.com", .admin).access
        let (suspendedID, suspended) = try await site.token("suspended@example.com", .admin)
        _ = try await site.identity.administration.setStatus(of: suspendedID, to: .suspended, by: nil)
        tokens[.suspended] = suspended
        tokens[.lesser] = try await site.passwordGrant("same@example.com", as: "phone").accessToken
        _ = try await site.enrol("half@example.com")
        tokens[.half] = try await site.challenge("half@example.com")
        try await site.signUp("bystander@example.com")
        self.tokens = tokens
    }

    private static func access(_ site: Site, _ email: String) async throws -> String {
        try await site.login(email).session["accessToken"]?.stringValue ?? ""
    }

    func call(
        _ method: String, by caller: PermissionMatrixTests.Caller, target: String? = nil
    ) async throws -> Response {
        try await site.call(method, message(method, target ?? targetID), bearer: tokens[caller])
    }

    private func message(_ method: String, _ target: String) -> JSONValue {
        let (email, password): (JSONValue, JSONValue) = ("bystander@example.com", .string(Site.password))
        let long: JSONValue = "a sentence that is long"
        let messages: [String: JSONObject] = [
            "Register": ["email": "new@example.com", "password": password],
            "Login": ["email": email, "password": password], "Logout": ["sessionToken": "invented"],
            "RefreshToken": ["refreshToken": "invented"], "RequestPasswordReset": ["email": email],
            "ResetPassword": ["resetToken": "invented", "newPassword": long],
            "VerifyEmail": ["verificationToken": "invented"], "ResendVerification": ["email": email],
            "ChangePassword": ["currentPassword": password, "newPassword": long],
            "VerifyTwoFactor": ["code": "123456"], "RegenerateRecoveryCodes": ["code": "123456"],
            "UpdateProfile": ["displayName": "Somebody"], "SetUserRole": ["role": "USER_ROLE_MODERATOR"],
            "SetUserStatus": ["status": "USER_STATUS_SUSPENDED"], "RemoveTwoFactor": ["code": "123456"],
        ]
        var message = messages[method] ?? [:]
        switch method {
        case "GetProfile", "UpdateProfile", "DeleteUser", "SetUserRole", "SetUserStatus", "EndUserSessions",
            "RemoveTwoFactor":
            message["userId"] = .string(target)
        case "RevokeDevice": message["deviceId"] = .string(deviceID)
        default: break
        }
        return .object(message)
    }
}
