// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct ConfirmationTests {
    /// Asks at a terminal, and returns what was printed and the error.
    private func ask(
        _ answer: String, yes: Bool = false, isTerminal: Bool = true,
        _ question: (ConfirmationPrompt) async throws -> Void
    ) async -> (printed: String, error: CommandError?) {
        let kept = RecordingEnvironment(input: Array(answer.utf8), isTerminal: isTerminal)
        var invocation = Invocation()
        if yes { invocation.add(ConfirmationPrompt.yes, value: nil) }
        do {
            try await question(ConfirmationPrompt(invocation, kept.environment))
            return (kept.error, nil)
        } catch {
            return (kept.error, CommandError(describing: error))
        }
    }

    @Test(arguments: ["y", "Y", "yes", " yes "])
    func `A question at a terminal is answered by yes`(answer: String) async {
        let (printed, error) = await ask(answer + "\n") { try await $0.agree(to: "This ends it.") }
        expectNil(error)
        expectEqual(printed, "This ends it.\nContinue? [y/N] ")
    }

    @Test(arguments: ["", "\n", "n\n", "no\n", "yess\n", "ja\n"])
    func `Another answer, or none, is an error with exit code 1`(answer: String) async {
        let (_, error) = await ask(answer) { try await $0.agree(to: "This ends it.") }
        expectEqual(error?.exitCode, .failure)
        #expect(error?.message.contains("nothing was changed") == true)
        #expect(error?.hint?.contains("--yes") == true)
    }

    @Test func `What cannot be undone asks for its name`() async {
        let question = { (confirmation: ConfirmationPrompt) in
            try await confirmation.typing("ada@example.com", to: "delete it", after: "This deletes ada.")
        }
        let (printed, error) = await ask("ada@example.com\n", question)
        expectNil(error)
        expectEqual(printed, "This deletes ada.\nType ada@example.com to delete it: ")
        for other in ["yes\n", "ADA@example.com\n", "ada\n", "\n", ""] {
            let (_, error) = await ask(other, question)
            expectEqual(error?.exitCode, .failure, "\(other)")
        }
    }

    @Test func `Neither an option nor a script is asked`() async {
        for (yes, isTerminal) in [(true, true), (false, false)] {
            let (printed, error) = await ask("", yes: yes, isTerminal: isTerminal) {
                try await $0.agree(to: "This ends it.")
            }
            #expect(error == nil && printed.isEmpty, "\(yes) \(isTerminal)")
        }
    }

    @Test func `Each subcommand that destroys something has the option that answers its question`() throws {
        let paths = [
            "admin user delete", "admin user ban", "admin user disable", "admin user suspend", "admin user sign-out",
            "admin user remove-factor", "admin client delete", "admin client rotate-secret",
            "admin client replace-registration-token", "admin client initial-token revoke", "admin devices sign-out",
            "admin links remove", "admin passkeys remove", "admin keys rotate", "admin keys accept-pepper",
            "admin api-key delete",
        ]
        for path in paths {
            var subcommand = Program.root
            for name in path.split(separator: " ") {
                subcommand = try #require(subcommand.subcommands.first { $0.name == name }, "\(path)")
            }
            #expect(subcommand.options.contains(ConfirmationPrompt.yes), "\(path)")
        }
    }
}

/// Questions of the real command at a pseudo terminal.
@Suite(.timeLimit(.minutes(3))) struct DestructionTests {
    private static let email = "ada@example.com"

    private func with(_ body: (CommandHome, ServedLatch, _ store: String) async throws -> Void) async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp(Self.email)
            try await body(home, server, "sqlite:\(home.folder)/identity.sqlite")
        }
    }

    private func list(_ home: CommandHome, _ store: String) async throws -> String {
        let outcome = try await home.latch("admin", "user", "list", "--store", store)
        return outcome.output.joined(separator: "\n")
    }

    @Test func `A final deletion at a terminal waits for the address, and changes nothing without it`() async throws {
        try await with { home, _, store in
            let arguments = ["admin", "user", "delete", Self.email, "--final", "--store", store]
            for (answer, code) in [("yes\n", Int32(1)), ("\u{4}", 1), ("\(Self.email)\n", 0)] {
                let terminal = try PseudoTerminal()
                let call = try home.start(on: terminal, arguments)
                try await terminal.expect("undone.")
                try await terminal.expect("Type \(Self.email) to delete it: ")
                let before = try await list(home, store)
                #expect(before.contains(Self.email))
                terminal.type(answer)
                if code == 1 { try await terminal.expect("nothing was changed") }
                await expectEqual(call.outcome().ending, .exited(code), "\(terminal.text)")
            }
            let after = try await list(home, store)
            #expect(!after.contains(Self.email))
        }
    }

    @Test func `A ban at a terminal asks for yes, and not with the option that answers`() async throws {
        try await with { home, _, store in
            let terminal = try PseudoTerminal()
            let call = try home.start(on: terminal, ["admin", "user", "ban", Self.email, "--store", store])
            try await terminal.expect("This bans the account \(Self.email)")
            try await terminal.expect("Continue? [y/N] ")
            terminal.type("n\n")
            await expectEqual(call.outcome().ending, .exited(1))
            let before = try await list(home, store)
            #expect(!before.contains("banned"))
            let second = try PseudoTerminal()
            let banned = try home.start(on: second, ["admin", "user", "ban", Self.email, "--yes", "--store", store])
            await expectEqual(banned.outcome().ending, .exited(0), "\(second.text)")
            let after = try await list(home, store)
            #expect(after.contains("banned"))
        }
    }

    @Test(
        arguments: [
            ["user", "ban", "adda@example.com"], ["user", "disable", "adda"], ["user", "suspend", "adda"],
            ["user", "delete", "adda", "--final"], ["user", "sign-out", "adda"], ["user", "remove-factor", "adda"],
            ["devices", "sign-out", "ada@example.com", "AAAA"], ["links", "remove", "ada@example.com", "gogle"],
            ["passkeys", "remove", "ada@example.com", "AAAA"], ["client", "delete", "wikki"],
            ["client", "rotate-secret", "wikki", "--overlap", "0"], ["client", "replace-registration-token", "wikki"],
            ["client", "initial-token", "revoke", "5f1c09b7d2a86e34"], ["api-key", "delete", "5f1c09b7d2a86e34"],
        ])
    func `What was mistyped is reported without a question`(words: [String]) async throws {
        try await with { home, _, store in
            let terminal = try PseudoTerminal()
            let call = try home.start(on: terminal, ["admin"] + words + ["--store", store])
            try await terminal.expect("latch: ")
            await expectEqual(call.outcome().ending, .exited(1), "\(terminal.text)")
            for question in ["Continue?", "Type "] { #expect(!terminal.text.contains(question), "\(terminal.text)") }
        }
    }

    @Test func `A script that deletes an account is asked nothing`() async throws {
        try await with { home, _, store in
            let outcome = try await home.latch("admin", "user", "delete", Self.email, "--final", "--store", store)
            expectEqual(outcome.ending, .exited(0))
            #expect(outcome.error.isEmpty, "\(outcome.error)")
        }
    }
}
