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

/// A way in which the reader of a mail answers it.
enum Answer: String, CaseIterable, Sendable {
    case json, rpc
    case password = "the page with the password"
    case newPassword = "the page with a new password"

    static let chosen = "a sentence of the owner"

    /// The password of the account afterwards.
    var password: String { self == .newPassword ? Self.chosen : Site.password }

    func give(_ token: String, to site: Site) async throws -> Int {
        switch self {
        case .json: try await site.post("/api/auth/verify-email", ["token": .string(token)]).status
        case .rpc: try await site.call("VerifyEmail", ["verificationToken": .string(token)]).status
        case .password:
            try await site.post("/verify", form: "token=\(token)&password=\(Site.encoded(Site.password))").status
        case .newPassword:
            try await site.post("/verify", form: "token=\(token)&new_password=\(Site.encoded(Self.chosen))").status
        }
    }
}

@Suite struct AddressProofTests {
    /// Signs up as a stranger who does not read the mails of the address, and returns the link that was mailed.
    private func squat(_ site: Site, _ email: String = "ada@example.com") async throws -> String {
        try await site.signUp(email, isVerified: false)
        return try #require(await site.mailedToken(to: email))
    }

    private func reset(_ site: Site, to password: String = Answer.chosen) async throws {
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let body: JSONValue = ["token": .string(token), "password": .string(password)]
        try await expectEqual(site.post("/api/auth/reset-password", body).status, 200)
    }

    @Test(.tags(.accountPreHijack), arguments: Answer.allCases)
    func `A credential from before an address was proved signs no user in any more`(answer: Answer) async throws {
        let site = try await Site()
        let token = try await squat(site)
        let stranger = try await site.logIn()
        try await expectEqual(answer.give(token, to: site), 200)
        try await expectEqual(site.get("/user/profile", bearer: stranger.access).status, 401)
        try await expectEqual(site.renew(stranger.refresh).status, 401)
        let next = try await site.logIn(password: answer.password)
        try await expectEqual(site.get("/user/profile", bearer: next.access).json["emailVerified"], true)
        try await expectEqual(answer.give(token, to: site), 400)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A password from before an address was proved is replaced if the owner chooses another one`() async throws {
        let site = try await Site()
        let token = try await squat(site)
        try await expectEqual(Answer.newPassword.give(token, to: site), 200)
        try await expectEqual(site.logIn().status, 401)
        try await expectEqual(site.logIn(password: Answer.chosen).status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `The first proof of an address cancels a deletion that was requested before`() async throws {
        let site = try await Site()
        let token = try await squat(site)
        let session = try await site.bearer(try await site.logIn().access)
        try await site.identity.services.deletions.request(for: session, from: .tests)
        #expect(try await site.identity.services.store.deletion(of: session.accountID) != nil)
        try await expectEqual(Answer.password.give(token, to: site), 200)
        try await expectNil(site.identity.services.store.deletion(of: session.accountID))
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `The session that proves an address is kept, and no other from before`() async throws {
        let site = try await Site()
        let token = try await squat(site)
        let (here, other) = (try await site.logIn(), try await site.logIn())
        let fields: HTTPFields = [.authorization: "Bearer \(here.access)"]
        try await expectEqual(
            site.post("/api/auth/verify-email", ["token": .string(token)], fields: fields).status, 200)
        try await expectEqual(site.get("/user/profile", bearer: here.access).status, 200)
        try await expectEqual(site.renew(here.refresh).status, 200)
        try await expectEqual(site.get("/user/profile", bearer: other.access).status, 401)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A session of another account, or an ended one, keeps no credential from before the proof`()
        async throws
    {
        let site = try await Site()
        let token = try await squat(site)
        let stranger = try await site.logIn()
        try await site.signUp("eve@example.com")
        let eve = try await site.logIn("eve@example.com")
        let fields: HTTPFields = [.authorization: "Bearer \(eve.access)"]
        try await expectEqual(
            site.post("/api/auth/verify-email", ["token": .string(token)], fields: fields).status, 200)
        try await expectEqual(site.get("/user/profile", bearer: stranger.access).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: eve.access).status, 200)
        let ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        #expect(ada.emailVerifiedAt != nil && ada.ownerProvedAt == nil)
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: Answer.allCases)
    func `A credential from before an address was proved is also proved if a login needs the proof`(answer: Answer)
        async throws
    {
        let site = try await Site { $0.requireVerifiedEmail = true }
        let token = try await squat(site)
        try await expectEqual(site.logIn().string("code"), "emailUnverified")
        try await expectEqual(answer.give(token, to: site), 200)
        try await expectEqual(site.logIn(password: answer.password).status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: Answer.allCases)
    func `A credential from before an address was proved asks for no code of the stranger's app`(answer: Answer)
        async throws
    {
        let site = try await Site()
        let token = try await squat(site)
        let session = try await site.bearer(try await site.logIn().access)
        let app = AuthenticatorApp(try await site.identity.secondFactors.enroll(session))
        try await site.identity.secondFactors.confirm(app.code(at: site.clock.now), session, from: .tests)
        let challenge = try await site.challenge()
        try await expectEqual(answer.give(token, to: site), 200)
        try await expectNil(site.factor())
        try expectEqual(site.recoveryCodeCount(of: session.accountID), 0)
        await expectEqual(refusal { try await site.complete(challenge, app.recoveryCodes[0]) }, "invalidToken")
        try await expectEqual(site.logIn(password: answer.password).status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A credential from before an address was proved also ends with a reset by mail`() async throws {
        let site = try await Site()
        _ = try await squat(site)
        let stranger = try await site.logIn()
        let session = try await site.bearer(stranger.access)
        let app = AuthenticatorApp(try await site.identity.secondFactors.enroll(session))
        try await site.identity.secondFactors.confirm(app.code(at: site.clock.now), session, from: .tests)
        try await reset(site)
        try await expectEqual(site.get("/user/profile", bearer: stranger.access).status, 401)
        let next = try await site.logIn(password: Answer.chosen)
        expectEqual(next.status, 200)
        try expectEqual(site.recoveryCodeCount(of: session.accountID), 0)
        // E6: of an address that is verified it takes no factor away.
        let own = try await site.bearer(next.access)
        let second = AuthenticatorApp(try await site.identity.secondFactors.enroll(own))
        try await site.identity.secondFactors.confirm(second.code(at: site.clock.now), own, from: .tests)
        try await reset(site, to: "one more sentence")
        try await expectEqual(site.logIn(password: "one more sentence").string("code"), "mfaRequired")
        await site.close()
    }

    @Test(.tags(.accountPreHijack, .addressChange), arguments: Answer.allCases)
    func `A credential from before an address was proved takes the account to no other address`(answer: Answer)
        async throws
    {
        let site = try await Site()
        let token = try await squat(site)
        let session = try await site.bearer(try await site.logIn().access)
        try await site.identity.accounts.changeEmail(of: session, to: "eve@example.com", from: .tests)
        let theirs = try #require(await site.mailedToken(to: "eve@example.com"))
        try await expectEqual(answer.give(token, to: site), 200)
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(theirs)]).status, 400)
        try await expectEqual(site.identity.administration.account(email: "ada@example.com")?.id, session.accountID)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A credential from before an address was proved is not stored by an earlier request`() async throws {
        let site = try await Site()
        let token = try await squat(site)
        let session = try await site.bearer(try await site.logIn().access)
        let app = AuthenticatorApp(try await site.identity.secondFactors.enroll(session))
        try await expectEqual(Answer.json.give(token, to: site), 200)
        // The session was read before the proof, as that of a request on its way was.
        let (accounts, factors) = (site.identity.accounts, site.identity.secondFactors)
        let new = "another sentence to keep"
        await expectEqual(
            refusal { try await accounts.changeEmail(of: session, to: "eve@example.com", from: .tests) }, "invalidToken"
        )
        await expectEqual(refusal { try await factors.enroll(session) }, "accountChanged")
        let code = app.code(at: site.clock.now)
        await expectEqual(refusal { try await factors.confirm(code, session, from: .tests) }, "noSecondFactor")
        let store = site.identity.services.store
        await #expect(throws: IdentityError.invalidToken) {
            try await store.changePassword(
                of: session.account, to: new, on: session.device.id, signingOutOthers: false, at: site.clock.now)
        }
        let change = EmailChange(
            accountID: session.accountID, email: try EmailAddress("eve@example.com"),
            oldEmailKey: session.account.ownerKey, oldDigest: nil, newDigest: [1], expiresAt: site.clock.now + 60)
        let isStored = try await store.insert(
            change, for: session.account, by: nil, mails: [], at: site.clock.now)
        #expect(!isStored)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `An account with an unproved address does not become the first administrator`() async throws {
        let site = try await Site { $0.firstAdministrator = "ada@example.com" }
        let token = try await squat(site)
        let stranger = try await site.logIn()
        // The owner only reads the mail, and an app of theirs confirms it.
        try await expectEqual(Answer.json.give(token, to: site), 200)
        let role = { try await site.identity.administration.account(email: "ada@example.com")?.role }
        try await expectEqual(site.get("/user/profile", bearer: stranger.access).status, 401)
        try await expectEqual(site.logIn().status, 200)
        try await expectEqual(role(), .user)
        // By a password of their own they are the owner, and at the next login the administrator.
        try await reset(site)
        try await expectEqual(role(), .user)
        try await expectEqual(site.logIn().status, 401)
        try await expectEqual(site.logIn(password: Answer.chosen).status, 200)
        try await expectEqual(role(), .superAdmin)
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: [Answer.json, .password])
    func `An account with an unproved address does not become the first administrator by another address`(old: Answer)
        async throws
    {
        let site = try await Site { $0.firstAdministrator = "ada@example.com" }
        try await site.signUp("eve@example.com")
        let session = try await site.bearer(try await site.logIn("eve@example.com").access)
        try await site.identity.accounts.changeEmail(of: session, to: "ada@example.com", from: .tests)
        // The owner of the new address confirms it with the link alone, and the stranger completes the change.
        try await expectEqual(Answer.json.give(try #require(await site.mailedToken()), to: site), 200)
        let token = try #require(await site.mailedToken(to: "eve@example.com"))
        if old == .password {
            let form = "token=\(token)&password=\(Site.encoded(Site.password))"
            try await expectEqual(site.post("/confirm-change", form: form).status, 200)
        } else {
            try await expectEqual(old.give(token, to: site), 200)
        }
        try await expectEqual(site.logIn().status, 200)
        try await expectEqual(site.identity.administration.account(email: "ada@example.com")?.role, .user)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A credential from before an address was proved is distinguished by the page from the owner's`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        let token = try await squat(site)
        let forms = [
            "", "&password=&new_password=", "&password=Secret123%21&new_password=another+sentence",
            "&password=not+the+one", "&new_password=short",
        ]
        for form in forms {
            let answer = try await site.post("/verify", form: "token=\(token)\(form)")
            expectEqual(answer.status, 400)
            #expect(answer.text.contains(#"role="alert""#) && !answer.text.contains("Secret123"))
        }
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectNil(account.emailVerifiedAt)
        // Guesses by the page count as those of a login do.
        for _ in 0..<3 { _ = try await site.post("/verify", form: "token=\(token)&password=guess") }
        try await expectEqual(site.post("/verify", form: "token=\(token)&password=Secret123%21").status, 429)
        site.clock.advance(by: 60)
        try await expectEqual(site.post("/verify", form: "token=\(token)&password=Secret123%21").status, 200)
        await site.close()
    }

    @Test(.tags(.mailedTokenReuse, .accountPreHijack))
    func `A credential from before an address was proved is replaced by no link that confirms another address`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let session = try await site.bearer(try await site.logIn().access)
        try await site.identity.accounts.changeEmail(of: session, to: "new@example.com", from: .tests)
        let token = try #require(await site.mailedToken(to: "new@example.com"))
        try await expectEqual(Answer.newPassword.give(token, to: site), 400)
        try await expectEqual(Answer.password.give(token, to: site), 200)
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A credential from before an address was proved is found and ended by an owner who signs up`() async throws {
        let site = try await Site()
        let token = try await squat(site)
        let stranger = try await site.logIn()
        let taken = try await site.post(
            "/api/clients/register", ["email": "ada@example.com", "password": .string(Answer.chosen)])
        expectEqual(taken.status, 409)
        try await reset(site)
        try await expectEqual(site.get("/user/profile", bearer: stranger.access).status, 401)
        try await expectEqual(site.logIn().status, 401)
        try await expectEqual(site.logIn(password: Answer.chosen).status, 200)
        try await expectEqual(Answer.json.give(token, to: site), 400)
        await site.close()
    }
}
