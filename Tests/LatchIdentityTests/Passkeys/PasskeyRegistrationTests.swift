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

@Suite struct PasskeyRegistrationTests {
    @Test
    func `A passkey registration has the options of WebAuthn, for a discoverable credential of a verified user`()
        async throws
    {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let options = try await user.creationOptions()
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(options["rp"], ["id": "id.latch.example", "name": "Latchwork"])
        let handle = Base64URL.encode(Array(account.id.utf8))
        expectEqual(
            options["user"], ["id": .string(handle), "name": "ada@example.com", "displayName": "ada@example.com"])
        expectEqual(options["pubKeyCredParams"]?.arrayValue?.map { $0["alg"]?.intValue }, [-7, -8, -257])
        #expect(options["timeout"] == 300_000 && options["attestation"] == "none")
        expectEqual(options["extensions"], ["credProps": true])
        expectEqual(
            options["authenticatorSelection"],
            ["residentKey": "required", "requireResidentKey": true, "userVerification": "required"])
        expectEqual(
            options["excludeCredentials"],
            [["type": "public-key", "id": .string(user.newest), "transports": ["internal", "hybrid"]]])
        let other = try await user.creationOptions()
        expectNotEqual(other["challenge"], options["challenge"])
        await site.close()
    }

    @Test func `A passkey registration yields a passkey, which the owner lists, renames and counts`() async throws {
        let site = try await Site.withPasskeys()
        var user = try await PasskeyUser.signedIn(at: site)
        #expect(try await user.list().isEmpty)
        let made = try await user.register()
        #expect(made.status == 201 && made.string("id") == user.newest && made.string("name") == "Passkey")
        #expect(made.string("createdAt") == "2035-01-15T08:00:00Z" && made.json["lastUsedAt"] == nil)
        #expect(made.json["isBackedUp"] == true && made.json["isSynced"] == true)
        try await expectEqual(user.list(), [.object(made.json)])
        let path = "/api/auth/passkeys/\(user.newest)"
        let renamed = try await site.call(.patch, path, bearer: user.access, ["name": " My phone "])
        #expect(renamed.status == 200 && renamed.string("name") == "My phone")
        for name: JSONValue in ["", " ", "a\u{7}b", .string(String(repeating: "a", count: 101)), 7] {
            try await expectEqual(site.call(.patch, path, bearer: user.access, ["name": name]).status, 400)
        }
        site.clock.advance(by: 60)
        user.access = try await user.signIn().access
        try await expectEqual(user.list().first?["lastUsedAt"], "2035-01-15T08:01:00Z")
        let methods = try await site.call(.get, "/api/auth/links", bearer: user.access)
        #expect(methods.json["passkeys"] == 1 && methods.json["hasPassword"] == true)
        await site.close()
    }

    @Test func `A passkey registration names a passkey by the browser and the system`() async throws {
        let site = try await Site.withPasskeys()
        try await site.signUp()
        let agent = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15"
        let login = try await site.post(
            "/api/auth/clients/login", ["email": "ada@example.com", "password": .string(Site.password)],
            fields: [.userAgent: agent])
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: login.access)
        try await expectEqual(user.register().string("name"), "Safari, macOS")
        site.clock.advance(by: 1)
        let key = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: login.access)
        try await expectEqual(key.register(name: "Key").string("name"), "Key")
        try await expectEqual(user.list().map { $0["name"]?.stringValue }, ["Safari, macOS", "Key"])
        await site.close()
    }

    @Test func `A passkey registration is in the audit log, and emails the owner`() async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        await expectEqual(site.mailSubjects(), ["Latchwork: A passkey was added"])
        #expect(try await site.audited("passkey.added") != nil)
        try await expectEqual(user.remove(user.newest).status, 200)
        await expectEqual(site.mailSubjects(), ["Latchwork: A passkey was added", "Latchwork: A passkey was removed"])
        #expect(try await site.audited("passkey.removed") != nil)
        await site.close()
    }

    @Test(arguments: [
        "\u{200B}", "Ada\u{200B}s iPhone", "\u{2800}", "\u{200D}a", "a\u{200D}", "a\u{200D}\u{200D}b", "\u{AD}",
        "a\u{E0041}",
    ])
    func `A passkey registration refuses a name that is empty or looks like another`(name: String) async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.registered(at: site)
        let path = "/api/auth/passkeys/\(user.newest)"
        try await expectEqual(site.call(.patch, path, bearer: user.access, ["name": .string(name)]).status, 400)
        let second = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: user.access)
        try await expectEqual(second.register(name: name).status, 400)
        await site.close()
    }

    @Test(arguments: ["👩‍💻 laptop", "❤️‍🔥", "می‌خواهم", "Adas Telefon", "क्‍ष"])
    func `A passkey registration takes a name in any script, with emoji`(name: String) async throws {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.signedIn(at: site)
        let response = try await user.register(name: name)
        #expect(response.status == 201 && response.string("name") == name)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A passkey registration is possible three times an hour before the address is proved`() async throws {
        let site = try await Site.withPasskeys()
        try await site.signUp(isVerified: false)
        let access = try await site.logIn().access
        var statuses: [Int] = []
        for _ in 1...4 {
            let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: access)
            statuses.append(try await user.register().status)
            try await expectEqual(user.remove(user.newest).status, statuses.last == 201 ? 200 : 404)
        }
        expectEqual(statuses, [201, 201, 201, 429])
        // Whoever has the address hears of six changes, and of no more.
        await expectEqual(site.mailSubjects().count { $0.contains("passkey") }, 6)
        await site.close()
    }

    @Test(.tags(.addressChange))
    func `A passkey registration needs a recent authentication, and the server's own client`() async throws {
        let site = try await Site.withPasskeys { $0.recentAuthentication = .seconds(60) }
        let user = try await PasskeyUser.registered(at: site)
        site.clock.advance(by: 61)
        for response in [
            try await site.call(.post, "/api/auth/passkeys/options", bearer: user.access, [:]),
            try await user.remove(user.newest),
        ] {
            #expect(response.status == 401 && response.string("code") == "signInAgain")
        }
        try await expectEqual(user.reauthenticate(try await user.assertion()).status, 200)
        _ = try await user.creationOptions()
        for method: HTTPMethod in [.get, .post] {
            try await expectEqual(site.call(method, "/api/auth/passkeys", bearer: "x", [:]).status, 401)
        }
        await site.close()
    }

    @Test
    func `A passkey registration takes each challenge once, for five minutes, from the requesting device`() async throws
    {
        let site = try await Site.withPasskeys()
        let user = try await PasskeyUser.signedIn(at: site)
        let other = PasskeyUser(
            site: site, authenticator: user.authenticator, access: try await site.logIn().access)
        let options = try await user.creationOptions()
        let created = try user.created(options)
        // Another device of the account, an authentication's challenge, and one that nobody has issued.
        let foreign = try await other.send(created)
        #expect(foreign.status == 400 && foreign.string("code") == "invalidPasskey")
        try await expectEqual(site.audited("passkey.refused")?.detail?.hasPrefix("wrongChallenge from "), true)
        var changed = options.objectValue ?? [:]
        let unknown = JSONValue.string(String(repeating: "A", count: 75))
        for challenge in [try await user.requestOptions()["challenge"], "AAAA", unknown] {
            changed["challenge"] = challenge
            try await expectEqual(user.send(try user.created(.object(changed))).string("code"), "invalidPasskey")
        }
        site.clock.advance(by: 299)
        try await expectEqual(user.send(created).status, 201)
        let again = try await user.send(try user.created(options))
        #expect(again.status == 400 && again.string("code") == "passkeyChallengeExpired")
        let late = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: user.access)
        let old = try late.created(try await late.creationOptions())
        site.clock.advance(by: 300)
        let expired = try await late.send(old)
        #expect(expired.status == 400 && expired.string("code") == "passkeyChallengeExpired")
        try await expectEqual(user.list().count, 1)
        await site.close()
    }

    @Test func `A passkey registration refuses a registered credential, and more than twenty`() async throws {
        let site = try await Site.withPasskeys()
        let ada = try await PasskeyUser.registered(at: site)
        let bob = try await PasskeyUser.signedIn(at: site, as: "bob@example.com")
        // Bob's client sends Ada's credential under a challenge of Bob's.
        let adas = try await site.identity.services.store.passkey(
            id: try Base64URL.decode(ada.newest))
        let passkey = try #require(adas)
        let session = try await site.bearer(bob.access)
        let copied = Passkey(
            id: passkey.id, accountID: session.accountID, relyingPartyID: nil, publicKey: passkey.publicKey, counter: 0,
            isBackupEligible: true, isBackedUp: true, aaguid: passkey.aaguid, transports: "", name: "Copy",
            createdAt: noon)
        let challenge = SpentChallenge(digest: [1], expiresAt: noon + 60)
        await expectEqual(
            refusal {
                try await site.identity.services.store.insert(
                    copied, for: session.account, on: session.device.id, spending: challenge)
            }, "passkeyExists")
        for _ in 2...20 {
            let key = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: ada.access)
            try await expectEqual(key.register().status, 201)
        }
        let full = try await site.call(.post, "/api/auth/passkeys/options", bearer: ada.access, [:])
        #expect(full.status == 409 && full.string("code") == "tooManyPasskeys")
        try await expectEqual(ada.list().count, 20)
        await site.close()
    }

    @Test func `A passkey registration is 404 if the public URL permits no passkeys`() async throws {
        let site = try await Site()
        try await site.signUp()
        let access = try await site.logIn().access
        let options = try await site.call(.post, "/api/auth/passkeys/options", bearer: access, [:])
        #expect(options.status == 404 && options.string("code") == "passkeysUnavailable")
        try await expectEqual(site.post("/api/auth/passkeys/sign-in/options", [:]).status, 404)
        try await expectEqual(site.post("/api/auth/passkeys/sign-in", ["credential": [:]]).status, 404)
        await site.close()
    }
}
