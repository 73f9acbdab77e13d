// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchProcess

/// A call of `latch` in a separate process.
struct CommandProcess: Sendable {
    let process: ChildProcess
    private let errors: String
    private let folder: DemoDirectory
    private let words: [String]

    /// Starts a call.
    ///
    /// - Parameters:
    ///   - words: The arguments of `latch`.
    ///   - input: The name of a file in the folder that becomes standard input.
    static func start(_ words: [String], input: String? = nil, on stage: DemoStage) throws -> CommandProcess {
        let errors = "call-\(RandomSource.system.identifier())"
        let environment = stage.environment.merging(["LATCH_HOME": stage.folder.path("home")]) { $1 }
        // A shell starts it, because a shell can redirect a file to standard input.
        let piped = input.map { "exec \"$0\" \"$@\" < '\(stage.folder.path($0))'" } ?? "exec \"$0\" \"$@\""
        let program = try Executable.sibling(named: "latch")
        do throws(FileError) {
            let process = try ChildProcess.start(
                "/bin/sh", ["-c", piped, program] + words, environment: environment,
                errors: .file(stage.folder.path(errors)))
            return CommandProcess(process: process, errors: errors, folder: stage.folder, words: words)
        } catch {
            throw DemoFailure("latch could not be started: \(error)")
        }
    }

    /// Waits for the call to succeed and returns its output.
    ///
    /// - Throws: `DemoFailure` with its error.
    func output() async throws -> String {
        let output = String(decoding: await process.rest(), as: UTF8.self)
        let ending = await process.end()
        try expect(
            ending == .exited(0), "'latch \(words.joined(separator: " "))' failed: \(folder.text(errors).firstLine)")
        return output.last == "\n" ? String(output.dropLast()) : output
    }

    /// Waits for the call to fail and returns the first line of its error.
    func refusal() async throws -> String {
        let ending = await process.end()
        try expect(ending == .exited(1), "'latch \(words.joined(separator: " "))' was not refused")
        return folder.text(errors).firstLine
    }
}

extension DemoStage {
    /// Runs a call to its end.
    func latch(_ words: String..., input: String? = nil) async throws -> String {
        try await CommandProcess.start(words, input: input, on: self).output()
    }
}

extension String {
    fileprivate var firstLine: String { split(whereSeparator: \.isNewline).first.map(String.init) ?? "" }
}
