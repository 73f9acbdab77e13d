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

@Suite struct EmailChangeTests {
    private func begin(_ site: Site, verified: Bool = true) async throws -> Account {
        let ada = try await site.signUp(isVerified: verified)
        let bearer = try await site.bearer(try await site.logIn().access)
        try await site.identity.accounts.changeEmail(of: bearer, to: "Ada@new.example", from: .tests)
        return ada
    }

    private func press(_ site: Site, _ token: String?) async throws -> Int {
        try await site.post("/api/auth/verify-email", ["token": .string(token ?? "")]).status
    }

    @Test func `A change of an address only in case takes effect immediately, without an email`() async throws {
        let site = try await Site()
        let ada = try await site.signUp("Ada@Example.com")
        let access = try await site.logIn().access
        // No recent login is needed: the mailbox stays the same.
        site.clock.advance(by: 600)
        let mails = site.mailer.messages.count
        for spelling in ["ada@example.com", "ADA@EXAMPLE.COM", "Ada.@example.com", "Ada@example.com"] {
            let response = try await site.call(
                "UpdateProfile", ["userId": .string(ada.id), "email": .string(spelling)], bearer: access)
            guard spelling != "Ada.@example.com" else {
                expectEqual(response.status, 400)
                continue
            }
            #expect(response.status == 200 && response.string("email") == spelling)
            let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
            #expect(account.id == ada.id && account.email?.text == spelling)
            expectEqual(account.emailVerifiedAt, ada.emailVerifiedAt)
        }
        await site.identity.flushMails()
        expectEqual(site.mailer.messages.count, mails)
        try await expectEqual(site.get("/user/profile", bearer: access).string("email"), "Ada@example.com")
        await site.close()
    }

    @Test func `A change of address does not take another account's name in another case`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        try await site.signUp("bob@example.com")
        let access = try await site.logIn().access
        let request: JSONValue = ["userId": .string(ada.id), "email": "BOB@example.com"]
        // It begins as any other change, and discloses nothing.
        try await expectEqual(site.call("UpdateProfile", request, bearer: access).string("email"), "ada@example.com")
        try await expectEqual(
            site.identity.administration.account(email: "bob@example.com")?.email?.text, "bob@example.com")
        await site.close()
    }

    @Test(.tags(.addressChange), arguments: [true, false])
    func `A change of address completes when both ends have confirmed it, in either order`(oldFirst: Bool) async throws
    {
        let site = try await Site()
        let ada = try await begin(site)
        let device = try #require(try await site.tokens.devices(of: ada.id).first)
        let request = try await site.identity.audit.records(limit: 10).first {
            $0.event == "account.emailChangeRequested"
        }
        expectEqual(request?.accountID, ada.id)
        expectEqual(request?.detail, "on device \(device.publicID)")
        let old = try #require(await site.mailedToken())
        let new = try #require(await site.mailedToken(to: "Ada@new.example"))
        expectNotEqual(old, new)
        try await expectEqual(press(site, oldFirst ? old : new), 200)
        try await expectEqual(site.identity.administration.account(email: "ada@example.com")?.id, ada.id)
        // E4: each works once.
        try await expectEqual(press(site, oldFirst ? old : new), 400)
        try await expectEqual(press(site, oldFirst ? new : old), 200)
        let changed = try #require(try await site.identity.administration.account(email: "ada@new.example"))
        #expect(changed.id == ada.id && changed.email?.text == "Ada@new.example")
        expectEqual(changed.emailVerifiedAt, site.clock.now)
        try await expectNil(site.identity.administration.account(email: "ada@example.com"))
        try await expectEqual(site.logIn("ada@new.example").status, 200)
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A change of address waits only for the new end if the old address was never verified`()
        async throws
    {
        let site = try await Site()
        _ = try await begin(site, verified: false)
        let new = try #require(await site.mailedToken(to: "Ada@new.example"))
        let told = try #require(site.mailer.messages.last { $0.recipient == "ada@example.com" })
        #expect(!told.text.contains("token="))
        try await expectEqual(press(site, new), 200)
        #expect(try await site.identity.administration.account(email: "ada@new.example")?.emailVerifiedAt != nil)
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: [true, false])
    func `A change of address ends when the owner signs out the device that requested it, or all of them`(all: Bool)
        async throws
    {
        let site = try await Site()
        try await site.signUp(isVerified: false)
        let thief = try await site.bearer(try await site.logIn().access)
        try await site.identity.accounts.changeEmail(of: thief, to: "thief@example.com", from: .tests)
        let new = try #require(await site.mailedToken(to: "thief@example.com"))
        let owner = try await site.logIn().access
        if all {
            _ = try await site.identity.services.tokens.signOutEverywhere(accessToken: owner)
        } else {
            let store = site.identity.services.store
            let account = try await site.bearer(owner).accountID
            #expect(
                try await store.revoke(
                    device: thief.device.id, ownedBy: account, because: .logout, at: site.clock.now))
        }
        try await expectEqual(press(site, new), 400)
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A change of address is named by the page of the old end, which asks for the password`() async throws {
        let site = try await Site()
        let ada = try await begin(site)
        let old = try #require(await site.mailedToken())
        let mail = try #require(site.mailer.messages.last { $0.recipient == "ada@example.com" })
        #expect(mail.text.contains("/confirm-change?token=\(old)"))
        let page = try await site.get("/confirm-change?token=\(old)").text
        #expect(page.contains("<h1>Change the address of your account?</h1>") && page.contains("This wasn&#39;t me"))
        // The page of a verification does not confirm it, whatever is typed there.
        let password = Site.encoded(Site.password)
        try await expectEqual(site.post("/verify", form: "token=\(old)&password=\(password)").status, 400)
        try await expectEqual(site.post("/verify", form: "token=\(old)&new_password=\(password)").status, 400)
        try await expectEqual(site.post("/confirm-change", form: "token=\(old)&password=wrong").status, 400)
        let new = try #require(await site.mailedToken(to: "Ada@new.example"))
        try await expectEqual(site.post("/confirm-change", form: "token=\(new)&password=\(password)").status, 400)
        try await expectEqual(press(site, new), 200)
        try await expectEqual(site.post("/confirm-change", form: "token=\(old)&password=\(password)").status, 200)
        try await expectEqual(site.identity.administration.account(email: "ada@new.example")?.id, ada.id)
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A change of address is refused by the owner, who signs out the requesting device`() async throws {
        let site = try await Site()
        _ = try await begin(site)
        let (old, new) = (await site.mailedToken() ?? "", await site.mailedToken(to: "Ada@new.example") ?? "")
        let thief = try await site.logIn()
        try await expectEqual(press(site, new), 200)
        try await expectEqual(site.post("/confirm-change", form: "token=\(old)&password=&refuse=yes").status, 200)
        try await expectEqual(site.get("/user/profile", bearer: thief.access).status, 401)
        try await expectEqual(press(site, old), 400)
        try await expectEqual(site.post("/confirm-change", form: "token=\(old)&refuse=yes").status, 400)
        try await expectNil(site.identity.administration.account(email: "ada@new.example"))
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }

    @Test(.tags(.mailedTokenReuse))
    func `A change of address ends with its time, with a newer one, and with the password`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        _ = try await begin(site)
        let first = try #require(await site.mailedToken(to: "Ada@new.example"))
        let bearer = try await site.bearer(try await site.logIn().access)
        try await site.identity.accounts.changeEmail(of: bearer, to: "ada@newer.example", from: .tests)
        let second = try #require(await site.mailedToken(to: "ada@newer.example"))
        try await expectEqual(press(site, first), 400)
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let reset = try #require(await site.mailedToken())
        let body: JSONValue = ["token": .string(reset), "password": "another sentence to keep"]
        try await expectEqual(site.post("/api/auth/reset-password", body).status, 200)
        try await expectEqual(press(site, second), 400)
        let again = try await site.bearer(try await site.logIn(password: "another sentence to keep").access)
        try await site.identity.accounts.changeEmail(of: again, to: "ada@newest.example", from: .tests)
        let third = try #require(await site.mailedToken(to: "ada@newest.example"))
        site.clock.advance(by: 86_401)
        try await expectEqual(press(site, third), 400)
        #expect(try await site.identity.administration.account(email: "ada@example.com") != nil)
        await site.close()
    }

    @Test
    func `A change of address does not take an address in use, neither at its beginning nor at its end`() async throws {
        let site = try await Site()
        try await site.signUp("bob@example.com")
        _ = try await begin(site)
        let bearer = try await site.bearer(try await site.logIn().access)
        await expectEqual(
            refusal { try await site.identity.accounts.changeEmail(of: bearer, to: "no address", from: .tests) },
            "invalidEmail")
        let old = try #require(await site.mailedToken())
        let new = try #require(await site.mailedToken(to: "Ada@new.example"))
        try await site.signUp("ada@new.example")
        try await expectEqual(press(site, old), 200)
        try await expectEqual(press(site, new), 400)
        #expect(try await site.identity.administration.account(email: "ada@example.com") != nil)
        await site.close()
    }

    @Test(.tags(.mailFlood)) func `A change of address can be requested a few times an hour`() async throws {
        let site = try await Site()
        try await site.signUp()
        let bearer = try await site.bearer(try await site.logIn().access)
        var codes: [String?] = []
        for number in 0..<7 {
            codes.append(
                await refusal {
                    try await site.identity.accounts.changeEmail(of: bearer, to: "a\(number)@b.example", from: .tests)
                })
        }
        expectEqual(codes.filter { $0 == nil }.count, 5)
        expectEqual(codes.last, "tooManyAttempts")
        await site.close()
    }
}

@Suite struct PasswordChangeTests {
    private static let new = "another sentence to keep"

    private func change(
        _ site: Site, _ access: String, from old: String = Site.password, to new: String = Self.new, all: Bool = false
    ) async -> String? {
        await refusal {
            let bearer = try await site.bearer(access)
            try await site.identity.accounts.changePassword(
                of: bearer, from: old, to: new, signingOutOthers: all, from: .tests)
        }
    }

    @Test(.tags(.passwordChange), arguments: [true, false])
    func `A password change signs out the others if wanted, and never the device that makes it`(all: Bool) async throws
    {
        let site = try await Site()
        try await site.signUp()
        let (here, other) = (try await site.logIn(), try await site.logIn())
        await expectNil(change(site, here.access, all: all))
        try await expectEqual(site.renew(here.refresh).status, 200)
        try await expectEqual(site.renew(other.refresh).status, all ? 401 : 200)
        try await expectEqual(site.logIn().status, 401)
        try await expectEqual(site.logIn(password: Self.new).status, 200)
        await site.close()
    }

    @Test(.tags(.passwordChange))
    func `A password change requires another, long enough password and the old one`() async throws {
        let site = try await Site()
        try await site.signUp()
        let access = try await site.logIn().access
        await expectEqual(change(site, access, to: Site.password), "weakPassword")
        await expectEqual(change(site, access, to: "short"), "weakPassword")
        await expectEqual(change(site, access, from: "not the password"), "invalidCredentials")
        await expectEqual(change(site, access, from: "", to: Self.new), "invalidCredentials")
        for _ in 0..<20 { _ = await change(site, access, from: "guess") }
        await expectEqual(change(site, access, from: "guess"), "tooManyAttempts")
        await site.close()
    }

    @Test func `A password change is limited to five times an hour, since each one emails an address`() async throws {
        let site = try await Site()
        try await site.signUp()
        let access = try await site.logIn().access
        var password = Site.password
        for number in 0..<5 {
            await expectNil(change(site, access, from: password, to: "another sentence \(number)"))
            password = "another sentence \(number)"
        }
        await expectEqual(change(site, access, from: password, to: "one more sentence"), "tooManyAttempts")
        try await expectEqual(site.logIn(password: password).status, 200)
        site.clock.advance(by: 3600)
        let next = try await site.logIn(password: password).access
        await expectNil(change(site, next, from: password, to: "one more sentence"))
        await site.close()
    }

    @Test(.tags(.mailedTokenReuse)) func `A password change ends the links of earlier emails`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        await expectNil(change(site, try await site.logIn().access))
        let body: JSONValue = ["token": .string(token), "password": "a third one to keep"]
        try await expectEqual(site.post("/api/auth/reset-password", body).status, 400)
        await site.close()
    }

    @Test func `A password change loses against a reset that came in between`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        let store = site.identity.services.store
        let read = try #require(try await store.account(id: ada.id))
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let body: JSONValue = ["token": .string(token), "password": .string(Self.new)]
        try await expectEqual(site.post("/api/auth/reset-password", body).status, 200)
        let device = Device.example(9, of: read)
        #expect(try await store.insert(device, for: try #require(try await store.account(id: ada.id))))
        let late = try await store.changePassword(
            of: read, to: "$late", on: device.id, signingOutOthers: false, at: noon)
        #expect(!late)
        try await expectEqual(site.logIn(password: Self.new).status, 200)
        await site.close()
    }
}
