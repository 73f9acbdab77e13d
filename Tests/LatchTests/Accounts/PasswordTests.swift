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

@Suite(.timeLimit(.minutes(3))) struct PasswordTests {
    private static let email = "ada@example.com"
    private static let password = CommandHome.password
    private static let new = "another sentence"

    /// Runs `body` with a server at which the user is signed in.
    private func signedIn(_ body: (CommandHome, ServedLatch) async throws -> Void) async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp(Self.email)
            try await home.login(Self.email, at: server.url.absoluteString)
            try await body(home, server)
        }
    }

    private func token(_ server: ServedLatch) async throws -> String {
        try await MailFolder(path: "\(server.folder)/mails").token(subject: "Reset your password", to: Self.email)
    }

    /// Expects a sign-in with a password to end so.
    private func expectLogin(_ home: CommandHome, _ server: ServedLatch, with password: String, code: Int32 = 0)
        async throws
    {
        let login = try await home.latch(
            "login", "--issuer", server.url.absoluteString, "--account", Self.email, "--password-stdin",
            input: password)
        expectEqual(login.ending, .exited(code), "\(login.error)")
    }

    @Test
    func `A password is changed on a terminal, which repeats a wrong one, and this device stays signed in`()
        async throws
    {
        try await signedIn { home, server in
            let terminal = try PseudoTerminal()
            let call = try home.start(on: terminal, ["password"])
            try await terminal.answer("Current password", "not the password")
            try await terminal.answer("New password", Self.new)
            try await terminal.answer("New password again", "something else")
            try await terminal.expect("The passwords don't match.")
            try await terminal.answer("New password", Self.new)
            try await terminal.answer("New password again", Self.new)
            try await terminal.answer("Sign out all other devices [yes]", "n")
            try await terminal.expect("The password is wrong. Enter the one that you sign in with.")
            try await terminal.answer("Current password", Self.password)
            try await terminal.answer("New password", Self.new)
            try await terminal.answer("New password again", Self.new)
            try await terminal.expect("Your password was changed.\r\n")
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(0))
            expectEqual(outcome.output, ["Changed the password of ada@example.com at \(server.url.absoluteString)."])
            try await expectEqual(home.latch("whoami").ending, .exited(0))
            try await expectLogin(home, server, with: Self.password, code: 1)
            try await expectLogin(home, server, with: Self.new)
        }
    }

    @Test func `A password is changed by a script`() async throws {
        try await signedIn { home, server in
            let wrong = try await home.latch("password", "--password-stdin", input: "a guess\n\(Self.new)\n")
            expectEqual(wrong.ending, .exited(1))
            expectEqual(wrong.error.first?.hasPrefix("latch: The email address or the password is wrong."), true)
            let changed = try await home.latch(
                "password", "--password-stdin", "--json", input: "\(Self.password)\n\(Self.new)\n")
            expectEqual(changed.ending, .exited(0), "\(changed.error)")
            let object = try JSONValue(parsing: changed.output.joined())
            #expect(object["account"] == .string(Self.email) && object["changed"] == true)
            try await expectLogin(home, server, with: Self.new)
            #expect(try !home.holds(Self.password + "\n" + Self.password))
        }
    }

    @Test func `A password that is forgotten is set again by the link of the mail`() async throws {
        try await signedIn { home, server in
            let terminal = try PseudoTerminal()
            let call = try home.start(on: terminal, ["password", "--forgot", "--account", Self.email])
            try await terminal.expect("If ada@example.com has an account, an email is on its way.")
            let link = "\(server.url.absoluteString)/reset?token=\(try await token(server))"
            try await terminal.answer("Link from the email, or a number", link)
            try await terminal.answer("New password", "short")
            try await terminal.answer("New password again", "short")
            try await terminal.expect("Use 8 characters or more.")
            try await terminal.answer("New password", Self.new)
            try await terminal.answer("New password again", Self.new)
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(0))
            expectEqual(outcome.output.first, "The new password is set.")
            #expect(!terminal.text.contains(Self.new))
            try await expectLogin(home, server, with: Self.new)
        }
    }

    @Test func `A password that is forgotten is set again by a script, in two calls`() async throws {
        try await signedIn { home, server in
            let issuer = server.url.absoluteString
            let sent = try await home.latch("password", "--forgot", "--issuer", issuer, "--account", Self.email)
            expectEqual(sent.output, ["If ada@example.com has an account at \(issuer), an email is on its way."])
            let set = try await home.latch(
                "password", "--forgot", "--issuer", issuer, "--password-stdin",
                input: "\(try await token(server))\n\(Self.new)")
            expectEqual(set.ending, .exited(0), "\(set.error)")
            expectEqual(set.output, ["The new password is set.", "Sign in: latch login --issuer \(issuer)"])
            try await expectLogin(home, server, with: Self.new)
        }
    }

    @Test(
        arguments: [
            (["password", "--issuer", "http://127.0.0.1:9"], 2, "'--issuer' goes with '--forgot'."),
            (["password"], 2, "There is no terminal to prompt for the passwords."),
            (["password", "--password-stdin"], 1, "No account is signed in."),
            (["password", "--forgot"], 2, "'latch password --forgot' needs an issuer."),
            (
                ["password", "--forgot", "--issuer", "http://127.0.0.1:9"], 2,
                "'latch password --forgot' needs an account."
            ),
            (
                ["password", "--forgot", "--issuer", "http://127.0.0.1:9", "--password-stdin"], 1,
                "Standard input does not hold two lines."
            ),
            (["signup"], 2, "'latch signup' needs an issuer."),
            (["signup", "--issuer", "http://127.0.0.1:9"], 2, "'latch signup' needs an account."),
            (
                ["signup", "--issuer", "http://127.0.0.1:9", "--account", "ada@example.com"], 2,
                "There is no terminal to prompt for the password."
            ),
        ] as [([String], Int32, String)])
    func `A password is not requested without a terminal`(arguments: [String], code: Int32, message: String)
        async throws
    {
        try await CommandHome.with { home in
            let outcome = try await home.start(arguments, input: "x").outcome()
            expectEqual(outcome.ending, .exited(code))
            expectEqual(outcome.error.first, "latch: \(message)")
        }
    }

    @Test func `A password creates an account from a script`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            let issuer = server.url.absoluteString
            let created = try await home.latch(
                "signup", "--issuer", issuer, "--account", Self.email, "--name", "Ada", "--password-stdin", "--json",
                input: Self.password)
            expectEqual(created.ending, .exited(0), "\(created.error)")
            let object = try JSONValue(parsing: created.output.joined())
            expectEqual(object, ["account": .string(Self.email), "issuer": .string(issuer), "email_verified": false])
            let again = try await home.latch(
                "signup", "--issuer", issuer, "--account", Self.email, "--password-stdin", input: Self.password)
            expectEqual(again.ending, .exited(1))
            expectEqual(
                again.error.first?.hasPrefix("latch: There is already an account with this email address."), true)
            try await expectLogin(home, server, with: Self.password)
        }
    }

    @Test func `A password accepts the terms of the issuer, which operators then see with the account`() async throws {
        try await CommandHome.with { home in
            let settings = ["LATCH_TERMS_VERSION": "2026-01"]
            let server = try await ServedLatch.start(in: home.folder, environment: settings)
            let issuer = server.url.absoluteString
            let refused = try await home.latch(
                "signup", "--issuer", issuer, "--account", Self.email, "--password-stdin", input: Self.password)
            expectEqual(refused.ending, .exited(1))
            expectEqual(
                refused.error,
                [
                    "latch: Version '2026-01' of the terms of use must be accepted.",
                    "hint: Read them, then add '--accept-terms VERSION'.",
                ])
            let created = try await home.latch(
                "signup", "--issuer", issuer, "--account", Self.email, "--accept-terms", "2026-01", "--password-stdin",
                input: Self.password)
            expectEqual(created.ending, .exited(0), "\(created.error)")
            let shown = try await home.latch(
                "admin", "user", "show", Self.email, "--store", "sqlite:\(home.folder)/identity.sqlite", "--json")
            let account = try JSONValue(parsing: shown.output.joined()).objectValue
            expectEqual(account?["accepted_terms"], "2026-01", "\(shown.error)")
        }
    }
}
