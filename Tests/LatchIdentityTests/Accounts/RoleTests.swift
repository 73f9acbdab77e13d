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

@Suite struct RoleTests {
    @Test func `A role is read from its words, and leaves other words unchanged`() {
        expectEqual(Role(of: []), .user)
        expectEqual(Role(of: ["editor"]), .user)
        expectEqual(Role(of: ["moderator"]), .moderator)
        expectEqual(Role(of: ["admin", "moderator"]), .admin)
        expectEqual(Role(of: ["super_admin", "admin"]), .superAdmin)
        // Half of the words of the highest role is none of it.
        expectEqual(Role(of: ["super_admin"]), .user)
        expectEqual(Role(of: ["superXadmin", "admins", "Admin"]), .user)
        expectEqual(Role.superAdmin.replacing(in: ["editor", "moderator"]), ["editor", "admin", "super_admin"])
        expectEqual(Role.user.replacing(in: ["admin", "editor", "super_admin"]), ["editor"])
        for role in Role.allCases {
            expectEqual(Role(named: role.name), role)
            expectEqual(Role(of: role.words), role)
        }
        expectNil(Role(named: "root"))
    }

    @Test func `A role is the same in SQL as in Swift, for any words`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        let words = ["admin", "super_admin", "moderator", "editor", "superXadmin", "administrator"]
        for number in 0..<64 {
            var account = try Account.example("user\(number)")
            account.roles = words.indices.filter { number >> $0 & 1 == 1 }.map { words[$0] }
            try await store.insert(account)
        }
        for role in Role.allCases {
            var query = AccountQuery()
            query.limit = 100
            query.role = role
            let page = try await store.accounts(query)
            #expect(page.accounts.allSatisfy { $0.account.role == role })
            #expect(page.total == page.accounts.count && page.total >= 8)
        }
        await store.close()
    }
}

/// Every act of every role on every other, as a table that somebody can read.
@Suite(.tags(.adminAuthorization)) struct PermissionTests {
    private func account(_ id: String, _ role: Role, _ status: Account.Status = .active) throws -> Account {
        var account = try Account.example(id)
        account.roles = role.words
        account.status = status
        return account
    }

    private func may(_ actor: Account, _ act: AccountAction, _ target: Account) -> Bool {
        do throws(IdentityError) {
            try act.authorize(actor, on: target)
            return true
        } catch {
            expectEqual(error, .forbidden)
            return false
        }
    }

    /// The permitted actions ("x") of the roles user, moderator, admin, superAdmin (rows) on the same roles (letters).
    static let table: [(AccountAction, [String])] = [
        (.read, ["....", "x...", "xx..", "xxxx"]),
        (.update(AccountDetailsChange()), ["....", "....", "xx..", "xxxx"]),
        (.delete(isFinal: true), ["....", "....", "xx..", "xxxx"]),
        (.setStatus(.suspended), ["....", "x...", "xx..", "xxxx"]),
        (.setStatus(.active), ["....", "x...", "xx..", "xxxx"]),
        (.setStatus(.banned), ["....", "....", "xx..", "xxxx"]),
        (.setStatus(.disabled), ["....", "....", "xx..", "xxxx"]),
        (.endSessions, ["....", "....", "xx..", "xxxx"]),
        (.endSession(device: []), ["....", "....", "xx..", "xxxx"]),
        (.mailReset, ["....", "....", "xx..", "xxxx"]),
        (.removeFactor, ["....", "....", "xx..", "xxxx"]),
        (.setRole(.user), ["....", "....", "xx..", "xxxx"]),
        (.setRole(.moderator), ["....", "....", "xx..", "xxxx"]),
        (.setRole(.admin), ["....", "....", "....", "xxxx"]),
        (.setRole(.superAdmin), ["....", "....", "....", "xxxx"]),
    ]

    @Test(arguments: 0..<table.count)
    func `The permissions of accounts over accounts are this table`(line: Int) throws {
        let (act, rows) = Self.table[line]
        for (actor, row) in zip(Role.allCases, rows) {
            for (target, letter) in zip(Role.allCases, row) {
                try expectEqual(
                    may(account("actor", actor), act, account("target", target)), letter == "x",
                    "\(actor) \(act) \(target)")
            }
        }
    }

    @Test(arguments: Role.allCases)
    func `The permissions over the user's account are to view, change and delete it, not role and status`(role: Role)
        throws
    {
        let own = try account("self", role)
        for act in [AccountAction.read, .update(AccountDetailsChange()), .delete(isFinal: false)] {
            #expect(may(own, act, own))
        }
        for other in Role.allCases { #expect(!may(own, .setRole(other), own)) }
        for act in [AccountAction.endSessions, .endSession(device: []), .removeFactor] { #expect(!may(own, act, own)) }
        for status in Account.Status.allCases { #expect(!may(own, .setStatus(status), own)) }
    }

    @Test(arguments: Account.Status.allCases.filter { $0 != .active })
    func `The permissions of a disabled account are empty`(status: Account.Status) throws {
        let actor = try account("actor", .superAdmin, status)
        for (act, _) in Self.table {
            #expect(!may(actor, act, try account("target", .user)))
            #expect(!may(actor, act, actor))
        }
    }
}

@Suite struct AdministratorTests {
    @Test func `An administrator is appointed by the configuration, once, at the login after the proof`() async throws {
        let site = try await Site { $0.firstAdministrator = "Ada@example.com" }
        _ = try await site.post(
            "/api/clients/register", ["email": "ada@example.com", "password": .string(Site.password)])
        var ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(ada.role, .user)
        let token = try #require(await site.mailedToken())
        let body: JSONValue = ["token": .string(token), "password": .string(Site.password)]
        try await expectEqual(site.post("/api/auth/verify-email", body).status, 200)
        ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(ada.role, .user)
        try await expectEqual(site.logIn().status, 200)
        ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(ada.role, .superAdmin)
        let appointment = try await site.identity.audit.records(limit: 10).first { $0.event == "account.role" }
        expectEqual(appointment?.detail, "super_admin by the operator: the setting first_administrator")
        let bob = try await site.signUp("bob@example.com")
        #expect(try await site.identity.administration.setRole(of: bob.id, to: .superAdmin))
        #expect(try await site.identity.administration.setRole(of: ada.id, to: .user, by: AccountActor(bob.id)))
        await site.close()
        let again = try await Site(in: site.folder) { $0.firstAdministrator = "ada@example.com" }
        try await expectEqual(again.logIn().status, 200)
        try await expectEqual(again.identity.administration.account(email: "ada@example.com")?.role, .user)
        await again.close()
    }

    @Test
    func `An administrator is not promoted by the setting, neither as the only one nor with others`() async throws {
        let site = try await Site { $0.firstAdministrator = "ada@example.com" }
        try await site.signUp("ada@example.com", roles: ["admin"])
        try await expectEqual(site.logIn().status, 200)
        try await expectEqual(site.identity.administration.account(email: "ada@example.com")?.role, .admin)
        await site.close()
    }

    @Test func `An administrator who was there before the setting is appointed at the next login`() async throws {
        let site = try await Site()
        try await site.signUp()
        try await site.signUp("bob@example.com", isVerified: false)
        await site.close()
        for (address, role) in [("bob@example.com", Role.user), ("ada@example.com", .superAdmin)] {
            let again = try await Site(in: site.folder) { $0.firstAdministrator = address }
            try await expectEqual(again.logIn(address).status, 200)
            try await expectEqual(again.identity.administration.account(email: address)?.role, role)
            await again.close()
        }
    }

    @Test(.tags(.adminAuthorization))
    func `The last administrator cannot be dismissed, disabled or deleted by any user`() async throws {
        let site = try await Site()
        let administration = site.identity.administration
        let last = try await site.signUp(roles: Role.admin.words)
        let shut = try await site.signUp("bob@example.com", roles: Role.superAdmin.words)
        _ = try await administration.setStatus(of: shut.id, to: .disabled)
        for actor in [nil, AccountActor(last.id)] as [AccountActor?] {
            let codes = [
                await refusal { try await administration.setRole(of: last.id, to: .user, by: actor) },
                await refusal { try await administration.setStatus(of: last.id, to: .banned, by: actor) },
                await refusal { try await administration.delete(last.id, isFinal: true, by: actor, because: "") },
                await refusal { try await administration.delete(last.id, isFinal: false, by: actor, because: "") },
            ]
            let own = actor == nil ? "lastAdministrator" : "forbidden"
            expectEqual(codes, [own, own, "lastAdministrator", "lastAdministrator"])
        }
        _ = try await administration.setStatus(of: shut.id, to: .active)
        #expect(try await administration.delete(last.id, isFinal: true, by: AccountActor(last.id), because: "moving"))
        await site.close()
    }

    @Test(.tags(.adminAuthorization))
    func `If two administrators dismiss each other concurrently, one remains`() async throws {
        let site = try await Site()
        for round in 0..<8 {
            let one = try await site.signUp("a\(round)@example.com", roles: Role.superAdmin.words)
            let two = try await site.signUp("b\(round)@example.com", roles: Role.superAdmin.words)
            let administration = site.identity.administration
            let refusals = await withTaskGroup { group in
                group.addTask {
                    await refusal { try await administration.setRole(of: one.id, to: .user, by: AccountActor(two.id)) }
                }
                group.addTask {
                    await refusal { try await administration.setRole(of: two.id, to: .user, by: AccountActor(one.id)) }
                }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            expectEqual(refusals.filter { $0 == nil }.count, 1)
            #expect(refusals.contains("forbidden"))
            for account in [one, two] {
                _ = await refusal { try await administration.delete(account.id, isFinal: true, by: nil, because: "") }
            }
        }
        await site.close()
    }

    @Test(.tags(.immediateRevocation), arguments: [Account.Status.disabled, .suspended, .banned])
    func `Disabling an account revokes its tokens immediately`(status: Account.Status) async throws {
        let site = try await Site()
        let (boss, bob) = (try await site.signUp(roles: ["admin"]), try await site.signUp("bob@example.com"))
        let login = try await site.logIn("bob@example.com")
        #expect(try await site.identity.administration.setStatus(of: bob.id, to: status, by: AccountActor(boss.id)))
        try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        try await expectEqual(site.renew(login.refresh).status, 401)
        // D1: a wrong password is told what it is told of an address without an account.
        let (shut, wrong, none) = (
            try await site.logIn("bob@example.com"), try await site.logIn("bob@example.com", password: "wrong one"),
            try await site.logIn("nobody@example.com")
        )
        expectEqual(shut.status, 403)
        expectEqual(shut.string("code"), status == .suspended ? "accountSuspended" : "accountClosed")
        #expect(wrong.status == 401 && wrong.text == none.text)
        try await expectEqual(site.identity.administration.account(email: "bob@example.com")?.status, status)
        #expect(try await site.identity.administration.setStatus(of: bob.id, to: .active, by: AccountActor(boss.id)))
        try await expectEqual(site.logIn("bob@example.com").status, 200)
        await site.close()
    }

    @Test func `An administrator deletes an account by mistake or for good`() async throws {
        let site = try await Site()
        let boss = try await site.signUp(roles: ["admin"])
        let bob = try await site.signUp("bob@example.com")
        let login = try await site.logIn("bob@example.com")
        let administration = site.identity.administration
        #expect(
            try await administration.delete(bob.id, isFinal: false, by: AccountActor(boss.id), because: "asked for\nit")
        )
        try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        await expectEqual(refusal { try await administration.account(bob.id, for: boss) }, "noSuchAccount")
        try await expectEqual(administration.list(AccountQuery(), for: boss).total, 1)
        await expectEqual(refusal { try await site.signUp("bob@example.com") }, "alreadyExists")
        try await expectEqual(
            administration.delete(bob.id, isFinal: false, by: AccountActor(boss.id), because: ""), false)
        // The operator opens it again, which an administrator cannot.
        try await expectEqual(administration.setStatus(of: bob.id, to: .active, by: AccountActor(boss.id)), false)
        #expect(try await administration.setStatus(of: bob.id, to: .active))
        try await expectEqual(administration.account(bob.id, for: boss).status, .active)
        #expect(try await administration.delete(bob.id, isFinal: true, by: AccountActor(boss.id), because: "for good"))
        try await expectEqual(
            administration.delete(bob.id, isFinal: true, by: AccountActor(boss.id), because: "again"), false)
        try await site.signUp("bob@example.com")
        await site.close()
        let raw = try SQLiteConnection(path: site.folder.file(), access: .readOnly)
        let notes = try raw.all(
            "SELECT detail FROM audit WHERE event = 'account.deleted' ORDER BY id"
        ) { row throws(IdentityError) in try row.text(0) }
        expectEqual(notes, ["by \(boss.id): asked forit", "final by \(boss.id): for good"])
        try expectEqual(raw.number("SELECT count(*) FROM device WHERE account_id = '\(bob.id)'"), 0)
    }
}
