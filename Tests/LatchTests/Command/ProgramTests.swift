// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import Synchronization
import Testing

@testable import LatchCommand
@testable import latch

/// An environment whose streams are recorded.
struct RecordingEnvironment {
    private let kept = Kept()
    private let variables: [String: String]
    private let input: [UInt8]
    private let isTerminal: Bool

    init(_ variables: [String: String] = [:], input: [UInt8] = [], isTerminal: Bool = false) {
        self.variables = variables
        self.input = input
        self.isTerminal = isTerminal
    }

    private final class Kept: Sendable {
        let output = Mutex("")
        let error = Mutex("")
    }

    var environment: Environment {
        let (kept, input) = (kept, input)
        return Environment(
            variables: variables,
            input: .init(
                isTerminal: isTerminal, all: { Array(input.prefix($0 + 1)) },
                line: { _, _, writePrompt in
                    writePrompt()
                    return input.isEmpty ? nil : String(decoding: input.prefix { $0 != 0x0A }, as: UTF8.self)
                }),
            output: .init(isTerminal: isTerminal) { text in
                kept.output.withLock { $0 += String(decoding: text, as: UTF8.self) }
            },
            error: .init(isTerminal: isTerminal) { text in
                kept.error.withLock { $0 += String(decoding: text, as: UTF8.self) }
            }, signals: .disconnected)
    }

    var output: String { kept.output.withLock { $0 } }
    var error: String { kept.error.withLock { $0 } }
}

@Suite struct ProgramTests {
    @Test func `The program shows its version and its help on standard output`() async {
        let version = "latch \(Program.version)\n"
        for (arguments, start) in [(["--version"], version), (["version"], version), (["--help"], "latch: ")] {
            let kept = RecordingEnvironment()
            let code = await Program.command.run(arguments, in: kept.environment)
            expectEqual(code, .success)
            #expect(kept.output.hasPrefix(start))
            #expect(kept.error.isEmpty)
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: ["/dev/full", "/dev/null"])
    func `The program fails if its standard output cannot be written, and not if it is not read`(path: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            let errors = folder + "/error"
            let (ending, _) = try await ChildProcess.run(
                "/bin/sh", ["-c", "\(BuiltProgram.path) keys generate > \(path)"], errors: .file(errors))
            expectEqual(ending, .exited(path == "/dev/full" ? 1 : 0))
            let said = BuiltProgram.lines(of: errors)
            expectEqual(said.contains { $0.contains("standard output") }, path == "/dev/full", "\(said)")
        }
    }

    @Test func `The program shows mistakes on standard error, with a hint, and exits 2`() async {
        let kept = RecordingEnvironment()
        let code = await Program.command.run(["serve", "--prot"], in: kept.environment)
        expectEqual(code, .usage)
        #expect(kept.output.isEmpty)
        let lines = kept.error.split(separator: "\n")
        expectEqual(lines.count, 2)
        expectEqual(lines.first?.hasPrefix("latch: "), true)
        expectEqual(lines.last?.hasPrefix("hint: "), true)
    }

    @Test func `The program prints the settings on request, and begins nothing`() async throws {
        let kept = RecordingEnvironment()
        let code = await Program.command.run(
            ["serve", "--store", "sqlite:/no/such/folder/x", "--print-config", "--json"], in: kept.environment)
        expectEqual(code, .success)
        let settings = try #require(try JSONValue(parsing: kept.output.dropLast()).arrayValue)
        expectEqual(settings.count, ServeConfiguration.settings.count)
        let store = settings.first { $0["key"] == "store" }
        expectEqual(store?["value"], "sqlite:/no/such/folder/x")
        expectEqual(store?["source"], "--store")
    }

    @Test func `The program prints settings that do not fit each other, with a warning`() async throws {
        let kept = RecordingEnvironment(["LATCH_SCOPES": "one", "LATCH_DEFAULT_SCOPES": "one two"])
        let code = await Program.command.run(["serve", "--print-config"], in: kept.environment)
        expectEqual(code, .failure)
        #expect(kept.output.contains("default_scopes = \"one two\""))
        #expect(kept.error.contains("default_scopes"))
    }

    @Test func `The program asks for the purpose of a JSON flag`() async {
        let kept = RecordingEnvironment()
        let code = await Program.command.run(["serve", "--json"], in: kept.environment)
        expectEqual(code, .usage)
        #expect(kept.error.contains("--print-config"))
    }
}

@Suite struct ErrorMessageTests {
    @Test func `A reported error keeps message, hint and exit code`() {
        let usage = CommandError(describing: CommandError.usage("What?", hint: "That."))
        #expect((usage.message, usage.hint, usage.exitCode) == ("What?", "That.", .usage))
        let coded = CommandError(describing: HTTPError.timeout)
        #expect(
            (coded.code, coded.message, coded.hint) == ("timeout", HTTPError.timeout.message, HTTPError.timeout.hint))
        expectEqual(coded.exitCode, .failure)
    }

    @Test func `A reported error describes an unexpected error`() {
        struct Odd: Error {}
        let told = CommandError(describing: Odd())
        expectEqual(told.exitCode, .failure)
        #expect(told.message.contains("Odd"))
    }

    @Test func `A reported error takes one line for the event and one for the hint`() {
        let kept = RecordingEnvironment()
        kept.environment.report(.failed("first\nsecond", hint: "do\r\nthis"))
        expectEqual(kept.error, "latch: first second\nhint: do this\n")
    }
}
