// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchProcess

/// A call of this command by the person of a demonstration, as a process of its own.
struct CommandCall: Sendable {
    let process: ChildProcess
    private let errors: String
    private let folder: DemoFolder
    private let words: [String]

    /// Begins a call.
    ///
    /// - Parameters:
    ///   - words: What is typed behind `latch`.
    ///   - input: The name of a file of the folder that is piped in.
    static func start(_ words: [String], input: String? = nil, on stage: DemoStage) throws -> CommandCall {
        let errors = "call-\(RandomSource.system.identifier())"
        let environment = stage.environment.merging(["LATCH_HOME": stage.folder.path("home")]) { $1 }
        // A shell, for it can give a process something to read.
        let piped = input.map { "exec \"$0\" \"$@\" < '\(stage.folder.path($0))'" } ?? "exec \"$0\" \"$@\""
        do throws(FileFailure) {
            let process = try ChildProcess.start(
                "/bin/sh", ["-c", piped, currentProgramFile] + words, environment: environment,
                errors: .file(stage.folder.path(errors)))
            return CommandCall(process: process, errors: errors, folder: stage.folder, words: words)
        } catch {
            throw DemoFailure("latch could not be started: \(error)")
        }
    }

    /// What the call printed, once it has ended well.
    ///
    /// - Throws: `DemoFailure` with what it said instead.
    func output() async throws -> String {
        let output = String(decoding: await process.rest(), as: UTF8.self)
        let ending = await process.end()
        try expect(
            ending == .exited(0), "'latch \(words.joined(separator: " "))' failed: \(folder.text(errors).firstLine)")
        return output.last == "\n" ? String(output.dropLast()) : output
    }

    /// What a call that is to fail says, in its first line.
    func refusal() async throws -> String {
        let ending = await process.end()
        try expect(ending == .exited(1), "'latch \(words.joined(separator: " "))' was not refused")
        return folder.text(errors).firstLine
    }
}

extension DemoStage {
    /// Runs a call to its end.
    func latch(_ words: String..., input: String? = nil) async throws -> String {
        try await CommandCall.start(words, input: input, on: self).output()
    }
}

extension String {
    fileprivate var firstLine: String { split(whereSeparator: \.isNewline).first.map(String.init) ?? "" }
}
