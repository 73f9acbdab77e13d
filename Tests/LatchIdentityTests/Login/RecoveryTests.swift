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

/// Each row of the table in Documentation/Recovery.md, by its first column.
@Suite struct RecoveryTests {
    /// What a user has lost.
    enum Loss: String, CaseIterable, Sendable {
        case password = "the password"
        case app = "the authenticator app"
        case appWithPasskey = "the app and the recovery codes, with a passkey left"
        case appAndCodes = "the app and the recovery codes"
        case passkey = "the only passkey, without a password"
        case device = "a device"
        case mailbox = "the mailbox"
        case mailboxAndPassword = "the mailbox and the password"
        case administratorsFactor = "the second factor of an administrator"
        case lastAdministrator = "the second factor of the last administrator"
    }

    private static let ada = "ada@example.com"

    @Test func `The document of recovery has a row for each of these tests`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../Documentation/Recovery.md").standardized
        let rows = try String(contentsOf: root, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| lost |")
        }
        let first = rows.compactMap { $0.split(separator: "|").first }.map {
            String($0).trimmingCharacters(in: .whitespaces)
        }
        expectEqual(first, Loss.allCases.map(\.rawValue))
    }

    @Test(.tags(.factorChange), arguments: Loss.allCases)
    func `A user who has lost something gets back in, and no stranger does`(loss: Loss) async throws {
        let site = try await Site.administered {
            $0.issuer = Site.issuer
            $0.factorRecoveryDelay = .seconds(7 * 86_400)
        }
        let (app, access) = try await site.enrol()
        switch loss {
        case .password: try await losePassword(site, app, access)
        case .app: try await loseApp(site, app)
        case .appWithPasskey: try await loseAppWithPasskey(site, access)
        case .appAndCodes: try await loseAppAndCodes(site)
        case .passkey: try await losePasskey(site, app, access)
        case .device: try await loseDevice(site, app, access)
        case .mailbox: try await loseMailbox(site, app, access)
        case .mailboxAndPassword: try await loseMailboxAndPassword(site, app)
        case .administratorsFactor: try await loseAdministratorsFactor(site, app)
        case .lastAdministrator: try await loseLastAdministrator(site)
        }
        await site.close()
    }

    // MARK: Rows

    private func losePassword(_ site: Site, _ app: AuthenticatorApp, _ access: String) async throws {
        try await reset(site, to: "another sentence")
        try await expectEqual(site.accepts(access), false)
        await expectEqual(site.subjects().last, "Latchwork: Your password was changed")
        // The email does not replace the second factor.
        try await expectEqual(site.logIn(password: "another sentence").status, 403)
        try await expectEqual(logIn(site, "another sentence", app.code(at: site.clock.now)).status, 200)
    }

    private func loseApp(_ site: Site, _ app: AuthenticatorApp) async throws {
        try await expectEqual(logIn(site, Site.password, app.recoveryCodes[3]).status, 200)
        try await expectEqual(logIn(site, Site.password, app.recoveryCodes[3]).status, 401)
    }

    private func loseAppWithPasskey(_ site: Site, _ access: String) async throws {
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: access)
        try await expectEqual(user.register().status, 201)
        try await expectEqual(user.signIn(user.assertion()).status, 200)
    }

    private func loseAppAndCodes(_ site: Site) async throws {
        var agent = UserAgent(site)
        let factor = try await agent.signIn(try await agent.get("/account"))
        let page = try await agent.submit(factor, [("factor-lost", "yes")])
        let code = try #require(await site.mailedCode())
        try await expectEqual(agent.submit(page, [("code", code)]).title, "The waiting time runs")
        try await expectEqual(site.logIn().status, 403)
        for _ in 0..<2 {
            site.clock.advance(by: 6.9 * 86_400)
            try await site.housekeep()
        }
        try await expectEqual(site.logIn().status, 200)
    }

    private func losePasskey(_ site: Site, _ app: AuthenticatorApp, _ access: String) async throws {
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: access)
        let lost = try await user.register().string("id")
        let account = try #require(try await site.identity.administration.account(email: Self.ada))
        try await site.identity.services.store.write { db throws(IdentityError) -> Void in
            try db.run("UPDATE account SET password_hash = NULL WHERE id = $1", [.text(account.id)])
        }
        try await reset(site, to: "another sentence")
        try await expectEqual(site.logIn(password: "another sentence").status, 403)
        let tokens = try await logIn(site, "another sentence", app.code(at: site.clock.now))
        let removed = try await site.call(.delete, "/api/auth/passkeys/\(lost)", bearer: tokens.access)
        #expect(removed.status < 300, "\(removed.text)")
        try await expectEqual(user.signIn(user.assertion()).status, 401)
    }

    private func loseDevice(_ site: Site, _ app: AuthenticatorApp, _ access: String) async throws {
        var agent = UserAgent(site)
        let factor = try await agent.signIn(try await agent.get("/account"))
        try await expectEqual(agent.submit(factor, [("code", app.code(at: site.clock.now))]).status, 303)
        try await expectEqual(site.accepts(access), true)
        let account = try await agent.get("/account")
        try await expectEqual(agent.submit(account, [("sign-out-others", "yes")]).status, 200)
        try await expectEqual(site.accepts(access), false)
    }

    private func loseMailbox(_ site: Site, _ app: AuthenticatorApp, _ access: String) async throws {
        // The reader of the lost mailbox would confirm a change, or refuse it.
        try await site.identity.accounts.changeEmail(of: site.bearer(access), to: "ada@king.example", from: .tests)
        try await expectEqual(site.logIn("ada@king.example").status, 401)
        try await setAddress(site, isVerified: true)
        await expectEqual(site.subjects().last, "Latchwork: Your email address was changed")
        try await expectEqual(site.logIn("ada@king.example").status, 403)
        let tokens = try await logIn(site, Site.password, app.code(at: site.clock.now), as: "ada@king.example")
        expectEqual(tokens.status, 200)
    }

    private func loseMailboxAndPassword(_ site: Site, _ app: AuthenticatorApp) async throws {
        let account = try await setAddress(site, isVerified: true)
        let sent = try await site.call(
            .post, "/api/admin/users/\(account)/reset-password", bearer: site.key([.writeUsers]), [:])
        #expect(sent.status < 300, "\(sent.text)")
        let link = try #require(await site.mailedToken(to: "ada@king.example"))
        let reset = try await site.post(
            "/api/auth/reset-password", ["token": .string(link), "password": "another sentence"])
        expectEqual(reset.status, 200)
        try await expectEqual(site.logIn("ada@king.example", password: "another sentence").status, 403)
        let code = app.code(at: site.clock.now)
        try await expectEqual(logIn(site, "another sentence", code, as: "ada@king.example").status, 200)
        let root = try #require(try await site.identity.administration.account(email: Site.root))
        try await expectEntry("account.emailChanged", root.id, site)
    }

    private func loseAdministratorsFactor(_ site: Site, _ app: AuthenticatorApp) async throws {
        let account = try #require(try await site.identity.administration.account(email: Self.ada))
        _ = try await site.identity.administration.perform(.setRole(.admin), on: account.id, by: nil, because: "")
        var agent = UserAgent(site)
        let factor = try await agent.signIn(try await agent.get("/account"))
        try await expectEqual(agent.submit(factor, [("factor-lost", "yes")]).title, "The second factor stays")
        // A key changes no administrator, and another administrator's session does.
        let path = "/api/admin/users/\(account.id)/second-factor"
        try await expectEqual(site.call(.delete, path, bearer: site.key([.writeUsers])).status, 403)
        let root = try #require(try await site.identity.administration.account(email: Site.root))
        let done = try await site.identity.administration.perform(
            .removeFactor, on: account.id, by: AccountActor(root.id), because: "case 7")
        #expect(done != nil)
        try await expectEqual(site.logIn().status, 200)
        await expectEqual(site.subjects().last, "Latchwork: Two-factor authentication is off")
        try await expectEntry("factor.removed", "case 7", site)
    }

    private func loseLastAdministrator(_ site: Site) async throws {
        let account = try #require(try await site.identity.administration.account(email: Self.ada))
        // `latch admin user remove-factor` on the machine acts for no account.
        _ = try await site.identity.administration.perform(
            .removeFactor, on: account.id, by: nil, because: "by the operator")
        try await expectEqual(site.logIn().status, 200)
        try await expectEntry("factor.removed", "by the operator", site)
    }

    // MARK: Steps

    private func reset(_ site: Site, to password: String) async throws {
        _ = try await site.post("/api/auth/forgot-password", ["email": .string(Self.ada)])
        let link = try #require(await site.mailedToken())
        let reset: JSONValue = ["token": .string(link), "password": .string(password)]
        try await expectEqual(site.post("/api/auth/reset-password", reset).status, 200)
    }

    private func logIn(
        _ site: Site, _ password: String, _ code: String, as email: String = ada
    ) async throws -> Response {
        try await site.post(
            "/api/auth/clients/login",
            ["email": .string(email), "password": .string(password), "otp": .string(code)])
    }

    @discardableResult
    private func setAddress(_ site: Site, isVerified: Bool) async throws -> String {
        let account = try #require(try await site.identity.administration.account(email: Self.ada))
        let content: JSONValue = ["email": "ada@king.example", "email_verified": .bool(isVerified)]
        let changed = try await site.call(
            .put, "/api/admin/users/\(account.id)/email", bearer: site.key([.writeUsers]), content)
        expectEqual(changed.status, 200, "\(changed.text)")
        return account.id
    }

    private func expectEntry(_ event: String, _ detail: String, _ site: Site) async throws {
        let records = try await site.identity.audit.records(limit: 20).filter { $0.event == event }
        #expect(records.first?.detail?.contains(detail) == true, "\(records)")
    }
}
