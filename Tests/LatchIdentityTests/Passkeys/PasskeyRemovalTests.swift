// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PasskeyRemovalTests {
    @Test func `A removed passkey signs no user in, and the other devices are signed out`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let other = try await user.signIn()
        try await expectEqual(user.remove(user.newest).message, "The passkey is removed.")
        try await expectEqual(user.signIn().string("code"), "invalidPasskey")
        try await expectEqual(site.renew(other.refresh).status, 401)
        #expect(try await user.list().isEmpty)
        let again = try await user.remove(user.newest)
        #expect(again.status == 404 && again.string("code") == "noSuchPasskey")
        try await expectEqual(user.remove("no base64url!").status, 404)
        await site.close()
    }

    @Test func `A removed passkey is the owner's, and not another account's`() async throws {
        let site = try await Site.withPasskeys()
        let ada = try await PasskeyUser.registered(at: site)
        let bob = try await PasskeyUser.registered(at: site, as: "bob@example.com")
        try await expectEqual(bob.remove(ada.newest).status, 404)
        let path = "/api/auth/passkeys/\(ada.newest)"
        try await expectEqual(site.call(.patch, path, bearer: bob.access, ["name": "Mine"]).status, 404)
        try await expectEqual(ada.signIn().status, 200)
        try await expectEqual(ada.list().count, 1)
        await site.close()
    }

    @Test func `A removed passkey cannot be the last way to sign in`() async throws {
        let upstream = try ScriptedUpstream(now: { noon })
        let site = try await Site.brokering(upstream)
        let access = try await site.signIn(through: upstream).access
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: access)
        try await expectEqual(user.register().status, 201)
        // With the passkey the link may go; the passkey is then the last way.
        try await expectEqual(site.call(.delete, "/api/auth/links/staff", bearer: access).status, 200)
        let last = try await user.remove(user.newest)
        #expect(last.status == 409 && last.string("code") == "lastSignIn")
        try await expectEqual(user.signIn().status, 200)
        let second = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: access)
        try await expectEqual(second.register().status, 201)
        let session = try await site.bearer(access)
        let id = try #require(Passkey.id(fromPublicID: user.newest))
        let elsewhere = SignInWays(providers: [], relyingPartyID: "other.example")
        await expectEqual(
            refusal {
                try await site.identity.services.store.remove(
                    passkey: id, of: session.account, on: session.device.id, among: elsewhere, at: noon)
            }, "lastSignIn")
        try await expectEqual(user.remove(user.newest).status, 200)
        await site.close()
    }

    @Test func `A removed passkey counts as a way to sign in only at its own domain`() async throws {
        let folder = try TemporaryFolder()
        let before = try await Site.withPasskeys(in: folder)
        let user = try await PasskeyUser.registered(at: before)
        try await expectEqual(user.list().map { $0["isUsable"] }, [true])
        await before.close()
        let after = try await Site.withPasskeys(in: folder) { $0.passkeyDomain = "latch.example" }
        let access = try await after.logIn().access
        let moved = PasskeyUser(site: after, authenticator: user.authenticator, access: access)
        try await expectEqual(moved.list().map { $0["isUsable"] }, [false])
        try await expectEqual(after.call(.get, "/api/auth/links", bearer: access).json["passkeys"], 0)
        let new = PasskeyUser(site: after, authenticator: VirtualAuthenticator(), access: access)
        try await expectEqual(new.register().status, 201)
        try await expectEqual(after.call(.get, "/api/auth/links", bearer: access).json["passkeys"], 1)
        await after.close()
    }
}

@Suite struct AccountPasskeyTests {
    @Test(.tags(.accountPreHijack))
    func `A passkey of an account from before the address was proved ends with the proof`() async throws {
        let site = try await Site.withPasskeys()
        let mallory = try await site.post(
            "/api/auth/clients/register", ["email": "ada@example.com", "password": .string(Site.password)])
        expectEqual(mallory.status, 201)
        let user = PasskeyUser(
            site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(user.register().status, 201)
        try await expectEqual(user.signIn().status, 200)
        let token = try #require(await site.mailedToken())
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(token)]).status, 200)
        try await expectEqual(user.signIn().string("code"), "invalidPasskey")
        #expect(await site.mailSubjects().contains("Latchwork: A passkey was removed"))
        await site.close()
    }

    @Test(.tags(.resetWithoutFactor))
    func `A passkey of an account survives a password reset by mail, whose notice says so`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let reset = try await site.post(
            "/api/auth/reset-password", ["token": .string(token), "password": "another Secret 9"])
        expectEqual(reset.status, 200)
        try await expectEqual(user.signIn().status, 200)
        await site.identity.flushMails()
        let notice = try #require(site.mailer.messages.last { $0.subject == "Latchwork: Your password was changed" })
        #expect(notice.text.contains("Passkeys and two-factor authentication stay as they are"))
        await site.close()
    }

    @Test func `A passkey of an account survives signing out everywhere, and ends with the account`() async throws {
        let folder = try TemporaryFolder()
        let site = try await Site.withPasskeys(in: folder)
        let user = try await PasskeyUser.registered(at: site)
        _ = try await site.post(
            "/auth/logout", ["allDevices": true], fields: [.authorization: "Bearer \(user.access)"])
        try await expectEqual(user.signIn().status, 200)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        _ = try await site.identity.administration.delete(account.id, isFinal: true, by: nil, because: "test")
        try await expectEqual(user.signIn().string("code"), "invalidPasskey")
        #expect(try await site.identity.services.store.passkeys(of: account.id).isEmpty)
        await site.close()
    }

    @Test(.tags(.factorBypass)) func `A passkey of an account ends decisions from before it was added`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.signedIn(at: site)
        let before = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        try await expectEqual(user.register().status, 201)
        #expect(try await !site.identity.services.store.insert(.example(of: before), for: before))
        await site.close()
    }
}
