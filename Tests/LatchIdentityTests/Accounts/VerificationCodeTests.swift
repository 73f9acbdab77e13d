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

@Suite struct VerificationCodeTests {
    private static let email = "ada@example.com"
    private static let wrong = "This code is wrong or has expired"
    private let path = "/api/auth/verify-email"

    private func site(
        storedAt location: String? = nil, change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> (site: Site, code: String) {
        let site = try await Site(storedAt: location) {
            $0.loginLimitPerMinute = 1000
            change(&$0)
        }
        try await site.signUp(isVerified: false)
        return (site, try #require(await site.mailedCode()))
    }

    private func account(_ site: Site) async throws -> Account {
        try #require(try await site.identity.administration.account(email: Self.email))
    }

    private func send(
        _ code: String, for email: String = email, to site: Site, password: String? = nil, fields: HTTPFields = [:]
    ) async throws -> Response {
        var content: JSONObject = ["email": .string(email), "code": .string(code)]
        if let password { content["password"] = .string(password) }
        return try await site.post(path, .object(content), fields: fields)
    }

    @Test(.tags(.accountPreHijack), arguments: SharedStore.all)
    func `A code beside the link verifies the address, and ends what was set before, except for its session`(
        store: SharedStore
    ) async throws {
        let (site, code) = try await site(storedAt: try await store.location())
        let (stranger, owner) = (try await site.logIn(), try await site.logIn())
        let done = try await send(
            code, for: "ADA@example.com", to: site, fields: [.authorization: "Bearer \(owner.access)"])
        #expect(done.status == 200 && done.string("email") == Self.email && done.json["changePending"] == false)
        let account = try await account(site)
        #expect(account.emailVerifiedAt != nil && account.ownerProvedAt != nil)
        try await expectEqual(site.renew(stranger.refresh).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: owner.access).status, 200)
        // Code and link are used up together.
        try await expectEqual(send(code, to: site).status, 400)
        let token = try #require(await site.mailedToken())
        try await expectEqual(site.post(path, ["token": .string(token)]).status, 400)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A code needs the same proof of the owner as the link, and a wrong password does not use it up`() async throws
    {
        let (site, code) = try await site { $0.requireOwnerProof = true }
        let bare = try await send(code, to: site)
        #expect(bare.status == 403 && bare.string("code") == "ownerProofRequired")
        try await expectEqual(send(code, to: site, password: "not it").status, 401)
        try await expectNil(account(site).emailVerifiedAt)
        try await expectEqual(send(code.replacing(" ", with: ""), to: site, password: Site.password).status, 200)
        #expect(try await account(site).ownerProvedAt != nil)
        await site.close()
    }

    @Test(.tags(.factorGuessing), arguments: SharedStore.all)
    func `A code beside the link has five tries, even concurrent ones, and the link outlives it`(
        store: SharedStore
    ) async throws {
        let (site, code) = try await site(storedAt: try await store.location())
        for _ in 0..<4 { try await expectEqual(send("1234 5678", to: site).status, 400) }
        // The fifth wrong one ends the code, wherever the right one is among them.
        let right = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 { group.addTask { try await send("1234 5678", to: site).status } }
            return try await group.reduce(into: 0) { if $1 == 200 { $0 += 1 } }
        }
        expectEqual(right, 0)
        try await expectEqual(send(code, to: site).status, 400)
        let records = try await site.identity.audit.records(limit: 50)
        #expect(records.contains { $0.event == "address.failed" && $0.detail?.hasPrefix("verification") == true })
        // The link of the next email ends the earlier ones, and its code has five tries again.
        try await expectEqual(site.post("/resend", form: "email=\(Self.email)").status, 200)
        let next = try #require(await site.mailedCode())
        let token = try #require(await site.mailedToken())
        try await expectEqual(send("1234 5678", to: site).status, 400)
        #expect(next != code)
        try await expectEqual(site.post(path, ["token": .string(token)]).status, 200)
        await site.close()
    }

    @Test(.tags(.resetEnumeration))
    func `A wrong code looks the same for every address, from the first to the last one that counts`() async throws {
        let (site, _) = try await site()
        try await site.signUp("bob@example.com")
        var answers: [[String]] = []
        for email in [Self.email, "bob@example.com", "nobody@example.com"] {
            var texts: [String] = []
            for number in 0..<27 {
                if number == 6 { _ = try await site.post("/resend", form: "email=\(email)") }
                let answer = try await send("1234 5678", for: email, to: site)
                let page = try await site.post("/verify", form: "email=\(email)&code=12345678")
                #expect(answer.status != 200 && page.status != 200)
                texts.append("\(answer.status) \(answer.text) \(page.text.replacing(email, with: "EMAIL"))")
            }
            answers.append(texts)
        }
        #expect(answers[0][0].contains(Self.wrong) && answers[0][26].hasPrefix("429"))
        expectEqual(answers[0], answers[1])
        expectEqual(answers[0], answers[2])
        await site.close()
    }

    @Test(.tags(.mailedTokenReuse))
    func `A code beside the link ends with the link, and is of its account only`() async throws {
        let (site, code) = try await site()
        try await site.signUp("eve@example.com", isVerified: false)
        try await expectEqual(send(code, for: "eve@example.com", to: site).status, 400)
        site.clock.advance(by: site.identity.services.configuration.verificationLifetime.inSeconds + 1)
        try await expectEqual(send(code, to: site).status, 400)
        try await expectNil(account(site).emailVerifiedAt)
        await site.close()
    }

    @Test func `Content with neither a token nor a code is refused by the name of what is missing`() async throws {
        let (site, code) = try await site()
        let neither = try await site.post(path, ["email": "ada@example.com"])
        #expect(neither.status == 400 && neither.message?.contains("token") == true)
        let unaddressed = try await site.post(path, ["code": .string(code)])
        #expect(unaddressed.status == 400 && unaddressed.message?.contains("email") == true)
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: ["password", "new_password"])
    func `The page without a link takes the code, and then asks for a password as the link does`(
        field: String
    ) async throws {
        let (site, code) = try await site()
        var agent = UserAgent(site)
        let asking = try await agent.get("/verify")
        #expect(asking.status == 200 && asking.text.contains("name=\"code\"") && asking.text.contains("/resend"))
        let wrong = try await agent.post("/verify", form: "email=\(Self.email)&code=12345678")
        #expect(
            wrong.status == 400 && wrong.text.contains(Self.wrong) && wrong.text.contains("value=\"\(Self.email)\""))
        try await expectEqual(agent.post("/verify", form: "email=ada&code=12345678").status, 400)
        let form = try await agent.post(
            "/verify", form: FormEncoding.encode([("email", Self.email), ("code", code)]))
        #expect(form.status == 200 && form.text.contains(#"autocomplete="current-password""#))
        #expect(!form.text.contains(code) && !form.text.contains("?token="))
        let choosing = try await agent.submit(form, [("new", "yes")])
        #expect(choosing.text.contains(#"autocomplete="new-password""#))
        // The form is for its browser.
        var other = UserAgent(site)
        try await expectEqual(other.submit(form, [(field, Site.password)]).status, 400)
        try await expectNil(account(site).emailVerifiedAt)
        let page = field == "password" ? form : choosing
        let done = try await agent.submit(page, [(field, field == "password" ? Site.password : "Another 456!")])
        #expect(done.status == 200 && done.title == "Your email address was confirmed")
        #expect(try await account(site).ownerProvedAt != nil)
        try await expectEqual(site.logIn().status == 200, field == "password")
        try await expectEqual(agent.submit(page, [(field, Site.password)]).status, 400)
        await site.close()
    }

    @Test(.tags(.crossSiteRequest)) func `The page without a link takes no code from a form of another site`()
        async throws
    {
        let (site, code) = try await site()
        let fields: HTTPFields = [
            .contentType: "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site",
        ]
        let form = FormEncoding.encode([("email", Self.email), ("code", code)])
        try await expectEqual(site.send(.post, "/verify", fields: fields, body: HTTPBody(form)).status, 403)
        await site.close()
    }

    @Test func `The page after a request for another email leads to the page of the code`() async throws {
        let (site, _) = try await site()
        let sent = try await site.post("/resend", form: "email=\(Self.email)")
        #expect(sent.status == 200 && sent.text.contains("href=\"/verify\""))
        await expectEqual(site.subjects().count, 2)
        await site.close()
    }
}
