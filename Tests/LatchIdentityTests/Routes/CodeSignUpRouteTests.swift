// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct CodeSignUpRouteTests {
    private static let password: JSONObject = ["password": .string(Site.password)]

    private func account(_ site: Site) async throws -> Account? {
        try await site.identity.administration.account(email: CodeApp.eve)
    }

    @Test func `A mailed code creates an account with a proved address, and signs the app in`() async throws {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site, purpose: "sign_up")
        let asked = try await app.asked(CodeApp.eve)
        await expectEqual(site.subjects(to: CodeApp.eve).count, 1)
        let done = try await app.send(
            asked.code, asked.challenge, ["password": .string(Site.password), "name": "Eve", "username": "eve"],
            fields: ["Accept-Language": "fr"])
        #expect(done.status == 201 && done.field(.setCookie)?.hasPrefix("refreshToken=") == true)
        let profile = try await site.get("/user/profile", bearer: done.access)
        #expect(profile.json["emailVerified"] == true && profile.string("username") == "eve")
        let account = try #require(try await account(site))
        #expect(account.ownerProvedAt != nil && account.name == "Eve" && account.roles.isEmpty)
        let full = try await site.identity.services.store.fullAccount(id: account.id)
        expectEqual(full?.details.preferences.language, "fr")
        try await expectEqual(site.logIn(CodeApp.eve).status, 200)
        await site.close()
    }

    @Test(arguments: [true, false])
    func `An account needs no password if its owner can sign in with codes`(hasCodes: Bool) async throws {
        let site = try await CodeApp.site { $0.signInCodes = hasCodes }
        let app = CodeApp(site: site, purpose: "sign_up")
        let asked = try await app.asked(CodeApp.eve)
        let done = try await app.send(asked.code, asked.challenge)
        guard hasCodes else {
            #expect(done.status == 400 && done.string("field") == "password")
            // The code still works.
            try await expectEqual(app.send(asked.code, asked.challenge, Self.password).status, 201)
            return await site.close()
        }
        expectEqual(done.status, 201)
        try await expectNil(account(site)?.passwordHash)
        let signIn = CodeApp(site: site)
        let next = try await signIn.asked(CodeApp.eve)
        try await expectEqual(signIn.send(next.code, next.challenge).status, 200)
        await site.close()
    }

    @Test func `Details that are refused do not use the code up, and are refused after the code only`() async throws {
        let site = try await CodeApp.site { $0.termsVersion = "2026" }
        let app = CodeApp(site: site, purpose: "sign_up")
        let asked = try await app.asked(CodeApp.eve)
        let weak: JSONObject = ["password": "short", "acceptedTerms": "2026"]
        try await expectEqual(app.send("1234 5678", asked.challenge, weak).string("code"), "invalidCode")
        let refused = try await app.send(asked.code, asked.challenge, weak)
        #expect(refused.status == 400 && refused.string("code") == "weakPassword")
        try await expectEqual(app.send(asked.code, asked.challenge, Self.password).string("code"), "termsRequired")
        try await expectNil(account(site))
        let done = try await app.send(
            asked.code, asked.challenge, ["password": .string(Site.password), "acceptedTerms": "2026"])
        expectEqual(done.status, 201)
        try await expectEqual(account(site)?.acceptedTerms?.version, "2026")
        await site.close()
    }

    @Test(.tags(.accountEnumeration))
    func `An address with an account gets a notice without a code, and the app the same response`() async throws {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site, purpose: "sign_up")
        let (known, unknown) = (try await app.ask(CodeApp.ada), try await app.ask(CodeApp.eve))
        #expect(known.status == 202 && unknown.status == 202)
        expectEqual(known.text.count, unknown.text.count)
        await site.identity.flushMails()
        await expectNil(site.mailedCode(to: CodeApp.ada))
        let services = site.identity.services
        let text = known.string("challenge")
        let id = try MailedCodeCipher(pepper: services.pepper).open(text, for: .signUp, at: site.clock.now).id
        let right = MailedTokens(pepper: services.pepper).code(of: id)
        try await expectEqual(app.send(right, text, Self.password).status, 409)
        try await expectEqual(app.devices(), 0)
        await site.close()
    }

    @Test(arguments: [IdentityConfiguration.SignUpAccess.domains, .invitation, .closed])
    func `The rule of sign-ups holds for codes, when they are asked for and when they are used`(
        access: IdentityConfiguration.SignUpAccess
    ) async throws {
        let site = try await CodeApp.site {
            $0.signUp = access
            if access == .domains { $0.signUpDomains = ["example.org"] }
        }
        let app = CodeApp(site: site, purpose: "sign_up")
        let refused = try await app.ask(CodeApp.eve)
        expectEqual(refused.status, 403)
        expectEqual(refused.string("code"), access == .domains ? "signUpDomain" : "signUpClosed")
        await expectEqual(site.subjects(to: CodeApp.eve), [])
        if access == .domains {
            let asked = try await app.asked("eve@example.org")
            try await expectEqual(app.send(asked.code, asked.challenge).status, 201)
        }
        await site.close()
    }

    @Test func `A hook decides about a sign-up with a code, and learns how the user signs up`() async throws {
        let ways = Mutex<[String]>([])
        var hooks = IdentityHooks()
        hooks.signUp = { attempt in
            ways.withLock { $0.append("\(attempt.way) \(attempt.isEmailVerified)") }
            return attempt.name == "Eve" ? .allow() : .deny("Tell us your name.")
        }
        let site = try await CodeApp.site(hooks: hooks)
        let app = CodeApp(site: site, purpose: "sign_up")
        let asked = try await app.asked(CodeApp.eve)
        try await expectEqual(app.send(asked.code, asked.challenge).string("code"), "signUpDenied")
        try await expectEqual(app.send(asked.code, asked.challenge, ["name": "Eve"]).status, 201)
        expectEqual(ways.withLock { $0 }, ["code true", "code true"])
        await site.close()
    }

    @Test(.tags(.parallelSignUp))
    func `A repeated sign-up with the same key gets the same session, and concurrent ones make one account`()
        async throws
    {
        let site = try await CodeApp.site()
        let app = CodeApp(site: site, purpose: "sign_up")
        let asked = try await app.asked(CodeApp.eve)
        let key = "0123456789abcdef"
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { try await app.send(asked.code, asked.challenge, Self.password, key: key).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.contains(201) && statuses.allSatisfy { [201, 400, 409].contains($0) }, "\(statuses)")
        let again = try await app.send(asked.code, asked.challenge, Self.password, key: key)
        expectEqual(again.status, 201)
        try await expectEqual(app.devices(CodeApp.eve), 1)
        await site.close()
    }
}
