// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

/// Phones of users, which receive the text messages of a server.
private final class Phones: Sendable {
    private struct Down: Error {}

    private let state = Mutex((messages: [IdentityHooks.TextMessage](), isDown: false))

    var messages: [IdentityHooks.TextMessage] { state.withLock { $0.messages } }

    /// The code of the newest message to a number.
    func code(at number: String = PhoneTests.number) -> String? {
        messages.last { $0.recipient == number }?.code
    }

    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    var hooks: IdentityHooks {
        var hooks = IdentityHooks()
        hooks.text = { message in
            try self.state.withLock { state in
                guard !state.isDown else { throw Down() }
                state.messages.append(message)
            }
        }
        return hooks
    }
}

@Suite struct PhoneTests {
    fileprivate static let number = "+4930123456"

    private let phones = Phones()

    private func site(
        storedAt location: String? = nil, change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> (site: Site, access: String) {
        let site = try await Site(storedAt: location, hooks: phones.hooks) {
            $0.issuer = Site.issuer
            change(&$0)
        }
        try await site.signUp()
        return (site, try await site.logIn().access)
    }

    private func begin(_ site: Site, _ access: String, _ number: String = "+49 (30) 123-456") async throws -> Response {
        try await site.call(.post, "/api/auth/phone", bearer: access, ["phone": .string(number)])
    }

    private func verify(
        _ site: Site, _ access: String, _ challenge: String, _ code: String?
    ) async throws -> Response {
        try await site.call(
            .post, "/api/auth/phone/verify", bearer: access,
            ["challenge": .string(challenge), "code": .string(try #require(code))])
    }

    @Test(arguments: SharedStore.all)
    func `A number is the account's once its code is entered, and is removed again`(store: SharedStore) async throws {
        let (site, access) = try await site(storedAt: try await store.location())
        let begun = try await begin(site, access)
        expectEqual(begun.status, 202)
        try await expectNil(site.get("/user/profile", bearer: access).json["phone"])
        let message = try #require(phones.messages.first)
        #expect(message.recipient == Self.number && message.purpose == "verifyPhone" && message.language == "en")
        #expect(message.text.hasSuffix("\n\n@id.latch.example #\(message.code)"))
        let done = try await verify(site, access, begun.string("challenge"), message.code)
        #expect(done.status == 200 && done.string("phone") == Self.number && done.json["phoneVerified"] == true)
        // The code works once.
        let again = try await verify(site, access, begun.string("challenge"), message.code)
        expectEqual(again.string("code"), "codeEnded")
        try await expectEqual(site.get("/user/profile", bearer: access).string("phone"), Self.number)
        try await expectEqual(site.call(.delete, "/api/auth/phone", bearer: access).status, 204)
        try await expectNil(site.get("/user/profile", bearer: access).json["phone"])
        let events = try await site.identity.audit.records(limit: 10).map(\.event)
        #expect(events.contains("account.phoneVerified") && events.contains("account.phoneRemoved"))
        await site.close()
    }

    @Test func `A new number replaces the old one only with its code`() async throws {
        let (site, access) = try await site()
        let first = try await begin(site, access)
        _ = try await verify(site, access, first.string("challenge"), phones.code())
        let second = try await begin(site, access, "+43 1 2345678")
        try await expectEqual(site.get("/user/profile", bearer: access).string("phone"), Self.number)
        // The code of one number is none of the other.
        try await expectEqual(
            verify(site, access, first.string("challenge"), phones.code(at: "+4312345678")).string("code"), "codeEnded")
        let done = try await verify(site, access, second.string("challenge"), phones.code(at: "+4312345678"))
        expectEqual(done.string("phone"), "+4312345678")
        await site.close()
    }

    @Test(.tags(.factorGuessing)) func `A code has five tries and ten minutes, and is for the user who asked`()
        async throws
    {
        let (site, access) = try await site()
        let begun = try await begin(site, access)
        let code = try #require(phones.code())
        let wrong = code == "000000" ? "000001" : "000000"
        try await site.signUp("eve@example.com")
        let eve = try await site.logIn("eve@example.com").access
        try await expectEqual(verify(site, eve, begun.string("challenge"), code).string("code"), "codeEnded")
        for _ in 0..<4 {
            try await expectEqual(verify(site, access, begun.string("challenge"), wrong).string("code"), "invalidCode")
        }
        try await expectEqual(verify(site, access, begun.string("challenge"), wrong).string("code"), "codeEnded")
        try await expectEqual(verify(site, access, begun.string("challenge"), code).string("code"), "codeEnded")
        let late = try await begin(site, access)
        site.clock.advance(by: 600)
        try await expectEqual(verify(site, access, late.string("challenge"), phones.code()).string("code"), "codeEnded")
        try await expectEqual(verify(site, access, "mc1.x", phones.code()).string("code"), "codeEnded")
        try await expectNil(site.get("/user/profile", bearer: access).json["phone"])
        await site.close()
    }

    @Test func `Text messages have limits of an account, of a number, and of the server`() async throws {
        let (site, access) = try await site { ($0.textLimitPerHour, $0.signUpLimitPerHour) = (8, 1000) }
        for _ in 0..<5 { try await expectEqual(begin(site, access).status, 202) }
        try await expectEqual(begin(site, access, "+4312345678").status, 429)
        try await site.signUp("eve@example.com")
        let eve = try await site.logIn("eve@example.com").access
        // The limit of the number.
        try await expectEqual(begin(site, eve).status, 429)
        for _ in 0..<3 { try await expectEqual(begin(site, eve, "+4312345678").status, 202) }
        // The limit of the server.
        try await expectEqual(begin(site, eve, "+41441234567").status, 429)
        expectEqual(phones.messages.count, 8)
        site.clock.advance(by: 3600)
        let later = try await site.logIn().access
        try await expectEqual(begin(site, later).status, 202)
        await site.close()
    }

    @Test(arguments: ["", "030 123456", "004930123456", "+0123456789", "+49", "+49 30 12345x", "+491234567890123456"])
    func `A number that cannot be dialed from abroad is refused with a hint`(number: String) async throws {
        let (site, access) = try await site()
        let refused = try await begin(site, access, number)
        #expect(refused.status == 400 && refused.string("field") == "phone" && refused.string("hint").contains("+"))
        #expect(phones.messages.isEmpty)
        await site.close()
    }

    @Test func `Numbers of other countries get no text message`() async throws {
        let (site, access) = try await site { $0.phonePrefixes = ["+49", "+43"] }
        let refused = try await begin(site, access, "+1 202 555 0100")
        #expect(refused.string("code") == "invalidPhone" && refused.string("hint").contains("+49, +43"))
        try await expectEqual(begin(site, access).status, 202)
        await site.close()
    }

    @Test func `A program that is down is said, and the server without one verifies no numbers`() async throws {
        let (site, access) = try await site()
        phones.setDown(true)
        let refused = try await begin(site, access)
        #expect(refused.status == 503 && refused.string("code") == "hookUnavailable")
        await site.close()
        let other = try await Site()
        try await other.signUp()
        let session = try await other.logIn().access
        let off = try await begin(other, session)
        #expect(off.status == 404 && off.string("code") == "phonesUnavailable")
        await other.close()
    }

    @Test func `A number needs a recent sign-in, and a session of the server's own client`() async throws {
        let (site, access) = try await site { $0.recentAuthentication = .seconds(300) }
        let begun = try await begin(site, access)
        site.clock.advance(by: 301)
        for response in [
            try await begin(site, access), try await verify(site, access, begun.string("challenge"), phones.code()),
            try await site.call(.delete, "/api/auth/phone", bearer: access),
        ] {
            expectEqual(response.string("code"), "signInAgain")
        }
        await site.close()
    }

    @Test func `A program over HTTP gets the message, signed`() async throws {
        let program = HookProgram()
        let site = try await Site(upstream: program) {
            $0.issuer = Site.issuer
            $0.add("texts", on: .text)
        }
        try await site.signUp()
        let begun = try await begin(site, try await site.logIn().access)
        expectEqual(begun.status, 202)
        let request = try #require(program.requests.first)
        #expect(request.fields["webhook-signature"]?.hasPrefix("v1,") == true)
        let data = try #require(program.messages.first?["data"]?.objectValue)
        #expect(data["to"] == .string(Self.number) && data["purpose"] == "verifyPhone" && data["language"] == "en")
        await site.close()
        await expectEqual(
            refusal {
                try await Site { $0.add("texts", on: .text) { $0.fallback = .continue } }
            }, "invalidSetting")
    }

    @Test func `The page of the account verifies and removes a number`() async throws {
        let (site, _) = try await site()
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"))
        #expect(try await agent.get("/account").text.contains("No phone number"))
        let form = try await agent.get("/account/phone")
        expectEqual(form.title, "Phone number")
        let wrong = try await agent.submit(form, [("phone", "030 123456")])
        #expect(wrong.status == 400 && wrong.text.contains("The phone number is not valid"))
        #expect(wrong.text.contains(#"value="030 123456""#))
        let sent = try await agent.submit(form, [("phone", Self.number)])
        #expect(sent.text.contains("We have texted a code to \(Self.number)"))
        let challenge = ("challenge", sent.between(#"name="challenge" type="hidden" value=""#, "\""))
        let code = try #require(phones.code())
        let missed = try await agent.submit(sent, [challenge, ("code", code == "000000" ? "000001" : "000000")])
        #expect(missed.status == 400 && missed.text.contains("We have texted a code"))
        expectEqual(missed.between(#"name="challenge" type="hidden" value=""#, "\""), challenge.1)
        let other = try await agent.submit(missed, [challenge, ("other", "yes")])
        #expect(other.status == 200 && other.text.contains(#"name="phone""#))
        let done = try await agent.submit(sent, [challenge, ("code", code)])
        #expect(done.text.contains("The phone number is verified.") && done.text.contains(Self.number))
        let removed = try await agent.submit(try await agent.get("/account/phone"), [("remove", "yes")])
        #expect(removed.text.contains("The phone number is removed.") && !removed.text.contains(Self.number))
        await site.close()
    }

    @Test func `A client with the scope gets a verified number, and no other one`() async throws {
        let account = { (verifiedAt: Date?) in
            var account = Account(
                id: "u", email: try EmailAddress("ada@example.com"), passwordChangedAt: noon, createdAt: noon)
            (account.phone, account.phoneVerifiedAt) = (PhoneNumber(text: Self.number), verifiedAt)
            return account
        }
        let claims = UserClaims()
        let verified = claims.ofAccount(try account(noon), ["openid", "phone"], for: nil)
        #expect(verified["phone_number"] == .string(Self.number) && verified["phone_number_verified"] == true)
        #expect(claims.ofAccount(try account(nil), ["openid", "phone"], for: nil)["phone_number"] == nil)
        #expect(claims.ofAccount(try account(noon), ["openid", "profile"], for: nil)["phone_number"] == nil)
    }
}
