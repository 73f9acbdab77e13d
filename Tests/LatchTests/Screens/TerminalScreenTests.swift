// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchCore
import LatchFoundation
import LatchTesting
import LatchUI
import Synchronization
import Testing

@testable import LatchCommand
@testable import latch

/// A terminal whose user answers the prompts one after another.
private final class ScriptedTerminal: Sendable {
    private let answers: Mutex<[String]>
    private let printed = Mutex("")
    private let onPrompt: @Sendable (_ answersLeft: Int) -> Void

    init(_ answers: [String], onPrompt: @escaping @Sendable (_ answersLeft: Int) -> Void = { _ in }) {
        self.answers = Mutex(answers)
        self.onPrompt = onPrompt
    }

    var text: String { printed.withLock { $0 } }
    var answersLeft: Int { answers.withLock { $0.count } }

    var console: ScreenConsole {
        let output = Environment.Output(isTerminal: true) { bytes in
            self.printed.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        let input = Environment.Input(
            isTerminal: true, all: { _ in [] },
            line: { isShown, _, writePrompt in
                writePrompt()
                let answer = self.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                self.onPrompt(self.answersLeft)
                // A terminal shows what is typed.
                if isShown, let answer { self.printed.withLock { $0 += answer + "\n" } }
                return answer
            })
        let environment = Environment(
            variables: [:], input: input, output: output, error: output, signals: .disconnected)
        return ScreenConsole(environment, server: "https://id.example.com")
    }
}

@Suite struct TerminalScreenTests {
    @Test func `A screen on a terminal waits for the end of a lock, and prompts again`() async throws {
        let clock = ManualClock()
        let terminal = ScriptedTerminal(["ada@example.com", "one", "", "two"])
        let attempts = Mutex(0)
        let locked = Task {
            var screen = TerminalScreen(SignInScreen(), on: terminal.console, clock: clock.wallClock()) { _ in
                let isFirst = attempts.withLock { number in
                    number += 1
                    return number == 1
                }
                if isFirst { throw ScreenFailure(.locked, after: .seconds(30), from: clock.now) }
                return .signedIn
            }
            return try await screen.run()
        }
        await expectEqual(clock.wakeNext(), .seconds(30))
        try await expectEqual(locked.value, .signedIn)
        expectEqual(
            terminal.text,
            """
            Sign in · https://id.example.com
            Email address: ada@example.com
            Password:\u{20}
            There were too many attempts. Try again in 30 seconds.
            Email address [ada@example.com]:\u{20}
            Password:\u{20}

            """)
    }

    @Test
    func `A screen on a terminal accepts a recovery code while codes are locked, in place of the wait`() async throws {
        let clock = ManualClock()
        let terminal = ScriptedTerminal(["sentence", "123456", "654321", "recovery-code-1"])
        let codes = Mutex<[String]>([])
        var screen = TerminalScreen(
            SignInScreen(name: "ada@example.com"), on: terminal.console, clock: clock.wallClock()
        ) { request in
            guard case .verify(_, let code) = request else {
                return .challenged(SignInChallenge(token: "x", expiryDate: clock.now.addingTimeInterval(300)))
            }
            codes.withLock { $0.append(code.value) }
            if code.value == "123456" { throw ScreenFailure(.locked, after: .seconds(30), from: clock.now) }
            return .signedIn
        }
        try await expectEqual(screen.run(), .signedIn)
        #expect(codes.withLock { $0 } == ["123456", "recovery-code-1"] && terminal.answersLeft == 0)
        #expect(terminal.text.contains("A recovery code works now."))
        #expect(terminal.text.contains("This is not a recovery code.\n"))
    }

    @Test(arguments: [["sentence", "123456"], ["sentence", "123456", "", "654321"]])
    func `A screen on a terminal ends with the input during a lock of codes, or waits for its end`(answers: [String])
        async throws
    {
        let clock = ManualClock()
        let terminal = ScriptedTerminal(answers)
        let attempts = Atomic(0)
        let run = Task {
            var screen = TerminalScreen(
                SignInScreen(name: "ada@example.com"), on: terminal.console, clock: clock.wallClock()
            ) { request in
                guard case .verify = request else {
                    return .challenged(SignInChallenge(token: "x", expiryDate: clock.now.addingTimeInterval(300)))
                }
                let isFirst = attempts.add(1, ordering: .relaxed).newValue == 1
                if isFirst { throw ScreenFailure(.locked, after: .seconds(30), from: clock.now) }
                return .signedIn
            }
            return try await screen.run()
        }
        guard answers.count > 2 else {
            await #expect(throws: CommandError.self) { try await run.value }
            return
        }
        await expectEqual(clock.wakeNext(), .seconds(30))
        try await expectEqual(run.value, .signedIn)
    }

    @Test func `A screen on a terminal begins again if a step expires while the user types`() async throws {
        let clock = ManualClock()
        // The user takes six minutes for the code.
        let terminal = ScriptedTerminal(["sentence", "123456", "sentence", "654321"]) { left in
            if left == 2 { clock.advance(by: 360) }
        }
        var screen = TerminalScreen(
            SignInScreen(name: "ada@example.com"), on: terminal.console, clock: clock.wallClock()
        ) { request in
            if case .verify = request { return .signedIn }
            return .challenged(SignInChallenge(token: "x", expiryDate: clock.now.addingTimeInterval(300)))
        }
        try await expectEqual(screen.run(), .signedIn)
        expectEqual(terminal.answersLeft, 0)
        #expect(terminal.text.contains("This step has timed out. Start over.\n"))
    }

    @Test
    func `A screen on a terminal prompts only for the entries with a problem after an answer of the server`()
        async throws
    {
        let terminal = ScriptedTerminal([
            "Ada", "ada@example.com", "a sentence", "a sentence", "bob@example.com", "a sentence", "a sentence",
        ])
        var screen = TerminalScreen(RegistrationScreen(), on: terminal.console) { request in
            guard case .signUp(let name, let email, _, _, _) = request else { throw CancellationError() }
            if email == "ada@example.com" { throw ScreenFailure(.taken) }
            expectEqual(name, "Ada")
            return .signedUp(email: email)
        }
        try await expectEqual(screen.run(), .registered(email: "bob@example.com"))
        #expect(terminal.text.contains("An account with this email address already exists."))
    }

    @Test(arguments: [
        ("ja", true), ("n", false), ("", true), ("NEIN", false),
    ])
    func `A screen on a terminal turns a switch by a word in the user's language`(word: String, isOn: Bool) async throws
    {
        let terminal = ScriptedTerminal(["old sentence", "new sentence", "new sentence", "vielleicht", word])
        let german = Environment(
            variables: ["LANG": "de_AT.UTF-8"], input: terminal.console.environment.input,
            output: terminal.console.environment.output, error: terminal.console.environment.error,
            signals: .disconnected)
        var screen = TerminalScreen(ChangePasswordScreen(), on: ScreenConsole(german, server: "x")) { request in
            guard case .change(_, _, let signsOutOthers) = request else { throw CancellationError() }
            expectEqual(signsOutOthers, isOn)
            return .changed
        }
        try await expectEqual(screen.run(), .changed)
    }

    @Test func `A screen on a terminal does not prompt for the user name above a new password`() async throws {
        let link = "https://id.example.com/reset?token=abc"
        let terminal = ScriptedTerminal(["ada@example.com", link, "new sentence", "new sentence"])
        var screen = TerminalScreen(PasswordResetScreen(), on: terminal.console, awaiting: .resetPassword) { request in
            switch request {
            case .send(let email): .sent(email: email)
            case .reset: .reset(email: nil)
            }
        }
        try await expectEqual(screen.run(), .signIn(email: "ada@example.com"))
        expectEqual(terminal.answersLeft, 0)
    }

    @Test func `A screen on a terminal rethrows errors that no entry can correct`() async throws {
        struct Strange: Error {}
        let terminal = ScriptedTerminal(["ada@example.com", "sentence"])
        var screen = TerminalScreen(SignInScreen(), on: terminal.console) { _ in throw Strange() }
        await #expect(throws: Strange.self) { try await screen.run() }
    }

    @Test func `A screen on a terminal ends with the input`() async throws {
        let terminal = ScriptedTerminal(["ada@example.com"])
        var screen = TerminalScreen(SignInScreen(), on: terminal.console) { _ in .signedIn }
        await #expect(throws: CommandError.self) { try await screen.run() }
        #expect(terminal.text.hasSuffix("Password: \n"))
    }

    @Test(
        arguments: [
            ([:], []), (["LANG": "de_DE.UTF-8"], ["de_DE"]), (["LANG": "de", "LC_ALL": ""], ["de"]),
            (["LANG": "de", "LC_MESSAGES": "en_GB"], ["en_GB"]), (["LC_ALL": "C", "LC_MESSAGES": "de"], ["C"]),
            (["LANG": "de@euro"], ["de"]),
        ] as [([String: String], [String])])
    func `A screen on a terminal takes the language from the first variable that is set`(
        variables: [String: String], languages: [String]
    ) {
        expectEqual(ScreenConsole.languages(variables), languages)
    }

    @Test(arguments: [
        ("https://id.example.com/reset?token=abc", true), ("  https://id.example.com/reset?token=abc ", true),
        ("https://id.example.org/reset?token=abc", false), ("http://id.example.com/reset?token=abc", false),
        ("https://id.example.com/verify?token=abc", false), ("https://id.example.com/reset", false), ("abc", false),
        (String(repeating: "a", count: 43), true), (String(repeating: "a", count: 42) + "!", false),
    ])
    func `A screen on a terminal takes the link of a mail, or its token`(text: String, isLink: Bool) {
        expectEqual(ScreenLink(pasted: text, for: .resetPassword, at: "https://id.example.com") != nil, isLink)
    }
}
