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

/// What a user has proved is not used up while the hook of tokens is down.
@Suite struct TokenHookOutageTests {
    private let hook = TokenHookSwitch()

    private func plan(_ token: String) throws -> JSONValue? { try JWT(unverified: token).claims["plan"] }

    @Test(.tags(.factorGuessing), arguments: [false, true])
    func `A code of the second factor, which nobody can guess meanwhile`(isRecovery: Bool) async throws {
        let site = try await Site(hooks: hook.hooks)
        let (app, _) = try await site.enrol()
        let code = isRecovery ? app.recoveryCodes[0] : app.code(at: site.clock.now)
        // In one step, as a command line sends it, and in two steps.
        func signIn() async throws -> IssuedTokens {
            try await site.signIns.signIn(name: "ada@example.com", password: Site.password, code: code, from: .tests)
        }
        let challenge = try await site.challenge()
        hook.isDown = true
        // More often than wrong codes are accepted.
        for _ in 0..<8 {
            await expectEqual(refusal { try await signIn() }, "hookUnavailable")
            await expectEqual(refusal { try await site.complete(challenge, code) }, "hookUnavailable")
        }
        let wrong = app.wrongCode(at: site.clock.now)
        await expectEqual(refusal { try await site.complete(challenge, wrong) }, "hookUnavailable")
        hook.isDown = false
        try await expectEqual(plan(site.complete(challenge, code).accessToken), "team")
        await expectEqual(refusal { try await signIn() }, "invalidCode")
        await site.close()
    }

    @Test func `A passkey`() async throws {
        let site = try await Site.withPasskeys(hooks: hook.hooks)
        let user = try await PasskeyUser.registered(at: site)
        let assertion = try await user.assertion()
        hook.isDown = true
        for _ in 0..<40 {
            let refused = try await user.signIn(assertion)
            #expect(refused.status == 503 && refused.string("code") == "hookUnavailable")
        }
        hook.isDown = false
        let done = try await user.signIn(assertion)
        expectEqual(done.status, 200)
        try expectEqual(plan(done.access), "team")
        await site.close()
    }

    @Test func `A mailed code with a code of the second factor`() async throws {
        let site = try await CodeApp.site(hooks: hook.hooks)
        let app = CodeApp(site: site)
        let factor = try await site.enrol(with: site.logIn().access)
        let asked = try await app.asked()
        let otp: JSONObject = ["otp": .string(factor.recoveryCodes[0])]
        hook.isDown = true
        try await expectEqual(app.send(asked.code, asked.challenge, otp).string("code"), "hookUnavailable")
        hook.isDown = false
        try await expectEqual(app.send(asked.code, asked.challenge, otp).status, 200)
        await site.close()
    }

    @Test func `A mailed code of a sign-up, which creates no account then`() async throws {
        let site = try await CodeApp.site(hooks: hook.hooks)
        let app = CodeApp(site: site, purpose: "sign_up")
        let asked = try await app.asked(CodeApp.eve)
        let password: JSONObject = ["password": .string(Site.password)]
        hook.isDown = true
        try await expectEqual(app.send(asked.code, asked.challenge, password).string("code"), "hookUnavailable")
        try await expectNil(site.identity.administration.account(email: CodeApp.eve))
        hook.isDown = false
        try await expectEqual(app.send(asked.code, asked.challenge, password).status, 201)
        await site.close()
    }
}
