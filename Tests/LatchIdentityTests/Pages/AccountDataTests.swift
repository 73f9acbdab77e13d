// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import LatchTexts
import TestTags
import Testing

@testable import LatchIdentity

/// The activity, the export and the deletion of an account on its pages.
@Suite struct AccountDataTests {
    private static let days = 86_400.0

    private func signedIn(_ site: Site, _ email: String = "ada@example.com") async throws -> UserAgent {
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"), email)
        return agent
    }

    @Test(.tags(.objectAccess))
    func `The activity of an account has its own entries in words, without what is for the operator`() async throws {
        let site = try await Site.authorizing()
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        try await site.signUp("eve@example.com")
        _ = try await site.identity.administration.setStatus(of: account.id, to: .active, because: "<b>secret</b>")
        _ = try await site.logIn()
        var agent = try await signedIn(site)
        let page = try await agent.get("/account/activity")
        #expect(page.title == "Activity" && page.text.contains("UTC: A device signed in"))
        #expect(page.text.contains("UTC: The account was created") && !page.text.contains("secret"))
        // One account was created with the browser's.
        expectEqual(page.text.components(separatedBy: "The account was created").count, 2)
        let german = try await agent.send(.get, "/account/activity", fields: ["Accept-Language": "de"])
        #expect(german.text.contains("Ein Gerät hat sich angemeldet"))
        await site.close()
    }

    @Test func `Every event of an account has a text in each language`() async throws {
        let site = try await Site.authorizing()
        var agent = try await signedIn(site)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        for event in AuditRecord.eventsOnPages {
            try await site.identity.services.store.audit(event, account: account.id, detail: nil, at: site.clock.now)
        }
        try await site.identity.services.store.audit("new.event", account: account.id, detail: nil, at: site.clock.now)
        for language in Texts.languages {
            let page = try await agent.send(.get, "/account/activity", fields: ["Accept-Language": language])
            expectNil(page.text.firstMatch(of: /event\.[a-z]/), "\(page.text)")
            #expect(page.text.contains(": new.event"))
        }
        await site.close()
    }

    @Test(.tags(.objectAccess, .factorChange))
    func `The export of an account has everything that the store holds about it, and no secret`() async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        try await site.signUp("eve@example.com")
        let bearer = try await site.bearer(try await site.logIn().access)
        let factor = AuthenticatorApp(try await site.identity.secondFactors.enroll(bearer))
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        var agent = try await signedIn(site)
        _ = try await agent.authorize(
            SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid email"))
        let page = try await agent.get("/account")
        let file = try await agent.submit(page, [("export", "yes")])
        #expect(file.status == 200 && file.field("Content-Disposition") == #"attachment; filename="account.json""#)
        expectEqual(file.field(.cacheControl), "no-store")
        let content = file.json
        let account = try #require(content["account"]?.arrayValue?.first?.objectValue)
        #expect(account["email"] == "ada@example.com" && account["created_at"]?.stringValue?.hasSuffix("Z") == true)
        for table in ["device", "consent", "audit", "second_factor"] {
            expectEqual(content[table]?.arrayValue?.isEmpty, false, "\(table)")
        }
        let stored = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        for secret in [stored.passwordHash ?? "", factor.recoveryCodes[0], "eve@example.com"] {
            #expect(!secret.isEmpty && !file.text.contains(secret))
        }
        let events = content["audit"]?.arrayValue?.compactMap { $0["event"]?.stringValue } ?? []
        #expect(events.contains("account.created"))
        // It needs a recent sign-in.
        site.clock.advance(by: 1000)
        try await expectEqual(agent.submit(page, [("export", "yes")]).title, "Sign in")
        await site.close()
    }

    /// A new column is a decision: what belongs to a person, and what must not leave the server.
    @Test func `The export of an account has these columns`() {
        let shown = StoreTable.all.filter { !$0.personalColumns.isEmpty }.map { table in
            "\(table.name): \(table.personalColumns.map(\.name).joined(separator: " "))"
        }
        expectEqual(
            shown,
            [
                "account: id email name password_changed_at email_verified_at roles permissions status"
                    + " created_at username standing updated_at last_login_at owner_proved_at attributes"
                    + " terms_version terms_accepted_at foreign_id guest_until phone"
                    + " phone_verified_at",
                "account_details: content",
                "device: rotated_at created_at last_used_at expires_at revoked_at revoked_because user_agent"
                    + " address app_id scope name factor_at authenticated_at details",
                "second_factor: is_confirmed created_at failures failed_at",
                "recovery_code: is_confirmed",
                "upstream_identity: issuer subject provider email linked_at",
                "passkey: is_backup_eligible is_backed_up transports name created_at last_used_at relying_party",
                "consent: client_id redirect_origin resources scope granted_at updated_at",
                "account_deletion: requested_at due_at",
                "factor_recovery: requested_at remind_at due_at",
                "api_key: name scope created_at expires_at last_used_at",
                "one_time_token: purpose created_at expires_at",
                "sign_in_challenge: password_changed_at app_id scope is_remembered created_at expires_at",
                "email_change: email expires_at",
                "mail: purpose email created_at due_at attempts language address user_agent",
                "client_notice: client_id due_at attempts expires_at",
                "address_challenge: failures expires_at",
                "sign_in_code: purpose issuer subject provider email factor_at authenticated_at expires_at"
                    + " is_email_verified",
                "authorization_code: client_id redirect scope authenticated_at factor_at valid_until used_at"
                    + " expires_at details",
                "device_authorization: client_id scope address user_agent created_at expires_at"
                    + " poll_interval polled_at decision granted_scope authenticated_at factor_at details",
                "audit: id at event",
            ])
    }

    // MARK: Deletion

    /// Requests the deletion on the page.
    private func requested(_ agent: inout UserAgent) async throws -> Response {
        let form = try await agent.get("/account/deletion")
        expectEqual(form.title, "Delete your account")
        try await expectEqual(agent.submit(form).status, 400)
        return try await agent.submit(form, [("sure", "yes")])
    }

    /// Does what housekeeping does each hour.
    private func prune(_ site: Site) async throws {
        try await expectEqual(site.identity.services.store.deleteDueAccounts(at: site.clock.now), false)
    }

    @Test func `An account is deleted with all its rows, after the delay`() async throws {
        let site = try await Site.authorizing { $0.deletionDelay = .seconds(2 * 86_400) }
        try await site.signUp("eve@example.com")
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")).id
        var agent = try await signedIn(site)
        let page = try await requested(&agent)
        #expect(page.text.contains("This account will be deleted") && page.text.contains(#"name="keep-account""#))
        await site.identity.flushMails()
        let mail = try #require(site.mailer.messages.last { $0.subject == "Latchwork: Your account will be deleted" })
        #expect(mail.text.contains("in 2 days") && mail.text.contains("/account\n"))
        // The page of the account has the date, and no form requests it again.
        try await expectEqual(agent.get("/account/deletion").location, "/account")
        // Until then it works.
        site.clock.advance(by: Self.days)
        try await prune(site)
        try await expectEqual(site.passwordGrant().status, 200)
        var later = try await signedIn(site)
        site.clock.advance(by: Self.days + 60)
        try await prune(site)
        // A notice that is being sent is a row until then.
        await site.identity.flushMails()
        let data = try await site.identity.services.store.personalData(of: id)
        expectEqual(data.keys.sorted(), ["audit"])
        try await expectEqual(later.get("/account").title, "Sign in")
        // The address is free again.
        try await site.signUp("ada@example.com")
        try await expectEqual(site.passwordGrant("eve@example.com").status, 200)
        await site.close()
    }

    @Test func `The deletion of an account is canceled on its page, also after another sign-in`() async throws {
        let site = try await Site.authorizing()
        var agent = try await signedIn(site)
        _ = try await requested(&agent)
        site.clock.advance(by: 29 * Self.days)
        var again = try await signedIn(site)
        let kept = try await again.submit(try await again.get("/account"), [("keep-account", "yes")])
        #expect(kept.text.contains("Your account stays.") && !kept.text.contains("will be deleted"))
        site.clock.advance(by: 2 * Self.days)
        try await prune(site)
        try await expectEqual(site.passwordGrant().status, 200)
        await site.close()
    }

    /// Another user may have signed up with the address, and requested it (attack E8).
    @Test(.tags(.accountPreHijack)) func `The deletion of an account ends with a new password by email`() async throws {
        let site = try await Site.authorizing()
        var agent = try await signedIn(site)
        _ = try await requested(&agent)
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        try await expectEqual(site.post("/reset", form: "token=\(token)&password=Another+456%21").status, 200)
        site.clock.advance(by: 31 * Self.days)
        try await prune(site)
        #expect(try await site.identity.administration.account(email: "ada@example.com") != nil)
        await site.close()
    }

    @Test func `The deletion of a banned account is not made: its owner must not free the address`() async throws {
        let site = try await Site.authorizing()
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")).id
        var agent = try await signedIn(site)
        _ = try await requested(&agent)
        _ = try await site.identity.administration.setStatus(of: id, to: .banned)
        site.clock.advance(by: 31 * Self.days)
        try await prune(site)
        #expect(try await site.identity.administration.account(email: "ada@example.com") != nil)
        await site.close()
    }

    @Test(.tags(.adminAuthorization))
    func `The last administrator cannot be deleted, neither at the request nor when it is due`() async throws {
        let site = try await Site.authorizing()
        try await site.signUp("eve@example.com")
        let administration = site.identity.administration
        let ada = try #require(try await administration.account(email: "ada@example.com")).id
        let eve = try #require(try await administration.account(email: "eve@example.com")).id
        _ = try await administration.setRole(of: ada, to: .admin)
        var agent = try await signedIn(site)
        let refused = try await requested(&agent)
        #expect(refused.status == 409 && refused.text.contains("You are the last administrator"))
        _ = try await administration.setRole(of: eve, to: .admin)
        #expect(try await requested(&agent).text.contains("This account will be deleted"))
        _ = try await administration.setRole(of: eve, to: .user)
        site.clock.advance(by: 31 * Self.days)
        try await prune(site)
        try await expectEqual(site.passwordGrant().status, 200)
        #expect(
            try await site.identity.audit.records(limit: 50).contains {
                $0.event == "account.deletionCanceled" && $0.detail == "last administrator"
            })
        await site.close()
    }

    @Test(.tags(.factorChange))
    func `The deletion of an account needs a recent sign-in`() async throws {
        let site = try await Site.authorizing()
        var agent = try await signedIn(site)
        let form = try await agent.get("/account/deletion")
        site.clock.advance(by: 1000)
        let answer = try await agent.submit(form, [("sure", "yes")])
        #expect(answer.title == "Sign in" && answer.text.contains("Sign in again"))
        try await expectEqual(agent.get("/account/deletion").title, "Sign in")
        await site.close()
    }
}
