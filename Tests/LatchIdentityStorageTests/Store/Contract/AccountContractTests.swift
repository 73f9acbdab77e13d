// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AccountContractTests {
    @Test(arguments: StoreBackend.all)
    func `The accounts of a store come back as they were written`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        var full = Account(
            id: "id-full", email: try EmailAddress("Full@example.com"), username: try Username(choosing: "Full.Name"),
            name: "Full", passwordHash: "$argon2id$example", passwordChangedAt: noon + 1, emailVerifiedAt: noon + 2,
            roles: ["admin", "editor"], permissions: ["users:read"], status: .suspended, ownerProvedAt: noon + 3,
            credentialVersion: 4, createdAt: noon + 5,
            attributes: [
                "company": "Ada & “Söhne”", "plan": "a\"b", "seats": 12, "share": 0.5, "isPaying": true,
                "teams": ["a", "b"], "note": ["__proto__": nil, "deep": [["x": 1.0]]],
            ],
            acceptedTerms: AcceptedTerms(version: "2026-01", acceptedAt: noon + 6), foreignID: "abc",
            guestUntil: noon + 7)
        (full.phone, full.phoneVerifiedAt) = (PhoneNumber(text: "+4930123456"), noon + 8)
        expectFilled(
            full,
            unlike: Account(id: "", email: try EmailAddress("a@example.com"), passwordChangedAt: noon, createdAt: noon))
        try await store.insert(full, details: nil)
        try await expectEqual(store.account(id: full.id), full)
        try await expectEqual(store.account(emailKey: "full@example.com"), full)
        for key in ["nobody@example.com", "nul\0@example.com", "\0"] {
            try await expectNil(store.account(emailKey: key))
            try await expectNil(store.account(usernameKey: key))
            try await expectNil(store.account(id: key))
            try await expectNil(store.fullAccount(id: key))
            try await expectNil(store.perform(.endSessions, on: key))
            try await expectEqual(store.perform(.removeLink(provider: key), on: full.id)?.hadLink, false)
            try await expectEqual(store.isSignedIn(emailKey: key, from: "127.0.0.1", at: noon), false)
        }
        try await expectEqual(store.accounts(after: "\0", limit: 10).count, 2)
        // A text that nobody has foreseen is the client's mistake, and no failure of the database.
        if backend.testDescription == "PostgreSQL" {
            let error = await failure {
                try await store.audit("test", account: nil, detail: "nul\0", at: noon)
            }
            expectEqual(error?.code, "invalidInput")
        }
    }

    @Test(arguments: StoreBackend.all)
    func `The attributes of an account change one by one, and the audit log has only their names`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        var account = try Account.example("attributed")
        account.attributes = ["company": "Acme", "plan": "free"]
        try await store.insert(account, details: nil)
        let first: [String: JSONValue] = ["seats": 12, "plan": nil, "company": "Acme", "none": nil]
        try await store.perform(.setAttributes(first), on: account.id)
        try await expectEqual(store.account(id: account.id)?.attributes, ["company": "Acme", "seats": 12])
        let note: JSONValue = ["text": "\u{0}' \" \\ 😀", "list": [nil, 1.5]]
        try await store.perform(.setAttributes(["note": note]), on: account.id)
        try await expectEqual(
            store.account(id: account.id)?.attributes, ["company": "Acme", "seats": 12, "note": note])
        try await store.perform(.setAttributes(["note": nil, "seats": nil, "company": nil]), on: account.id)
        try await expectEqual(store.account(id: account.id)?.attributes, [:])
        try await store.perform(.setAttributes(["note": nil]), on: account.id)
        var query = AuditQuery(limit: 10)
        (query.accountID, query.event) = (account.id, "account.attributes")
        let details = try await store.auditRecords(query).map { $0.detail ?? "" }
        expectEqual(
            details,
            ["company note seats by the operator", "note by the operator", "plan seats by the operator"])
        await #expect(throws: IdentityError.invalidToken) {
            _ = try await store.perform(
                .setAttributes(["note": 1]), on: account.id, by: AccountActor(account.id, on: [1]), because: nil,
                at: noon, if: { _ in true })
        }
    }

    @Test(.tags(.adminAuthorization), arguments: StoreBackend.all)
    func `The accounts of a store are not created by an actor whose role or account has ended meanwhile`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        var actor = try Account.example("root")
        actor.roles = ["admin"]
        try await store.insert(actor, details: nil)
        let invited = try Account.example("new", hash: nil)
        var former = actor
        former.roles = ["admin", "super_admin"]
        for stale in [former, try Account.example("nobody")] {
            await #expect(throws: IdentityError.forbidden) {
                try await store.insert(invited, details: nil, mail: nil, by: stale)
            }
        }
        try await store.perform(.setStatus(.suspended), on: actor.id)
        await #expect(throws: IdentityError.forbidden) {
            try await store.insert(invited, details: nil, mail: nil, by: actor)
        }
        try await expectNil(store.account(id: invited.id))
        try await store.perform(.setStatus(.active), on: actor.id)
        try await store.insert(invited, details: nil, mail: nil, by: actor)
        #expect(try await store.account(id: invited.id) != nil)
    }

    @Test(.tags(.parallelSignUp), arguments: StoreBackend.all)
    func `A store has one account for each address, whichever request comes first`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        let results = await withTaskGroup { group in
            for number in 0..<10 {
                group.addTask { () -> Bool in
                    do {
                        let same = Account(
                            id: "other-\(number)", email: try EmailAddress("SAME@example.com"), name: nil,
                            passwordHash: nil, passwordChangedAt: noon, createdAt: noon)
                        try await store.insert(same, details: nil)
                        return true
                    } catch IdentityError.alreadyExists {
                        return false
                    } catch {
                        Issue.record(error)
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(results, 1)
    }

    @Test(arguments: StoreBackend.all)
    func `The accounts of a store are listed in pages that neither repeat nor skip`(backend: StoreBackend) async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        for number in 10..<25 { try await store.insert(Account.example("user\(number)"), details: nil) }
        var ids: [String] = []
        while case let page = try await store.accounts(after: ids.last, limit: 4), !page.isEmpty {
            ids += page.map(\.id)
        }
        expectEqual(ids.count, 16)
        expectEqual(ids, Set(ids).sorted())
    }

    @Test(.tags(.rehashRace), arguments: StoreBackend.all)
    func `The accounts of a store get a better hash only while the old one stands`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.upgradePasswordHash(of: account.id, from: "$argon2id$example", to: "better")
        try await expectEqual(store.account(id: account.id)?.passwordHash, "better")
        try await store.upgradePasswordHash(of: account.id, from: "$argon2id$example", to: "late")
        try await expectEqual(store.account(id: account.id)?.passwordHash, "better")
    }

    @Test(arguments: StoreBackend.all)
    func `The accounts of a store take roles only from an administrator's call`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        #expect(try await store.setRoles(of: account.id, roles: ["admin"], permissions: ["a", "b"], at: noon))
        try await expectEqual(store.account(id: account.id)?.roles, ["admin"])
        try await expectEqual(store.account(id: account.id)?.permissions, ["a", "b"])
        try await expectEqual(store.setRoles(of: "nobody", roles: [], permissions: [], at: noon), false)
    }

    @Test func `The accounts of a store do not print their content`() throws {
        let account = try Account.example()
        var text = ""
        dump(account, to: &text)
        text += "\(account) \(String(reflecting: account))"
        #expect(!text.contains("argon2id"))
        #expect(!text.contains("example.com"))
    }

    @Test(.tags(.adminAuthorization), arguments: StoreBackend.all)
    func `The accounts of a store change only if the rule permits it, by the facts of the transaction`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, id) = (fixture.store, fixture.account.id)
        var administrator = try Account.example("boss")
        administrator.roles = ["admin"]
        let boss = administrator
        try await store.insert(boss, details: nil)
        let refused = await failure {
            try await store.perform(.setRole(.admin), on: id, by: AccountActor(boss.id), because: nil, at: noon) {
                context throws(IdentityError) in
                #expect(context.actor?.id == boss.id && context.target?.id == id)
                #expect(context.hasOtherAdministrator)
                throw IdentityError.forbidden
            }
        }
        expectEqual(refused, .forbidden)
        try await expectEqual(store.account(id: id), fixture.account)
        let missing = try await store.perform(
            .endSessions, on: "nobody", by: AccountActor("no one"), because: nil, at: noon
        ) {
            #expect($0.actor == nil && $0.target == nil)
            return false
        }
        expectNil(missing)
        try await expectNil(store.device(id: fixture.device.id)?.revokedAt)
    }

    @Test(.tags(.adminAuthorization), arguments: StoreBackend.all)
    func `The accounts of a store count as another administrator once they can sign in`(backend: StoreBackend)
        async throws
    {
        let (store, audit) = try await backend.open()
        let accounts = try ["boss", "invited"].map { name in
            var account = try Account.example(name)
            account.roles = ["admin"]
            if name == "invited" { account.passwordHash = nil }
            return account
        }
        let hasOther = {
            let found = Mutex(false)
            _ = try await store.perform(.endSessions, on: accounts[0].id, by: nil, because: nil, at: noon) { context in
                found.withLock { $0 = context.hasOtherAdministrator }
                return false
            }
            return found.withLock { $0 }
        }
        for account in accounts { try await store.insert(account, details: nil) }
        try await expectEqual(hasOther(), false)
        _ = try await store.insert(Device.example(of: accounts[1]), for: accounts[1])
        #expect(try await hasOther())
        _ = try await audit()
    }

    @Test(.tags(.accountPreHijack), arguments: StoreBackend.all)
    func `The accounts of a store are changed and made by no session that was signed out meanwhile`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, account, device) = (fixture.store, fixture.account, fixture.device.id)
        let actor = AccountActor(account.id, on: device)
        let bob = try Account.example("bob")
        let act = {
            await failure {
                try await store.perform(.endSessions, on: account.id, by: actor, because: nil, at: noon) { _ in false }
            }
        }
        await expectNil(act())
        #expect(try await store.revoke(device: device, because: .logout, at: noon))
        await expectEqual(act(), .invalidToken)
        let invitation = await failure {
            try await store.insert(
                bob, details: nil, mail: nil, by: account, with: AccountActor(account.id, on: device))
        }
        expectEqual(invitation, .invalidToken)
        try await expectNil(store.account(id: bob.id))
    }

    @Test(.tags(.accountPreHijack), arguments: StoreBackend.all)
    func `The accounts of a store keep their session if a change was decided on earlier credentials`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, account, device) = (fixture.store, fixture.account, fixture.device.id)
        var earlier = account
        earlier.credentialVersion -= 1
        let identity = UpstreamIdentity(issuer: "https://sso.example.com", subject: "1", provider: "staff", email: nil)
        #expect(
            try await !store.changePassword(
                of: earlier, to: "$new", on: device, signingOutOthers: true, at: noon))
        await expectEqual(
            failure { try await store.link(identity, to: earlier, on: device, at: noon) }, .accountChanged)
        await expectEqual(
            failure {
                try await store.unlink("staff", from: earlier, on: device, among: SignInWays(), at: noon)
            }, .accountChanged)
        await expectEqual(
            failure {
                try await store.remove(passkey: [1], of: earlier, on: device, among: SignInWays(), at: noon)
            }, .accountChanged)
        try await store.link(identity, to: account, on: device, at: noon)
        try await expectEqual(store.links(of: account.id).count, 1)
    }

    @Test(arguments: StoreBackend.all)
    func `The accounts of a store report the effects of an action`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, id) = (fixture.store, fixture.account.id)
        try await expectEqual(store.perform(.setRole(.moderator), on: id), AccountActionResult())
        try await expectEqual(store.account(id: id)?.role, .moderator)
        try await expectEqual(store.perform(.setStatus(.suspended), on: id)?.signedOut, 1)
        let suspended = try #require(try await store.account(id: id))
        expectEqual(suspended.status, .suspended)
        // The same status once more changes nothing that a sign-in in progress was decided on.
        try await store.perform(.setStatus(.suspended), on: id)
        try await expectEqual(store.account(id: id)?.credentialVersion, suspended.credentialVersion)
        var change = AccountDetailsChange()
        (change.username, change.firstName) = ("ada.l", "Ada")
        try await store.perform(.update(change), on: id)
        let full = try #require(try await store.fullAccount(id: id))
        #expect(full.details.firstName == "Ada" && full.account.username?.key == "ada.l")
        try await store.insert(Account.example("bob"), details: nil)
        let taken = await failure { try await store.perform(.update(change), on: "id-bob") }
        expectEqual(taken, .usernameTaken)
        try await store.perform(.delete(isFinal: false), on: id)
        try await expectNil(store.fullAccount(id: id))
        try await expectEqual(store.account(id: id)?.status, .deleted)
        try await expectEqual(store.accounts(after: nil, limit: 10).map(\.id), ["id-bob"])
        try await store.perform(.delete(isFinal: true), on: id)
        try await expectNil(store.account(id: id))
        try await expectNil(store.device(id: fixture.device.id))
    }
}
