// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct TextTests {
    @Test(
        arguments: [
            ("plain é 漢 👩‍👩‍👧", "plain é 漢 👩‍👩‍👧"), ("", ""), ("a\u{1B}[2Jb", "a\\u{1b}[2Jb"),
            ("\r\n\t\u{0}", "\\u{d}\\u{a}\\u{9}\\u{0}"), ("\u{7F}\u{9B}", "\\u{7f}\\u{9b}"),
            ("\u{202E}evil\u{2066}", "\\u{202e}evil\\u{2066}"), ("\u{2028}", "\\u{2028}"), ("\\u{1b}", "\\u{1b}"),
        ])
    func `Text of other users and servers is shown without control sequences`(text: String, shown: String) {
        expectEqual(text.printable, shown)
        expectEqual(shown.printable, shown)
    }

    @Test func `Text of other users and servers is safe in errors and warnings`() {
        let kept = RecordingEnvironment()
        kept.environment.report(.failed("it said \u{1B}[31mno", hint: "\u{9B}x"))
        kept.environment.warn("a\u{1B}b", hint: "c\u{7}d")
        #expect(!kept.error.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x9B })
    }
}

@Suite struct RelativeTimeTests {
    @Test(
        arguments: [
            (0, "now"), (0.9, "now"), (-0.9, "now"), (1, "in 1 second"), (-1, "1 second ago"), (59.9, "in 59 seconds"),
            (60, "in 1 minute"), (899, "in 14 minutes"), (-7200, "2 hours ago"), (86_400, "in 1 day"),
            (86_400 * 30, "in 30 days"), (1e300, "never"), (-1e300, "long ago"),
        ] as [(Double, String)])
    func `A relative time is shown in the largest suitable unit`(seconds: Double, text: String) {
        expectEqual(RelativeTime.text(seconds), text)
    }
}

@Suite struct PipedSecretTests {
    private func piped(_ text: String) async -> Result<String, any Error> {
        do {
            return .success(
                try await SecretInput.piped("secret", RecordingEnvironment(input: Array(text.utf8)).environment))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [("a", "a"), ("a\n", "a"), ("a\r\n", "a"), (" a ", " a "), ("é\n", "é"), ("a\tb", "a\tb")])
    func `A piped secret is one line without its line break`(text: String, secret: String) async throws {
        try await expectEqual(piped(text).get(), secret)
    }

    @Test(arguments: ["", "\n", "\r\n", "a\nb", "a\n\n", "\na", "a\rb", "a\u{2028}b"])
    func `A piped secret that is empty or has several lines is refused`(text: String) async {
        await #expect(throws: CommandError.self) { try await piped(text).get() }
    }

    @Test func `A piped secret must be text of limited length`() async {
        let environment = RecordingEnvironment(input: [0x61, 0xFF]).environment
        await #expect(throws: CommandError.self) { try await SecretInput.piped("secret", environment) }
        let most = String(repeating: "x", count: 65_536)
        expectEqual((try? await piped(most).get())?.utf8.count, 65_536)
        await #expect(throws: CommandError.self) { try await piped(most + "x").get() }
    }

    @Test func `A secret is requested on a terminal without being shown`() async throws {
        let kept = RecordingEnvironment(input: Array("typed".utf8), isTerminal: true)
        try await expectEqual(SecretInput.typed("secret", prompt: "what? ", kept.environment), "typed")
        #expect(kept.error == "what? \n" && kept.output.isEmpty)
        await #expect(throws: CommandError.self) {
            try await SecretInput.typed("secret", prompt: "", RecordingEnvironment(isTerminal: true).environment)
        }
    }
}

@Suite struct IssuerAddressTests {
    @Test(arguments: [
        "https://id.example.com", "https://id.example.com/", "https://id.example.com//", "https://id.example.com",
    ])
    func `An issuer URL is the same with or without a trailing slash`(text: String) throws {
        try expectEqual(IssuerURL(text).text, "https://id.example.com")
    }

    @Test(arguments: ["", "/", "id.example.com", "https://", "https://a?b", "https://a#b", "ftp://a", "https://a b"])
    func `An issuer URL must be absolute`(text: String) {
        #expect(throws: CommandError.self) { try IssuerURL(text) }
    }
}

@Suite struct TypedPasswordTests {
    /// A terminal of its own for the command, as `script` would make it.
    private static let script = """
        import os, pty, re, select, signal, sys, termios
        signal.alarm(60)
        program, mode, home = sys.argv[1:4]
        arguments = [program, "login", "--with-password", "--issuer", "http://127.0.0.1:9", "--account", "ada"]
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["LATCH_HOME"] = home
            os.execv(program, arguments)
        def echo(): return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
        said = b""
        while not said.endswith(b": "): said += os.read(terminal, 4096)
        print("prompt", said.decode().strip())
        while echo(): pass
        if mode == "interrupt":
            os.write(terminal, b"\\x03")
        else:
            os.write(terminal, b"hunter2\\n")
        rest = b""
        try:
            while True:
                piece = os.read(terminal, 4096)
                if not piece: break
                rest += piece
        except OSError: pass
        status = os.waitpid(pid, 0)[1]
        print("ended", os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
        print("shown", b"hunter2" in rest)
        print("echo", echo())
        """

    private func play(_ mode: String) async throws -> [String] {
        try await withTemporaryFolder { folder in
            let file = folder + "/terminal.py"
            try Data(Self.script.utf8).write(to: URL(filePath: file))
            let process = try ChildProcess.start(
                "/usr/bin/env", ["python3", file, BuiltProgram.path, mode, folder + "/home"],
                environment: BuiltProgram.environment([:]), errors: .file(folder + "/error"))
            let outcome = await BuiltProgram.outcome(of: process, in: folder)
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            return outcome.output
        }
    }

    @Test func `A typed password is not shown, and the terminal is restored afterwards`() async throws {
        let lines = try await play("type")
        // The discard port (RFC 863) has no listener: the password was read, and then the login failed.
        expectEqual(
            lines,
            [
                "prompt Sign in · http://127.0.0.1:9\r", "Password:", "ended 1", "shown False", "echo True",
            ])
    }

    @Test func `An interrupt at a password prompt restores the terminal`() async throws {
        let lines = try await play("interrupt")
        expectEqual(Array(lines.dropFirst(2)), ["ended 2", "shown False", "echo True"])
    }
}
