// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

@Suite struct AccountSubcommandTests {
    /// Names of a list of accounts, the current one with a star.
    private func names(_ home: CommandHome) async throws -> [String] {
        try await home.accounts().map { account in
            (account["current"] == true ? "*" : "") + (account["account"]?.stringValue ?? "")
        }
    }

    @Test func `Accounts on the command line are listed, switched, renamed and removed`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let empty = try await home.latch("accounts")
                #expect(empty.output.isEmpty && empty.ending == .exited(0))
                expectEqual(empty.error.last, "hint: Sign in: latch login --issuer URL")
                for name in ["ada", "bob", "cleo"] { try await home.login(name, at: issuer.url) }
                try await expectEqual(names(home), ["ada", "bob", "*cleo"])
                try await expectEqual(home.latch("accounts", "use", "ada").ending, .exited(0))
                try await expectEqual(home.latch("accounts", "rename", "bob", "work account").ending, .exited(0))
                try await expectEqual(names(home), ["*ada", "work account", "cleo"])
                let taken = try await home.latch("accounts", "rename", "cleo", "ada")
                expectEqual(taken.ending, .exited(1))
                expectEqual(taken.error.first, "latch: Another account on this device has this name.")
                let remove = try await home.latch("accounts", "remove", "ada")
                expectEqual(remove.output, ["Removed ada."])
                // Nobody finds themselves acting as somebody else.
                try await expectEqual(names(home), ["work account", "cleo"])
                let nobody = try await home.latch("token")
                expectEqual(nobody.ending, .exited(1))
                expectEqual(
                    nobody.error,
                    [
                        "latch: No account is the current one.", "hint: Choose one: latch accounts use NAME",
                    ])
                let list = try await home.latch("accounts")
                expectEqual(
                    list.output,
                    [
                        "  work account  \(issuer.url)  signed in", "  cleo          \(issuer.url)  signed in",
                    ])
            }
        }
    }

    @Test
    func `Accounts on the command line are selected by name, identity, environment, or as the current one`()
        async throws
    {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                for name in ["ada@example.com", "bob@example.com"] { try await home.login(name, at: issuer.url) }
                _ = try await home.latch("accounts", "rename", "ada@example.com", "work")
                try await expectEqual(home.latch("token").output, ["access-2"])
                try await expectEqual(home.latch("token", "--account", "work").output, ["access-1"])
                try await expectEqual(home.latch("token", "-a", "ada@example.com").output, ["access-1"])
                let named = ["LATCH_ACCOUNT": "work"]
                try await expectEqual(home.latch("token", environment: named).output, ["access-1"])
                let flag = try await home.latch("token", "--account", "bob@example.com", environment: named)
                expectEqual(flag.output, ["access-2"])
                let wrong = try await home.latch("token", "--account", "wrok")
                #expect(wrong.ending == .exited(1) && wrong.output.isEmpty)
                expectEqual(
                    wrong.error,
                    [
                        "latch: There is no account 'wrok'.", "hint: Did you mean 'work'? 'latch accounts' lists them.",
                    ])
            }
        }
    }

    @Test func `Accounts on the command line of one name at two issuers are distinguished`() async throws {
        try await ScriptedIssuer.with { one in
            try await ScriptedIssuer.with { other in
                try await CommandHome.with { home in
                    try await home.login("ada", at: one.url)
                    try await home.login("ada", at: other.url)
                    try await expectEqual(names(home), ["ada", "*ada (2)"])
                    try await expectEqual(home.accounts().map { $0["issuer"]?.stringValue }, [one.url, other.url])
                    // Who names neither issuer is asked which.
                    let login = try await home.latch("login", "--account", "new", "--password-stdin", input: "x")
                    expectEqual(login.ending, .exited(2))
                    let named = try await home.latch(
                        "login", "--account", "new", "--password-stdin", input: "x",
                        environment: ["LATCH_ISSUER": one.url])
                    expectEqual(named.ending, .exited(0))
                }
            }
        }
    }

    @Test
    func `Accounts on the command line that were signed out say so, and can be signed in again by name`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            try await home.login("ada@example.com", at: server.url.absoluteString)
            let token = try #require(try await home.latch("token").output.first)
            let logout = try await home.latch("logout")
            #expect(logout.output == ["Signed out ada@example.com."] && logout.error.isEmpty)
            try await expectEqual(LoginTests.status(of: token, at: server.url), 401)
            for subcommand in ["token", "whoami", "logout"] {
                let outcome = try await home.latch(subcommand)
                #expect(outcome.ending == .exited(1) && outcome.output.isEmpty)
                expectEqual(
                    outcome.error,
                    [
                        "latch: 'ada@example.com' is signed out.",
                        "hint: Sign in again: latch login --account ada@example.com",
                    ])
            }
            try await expectEqual(home.accounts().first?["state"], "signed out")
            let again = try await home.latch(
                "login", "--account", "ada@example.com", "--password-stdin", input: CommandHome.password)
            expectEqual(again.ending, .exited(0))
            try await expectEqual(home.latch("whoami").ending, .exited(0))
        }
    }

    @Test func `Accounts on the command line are signed out here though the issuer cannot be reached`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            try await home.login("ada@example.com", at: server.url.absoluteString)
            try await server.kill()
            let all = try await home.latch("logout", "--all-devices")
            expectEqual(all.ending, .exited(1))
            // The other devices cannot be reached, so this one is left as it is: the call can be repeated.
            try await expectEqual(home.latch("token").ending, .exited(0))
            let logout = try await home.latch("logout", "--json")
            expectEqual(logout.ending, .exited(0))
            try expectEqual(
                JSONValue(parsing: logout.output.joined()), ["account": "ada@example.com", "confirmed": false])
            expectEqual(logout.error.first, "latch: warning: The issuer did not confirm the end of the session.")
            try await expectEqual(home.latch("token").ending, .exited(1))
        }
    }

    @Test func `Accounts on the command line are signed out on all devices if requested`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            let laptop = CommandHome(folder: home.folder + "/laptop")
            for device in [home, laptop] { try await device.login("ada@example.com", at: server.url.absoluteString) }
            let token = try #require(try await laptop.latch("token").output.first)
            try await expectEqual(
                home.latch("logout", "--all-devices").output,
                [
                    "Signed out ada@example.com, on all devices."
                ])
            try await expectEqual(LoginTests.status(of: token, at: server.url), 401)
            let whoami = try await laptop.latch("whoami")
            expectEqual(whoami.ending, .exited(1))
            expectEqual(whoami.error.first, "latch: The issuer has ended the session of 'ada@example.com'.")
            try await expectEqual(laptop.accounts().first?["state"], "ended by the issuer")
        }
    }

    @Test
    func `Accounts on the command line show the user by the issuer's word, for people and for scripts`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            try await home.login("ada@example.com", at: server.url.absoluteString, scope: "files:read")
            let whoami = try await home.latch("whoami")
            expectEqual(whoami.output.count, 6)
            expectEqual(whoami.output[1], "  email    ada@example.com (not verified)")
            expectEqual(whoami.output[4], "  scopes   files:read")
            let object = try JSONValue(parsing: try await home.latch("whoami", "--json").output.joined())
            expectEqual(object["email"], "ada@example.com")
            expectEqual(object["email_verified"], false)
            expectEqual(object["scopes"], ["files:read"])
            expectEqual(object["issuer"]?.stringValue, server.url.absoluteString)
            try await server.kill()
            let offline = try await home.latch("whoami")
            expectEqual(offline.ending, .exited(1))
            expectEqual(offline.error.first?.contains("could not be reached"), true)
        }
    }

    @Test
    func `Accounts on the command line are kept beside a damaged list, which a sign-in begins again`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                try await home.login("ada", at: issuer.url)
                let secrets = try #require(
                    try FileManager.default.contentsOfDirectory(atPath: home.path).first { $0.hasSuffix(".secrets") })
                try Data("damaged".utf8).write(to: URL(filePath: "\(home.path)/\(secrets)"))
                let accounts = try await home.latch("accounts")
                #expect(accounts.ending == .exited(1) && accounts.output.isEmpty)
                expectEqual(accounts.error.first?.contains("damaged"), true)
                let login = try await home.latch(
                    "login", "--issuer", issuer.url, "--account", "bob", "--password-stdin", input: "x")
                expectEqual(login.ending, .exited(0))
                expectEqual(login.error.first?.hasPrefix("latch: warning: "), true)
                try await expectEqual(names(home), ["*bob"])
                #expect(FileManager.default.fileExists(atPath: "\(home.path)/\(secrets).corrupt"))
            }
        }
    }
}
