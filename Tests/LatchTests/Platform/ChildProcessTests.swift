// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchTesting
import Testing

@testable import latch

@Suite struct `A child process` {
    private func shell(_ script: String, in folder: String, environment: [String: String] = [:]) throws -> ChildProcess
    {
        try ChildProcess.start(
            "/bin/sh", ["-c", script], environment: environment, errorFile: folder + "/error")
    }

    @Test func `is read by lines, to the last one without an end`() async throws {
        try await withTemporaryFolder { folder in
            let process = try shell("echo one; echo; printf 'thr\u{e9}e'", in: folder)
            var lines: [String] = []
            while let line = await process.line() { lines.append(line) }
            #expect(lines == ["one", "", "thr\u{e9}e"])
            #expect(await process.end() == .exited(0))
        }
    }

    @Test(arguments: [0, 1, 7, 255] as [Int32]) func `tells its exit code`(code: Int32) async throws {
        try await withTemporaryFolder { folder in
            let process = try shell("exit \(code)", in: folder)
            #expect(await process.end() == .exited(code))
            #expect(process.reaped() == .exited(code))
        }
    }

    @Test func `gets the signals that are sent to it, and none once it has ended`() async throws {
        try await withTemporaryFolder { folder in
            let process = try shell(
                "trap 'echo heard; exit 3' TERM; echo ready; while :; do sleep 0.01; done", in: folder)
            #expect(await process.line() == "ready")
            #expect(process.reaped() == nil)
            process.terminate()
            #expect(await process.line() == "heard")
            #expect(await process.end() == .exited(3))
            process.kill()
            #expect(await process.end() == .exited(3))
        }
    }

    @Test func `is killed`() async throws {
        try await withTemporaryFolder { folder in
            let process = try shell("trap '' TERM; echo ready; while :; do sleep 0.01; done", in: folder)
            #expect(await process.line() == "ready")
            process.terminate()
            process.kill()
            #expect(await process.end() == .killed(by: 9))
        }
    }

    @Test func `has the environment it was given and no other, and reads nothing`() async throws {
        try await withTemporaryFolder { folder in
            let process = try shell("echo \"$WORD-$HOME\"; cat; echo oh >&2", in: folder, environment: ["WORD": "a b"])
            #expect(await process.line() == "a b-")
            #expect(await process.line() == nil)
            #expect(await process.end() == .exited(0))
            #expect(BuiltProgram.lines(of: folder + "/error").last == "oh")
        }
    }

    @Test func `says that there is no such program`() throws {
        let error = #expect(throws: CommandError.self) {
            try ChildProcess.start("/no/such/program", [], environment: [:], errorFile: "/dev/null")
        }
        #expect(error?.message.contains("/no/such/program") == true)
    }
}
