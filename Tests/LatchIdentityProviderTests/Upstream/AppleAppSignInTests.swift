// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// An app with the device's own Sign in with Apple, and Apple.
private struct AppleDevice: Sendable {
    let upstream: ScriptedUpstream
    let site: Site
    let nonce = Base64URL.encode((0..<24).map { _ in UInt8.random(in: 0...255) })

    static func start(
        hooks: IdentityHooks = IdentityHooks(), _ change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> AppleDevice {
        let upstream = try ScriptedUpstream(issuer: "https://appleid.apple.com")
        let key = try Key.generate(.es256).pemWithSecretsForStorage().split(separator: "\n").dropFirst().dropLast()
            .joined()
        let word = "apple;client_id=com.example.web;app_ids=com.example.notes,com.example.todo;team_id=T;key_id=K"
        let site = try await Site.brokering(
            upstream, word + ";email_domains=privaterelay.appleid.com", secrets: "apple=\(key)", hooks: hooks,
            change: change)
        return AppleDevice(upstream: upstream, site: site)
    }

    func token(_ change: (inout Claims) -> Void = { _ in }) throws -> String {
        var claims: Claims = [
            "sub": "001.ada", "email": "ada@privaterelay.appleid.com", "email_verified": "true",
            "nonce": .string(Hex.encode(nonce.digest)),
        ]
        claims.issuer = "https://appleid.apple.com"
        claims.audience = ["com.example.notes"]
        claims.issuedAt = noon
        claims.expiry = noon.addingTimeInterval(600)
        change(&claims)
        return try JWT.sign(claims, with: upstream.key)
    }

    func send(_ token: String, nonce: String? = nil, _ more: JSONObject = [:]) async throws -> Response {
        var content = more
        content["identityToken"] = .string(token)
        content["nonce"] = .string(nonce ?? self.nonce)
        return try await site.post("/api/auth/apple/exchange", .object(content))
    }
}

@Suite struct AppleAppSignInTests {
    @Test func `Sign in with Apple on the device can be repeated after an outage of the hook of tokens`() async throws {
        let hook = TokenHookSwitch()
        let device = try await AppleDevice.start(hooks: hook.hooks)
        let token = try device.token()
        hook.isDown = true
        try await expectEqual(device.send(token).string("code"), "hookUnavailable")
        hook.isDown = false
        try await expectEqual(device.send(token).status, 200)
        try await expectEqual(device.send(token).string("code"), "invalidSignInCode")
        await device.site.close()
    }

    @Test func `Sign in with Apple on the device signs in as the same user as Apple's page does`() async throws {
        let device = try await AppleDevice.start()
        let first = try await device.send(device.token(), ["name": "Ada Byron"])
        expectEqual(first.status, 200)
        let profile = try await device.site.get("/user/profile", bearer: first.access)
        #expect(profile.string("name") == "Ada Byron" && profile.json["emailVerified"] == true)
        var agent = UserAgent(device.site)
        let app = UpstreamApp()
        let begun = try await agent.get(app.path("apple"))
        let query = try device.upstream.approve(begun.location, as: ["sub": "001.ada"])
        let returned = try await agent.post("/api/auth/apple/callback", form: query)
        let page = try await device.site.exchange(returned.parameters["code"] ?? "", app)
        try await expectEqual(device.site.get("/user/profile", bearer: page.access).string("id"), profile.string("id"))
        await device.site.close()
    }

    @Test(.tags(.upstreamState))
    func `Sign in with Apple on the device is accepted once, with the nonce that its app has chosen`() async throws {
        let device = try await AppleDevice.start()
        let token = try device.token()
        try await expectEqual(device.send(token, nonce: "another nonce of the app").status, 401)
        try await expectEqual(device.send(token, nonce: Hex.encode(device.nonce.digest)).status, 401)
        try await expectEqual(device.send(token, nonce: "short").status, 401)
        try await expectEqual(device.send(token).status, 200)
        let again = try await device.send(token)
        #expect(again.status == 401 && again.string("code") == "invalidSignInCode")
        await device.site.close()
    }

    /// RFC 6979 does not make ECDSA's signatures unique: (r, s) and (r, n − s) are both valid.
    @Test(.tags(.upstreamState))
    func `Sign in with Apple on the device is spent by its signed part, not by its signature`() throws {
        let key = try Key.generate(.es256)
        let texts = try (0..<2).map { _ in try JWT.sign(["sub": "ada"], with: key) }
        #expect(texts[0].signedPart == texts[1].signedPart && texts[0].utf8.starts(with: texts[0].signedPart.utf8))
        #expect("a.b.c".signedPart == "a.b" && "abc".signedPart == "abc")
    }

    @Test(.tags(.upstreamFailure))
    func `Sign in with Apple on the device requires a token by Apple for a configured app`() async throws {
        let device = try await AppleDevice.start()
        let changes: [String: (inout Claims) -> Void] = [
            "the page's": { $0.audience = ["com.example.web"] },
            "another developer's": { $0.audience = ["com.evil.notes"] },
            "two apps'": { $0.audience = ["com.example.notes", "com.example.todo"] },
            "another issuer's": { $0.issuer = "https://sso.example.com" },
            "expired": { $0.expiry = noon.addingTimeInterval(-60) },
            "without a nonce": { $0["nonce"] = nil },
            "nobody's": { $0.subject = nil },
        ]
        for (name, change) in changes {
            try await expectEqual(device.send(device.token(change)).status, 401, "\(name)")
        }
        let forged = try JWT.sign(try JWT(unverified: device.token()).claims, with: Key.generate(.rs256))
        try await expectEqual(device.send(forged).status, 401)
        try await expectEqual(device.send("no token").status, 401)
        try await expectNil(device.site.accountID("ada@privaterelay.appleid.com"))
        try await expectEqual(device.send(device.token { $0.audience = ["com.example.todo"] }).status, 200)
        await device.site.close()
    }

    @Test
    func `Sign in with Apple on the device redeems the code if the app sends it, for the same user`() async throws {
        let device = try await AppleDevice.start()
        func code(_ subject: String) throws -> String {
            // As Apple's dialog: neither a redirect nor a challenge.
            let url =
                "https://appleid.apple.com/?"
                + FormEncoding.encode([
                    ("response_type", "code"), ("client_id", "com.example.notes"), ("scope", "openid"),
                    ("code_challenge_method", "S256"), ("code_challenge", String(repeating: "x", count: 43)),
                    ("state", String(repeating: "s", count: 32)),
                ])
            let query = try device.upstream.approve(url, as: ["sub": .string(subject)])
            return ScriptedUpstream.parameters("?\(query)")["code"] ?? ""
        }
        device.upstream.deviate { $0.checksVerifier = false }
        let other = try await device.send(device.token(), ["authorizationCode": .string(code("001.eve"))])
        expectEqual(other.status, 401)
        let invented = try await device.send(
            device.token { $0["jti"] = "2" }, ["authorizationCode": "invented"])
        expectEqual(invented.status, 401)
        let right = try await device.send(
            device.token { $0["jti"] = "3" }, ["authorizationCode": .string(code("001.ada"))])
        expectEqual(right.status, 200)
        let request = try #require(device.upstream.requests.last { $0.path == "/auth/token" })
        let form = ScriptedUpstream.parameters("?\(request.body.text ?? "")")
        #expect(form["client_id"] == "com.example.notes" && form["redirect_uri"] == nil)
        try expectEqual(JWT(unverified: form["client_secret"] ?? "").claims.subject, "com.example.notes")
        await device.site.close()
    }

    @Test(.tags(.factorBypass))
    func `Sign in with Apple on the device asks for the second factor, and takes the same token again`() async throws {
        let device = try await AppleDevice.start { $0.loginLimitPerMinute = 100 }
        let first = try await device.send(device.token())
        let bearer = try await device.site.bearer(first.access)
        let app = AuthenticatorApp(try await device.site.identity.secondFactors.enroll(bearer))
        try await device.site.identity.secondFactors.confirm(app.code(at: noon), bearer, from: .tests)
        device.site.clock.advance(by: 30)
        let token = try device.token { $0["jti"] = "2" }
        let asked = try await device.send(token)
        #expect(asked.status == 403 && asked.string("code") == "mfaRequired")
        try await expectEqual(
            device.send(token, ["otp": .string(app.wrongCode(at: device.site.clock.now))]).status, 401)
        let right = try await device.send(token, ["otp": .string(app.code(at: device.site.clock.now))])
        expectEqual(right.status, 200)
        await device.site.close()
    }

    @Test(.tags(.emailLinking))
    func `Sign in with Apple on the device neither joins an account by address nor skips verification`()
        async throws
    {
        let device = try await AppleDevice.start { $0.requireVerifiedEmail = true }
        try await device.site.signUp()
        let taken = try await device.send(device.token { $0["email"] = "ada@example.com" })
        #expect(taken.status == 403 && taken.string("code") == "emailUnverified")
        let unknown = try await device.send(device.token { $0["email"] = "eve@example.com" })
        expectEqual(unknown.json, taken.json)
        try await expectNil(device.site.accountID("eve@example.com"))
        await device.site.close()
    }

    @Test func `Sign in with Apple on the device is absent without the apps' identifiers`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        try await expectEqual(site.post("/api/auth/staff/exchange", [:]).status, 404)
        #expect(UpstreamProvider(word: "staff;issuer=https://sso.example.com;client_id=l;app_ids=x")?.flaw != nil)
        await site.close()
    }
}
