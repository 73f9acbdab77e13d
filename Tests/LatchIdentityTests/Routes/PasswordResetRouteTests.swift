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

@Suite struct PasswordResetRouteTests {
    private static let fresh = "Another456!"

    private func reset(_ site: Site, _ token: String, password: String = fresh) async throws -> Response {
        try await site.post(
            "/api/auth/reset-password", ["token": .string(token), "password": .string(password)])
    }

    private func forget(_ site: Site, _ email: String = "ada@example.com") async throws -> Response {
        try await site.post("/api/auth/forgot-password", ["email": .string(email)])
    }

    @Test(.tags(.passwordReset), arguments: Way.allCases)
    func `A password reset sets the new password, once, and ends every session`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let logins = [try await site.logIn(), try await site.logIn()]
        try await expectEqual(forget(site).status, 200)
        let token = try #require(await site.mailedToken())
        let answer = try await reset(site, token)
        expectEqual(answer.status, 200)
        #expect(answer.message != nil)
        try await expectEqual(site.logIn().status, 401)
        try await expectEqual(site.logIn(password: Self.fresh).status, 200)
        // E7: the old sessions are gone, with their access tokens.
        for login in logins {
            try await expectEqual(site.renew(login.refresh).status, 401)
            try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        }
        try await expectEqual(reset(site, token).status, 400)
        try await expectEqual(site.metric("latch_families_revoked_total"), 2)
        await site.close()
    }

    @Test(.tags(.passwordReset))
    func `A password reset also takes the password under the seed's other name`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await forget(site)
        let token = try #require(await site.mailedToken())
        let body: JSONValue = ["token": .string(token), "newPassword": .string(Self.fresh), "type": "client"]
        try await expectEqual(site.post("/api/auth/reset-password", body).status, 200)
        try await expectEqual(site.logIn(password: Self.fresh).status, 200)
    }

    @Test func `A password reset refuses two different passwords in one request`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await forget(site)
        let token = try #require(await site.mailedToken())
        let body: JSONValue = ["token": .string(token), "password": "Another456!", "newPassword": "Third7890!"]
        try await expectEqual(site.post("/api/auth/reset-password", body).status, 400)
        try await expectEqual(reset(site, token).status, 200)
    }

    @Test(.tags(.passwordReset, .resetEnumeration), arguments: Way.allCases)
    func `A password reset answers a request for an unknown address as for a known one`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let disabled = try await site.signUp("disabled@example.com")
        _ = try await site.identity.administration.setStatus(of: disabled.id, to: .disabled)
        let answers = [
            try await forget(site), try await forget(site, "nobody@example.com"),
            try await forget(site, "disabled@example.com"),
        ]
        for answer in answers {
            expectEqual(answer.status, 200)
            expectEqual(answer.response.body, answers[0].response.body)
        }
        _ = await site.mailedToken()
        expectEqual(site.mailer.messages.map(\.recipient), ["ada@example.com"])
        await site.close()
    }

    @Test(.tags(.resetEnumeration)) func `A password reset answers while the mail server hangs`() async throws {
        let folder = try TemporaryFolder()
        let hanging = HangingMailer()
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        configuration.issuer = "http://127.0.0.1:8080"
        let identity = try await Identity(
            configuration: configuration, storePath: folder.file(), mailer: hanging,
            clock: ManualClock(noon).wallClock())
        _ = try await identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        await hanging.untilCalled()
        let request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:8080", path: "/api/auth/forgot-password",
            fields: [.contentType: "application/json"], body: HTTPBody(#"{"email":"ada@example.com"}"#))
        try await expectEqual(identity.handler.respond(to: request).status, .ok)
        hanging.release()
        await identity.close()
        // What was accepted was sent before the end.
        expectEqual(hanging.count, 2)
    }

    @Test(.tags(.passwordReset)) func `A password reset refuses an expired token and an invented one`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await forget(site)
        let token = try #require(await site.mailedToken())
        site.clock.advance(by: 3600)
        let late = try await reset(site, token)
        expectEqual(late.status, 400)
        expectEqual(late.string("code"), "invalidLink")
        try await expectEqual(reset(site, "").status, 400)
        try await expectEqual(reset(site, "guess").status, 400)
        try await expectEqual(site.logIn().status, 200)
    }

    @Test(.tags(.mailedTokenReuse))
    func `A password reset ends with a newer mail, and refuses a token for verification`() async throws {
        let site = try await Site()
        try await site.signUp(isVerified: false)
        let verification = try #require(await site.mailedToken())
        try await expectEqual(reset(site, verification).status, 400)
        _ = try await forget(site)
        let first = try #require(await site.mailedToken())
        _ = try await forget(site)
        let second = try #require(await site.mailedToken())
        try await expectEqual(reset(site, first).status, 400)
        try await expectEqual(reset(site, second).status, 200)
        // The change of the password ended the other link as well.
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(verification)]).status, 400)
    }

    @Test(.tags(.mailedTokenReuse)) func `A password reset is done once for 8 concurrent attempts`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await forget(site)
        let token = try #require(await site.mailedToken())
        let statuses = try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask { try await reset(site, token, password: "Parallel-\(number)!").status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expectEqual(statuses.filter { $0 == 200 }.count, 1)
        expectEqual(statuses.filter { $0 == 400 }.count, 7)
    }

    @Test func `A password reset keeps its token when the new password is refused`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await forget(site)
        let token = try #require(await site.mailedToken())
        try await expectEqual(reset(site, token, password: "short").string("code"), "weakPassword")
        try await expectEqual(reset(site, token, password: String(repeating: "x", count: 1 << 14)).status, 400)
        try await expectEqual(reset(site, token).status, 200)
    }

    @Test(.tags(.mailedTokenReuse)) func `A password reset keeps only a digest of the mailed token`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        _ = try await forget(site)
        let token = try #require(await site.mailedToken())
        await site.close()
        let content = try site.folder.bytes()
        for secret in [token, login.refresh, login.access, Site.password] {
            expectNil(content.range(of: Data(secret.utf8)))
        }
    }

    @Test(.tags(.hostPoisoning))
    func `A password reset emails links to the configured issuer, whatever host the request names`()
        async throws
    {
        let site = try await Site { $0.issuer = "https://id.example.com/" }
        try await site.signUp()
        let fields: HTTPFields = [
            .host: "evil.example", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example",
        ]
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"], fields: fields)
        _ = await site.mailedToken()
        let text = try #require(site.mailer.messages.last?.text)
        #expect(text.contains("https://id.example.com/reset?token="))
        #expect(!text.contains("evil.example"))
    }

    @Test(.tags(.mailFlood))
    func `A password reset sends one address at most five emails an hour, and answers the same`() async throws {
        let site = try await Site()
        try await site.signUp()
        for _ in 0..<12 { try await expectEqual(forget(site).status, 200) }
        _ = await site.mailedToken()
        expectEqual(site.mailer.messages.count, 5)
        site.clock.advance(by: 3600)
        _ = try await forget(site)
        _ = await site.mailedToken()
        expectEqual(site.mailer.messages.count, 6)
    }
}
