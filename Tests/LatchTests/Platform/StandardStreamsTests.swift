// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct StandardStreamsTests {
    /// A line of a shell in which `latch` is the program that was built, run in a temporary folder.
    private func shell(_ script: String) async throws -> BuiltProgram.Outcome {
        try await withTemporaryFolder { folder in
            let process = try ChildProcess.start(
                "/bin/sh", ["-c", "latch() { '\(BuiltProgram.path)' \"$@\"; }; " + script],
                environment: BuiltProgram.environment([:]), errors: .file(folder + "/error"))
            return await BuiltProgram.outcome(of: process, in: folder)
        }
    }

    @Test
    func `The program's output reaches the end of a pipe whole, although the process ends at once`() async throws {
        let outcome = try await shell("latch help serve | cat | cat")
        let expected = HelpText([Program.root, ServeSubcommand.subcommand]).text
        expectEqual(outcome.output.joined(separator: "\n") + "\n", expected)
        expectEqual(outcome.ending, .exited(0))
    }

    @Test func `The program's output is lost silently if it is not read`() async throws {
        // The reader has gone before the first byte, which SIGPIPE would otherwise answer with 141.
        let outcome = try await shell("{ cat /dev/stdin >/dev/null; latch help serve; echo $? >&2; } </dev/null | :")
        expectEqual(outcome.error, ["0"])
    }

    @Test func `The program's output goes nowhere only on request`() async throws {
        let outcome = try await shell(
            "latch --version >&-; echo $?; latch --version >/dev/null; echo $?; latch --nonsense 2>&-; echo $?")
        expectEqual(outcome.output, ["1", "0", "2"])
        expectEqual(outcome.error.first?.hasPrefix("latch: The output is incomplete"), true)
        expectEqual(outcome.error.last?.hasSuffix(">/dev/null"), true)
        expectEqual(outcome.error.count, 2)
    }

    @Test(arguments: [
        "keys generate", "accounts --json", "completion bash", "validate --help", "manual", "serve --print-config",
    ])
    func `The program's output is an error of each command if it is closed`(command: String) async throws {
        let outcome = try await shell("LATCH_HOME=/nonexistent latch \(command) >&-; echo $?")
        expectEqual(outcome.output, ["1"])
        #expect(outcome.error.contains { $0.contains("standard output") }, "\(outcome.error)")
    }

    @Test(arguments: ["<&-", "</"])
    func `The program needs a readable input`(input: String) async throws {
        let outcome = try await shell("latch jwt decode - \(input); latch mcp-server \(input); echo $?")
        expectEqual(outcome.output, ["1"])
        expectEqual(outcome.error.filter { $0.contains("standard input") }.count, 2, "\(outcome.error)")
    }

    @Test func `The program's output goes to the stream that a script expects`() async throws {
        let outcome = try await shell(
            "latch serve --print-config 2>/dev/null | grep -c ' = '; latch frobnicate >/dev/null")
        let count = outcome.output.first.flatMap { Int($0.filter { !$0.isWhitespace }) }
        expectEqual(count, ServeConfiguration.settings.count)
        expectEqual(outcome.error.count, 2)
        expectEqual(outcome.ending, .exited(2))
    }

    @Test func `The program's output has no colors in a pipe`() async throws {
        let outcome = try await shell("latch help; latch help demo; latch frobnicate")
        #expect(!(outcome.output + outcome.error).contains { $0.contains("\u{1B}") })
        expectEqual(outcome.ending, .exited(2))
    }
}

@Suite struct SignalExitCodeTests {
    @Test(arguments: [(Signal.hangUp, 129), (.interrupt, 130), (.terminate, 143)] as [(Signal, Int32)])
    func `An exit code after a signal is 128 and the signal's number, as shells have it`(signal: Signal, code: Int32) {
        expectEqual(ExitCode.ended(by: signal).rawValue, code)
    }
}
