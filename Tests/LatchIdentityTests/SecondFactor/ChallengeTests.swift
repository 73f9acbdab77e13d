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

@Suite struct ChallengeTests {
    @Test(.tags(.halfAuthentication))
    func `A login before its second factor reaches nothing else by its challenge`() async throws {
        let site = try await Site()
        _ = try await site.enrol()
        let challenge = try await site.challenge()
        for path in ["/user/profile", "/api/users", "/widgets"] {
            try await expectEqual(site.get(path, bearer: challenge).status, 401)
        }
        try await expectEqual(site.renew(challenge).status, 401)
        try await expectEqual(site.refreshGrant(challenge).oauthError, "invalid_grant")
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")?.id)
        // One device: the one that the factor was confirmed on.
        try await expectEqual(site.tokens.devices(of: id).count, 1)
        await site.close()
    }

    @Test func `A login before its second factor continues once, in time, and while the password stays`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await site.enrol()
        let used = try await site.challenge()
        _ = try await site.complete(used, app.code(at: site.clock.now))
        await expectEqual(refusal { try await site.complete(used, app.recoveryCodes[0]) }, "invalidToken")
        let late = try await site.challenge()
        site.clock.advance(by: 301)
        await expectEqual(refusal { try await site.complete(late, app.recoveryCodes[0]) }, "invalidToken")
        let overtaken = try await site.challenge()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let body: JSONValue = ["token": .string(token), "password": "another sentence to keep"]
        try await expectEqual(site.post("/api/auth/reset-password", body).status, 200)
        await expectEqual(refusal { try await site.complete(overtaken, app.recoveryCodes[0]) }, "invalidToken")
        for invented in ["", "lc1.", "lc1.AAAA", String(repeating: "lc1.", count: 5000)] {
            await expectEqual(refusal { try await site.complete(invented, app.recoveryCodes[0]) }, "invalidToken")
        }
        await site.close()
    }

    @Test(.tags(.immediateRevocation))
    func `A login before its second factor ends with an account that is disabled meanwhile`() async throws {
        let site = try await Site()
        let (app, _) = try await site.enrol()
        let challenge = try await site.challenge()
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")?.id)
        _ = try await site.identity.administration.setStatus(of: id, to: .suspended, by: nil)
        await expectEqual(refusal { try await site.complete(challenge, app.recoveryCodes[0]) }, "invalidToken")
        await site.close()
    }

    @Test func `A login before its second factor is among the ten newest`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await site.enrol()
        var challenges: [String] = []
        for _ in 0..<12 {
            site.clock.advance(by: 1)
            challenges.append(try await site.challenge())
        }
        await expectEqual(refusal { try await site.complete(challenges[0], app.recoveryCodes[0]) }, "invalidToken")
        await expectEqual(refusal { try await site.complete(challenges[1], app.recoveryCodes[0]) }, "invalidToken")
        _ = try await site.complete(challenges[2], app.recoveryCodes[0])
        _ = try await site.complete(challenges[11], app.recoveryCodes[1])
        await site.close()
    }

    /// Each surface, and the status and the name by which it asks for the factor.
    static let surfaces = ["/api/auth/clients/login", "/auth/login", "/oauth/token"]

    private func logIn(_ site: Site, _ path: String, password: String = Site.password, otp: String?) async throws
        -> Response
    {
        if path == "/oauth/token" {
            return try await site.token([
                "grant_type": "password", "username": "ada@example.com", "password": password, "otp": otp,
            ])
        }
        var body: JSONObject = ["email": "ada@example.com", "password": .string(password)]
        if let otp { body["otp"] = .string(otp) }
        return try await site.post(path, .object(body))
    }

    @Test(.tags(.factorBypass), arguments: surfaces)
    func `A login before its second factor is asked for its code on every surface, and gets its tokens with it`(
        path: String
    ) async throws {
        let site = try await Site()
        let (app, _) = try await site.enrol()
        let isOAuth = path.hasPrefix("/oauth")
        let asked = try await logIn(site, path, otp: nil)
        expectEqual(asked.status, isOAuth ? 400 : 403)
        #expect(isOAuth ? asked.oauthError == "mfa_required" : asked.string("code") == "mfaRequired")
        #expect(asked.json["accessToken"] == nil && asked.json["access_token"] == nil)
        expectNil(asked.field(.setCookie))
        let wrong = try await logIn(site, path, otp: app.wrongCode(at: site.clock.now))
        expectEqual(wrong.status, isOAuth ? 400 : 401)
        let right = try await logIn(site, path, otp: app.code(at: site.clock.now))
        expectEqual(right.status, 200)
        #expect(!(right.access + right.accessToken).isEmpty)
        // F1: the same request again is a replay.
        try await expectNotEqual(logIn(site, path, otp: app.code(at: site.clock.now)).status, 200)
        await site.close()
    }

    @Test(.tags(.accountEnumeration), arguments: surfaces)
    func `A login before its second factor is revealed only with the password`(path: String) async throws {
        let site = try await Site()
        let (app, _) = try await site.enrol()
        try await site.signUp("bob@example.com")
        for otp in [nil, app.code(at: site.clock.now), "123456"] {
            let with = try await logIn(site, path, password: "not the password", otp: otp)
            expectEqual(with.status, path.hasPrefix("/oauth") ? 400 : 401)
            #expect(!with.text.contains("mfa"))
        }
        // The code was not used up by those who did not know the password.
        try await expectEqual(logIn(site, path, otp: app.code(at: site.clock.now)).status, 200)
        await site.close()
    }
}
