// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import LatchWebAuthn
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PasskeySignInTests {
    @Test func `A sign-in with a passkey has the same options for every user`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let options = try await user.requestOptions()
        var rest = try #require(options.objectValue)
        rest["challenge"] = nil
        expectEqual(
            rest,
            [
                "timeout": 300_000, "rpId": "id.latch.example", "allowCredentials": [], "userVerification": "required",
            ])
        await site.close()
    }

    @Test func `A sign-in with a passkey yields the tokens of a login, with both factors proved now`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let byPassword = try await site.logIn()
        let response = try await user.signIn()
        #expect(response.status == 200 && Set(response.json.keys) == Set(byPassword.json.keys))
        expectEqual(response.field(.setCookie)?.hasPrefix("refreshToken=\(response.refresh);"), true)
        let session = try await site.bearer(response.access)
        #expect(session.account.email?.text == "ada@example.com" && session.isFirstParty)
        #expect(session.device.factorAt == noon && session.device.authenticatedAt == noon)
        expectEqual(session.scopes, (try await site.bearer(byPassword.access)).scopes)
        try await expectEqual(site.renew(response.refresh).status, 200)
        try await expectEqual(site.metric(#"latch_passkey_sign_ins_total{result="success"}"#), 1)
        await site.close()
    }

    @Test func `A sign-in with a passkey is the same after a password manager changed the backup flags`() async throws {
        let site = try await Site.withPasskeys()
        var user = try await PasskeyUser.registered(at: site)
        for isSynced in [false, true] {
            user.authenticator.behavior.isBackupEligible = isSynced
            let response = try await user.signIn()
            expectEqual(response.status, 200)
            user.access = response.access
            try await expectEqual(user.list().map { $0["isSynced"]?.boolValue }, [isSynced])
        }
        await site.close()
    }

    @Test func `A sign-in with a passkey asks for no second factor, and is a recent authentication`() async throws {
        let site = try await Site.withPasskeys()
        let (app, access) = try await site.enrol()
        var user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: access)
        try await expectEqual(user.register().status, 201)
        site.clock.advance(by: 3600)
        try await expectEqual(site.logIn().string("code"), "mfaRequired")
        let response = try await user.signIn()
        expectEqual(response.status, 200)
        user.access = response.access
        _ = try await user.creationOptions()
        try await site.identity.secondFactors.remove(
            code: app.code(at: site.clock.now), try await site.bearer(user.access), from: .tests)
        await site.close()
    }

    @Test func `A sign-in with a passkey takes each challenge once, for five minutes`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let assertion = try await user.assertion()
        try await expectEqual(user.signIn(assertion).status, 200)
        let again = try await user.signIn(assertion)
        #expect(again.status == 400 && again.string("code") == "passkeyChallengeExpired")
        try await expectEqual(site.metric(#"latch_passkey_sign_ins_total{result="failure"}"#), 1)
        let options = try await user.requestOptions()
        site.clock.advance(by: 299)
        try await expectEqual(user.signIn(try user.signed(options)).status, 200)
        let old = try await user.assertion()
        site.clock.advance(by: 300)
        try await expectEqual(user.signIn(old).string("code"), "passkeyChallengeExpired")
        // Pruned, a challenge has long expired.
        try await site.identity.services.store.prune(endedBefore: site.clock.now + 3600)
        try await expectEqual(user.signIn(assertion).string("code"), "passkeyChallengeExpired")
        await site.close()
    }

    @Test func `A sign-in with a passkey succeeds once of many concurrent requests with one response`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site, behavior: .securityKey)
        let assertion = try await user.assertion()
        let codes = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await user.signIn(assertion).string("code") } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        expectEqual(codes, ["": 1, "passkeyChallengeExpired": 9])
        await site.close()
    }

    @Test
    func `A sign-in with a passkey is refused alike for every cause, and the audit log has the cause`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let stranger = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: user.access)
        _ = try stranger.created(try await user.creationOptions())
        var elsewhere = user
        elsewhere.origin = "https://evil.id.latch.example"
        var tampered = try await user.assertion().objectValue ?? [:]
        var content = tampered["response"]?.objectValue ?? [:]
        content["signature"] = "AAAA"
        tampered["response"] = .object(content)
        var made = try await user.requestOptions().objectValue ?? [:]
        // Its time is right, and its code is not.
        var forged = try Base64URL.decode(made["challenge"]?.stringValue ?? "")
        forged[forged.count - 1] ^= 1
        made["challenge"] = .string(Base64URL.encode(forged))
        let causes: [(JSONValue, String)] = [
            (try await stranger.assertion(), "unknownCredential"), (try await elsewhere.assertion(), "wrongOrigin"),
            (.object(tampered), "invalidSignature"), (try user.signed(.object(made)), "wrongChallenge"),
            ([:], "malformedResponse"),
        ]
        var contents: Set<String> = []
        for (credential, reason) in causes {
            let response = try await user.signIn(credential)
            #expect(response.status == 401 && response.string("code") == "invalidPasskey")
            contents.insert(response.text)
            try await expectEqual(site.audited("passkey.failed")?.detail?.hasPrefix("\(reason) from "), true)
        }
        expectEqual(contents.count, 1)
        try await expectEqual(site.metric(#"latch_passkey_sign_ins_total{result="failure"}"#), causes.count)
        await site.close()
    }

    @Test func `A sign-in with a passkey notices a copy of a key that counts`() async throws {
        let site = try await Site.withPasskeys()
        let owner = try await PasskeyUser.registered(at: site, behavior: .securityKey)
        let thief = PasskeyUser(site: site, authenticator: owner.authenticator.copy(), access: "")
        try await expectEqual(thief.signIn().status, 200)
        let response = try await owner.signIn()
        #expect(response.status == 401 && response.string("code") == "invalidPasskey")
        try await expectEqual(site.audited("passkey.failed")?.detail?.hasPrefix("counterNotGrown"), true)
        // Two responses that were verified at the same time meet in the transaction.
        let key = try #require(try await site.identity.services.store.passkey(id: Base64URL.decode(owner.newest)))
        let account = try #require(try await site.identity.services.store.account(id: key.accountID))
        let use = PasskeyUse(
            id: key.id, assertion: VerifiedAssertion(counter: key.counter, isBackupEligible: true, isBackedUp: false),
            challenge: SpentChallenge(digest: [1], expiresAt: noon + 60))
        let device = Device.example(of: account)
        try await expectEqual(
            site.identity.services.store.use(use, of: account, for: .session(device), at: noon), .counterNotGrown)
        try await expectNil(site.identity.services.store.device(id: device.id))
        #expect(try await site.audited("passkey.copied") != nil)
        await site.close()
    }

    @Test func `A sign-in with a passkey is refused for a closed account, or a required verification`() async throws {
        let folder = try TemporaryFolder()
        let site = try await Site.withPasskeys(in: folder)
        let user = try await PasskeyUser.registered(at: site)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        _ = try await site.identity.administration.setStatus(of: account.id, to: .suspended)
        let closed = try await user.signIn()
        #expect(closed.status == 403 && closed.string("code") == "accountSuspended")
        try await expectEqual(site.audited("passkey.failed")?.detail?.hasPrefix("closedAccount"), true)
        _ = try await site.identity.administration.setStatus(of: account.id, to: .active)
        try await expectEqual(user.signIn().status, 200)
        try await site.signUp("bob@example.com", isVerified: false)
        let bob = PasskeyUser(
            site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn("bob@example.com").access)
        try await expectEqual(bob.register().status, 201)
        try await expectEqual(bob.signIn().status, 200)
        await site.close()
        let strict = try await Site.withPasskeys(in: folder) { $0.requireVerifiedEmail = true }
        let late = PasskeyUser(site: strict, authenticator: bob.authenticator, access: "")
        try await expectEqual(late.signIn().string("code"), "emailUnverified")
        await strict.close()
    }

    @Test(.tags(.accountEnumeration))
    func `A sign-in with a passkey has a limit for refused responses, which accepted ones do not use up`() async throws
    {
        let site = try await Site.withPasskeys { $0.loginLimitPerMinute = 1 }
        let user = try await PasskeyUser.registered(at: site)
        for _ in 0..<12 { try await expectEqual(user.signIn().status, 200) }
        for _ in 0..<10 { try await expectEqual(user.signIn([:]).status, 401) }
        let limited = try await user.signIn([:])
        #expect(limited.status == 429 && limited.field(.retryAfter) != nil)
        await site.close()
    }

    @Test func `A sign-in with a passkey is refused for a page of another site`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let assertion = try await user.assertion()
        try await expectEqual(user.signIn(assertion, fields: ["Origin": "https://evil.example"]).status, 403)
        try await expectEqual(user.signIn(assertion, fields: ["Origin": Site.issuer]).status, 200)
        await site.close()
    }

    @Test func `A sign-in with a passkey authenticates a session again, if it is the same account's`() async throws {
        let site = try await Site.withPasskeys { $0.recentAuthentication = .seconds(60) }
        let ada = try await PasskeyUser.registered(at: site)
        let bob = try await PasskeyUser.registered(at: site, as: "bob@example.com")
        site.clock.advance(by: 61)
        let foreign = try await ada.reauthenticate(try await bob.assertion())
        #expect(foreign.status == 403 && foreign.string("code") == "invalidPasskey")
        try await expectEqual(site.audited("passkey.failed")?.detail?.hasPrefix("wrongUser"), true)
        let assertion = try await ada.assertion()
        try await expectEqual(ada.reauthenticate(assertion).status, 200)
        try await expectEqual(site.bearer(ada.access).device.authenticatedAt, site.clock.now)
        try await expectEqual(site.bearer(ada.access).device.factorAt, site.clock.now)
        try await expectEqual(ada.reauthenticate(assertion).string("code"), "passkeyChallengeExpired")
        await site.close()
    }
}
