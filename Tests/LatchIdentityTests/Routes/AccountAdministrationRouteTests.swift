// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

/// The routes with which administrators change the address, the names, the roles and the passkeys of an account.
@Suite(.tags(.adminAuthorization)) struct AccountAdministrationRouteTests {
    private static let users = "/api/admin/users"

    /// Expects the newest entry of the audit log.
    private func expectEntry(_ event: String, _ detail: String, at site: Site) async throws {
        let records = try await site.identity.audit.records(limit: 10).filter { $0.event == event }
        #expect(records.first?.detail?.contains(detail) == true, "\(records)")
    }

    // MARK: Addresses

    @Test func `A verified address takes the place of the earlier one, whose reader gets a notice`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp()
        let token = try await site.key([.writeUsers])
        let path = "\(Self.users)/\(account.id)/email"
        let content: JSONValue = ["email": "Ada@King.example", "email_verified": true, "reason": "case 12"]
        let changed = try await site.call(.put, path, bearer: token, content)
        #expect(changed.status == 200 && changed.string("email") == "Ada@King.example", "\(changed.text)")
        expectEqual(changed.json["email_verified"], true)
        await expectEqual(site.subjects().last, "Latchwork: Your email address was changed")
        await expectEqual(site.subjects(to: "Ada@King.example"), [])
        try await expectEqual(site.logIn().status, 401)
        try await expectEqual(site.logIn("ada@king.example").status, 200)
        try await expectEntry("account.emailChanged", "verified by", at: site)
        try await expectEntry("account.emailChanged", ": case 12", at: site)
        await site.close()
    }

    @Test func `An address that is not verified gets a link, which ends what was set before`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp()
        let session = try await site.logIn().access
        let token = try await site.key([.writeUsers])
        let path = "\(Self.users)/\(account.id)/email"
        let changed = try await site.call(.put, path, bearer: token, ["email": "ada@king.example"])
        #expect(changed.status == 200 && changed.json["email_verified"] == false, "\(changed.text)")
        try await expectEqual(site.get("/user/profile", bearer: session).status, 200)
        let link = try #require(await site.mailedToken(to: "ada@king.example"))
        try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(link)]).status, 200)
        try await expectEqual(site.get("/user/profile", bearer: session).status, 401)
        await site.close()
    }

    @Test func `A change of address ends the links that were mailed to the earlier address`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let link = try #require(await site.mailedToken())
        let token = try await site.key([.writeUsers])
        // A link that was not ended would be valid again at the earlier address.
        for email in ["ada@king.example", "ada@example.com"] {
            let content: JSONValue = ["email": .string(email), "email_verified": true]
            try await expectEqual(
                site.call(.put, "\(Self.users)/\(account.id)/email", bearer: token, content).status, 200)
        }
        let reset = try await site.post(
            "/api/auth/reset-password", ["token": .string(link), "password": "another sentence"])
        #expect(reset.status == 400 && reset.string("code") == "invalidLink", "\(reset.text)")
        await site.close()
    }

    @Test func `A taken, an invalid and a missing address are refused, and nothing changes`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp()
        try await site.signUp("bob@example.com")
        let token = try await site.key([.readUsers, .writeUsers])
        let path = "\(Self.users)/\(account.id)/email"
        for (content, code) in [
            (["email": "bob@example.com"], "alreadyExists"), (["email": "bob"], "invalidEmail"), ([:], "invalidInput"),
        ] as [(JSONValue, String)] {
            let refused = try await site.call(.put, path, bearer: token, content)
            #expect(refused.string("code") == code && refused.string("field") == "email", "\(refused.text)")
        }
        let shown = try await site.get("\(Self.users)/\(account.id)", bearer: token)
        #expect(shown.string("email") == "ada@example.com" && shown.json["email_verified"] == true)
        await expectEqual(site.subjects().contains { $0.contains("address was changed") }, false)
        await site.close()
    }

    @Test func `Administrators change their own address by email, and not through the administration`() async throws {
        let site = try await Site.administered()
        let session = try await site.logIn(Site.root).access
        let root = try #require(try await site.identity.services.store.account(emailKey: Site.root))
        let content: JSONValue = ["email": "eve@example.com", "email_verified": true]
        try await expectEqual(site.call(.put, "\(Self.users)/\(root.id)/email", bearer: session, content).status, 403)
        await site.close()
    }

    // MARK: Names and roles

    @Test func `Name and user name are changed and removed`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp()
        let token = try await site.key([.writeUsers])
        let path = "\(Self.users)/\(account.id)"
        let named = try await site.call(.patch, path, bearer: token, ["name": "Ada King", "username": "ada"])
        #expect(named.string("name") == "Ada King" && named.string("username") == "ada", "\(named.text)")
        try await expectEqual(site.logIn("ada").status, 200)
        try await expectEntry("account.changed", "by ", at: site)
        let cleared = try await site.call(.patch, path, bearer: token, ["name": "", "username": ""])
        #expect(cleared.json["name"] == nil && cleared.json["username"] == nil, "\(cleared.text)")
        await site.close()
    }

    @Test func `A taken user name is refused with its member`() async throws {
        let site = try await Site.administered()
        let token = try await site.key([.writeUsers])
        for (name, status) in [("ada", 200), ("bob", 409)] {
            let account = try await site.signUp("\(name)@example.com")
            let path = "\(Self.users)/\(account.id)"
            try await expectEqual(site.call(.patch, path, bearer: token, ["username": "ada"]).status, status)
        }
        await site.close()
    }

    @Test func `Role words are replaced as a whole, and keys of the earlier role end`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp("ada@example.com", .admin)
        let session = try await site.logIn(Site.root).access
        let own = try await site.key([.readUsers], of: "ada@example.com")
        let path = "\(Self.users)/\(account.id)"
        let changed = try await site.call(.patch, path, bearer: session, ["roles": ["editor", "moderator", "editor"]])
        #expect(changed.json["roles"] == ["editor", "moderator"] && changed.string("role") == "moderator")
        try await expectEqual(site.get(Self.users, bearer: own).status, 401)
        try await expectEntry("account.grants", "editor moderator by", at: site)
        let promoted = try await site.call(.patch, path, bearer: session, ["roles": ["super_admin"]])
        expectEqual(promoted.json["roles"], ["admin", "super_admin"])
        let none = try await site.call(.patch, path, bearer: session, ["roles": []])
        #expect(none.json["roles"] == [] && none.string("role") == "user")
        await site.close()
    }

    @Test func `An administrator adds only words that they have or that all may give`() async throws {
        let site = try await Site.administered { $0.invitationRoles = ["editor"] }
        try await site.signUp("admin@example.com", .admin)
        let account = try await site.signUp("ada@example.com", roles: ["author"])
        let session = try await site.logIn("admin@example.com").access
        let path = "\(Self.users)/\(account.id)"
        for (words, status) in [
            (["editor", "author"], 200), (["moderator"], 200), (["billing"], 403), (["admin"], 403),
            (["two words"], 400),
        ] as [(JSONValue, Int)] {
            let response = try await site.call(.patch, path, bearer: session, ["roles": words])
            #expect(response.status == status, "\(words): \(response.text)")
        }
        await site.close()
    }

    @Test func `The last administrator keeps the role, also as the operator changes role words`() async throws {
        let site = try await Site.administered()
        let root = try #require(try await site.identity.services.store.account(emailKey: Site.root))
        await #expect(throws: IdentityError.lastAdministrator) {
            try await site.identity.administration.setRoles(of: root.id, to: ["editor"], given: [], by: nil)
        }
        await site.close()
    }

    // MARK: Passkeys

    @Test func `One passkey is removed, and the others stay`() async throws {
        let site = try await Site.withPasskeys { $0.tokenLimitPerMinute = 10_000 }
        let user = try await PasskeyUser.registered(at: site)
        let other = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: user.access)
        try await expectEqual(other.register().status, 201)
        try await site.signUp(Site.root, .superAdmin)
        let token = try await site.key([.readUsers, .writeUsers])
        let ada = try #require(try await site.identity.services.store.account(emailKey: "ada@example.com"))
        let path = "\(Self.users)/\(ada.id)"
        func passkeys() async throws -> [String] {
            let shown = try await site.get(path, bearer: token).json["passkeys"]?.arrayValue ?? []
            return shown.compactMap { $0["id"]?.stringValue }
        }
        let before = try await passkeys()
        expectEqual(before.count, 2)
        try await expectEqual(site.call(.delete, "\(path)/passkeys/AAAA", bearer: token).status, 404)
        let removed = try await site.call(
            .delete, "\(path)/passkeys/\(before[0])", bearer: token, ["reason": "case 12"])
        expectEqual(removed.status, 204)
        try await expectEqual(passkeys(), [before[1]])
        try await expectEntry("passkey.removed", "case 12", at: site)
        // As with all passkeys, the devices are signed out.
        try await expectEqual(site.get("/user/profile", bearer: user.access).status, 401)
        try await expectEqual(site.call(.delete, "\(path)/passkeys/\(before[0])", bearer: token).status, 404)
        await site.close()
    }

    // MARK: Lookup

    @Test func `A whole address or user name finds its account, and no other`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp()
        try await site.signUp("ada@example.com.evil.example")
        let token = try await site.key([.readUsers, .writeUsers])
        _ = try await site.call(.patch, "\(Self.users)/\(account.id)", bearer: token, ["username": "ada"])
        for query in ["email=ADA@example.com", "email=ada%40example.com", "username=ada"] {
            let found = try await site.get("\(Self.users)?\(query)", bearer: token)
            let ids = found.json["users"]?.arrayValue?.compactMap { $0["id"]?.stringValue }
            #expect(ids == [account.id] && found.json["total"] == 1 && found.json["next"] == .null, "\(query)")
        }
        let none = try await site.get("\(Self.users)?email=example.com@ada.example", bearer: token)
        #expect(none.status == 200 && none.json["users"] == [] && none.json["total"] == 0)
        for (query, field) in [
            ("email=ada", ""), ("username=ada@example.com", "username"), ("email=a@b.c&role=user", "role"),
        ] {
            let refused = try await site.get("\(Self.users)?\(query)", bearer: token)
            #expect(refused.status == 400 && (field.isEmpty || refused.string("field") == field), "\(refused.text)")
        }
        await site.close()
    }
}
