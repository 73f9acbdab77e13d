// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Testing

@testable import LatchIdentity

@Suite struct MailHookTests {
    private func forgot(_ site: Site) async throws {
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        await site.identity.flushMails()
    }

    @Test func `A program sends an email instead of the server`() async throws {
        let program = HookProgram(answering: ["sent": true])
        let site = try await Site(upstream: program) { $0.add("post", on: .mail) }
        try await site.signUp()
        try await forgot(site)
        let data = try #require(program.messages.last?["data"]?.objectValue)
        #expect(data["purpose"] == "resetPassword" && data["to"] == "ada@example.com" && data["language"] == "en")
        #expect(data["text"]?.stringValue?.contains("token=") == true && data["html"]?.stringValue != nil)
        #expect(site.mailer.messages.isEmpty)
        await site.close()
    }

    @Test func `An email that a program leaves to the server is sent by it`() async throws {
        let program = HookProgram { data in .json(["sent": .bool(data["purpose"] != "resetPassword")]) }
        let site = try await Site(upstream: program) { $0.add("post", on: .mail) }
        try await site.signUp()
        try await forgot(site)
        expectEqual(site.mailer.messages.count, 1)
        await site.close()
    }

    @Test(arguments: [Hook.Fallback.refuse, .continue])
    func `An email waits for a program that is down, or the server sends it`(_ fallback: Hook.Fallback) async throws {
        let program = HookProgram { _ in throw HTTPError.offline }
        let site = try await Site(upstream: program) { $0.add("post", on: .mail) { $0.fallback = fallback } }
        try await site.signUp()
        try await forgot(site)
        expectEqual(site.mailer.messages.count, fallback == .refuse ? 0 : 1)
        let ids = program.messages.map { $0["data"]?["id"] }
        program.answer { _ in .json(["sent": true]) }
        site.clock.advance(by: .seconds(20))
        await site.identity.flushMails()
        if fallback == .refuse {
            // The same email has the same identifier.
            #expect(program.messages.count == 2 && program.messages[1]["data"]?["id"] == ids[0])
            #expect(site.mailer.messages.isEmpty)
        }
        await site.close()
    }

    @Test func `Code sends an email`() async throws {
        let program = MemoryMailer()
        var hooks = IdentityHooks()
        hooks.mail = { mail in
            try await program.send(MailMessage(to: mail.recipient, subject: mail.subject, text: mail.text))
            return true
        }
        let site = try await Site(hooks: hooks)
        try await site.signUp()
        try await forgot(site)
        #expect(program.messages.count == 1 && site.mailer.messages.isEmpty)
        await site.close()
    }
}
