// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProcess
import Testing

@testable import LatchGenerator

@Suite(.timeLimit(.minutes(2))) struct SwiftCheckTests {
    /// Runs `body` with the path of a program.
    private func with(_ script: String, _ body: (String) async throws -> Void) async throws {
        let path = "\(FileManager.default.temporaryDirectory.path)/compiler-\(UUID().uuidString)"
        // A child writes it: what this process has open for writing, a child of another test may keep open, and such a file cannot be run.
        let writing = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod 700 \"$2\""
        let (ending, _) = try await ChildProcess.run("/bin/sh", ["-c", writing, "sh", script, path])
        try #require(ending == .exited(0))
        defer {
            for name in [path, path + ".interrupted"] { try? FileManager.default.removeItem(atPath: name) }
        }
        try await body(path)
    }

    @Test func `A compiler that does not end gets no file name that a list of files would split`() throws {
        try ProjectFolder.with(["p/a.swift": "", "p/g\n/etc/passwd\nz.swift": ""]) { folder throws in
            let error = #expect(throws: GeneratorError.missingInput) { try SwiftCheck.files(at: folder.path + "/p") }
            expectEqual(error?.message.contains("control character"), true)
        }
    }

    @Test func `A compiler that does not end is ended at its deadline, and the check says so`() async throws {
        try await with("exec sleep 1000") { path in
            let toolchain = SwiftToolchain(compiler: path, runtime: nil)
            let late = try await SwiftCheck(toolchain, deadline: .milliseconds(50)).check(["/a.swift"], depth: .syntax)
            #expect(!late.isValid && late.findings.isEmpty)
            expectEqual(late.remarks, ["\(path) had not ended after 0.05 seconds, and was ended"])
        }
    }

    @Test func `A compiler that does not end can end its children first`() async throws {
        try await with("trap 'kill $child; : > \"$0.interrupted\"; exit 1' INT; sleep 1000 & child=$!; wait") { path in
            func isInterrupted() -> Bool { FileManager.default.fileExists(atPath: path + ".interrupted") }
            // The shell may need a moment until it can be interrupted.
            for deadline in [0.5, 5, 30] where !isInterrupted() {
                let run = try await ChildProcess.runCompiler(
                    path, [], deadline: .seconds(deadline), grace: .seconds(60))
                expectNil(run)
            }
            #expect(isInterrupted())
        }
    }

    @Test func `A compiler that does not end is killed if it ignores the deadline`() async throws {
        try await with("trap '' INT; exec sleep 1000") { path in
            let run = try await ChildProcess.runCompiler(
                path, [], deadline: .milliseconds(500), grace: .milliseconds(10))
            expectNil(run)
        }
    }
}
