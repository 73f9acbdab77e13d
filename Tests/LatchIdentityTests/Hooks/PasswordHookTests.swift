// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// Users who are moved from another system at their first sign-in.
@Suite struct PasswordHookTests {
    private static let email = "eve@example.com"

    /// A program that knows one user of the other system.
    private static func program(_ change: @escaping @Sendable (inout JSONObject) -> Void = { _ in }) -> HookProgram {
        HookProgram { data in
            let login = data["login"]?.stringValue?.lowercased() ?? ""
            guard [email, "eve"].contains(login), data["password"] == .string(Site.password) else {
                return .json(["valid": false])
            }
            var user: JSONObject = [
                "email": .string(email), "email_verified": true, "username": "eve", "name": "Eve", "roles": ["editor"],
                "foreign_id": "old-7",
            ]
            change(&user)
            return .json(["valid": true, "user": .object(user)])
        }
    }

    private func site(_ program: HookProgram) async throws -> Site {
        try await Site(upstream: program) { $0.add("old", on: .password) }
    }

    private func account(_ site: Site) async throws -> Account? {
        try await site.identity.administration.account(email: Self.email)
    }

    @Test(arguments: [email, "EVE@example.com", "eve"])
    func `A user of the other system has an account after the first sign-in`(login: String) async throws {
        let program = Self.program()
        let site = try await site(program)
        try await expectEqual(site.logIn(Self.email, password: "Wrong 123!").status, 401)
        try await expectEqual(site.logIn(login).status, 200)
        let account = try #require(try await account(site))
        #expect(account.roles == ["editor"] && account.foreignID == "old-7" && account.emailVerifiedAt != nil)
        #expect(account.passwordHash?.hasPrefix("$argon2id$") == true && account.name == "Eve")
        // From now on the password is that of this server.
        let asked = program.requests.count
        try await expectEqual(site.logIn(Self.email).status, 200)
        try await expectEqual(site.logIn(Self.email, password: "Wrong 123!").status, 401)
        expectEqual(program.requests.count, asked)
        #expect(site.mailer.messages.isEmpty)
        await site.close()
    }

    @Test func `A user signs in on a page, too`() async throws {
        let site = try await Site(upstream: Self.program()) { configuration in
            configuration.add("old", on: .password)
            configuration.clients = SignInApp.registrations
            configuration.clientSecretDigests = ["web": ClientSecret.digest]
        }
        var agent = UserAgent(site)
        let app = SignInApp()
        let page = try await agent.get(app.path())
        let done = try await agent.submit(page, [("name", Self.email), ("password", Site.password)])
        #expect(done.parameters["code"] != nil)
        await site.close()
    }

    @Test func `Many first sign-ins at the same time make one account`() async throws {
        let site = try await site(Self.program())
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 { group.addTask { try await site.logIn(Self.email).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(statuses, [200, 200, 200, 200, 200, 200])
        #expect(try await account(site) != nil)
        await site.close()
    }

    @Test(.tags(.resetEnumeration))
    func `An account that began here gets no password of another system`() async throws {
        let program = Self.program()
        let site = try await site(program)
        // A user of a provider, without a password.
        let store = site.identity.services.store
        try await store.insert(Account(id: "own", email: try EmailAddress(Self.email), createdAt: noon), details: nil)
        try await expectEqual(site.logIn(Self.email).status, 401)
        #expect(program.requests.isEmpty)
        await site.close()
    }

    @Test func `An account that was imported without a password gets it at the first sign-in`() async throws {
        let site = try await site(Self.program())
        let services = site.identity.services
        let records: [JSONValue] = [["email": .string(Self.email), "foreign_id": "old-7", "email_verified": true]]
        let outcomes = try await services.imports.insert(records, isDryRun: false, by: .serverOperator)
        expectEqual(outcomes, [.imported])
        try await expectEqual(site.logIn(Self.email).status, 200)
        let events = try await services.audit.records(limit: 10).map(\.event)
        #expect(events.contains("account.passwordImported"))
        await site.close()
    }

    @Test(arguments: ["another foreign_id", "no foreign_id", "a removed password", "a verified address"])
    func `An account that was imported without a password stays that of its owner`(_ kind: String) async throws {
        let program = Self.program { user in
            if kind == "another foreign_id" { user["foreign_id"] = "old-9" }
            if kind == "no foreign_id" { user["foreign_id"] = nil }
        }
        let site = try await site(program)
        let services = site.identity.services
        var record: JSONObject = ["email": .string(Self.email), "foreign_id": "old-7", "email_verified": true]
        if kind == "a verified address" { record["email_verified"] = false }
        _ = try await services.imports.insert([.object(record)], isDryRun: false, by: .serverOperator)
        let id = try #require(try await account(site)?.id)
        if kind == "a removed password" || kind == "a verified address" {
            // Whatever the owner has done here has changed the credentials.
            try await services.store.write { db throws(IdentityError) -> Void in
                try db.run("UPDATE account SET credential_version = 1 WHERE id = $1", [.text(id)])
            }
        }
        let status = try await site.logIn(Self.email).status
        expectEqual(status, kind.hasSuffix("foreign_id") ? 503 : 401)
        try await expectNil(account(site)?.passwordHash)
        await site.close()
    }

    @Test func `A name that is longer than an address is asked of no other system`() async throws {
        let program = Self.program()
        let site = try await site(program)
        try await expectEqual(site.logIn(String(repeating: "a", count: 60_000)).status, 401)
        #expect(program.requests.isEmpty)
        await site.close()
    }

    @Test func `Guesses are limited while the other system is down`() async throws {
        let site = try await Site(upstream: HookProgram { _ in throw HTTPError.offline }) { configuration in
            configuration.loginLimitPerMinute = 3
            configuration.add("old", on: .password)
        }
        var statuses: [Int] = []
        for _ in 0..<5 { statuses.append(try await site.logIn(Self.email).status) }
        expectEqual(statuses, [503, 503, 503, 429, 429])
        await site.close()
    }

    @Test(arguments: ["refuse", "another user", "not a record", "administrator's address", "administrator"])
    func `A record that does not fit makes no account`(_ kind: String) async throws {
        let program = Self.program { user in
            switch kind {
            case "another user": (user["email"], user["username"]) = ("ada@example.com", "ada")
            case "not a record": user["emial"] = "x"
            case "administrator": user["roles"] = ["admin"]
            case "administrator's address": user["email"] = "root@example.com"
            default: user["email"] = nil
            }
        }
        let site = try await site(program)
        try await site.signUp("root@example.com", roles: ["admin"])
        let status = try await site.logIn("eve").status
        expectEqual(status, kind == "administrator's address" ? 401 : 503)
        try await expectNil(account(site))
        await site.close()
    }

    @Test func `Wrong passwords are limited before the other system is asked`() async throws {
        let program = Self.program()
        let site = try await Site(upstream: program) { configuration in
            configuration.loginLimitPerMinute = 3
            configuration.add("old", on: .password)
        }
        for _ in 0..<6 { _ = try await site.logIn(Self.email, password: "Wrong 123!") }
        expectEqual(program.requests.count, 3)
        await site.close()
    }

    @Test func `A reauthentication asks no other system`() async throws {
        let program = Self.program()
        let site = try await site(program)
        let tokens = try await site.logIn(Self.email)
        let asked = program.requests.count
        _ = try await site.post(
            "/api/auth/reauthenticate", ["password": "Wrong 123!"],
            fields: [.authorization: "Bearer \(tokens.access)"])
        expectEqual(program.requests.count, asked)
        await site.close()
    }

    @Test func `Code checks passwords`() async throws {
        var hooks = IdentityHooks()
        hooks.password = { question in
            question.password == Site.password
                ? .valid(user: ["email": .string(question.login), "email_verified": true]) : .invalid
        }
        let site = try await Site(hooks: hooks)
        try await expectEqual(site.logIn(Self.email).status, 200)
        try await expectEqual(site.logIn("mallory@example.com", password: "Wrong 123!").status, 401)
        await site.close()
    }
}
