// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch
@testable import latch_demo

/// `latch admin` on a store, and with an API key at the server that uses it.
@Suite(.timeLimit(.minutes(3))) struct AdminOverServerTests {
    enum Way: String, CaseIterable, Sendable { case store, server }

    private static let user = "bob@example.com"

    /// A store with an administrator and a user, the server that uses it, and a key of the administrator.
    private struct Stage: Sendable {
        let home: CommandHome
        let server: ServedLatch
        let key: String

        var store: String { "sqlite:\(server.folder)/identity.sqlite" }

        private static let settings = ["LATCH_ATTRIBUTES": "department;values=Sales,Research seats;type=number"]

        static func with(_ body: (Stage) async throws -> Void) async throws {
            try await CommandHome.with { home in
                let server = try await ServedLatch.start(in: home.folder, environment: settings)
                for name in ["ada@example.com", user] { try await server.signUp(name) }
                let store = "sqlite:\(server.folder)/identity.sqlite"
                _ = try await home.latch(
                    "admin", "user", "set-role", "ada@example.com", "super_admin", "--store", store)
                let scopes = ["users", "clients", "server"].flatMap {
                    ["--scope", "\($0):read", "--scope", "\($0):write"]
                }
                let made = try await home.start(
                    ["admin", "api-key", "create", "test", "--owner", "ada@example.com", "--json", "--store", store]
                        + scopes + ["--scope", "audit:read"]
                ).outcome()
                let key = try JSONValue(parsing: made.output.joined())["api_key"]?.stringValue
                try await body(Stage(home: home, server: server, key: try #require(key, "\(made.error)")))
            }
        }

        func admin(_ words: [String], _ way: Way) async throws -> BuiltProgram.Outcome {
            let target = way == .store ? ["--store", store] : ["--url", server.url.absoluteString]
            let environment = way == .store ? Self.settings : ["LATCH_API_KEY": key]
            return try await home.start(["admin"] + words + target, environment: environment).outcome()
        }

        /// Returns the output of a call that succeeds.
        func output(_ words: [String], _ way: Way) async throws -> [String] {
            let outcome = try await admin(words, way)
            expectEqual(outcome.ending, .exited(0), "\(words) \(way): \(outcome.error)")
            return outcome.output
        }

        func json(_ words: [String], _ way: Way) async throws -> JSONValue {
            try JSONValue(parsing: try await output(words + ["--json"], way).joined())
        }
    }

    @Test func `Each list is the same from the store and from the server`() async throws {
        try await Stage.with { stage in
            let calls = [
                ["user", "list"], ["user", "list", "--json", "--search", "bob"], ["user", "show", Self.user, "--json"],
                ["audit", "list"], ["audit", "list", "--limit", "2", "--json"],
                ["audit", "list", "--account", Self.user, "--event", "account.created"], ["audit", "verify"],
                ["audit", "verify", "--json"], ["keys", "list"], ["keys", "list", "--json"], ["keys", "list", "--pem"],
                ["devices", "list", Self.user], ["devices", "list", Self.user, "--json"], ["links", "list", Self.user],
                ["links", "list", Self.user, "--json"], ["passkeys", "list", Self.user],
                ["passkeys", "list", Self.user, "--json"], ["mail", "list"], ["client", "list"],
                ["client", "list", "--json"], ["client", "initial-token", "list"], ["provider", "list"],
            ]
            for words in calls {
                let local = try await stage.output(words, .store)
                try await expectEqual(stage.output(words, .server), local, "\(words)")
                #expect(!local.isEmpty, "\(words)")
            }
        }
    }

    @Test func `Each mistake is reported by the same words from the store and from the server`() async throws {
        try await Stage.with { stage in
            let calls = [
                ["user", "show", "nobody@example.com"], ["user", "show", "nobody"], ["user", "ban", "nobody"],
                ["user", "enable", "nobody"], ["user", "set-email", Self.user, "bob"],
                ["user", "set-email", Self.user, "ada@example.com"], ["user", "set-roles", Self.user, "two words"],
                ["user", "set-attribute", Self.user, "other", "x"],
                ["user", "set-attribute", Self.user, "seats", "many"],
                ["user", "set-attribute", Self.user, "seats", "{", "--as-json"],
                ["user", "rename", Self.user], ["user", "rename", Self.user, "--username", "a b"],
                ["user", "remove-factor", Self.user], ["audit", "list", "--account", "nobody@example.com"],
                ["audit", "list", "--limit", "0"], ["devices", "sign-out", Self.user, "AAAA"],
                ["links", "remove", Self.user, "google"], ["passkeys", "remove", Self.user],
                ["passkeys", "remove", Self.user, "AAAA"], ["provider", "test", "google"], ["client", "show", "none"],
                ["client", "initial-token", "revoke", "5f1c09b7d2a86e34"], ["mail", "list", "--limit", "x"],
            ]
            for words in calls {
                let local = try await stage.admin(words, .store)
                let remote = try await stage.admin(words, .server)
                #expect(local.error.count == 2 && local.error[1].hasPrefix("hint: "), "\(words): \(local.error)")
                expectEqual(remote.error, local.error, "\(words)")
                expectEqual(remote.ending, local.ending, "\(words)")
            }
        }
    }

    @Test(arguments: Way.allCases) func `An account gets attributes, and loses them`(way: Way) async throws {
        try await Stage.with { stage in
            let set = ["user", "set-attribute", Self.user]
            _ = try await stage.output(set + ["department", "Research", "--reason", "case 12"], way)
            let both = try await stage.json(set + ["seats", "12", "--as-json"], way)
            expectEqual(both["attributes"], ["department": "Research", "seats": 12])
            let shown = try await stage.output(["user", "show", Self.user], way)
            #expect(shown.contains { $0.contains("seats") && $0.hasSuffix("12") }, "\(shown)")
            try await expectEqual(stage.json(set + ["seats"], way)["attributes"], ["department": "Research"])
            let log = try await stage.output(
                ["audit", "list", "--account", Self.user, "--event", "account.attributes"], way)
            #expect(log.count == 3 && log.allSatisfy { !$0.contains("Research") }, "\(log)")
        }
    }

    @Test(arguments: Way.allCases)
    func `An account gets other names, roles and another address`(way: Way) async throws {
        try await Stage.with { stage in
            let named = try await stage.json(
                ["user", "rename", Self.user, "--name", "Bob King", "--username", "bob"], way)
            #expect(named["name"] == "Bob King" && named["username"] == "bob")
            let words = try await stage.json(["user", "set-roles", "bob", "editor", "moderator"], way)
            #expect(words["roles"] == ["editor", "moderator"] && words["role"] == "moderator")
            try await expectEqual(stage.json(["user", "set-roles", "bob"], way)["roles"], [])
            let moved = try await stage.json(
                ["user", "set-email", "bob", "bob@king.example", "--verified", "--reason", "case 12"], way)
            #expect(moved["email"] == "bob@king.example" && moved["email_verified"] == true)
            try await expectEqual(stage.json(["user", "show", "bob@king.example"], way)["id"], moved["id"])
            let log = try await stage.output(
                ["audit", "list", "--account", "bob", "--event", "account.emailChanged"], way)
            #expect(log.count == 1 && log.first?.hasSuffix(": case 12") == true, "\(log)")
            #expect(log.first?.contains(way == .store ? "by the operator" : "with key") == true, "\(log)")
            // The server sends the notice in the background.
            var notice: String?
            for _ in 0..<200 where notice == nil {
                notice = try stage.server.mail(containing: "Your email address was changed")
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(notice?.contains("To: <\(Self.user)>") == true, "\(notice ?? "")")
        }
    }

    @Test(arguments: Way.allCases)
    func `Devices, emails and keys are changed`(way: Way) async throws {
        try await Stage.with { stage in
            try await stage.home.login(Self.user, at: stage.server.url.absoluteString)
            let devices = try await stage.json(["devices", "list", Self.user], way)["devices"]?.arrayValue
            let device = try #require(devices?.first?["id"]?.stringValue)
            let count = try #require(devices?.count)
            try await expectEqual(
                stage.output(["devices", "sign-out", Self.user, device], way),
                ["Signed \(Self.user) out on the device \(device)."])
            try await expectEqual(
                stage.json(["devices", "list", Self.user], way)["devices"]?.arrayValue?.count, count - 1)
            try await expectEqual(stage.output(["mail", "retry"], way), ["The server sends the emails that wait."])
            let published = try await stage.json(["keys", "rotate"], way)
            #expect(published["id"]?.stringValue != nil && published["compromised"] == false)
            let signing = try await stage.json(["keys", "rotate", "--compromised"], way)
            let keys = try await stage.json(["keys", "list"], way)["keys"]?.arrayValue
            expectEqual(keys?.first { $0["state"] == "signing" }?["id"], signing["id"])
            let events = try await stage.output(["audit", "list", "--event", "mail.retried"], way)
            #expect(
                events.count == 1 && events.first?.contains(way == .store ? "by the operator" : "with key") == true,
                "\(events)")
        }
    }

    @Test func `A logo that cannot be read stops a server, and no command that has no pages`() async throws {
        try await Stage.with { stage in
            let settings = ["LATCH_LOGO_FILE": "missing.png", "LATCH_FAVICON_FILE": "missing.ico"]
            let list = try await stage.home.latch(
                "admin", "user", "list", "--store", stage.store, environment: settings)
            #expect(list.ending == .exited(0) && list.output.count == 3, "\(list.error)")
            let served = try await stage.home.latch("serve", "--store", stage.store, environment: settings)
            #expect(served.ending == .exited(1) && served.error.first?.contains("missing.png") == true)
        }
    }
}
