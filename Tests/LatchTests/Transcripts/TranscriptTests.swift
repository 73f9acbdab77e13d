// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

@Suite struct TranscriptTests {
    @Test(arguments: try Transcript.all())
    func `A transcript shows the command's output`(transcript: Transcript) async throws {
        #expect(!transcript.entries.isEmpty)
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/here", withIntermediateDirectories: true)
            for entry in transcript.entries {
                switch entry {
                case .file(let name, let lines):
                    let text = lines.map { $0 + "\n" }.joined()
                    try Data(text.utf8).write(to: URL(filePath: folder + "/here/" + name))
                case .call(let call):
                    try await replay(call, in: folder)
                }
            }
        }
    }

    private func replay(_ call: Transcript.Call, in folder: String) async throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let error = folder + "/error"
        if FileManager.default.fileExists(atPath: error) { try FileManager.default.removeItem(atPath: error) }
        let process = try ChildProcess.start(
            "/bin/sh", ["-c", "cd '\(folder)/here'; \(call.command)"],
            environment: BuiltProgram.environment([
                "PATH": "\(BuiltProgram.folder):\(path)", "LATCH_HOME": folder + "/home",
            ]), errors: .file(error))
        let outcome = await BuiltProgram.outcome(of: process, in: folder)
        let said = "line \(call.line): $ \(call.command)\n\(outcome.output.joined(separator: "\n"))"
        #expect(Self.agree(outcome.output, call.output, folder), "\(said)")
        #expect(Self.agree(outcome.error, call.error, folder), "\(said)\n\(outcome.error.joined(separator: "\n"))")
        expectEqual(outcome.ending, .exited(call.exitCode), "\(said)")
    }

    private static func agree(_ lines: [String], _ patterns: [String], _ folder: String) -> Bool {
        // Blank lines at the end belong to the transcript's layout.
        let kept = patterns.reversed().drop { $0.isEmpty }.reversed().map { pattern in
            pattern.split(separator: "{FOLDER}", omittingEmptySubsequences: false).joined(separator: folder + "/here")
        }
        var shown = lines
        while shown.last == "" { shown.removeLast() }
        return shown.count == kept.count && zip(shown, kept).allSatisfy(Transcript.matches)
    }

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "ab", false), ("abc", "a…", true), ("abc", "…c", true), ("abc", "a…c", true),
        ("abc", "a…b", false), ("ac", "a…c", true), ("abcabc", "a…b…c", true), ("", "…", true), ("x", "", false),
    ])
    func `A transcript stands for any text with an ellipsis`(line: String, pattern: String, matches: Bool) {
        expectEqual(Transcript.matches(line, pattern), matches)
    }
}
