// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AdminPageTests {
    /// A browser of an administrator, who has signed in with a passkey.
    private func administrator(_ site: Site, _ role: Role = .admin) async throws -> UserAgent {
        let id = try #require(try await site.accountID("ada@example.com"))
        _ = try await site.identity.administration.setRole(of: id, to: role)
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(user.register().status, 201)
        var agent = UserAgent(site)
        let signIn = try await agent.get("/admin")
        let signed = String(decoding: try await user.assertion().serialized(), as: UTF8.self)
        try await expectEqual(agent.submit(signIn, [("credential", signed)]).location, "/admin")
        return agent
    }

    private func site() async throws -> Site {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        try await site.signUp("eve@example.com")
        return site
    }

    // MARK: Access

    @Test(.tags(.adminAuthorization))
    func `The administration does not exist for users, and asks administrators for a second factor`() async throws {
        let site = try await site()
        let router = try #require(site.identity.handler as? Router)
        let paths = router.routes.filter { $0.method == .get && $0.pattern.hasPrefix("/admin") }.map(\.pattern)
            .filter { $0 != "/admin/first" }.map { $0.replacing(/\{[a-z]+\}/, with: "x") }
        #expect(paths.count >= 11)
        var (stranger, user, moderator, admin) = (
            UserAgent(site), UserAgent(site), UserAgent(site), UserAgent(site)
        )
        try await site.signUp("mod@example.com")
        let roles: [(String, Role)] = [("mod@example.com", .moderator), ("ada@example.com", .admin)]
        for (email, role) in roles {
            let id = try #require(try await site.accountID(email))
            _ = try await site.identity.administration.setRole(of: id, to: role)
        }
        _ = try await user.signIn(try await user.get("/account"), "eve@example.com")
        _ = try await moderator.signIn(try await moderator.get("/account"), "mod@example.com")
        _ = try await admin.signIn(try await admin.get("/account"))
        for path in paths {
            try await expectEqual(stranger.get(path).title, "Sign in", "\(path)")
            try await expectEqual(user.get(path).title, "There is no such page", "\(path)")
            try await expectEqual(moderator.get(path).title, "There is no such page", "\(path)")
            let page = try await admin.get(path)
            #expect(page.status == 403 && page.title == "Administration requires a second factor", "\(path)")
            #expect(page.text.contains("/account/factor") && page.text.contains("/account/passkeys"), "\(path)")
        }
        try await #expect(user.get("/account").text.contains("/admin") == false)
        try await #expect(admin.get("/account").text.contains(#"href="/admin""#))
        // An administrator who has a passkey, and signed in without it, signs in with it.
        let ada = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(ada.register().status, 201)
        _ = try await admin.signIn(try await admin.get("/account"))
        let again = try await admin.get("/admin/users")
        #expect(again.title == "Sign in" && again.text.contains("Administration requires a second factor"))
        let signed = String(decoding: try await ada.assertion().serialized(), as: UTF8.self)
        try await expectEqual(admin.submit(again, [("credential", signed)]).location, "/admin/users")
        try await expectEqual(admin.get("/admin/users").title, "Users")
        await site.close()
    }

    @Test(.tags(.adminAuthorization))
    func `An administrator changes neither clients nor keys, nor an account of the same role`() async throws {
        let site = try await site()
        _ = try await site.identity.clients.create(
            try OAuthClient.reading(["id": "batch", "confidential": true, "grants": ["client_credentials"]]) {
                .invalidInput($0)
            }, by: "test")
        let eve = try #require(try await site.accountID("eve@example.com"))
        var agent = try await administrator(site)
        let page = try await agent.get("/admin/users/\(eve)")
        _ = try await site.identity.administration.setRole(of: eve, to: .admin)
        try await expectEqual(agent.get("/admin/users/\(eve)").status, 403)
        let fields = [
            ("status", "suspended"), ("role", "sure user"), ("sign-out", "sure yes"), ("reset-password", "yes"),
        ]
        for field in fields {
            try await expectEqual(agent.submit(page, [field]).status, 403, "\(field)")
        }
        for path in ["/admin/new-client", "/admin/clients/batch/edit"] {
            try await expectEqual(agent.get(path).status, 403, "\(path)")
        }
        let refused: [(path: String, fields: [(String, String)])] = [
            ("/admin/clients/batch", [("rotate", "sure x")]), ("/admin/clients/batch", [("remove", "yes")]),
            ("/admin/clients/batch", [("remove", "sure yes")]), ("/admin/keys", [("rotate", "x")]),
        ]
        for (path, fields) in refused {
            let page = try await agent.get(path)
            expectEqual(page.status, 200, "\(path)")
            try await expectEqual(agent.submit(page, fields).status, 403, "\(path) \(fields)")
        }
        // Nor does a form of one page change another one.
        let keys = try await agent.get("/admin/keys")
        let other = try await agent.post(
            "/admin/clients/batch/edit",
            form: FormEncoding.encode([("token", keys.formToken), ("members", "{}")]))
        expectEqual(other.title, "Sign in")
        // An administrator grants only lower roles.
        let bob = try await site.signUp("bob@example.com")
        let bobs = try await agent.get("/admin/users/\(bob.id)")
        #expect(bobs.text.contains(#"value="moderator""#) && !bobs.text.contains(#"value="super_admin""#))
        for role in ["admin", "super_admin"] {
            try await expectEqual(agent.submit(bobs, [("role", "sure \(role)")]).status, 403, "\(role)")
        }
        await site.close()
    }

    @Test func `An administrator makes an API key on a page, which shows it once, and ends it`() async throws {
        let site = try await site()
        var agent = try await administrator(site)
        let form = try await agent.get("/admin/api-keys/new")
        // Only a super administrator's key changes clients.
        #expect(form.text.contains("users:read") && !form.text.contains("clients:write"))
        let incomplete = try await agent.submit(form, [("name", "Backup <b>"), ("days", "30")])
        #expect(incomplete.status == 400 && incomplete.text.contains("at least one permission"))
        let made = try await agent.submit(incomplete, [("name", "Backup <b>"), ("days", "30"), ("users:read", "yes")])
        expectEqual(made.title, "API key created")
        #expect(made.field(.cacheControl) == "no-store" && !made.text.contains("<b>"))
        let key = "ak1." + (made.text.split(separator: "ak1.").dropFirst().first?.prefix(43) ?? "")
        try await expectEqual(site.get("/api/admin/users", bearer: key).status, 200)
        try await expectEqual(site.get("/api/admin/keys", bearer: key).status, 403)
        let list = try await agent.get("/admin/api-keys")
        #expect(list.text.contains("Backup &lt;b&gt;") && list.text.contains("Last used") && !list.text.contains(key))
        let id = try #require(try await site.identity.apiKeys.list().first).id
        let question = try await agent.submit(list, [("end", id)])
        try await expectEqual(site.get("/api/admin/users", bearer: key).status, 200)
        let ended = try await agent.submit(question, [("end", "sure \(id)")])
        #expect(ended.text.contains("The key is deleted.") && ended.text.contains("No program has a key."))
        try await expectEqual(site.get("/api/admin/users", bearer: key).status, 401)
        await site.close()
    }

    @Test func `A change of the administration needs a recent sign-in`() async throws {
        let site = try await site()
        let eve = try #require(try await site.accountID("eve@example.com"))
        var agent = try await administrator(site, .superAdmin)
        let page = try await agent.get("/admin/users/\(eve)")
        site.clock.advance(by: 1000)
        try await expectEqual(agent.get("/admin/users/\(eve)").status, 200)
        let again = try await agent.submit(page, [("status", "suspended")])
        #expect(again.title == "Sign in" && again.text.contains("Sign in again"))
        for path in ["/admin/new-client", "/admin/users/invite"] {
            try await expectEqual(agent.get(path).title, "Sign in", "\(path)")
        }
        try await expectEqual(site.identity.administration.find("eve@example.com")?.account.status, .active)
        await site.close()
    }

    @Test(.tags(.adminAuthorization), arguments: ["/admin/mails", "/admin/keys", "/admin/clients/batch"])
    func `A dismissed administrator sees no page again, not even after a form`(path: String) async throws {
        let site = try await site()
        _ = try await site.identity.clients.create(
            try OAuthClient.reading(["id": "batch", "redirects": ["https://batch.example/back"]]) { .invalidInput($0) },
            by: "test")
        let id = try #require(try await site.accountID("ada@example.com"))
        var agent = try await administrator(site, .superAdmin)
        let page = try await agent.get(path)
        expectEqual(page.status, 200)
        try await site.signUp("root@example.com")
        let root = try #require(try await site.accountID("root@example.com"))
        _ = try await site.identity.administration.setRole(of: root, to: .superAdmin)
        _ = try await site.identity.administration.setRole(of: id, to: .user)
        for answer in [try await agent.get(path), try await agent.submit(page, [("retry", "yes"), ("rotate", "x")])] {
            #expect(answer.status == 404 && answer.title == "There is no such page")
        }
        await site.close()
    }

    @Test(.tags(.factorChange))
    func `The password of an administrator with a passkey opens no way around the passkey`() async throws {
        let site = try await site()
        let id = try #require(try await site.accountID("ada@example.com"))
        _ = try await site.identity.administration.setRole(of: id, to: .superAdmin)
        let ada = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: try await site.logIn().access)
        try await expectEqual(ada.register().status, 201)
        var thief = UserAgent(site)
        _ = try await thief.signIn(try await thief.get("/account"))
        let overview = try await thief.get("/account")
        let passkey = overview.between(#"name="remove-passkey" value=""#, "\"")
        for answer in [
            try await thief.get("/account/passkeys"),
            try await thief.submit(try await thief.get("/account/factor")),
            try await thief.submit(overview, [("remove-passkey", passkey)]),
        ] {
            #expect(answer.title == "Sign in" && answer.text.contains("Administration requires a second factor"))
        }
        let login = try await site.logIn()
        for path in ["/api/auth/passkeys/options", "/api/auth/passkeys"] {
            let answer = try await site.call(.post, path, bearer: login.access, ["credential": [:]])
            #expect(answer.status == 403, "\(path) \(answer.status)")
        }
        // Nor does the JSON of the administration.
        for answer in [
            try await site.call(.get, "/api/admin/clients", bearer: login.access),
            try await site.call(
                .post, "/api/users/invite", bearer: login.access, ["email": "new@example.com", "roles": ["admin"]]),
        ] {
            #expect(answer.status == 403 && answer.text.contains("sign in with a second factor"), "\(answer.text)")
        }
        try await expectEqual(site.identity.administration.passkeys(of: id).count, 1)
        await site.close()
    }

    // MARK: Users

    @Test func `An administrator changes a role, and removes what a user has lost, after a question`() async throws {
        let site = try await site()
        let eve = try #require(try await site.accountID("eve@example.com"))
        var agent = try await administrator(site, .superAdmin)
        let login = try await site.logIn("eve@example.com")
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: login.access)
        try await expectEqual(user.register().status, 201)
        let page = try await agent.get("/admin/users/\(eve)")
        for (name, value) in [("role", "admin"), ("remove-passkeys", "yes"), ("sign-out", "yes")] {
            let question = try await agent.submit(page, [(name, value)])
            #expect(question.status == 200 && question.text.contains("eve@example.com"), "\(name)")
            let sure = question.between("name=\"\(name)\" value=\"", "\"")
            expectEqual(sure, "sure \(value)")
            let done = try await agent.submit(question, [(name, sure)])
            #expect(done.status == 200 && done.text.contains(#"id="notice""#), "\(name)")
        }
        try await expectEqual(site.identity.administration.find("eve@example.com")?.account.role, .admin)
        #expect(try await site.identity.administration.passkeys(of: eve).isEmpty)
        try await expectEqual(site.accepts(login.access), false)
        try await expectEqual(agent.submit(page, [("remove-passkeys", "sure yes")]).status, 404)
        let own = try #require(try await site.accountID("ada@example.com"))
        let mine = try await agent.get("/admin/users/\(own)")
        #expect(mine.text.contains("This is your account.") && !mine.content.contains("<button name="))
        await site.close()
    }

    @Test func `An administrator finds, suspends and activates a user, and reads it in the audit log`() async throws {
        let site = try await site()
        let eve = try #require(try await site.accountID("eve@example.com"))
        let login = try await site.logIn("eve@example.com")
        var agent = try await administrator(site)
        #expect(try await agent.get("/admin").text.contains("Accounts"))
        let list = try await agent.get("/admin/users?q=eve@example.com%20")
        #expect(list.text.contains("eve@example.com") && !list.text.contains("ada@example.com</span>"))
        let page = try await agent.get("/admin/users/\(eve)")
        let suspended = try await agent.submit(page, [("status", "suspended")])
        #expect(suspended.text.contains("The status is changed.") && suspended.text.contains(#"value="active""#))
        // No email is sent to an account that cannot sign in.
        #expect(page.text.contains("reset-password") && !suspended.text.contains("reset-password"))
        try await expectEqual(agent.submit(page, [("reset-password", "yes")]).status, 403)
        try await expectEqual(site.accepts(login.access), false)
        #expect(suspended.text.contains("/admin/audit?account=\(eve)"))
        for search in ["account=eve@example.com%20", "account=\(eve)&event=suspend", "event=account.suspended"] {
            #expect(try await agent.get("/admin/audit?\(search)").text.contains("account.suspended"), "\(search)")
        }
        for search in ["account=nobody@", "account=x", "event=no.such"] {
            #expect(try await agent.get("/admin/audit?\(search)").text.contains("No entry matches."), "\(search)")
        }
        let question = try await agent.submit(suspended, [("status", "banned")])
        #expect(question.title == "Ban permanently?" && question.text.contains("eve@example.com"))
        let active = try await agent.submit(suspended, [("status", "active")])
        #expect(active.text.contains(#"value="suspended""#))
        try await expectEqual(site.passwordGrant("eve@example.com").status, 200)
        await site.close()
    }

    @Test func `An administrator invites a user, mails a reset link, and signs out a device`() async throws {
        let site = try await site()
        var agent = try await administrator(site)
        let form = try await agent.get("/admin/users/invite")
        try await expectEqual(agent.submit(form, [("email", "no address"), ("role", "user")]).status, 400)
        let taken = try await agent.submit(form, [("email", "eve@example.com"), ("role", "user")])
        #expect(taken.status == 409 && taken.text.contains("This address has an account."))
        try await expectEqual(agent.submit(form, [("email", "new@example.com"), ("role", "admin")]).status, 403)
        let invited = try await agent.submit(
            form, [("email", "new@example.com"), ("name", "New <b>"), ("role", "moderator")])
        #expect(invited.text.contains("Moderator"))
        #expect(invited.text.contains("The invitation is on its way") && invited.text.contains("New &lt;b&gt;"))
        let token = try #require(await site.mailedToken(to: "new@example.com"))
        try await expectEqual(site.post("/reset", form: "token=\(token)&password=Another+456%21").status, 200)
        let eve = try #require(try await site.accountID("eve@example.com"))
        let login = try await site.logIn("eve@example.com")
        let page = try await agent.get("/admin/users/\(eve)")
        var preferences = AccountDetails.Preferences()
        preferences.language = "de"
        _ = try await site.identity.administration.perform(
            .update(AccountDetailsChange(preferences: preferences)), on: eve, by: nil)
        let mailed = try await agent.submit(page, [("reset-password", "yes")])
        #expect(mailed.text.contains("An email with a link is on its way."))
        #expect(await site.mailedToken(to: "eve@example.com") != nil)
        expectEqual(site.mailer.messages.last { $0.recipient == "eve@example.com" }?.language, "de")
        let device = page.between(#"name="sign-out-device" value=""#, "\"")
        let ended = try await agent.submit(page, [("sign-out-device", device)])
        #expect(ended.text.contains("The device is signed out."))
        try await expectEqual(site.accepts(login.access), false)
        try await expectEqual(agent.submit(page, [("sign-out-device", device)]).status, 404)
        let ada = try #require(try await site.accountID("ada@example.com"))
        var query = AuditQuery(limit: 20)
        query.accountID = eve
        let entries = try await site.identity.audit.records(query).map { "\($0.event) \($0.detail ?? "")" }
        #expect(entries.contains("account.sessionsEnded one device by \(ada)"), "\(entries)")
        #expect(entries.contains("account.resetMailed by \(ada)"), "\(entries)")
        await site.close()
    }

    // MARK: Clients

    private func token(_ site: Site, _ id: String, _ secret: String) async throws -> Int {
        try await site.post(
            "/oauth/token", form: "grant_type=client_credentials&client_id=\(id)&client_secret=\(secret)"
        ).status
    }

    private func secret(_ page: Response) -> String {
        page.text.firstMatch(of: />(cs1\.[^<]+)</).map { String($0.1) } ?? ""
    }

    @Test func `A super administrator registers, changes, rotates and removes a client`() async throws {
        let site = try await site()
        var agent = try await administrator(site, .superAdmin)
        let form = try await agent.get("/admin/new-client")
        let unusable = try await agent.submit(form, [("kind", "web"), ("id", "shop"), ("redirects", "not a URL")])
        #expect(unusable.status == 400 && unusable.text.contains("shop") && unusable.text.contains("not a URL"))
        let without = try await agent.submit(form, [("kind", "web"), ("id", "shop")])
        #expect(without.status == 400 && without.text.contains("redirects") && without.text.contains(#"value="shop""#))
        let made = try await agent.submit(form, [("kind", "service"), ("id", "batch"), ("name", "<b>Batch")])
        expectEqual(made.title, "The client is ready")
        try await expectEqual(token(site, "batch", secret(made)), 200)
        try await expectEqual(agent.submit(form, [("kind", "service"), ("id", "batch")]).status, 409)
        #expect(try await agent.get("/admin/clients").text.contains("&lt;b&gt;Batch"))
        let page = try await agent.get("/admin/clients/batch")
        #expect(!page.text.contains(secret(made)))
        let asked = try await agent.submit(page, [("rotate", page.between(#"name="rotate" value=""#, "\""))])
        expectEqual(asked.title, "Replace the secret?")
        let sure = [("rotate", asked.between(#"name="rotate" value=""#, "\""))]
        let rotated = try await agent.submit(asked, sure)
        #expect(!secret(rotated).isEmpty && secret(rotated) != secret(made))
        #expect(try await agent.get("/admin/clients/batch").text.contains(#/Valid until [0-9-]{10} [0-9:]{5} UTC/#))
        // A reload of the page makes no third one, which would end the first.
        try await expectEqual(agent.submit(asked, sure).status, 409)
        for secret in [secret(made), secret(rotated)] { try await expectEqual(token(site, "batch", secret), 200) }
        let editor = try await agent.get("/admin/clients/batch/edit")
        #expect(editor.text.contains("&quot;client_name&quot;: &quot;&lt;b&gt;Batch&quot;"))
        let version = ("version", editor.between(#"name="version" type="hidden" value=""#, "\""))
        for wrong in ["{", "[]", #"{"no_such_member": 1}"#] {
            let refused = try await agent.submit(editor, [("members", wrong), version])
            #expect(refused.status == 400 && refused.title == "Edit the settings", "\(wrong)")
        }
        let changed = try await agent.submit(
            editor,
            [
                ("members", #"{"client_name": "Nightly", "confidential": true, "grants": ["client_credentials"]}"#),
                version,
            ])
        #expect(changed.text.contains("The settings are saved.") && changed.text.contains("Nightly"))
        // The form of an earlier state would restore what was changed since.
        try await expectEqual(agent.submit(editor, [("members", "{}"), version]).status, 409)
        let question = try await agent.submit(changed, [("remove", "yes")])
        #expect(question.title == "Remove the client?" && question.text.contains("batch"))
        try await expectEqual(token(site, "batch", secret(rotated)), 200)
        try await expectEqual(agent.submit(question, [("remove", "sure yes")]).location, "/admin/clients")
        try await expectEqual(token(site, "batch", secret(rotated)), 401)
        try await expectEqual(agent.get("/admin/clients/batch").status, 404)
        let entries = try await agent.get("/admin/audit").text
        for event in ["client.created", "client.changed", "client.secretRotated", "client.removed"] {
            #expect(entries.contains(event), "\(event)")
        }
        await site.close()
    }

    @Test func `A client that a page has registered signs users in`() async throws {
        let site = try await site()
        var agent = try await administrator(site, .superAdmin)
        let made = try await agent.submit(
            try await agent.get("/admin/new-client"),
            [("kind", "app"), ("id", "wiki"), ("name", "Wiki"), ("redirects", "https://wiki.example.com/back\r\n")])
        #expect(made.status == 200 && secret(made).isEmpty)
        var user = UserAgent(site)
        let signIn = try await user.get(SignInApp(clientID: "wiki", redirect: "https://wiki.example.com/back").path())
        #expect(signIn.title == "Sign in" && signIn.text.contains("wiki (wiki.example.com)"))
        let returned = try await user.signIn(signIn, "eve@example.com")
        #expect(returned.text.contains("Wiki") && returned.text.contains("wiki.example.com"))
        await site.close()
    }

    // MARK: The server

    @Test func `The audit log has pages of fifty entries, and a link from each to the next one`() async throws {
        let site = try await site()
        var agent = try await administrator(site)
        let store = site.identity.services.store
        for number in 0..<120 {
            try await store.audit(
                number % 2 == 0 ? "test.even" : "test.odd", account: nil, detail: "entry \(number).", at: noon)
        }
        var (path, counts) = ("/admin/audit?event=test.", [Int]())
        while counts.count < 4 {
            let page = try await agent.get(path)
            counts.append(page.text.components(separatedBy: "entry ").count - 1)
            guard page.text.contains(">Next page<") else { break }
            path = "/admin/audit?event=test.&before=" + page.between("before=", "\"")
        }
        expectEqual(counts, [50, 50, 20])
        let odd = try await agent.get("/admin/audit?event=odd").text
        #expect(odd.contains("entry 119.") && odd.contains("entry 21.") && !odd.contains("entry 118."))
        await site.close()
    }

    @Test func `The pages of the server list emails, keys and providers, and change what they offer`() async throws {
        let site = try await site()
        var agent = try await administrator(site, .superAdmin)
        await site.identity.flushMails()
        #expect(try await agent.get("/admin/mails").text.contains("0 waiting emails"))
        let keys = try await agent.get("/admin/keys")
        #expect(keys.text.contains("signing</span>"))
        let newest = [("rotate", keys.between(#"name="rotate" value=""#, "\""))]
        let rotated = try await agent.submit(keys, newest)
        #expect(rotated.text.contains("A new key is published.") && rotated.text.contains("Signs from"))
        // A second press makes no other one.
        try await expectEqual(agent.submit(keys, newest).status, 409)
        let ada = try #require(try await site.accountID("ada@example.com"))
        try await expectEqual(agent.get("/admin/providers").title, "Identity providers")
        #expect(try await agent.get("/admin/audit?event=key.created").text.contains("by \(ada)"))
        #expect(try await agent.get("/admin/settings").text.contains("does not show its settings"))
        site.identity.notes.replace(
            settings: [.init(key: "issuer", value: "https://x", source: "a.toml:1", isStandard: false)],
            warnings: [.init(message: "Nothing works.", hint: "Repair it.")])
        #expect(try await agent.get("/admin/settings").text.contains("a.toml:1"))
        #expect(try await agent.get("/admin").text.contains("Nothing works."))
        await site.close()
    }
}
