// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import Testing

@Suite struct ChildProcessTests {
    private func shell(_ script: String, errors: ChildProcess.ErrorOutput = .discarded) throws -> ChildProcess {
        try ChildProcess.start("/bin/sh", ["-c", script], errors: errors)
    }

    @Test func `A child process is read by lines, including a last line without an end`() async throws {
        let process = try shell("echo one; echo; printf 'thr\u{e9}e'")
        var lines: [String] = []
        while let line = await process.line() { lines.append(line) }
        expectEqual(lines, ["one", "", "thr\u{e9}e"])
        await expectNil(process.line())
        await expectEqual(process.end(), .exited(0))
    }

    @Test func `A child process is read as a whole after the lines that were taken`() async throws {
        let process = try shell("echo one; echo two; printf three")
        await expectEqual(process.line(), "one")
        await expectEqual(process.rest(), Array("two\nthree".utf8))
        #expect(await process.rest().isEmpty)
    }

    @Test func `A child process can write more than a pipe holds, and nothing of it is lost`() async throws {
        let script = "i=0; while [ $i -lt 20000 ]; do echo \"line $i\"; i=$((i + 1)); done"
        let (ending, output) = try await ChildProcess.run("/bin/sh", ["-c", script])
        expectEqual(ending, .exited(0))
        expectEqual(String(decoding: output, as: UTF8.self), (0..<20000).map { "line \($0)\n" }.joined())
    }

    @Test(arguments: [0, 1, 7, 255] as [Int32])
    func `A child process returns its exit code to every caller`(code: Int32) async throws {
        let process = try shell("exit \(code)")
        async let (first, second) = (process.end(), process.end())
        await expectEqual([first, second], [.exited(code), .exited(code)])
        expectEqual(process.ending, .exited(code))
    }

    @Test func `A child process gets the signals that are sent to it, and none once it has ended`() async throws {
        let process = try shell("trap 'echo heard; exit 3' TERM; echo ready; while :; do sleep 0.01; done")
        await expectEqual(process.line(), "ready")
        expectNil(process.ending)
        process.terminate()
        await expectEqual(process.line(), "heard")
        await expectEqual(process.end(), .exited(3))
        process.kill()
        await expectEqual(process.end(), .exited(3))
    }

    @Test func `A child process is killed`() async throws {
        let process = try shell("trap '' TERM; echo ready; while :; do sleep 0.01; done")
        await expectEqual(process.line(), "ready")
        process.terminate()
        process.kill()
        await expectEqual(process.end(), .killed(by: 9))
    }

    @Test func `A child process has the environment it was given and no other, and reads nothing`() async throws {
        try await withTemporaryFolder { folder in
            let (ending, output) = try await ChildProcess.run(
                "/bin/sh", ["-c", "echo \"$WORD-$HOME\"; cat; echo oh >&2"], environment: ["WORD": "a b"],
                errors: .file(folder + "/error"))
            expectEqual(ending, .exited(0))
            expectEqual(String(decoding: output, as: UTF8.self), "a b-\n")
            expectEqual(FileManager.default.contents(atPath: folder + "/error"), Data("oh\n".utf8))
        }
    }

    @Test func `A child process gets each argument as it is`() async throws {
        let arguments = ["two words", "", "*", "$HOME", "'\"", "-n", "naïve"]
        let script = "for word; do printf '%s\\0' \"$word\"; done"
        let output = try await ChildProcess.run("/bin/sh", ["-c", script, "name"] + arguments).output
        let words: [UInt8] = arguments.flatMap { [UInt8]($0.utf8) + [0] }
        expectEqual(output, words)
    }

    @Test func `A child process runs in the folder that is named`() async throws {
        try await withTemporaryFolder { folder in
            try Data("here".utf8).write(to: URL(filePath: folder + "/file"))
            let output = try await ChildProcess.run("/bin/cat", ["file"], in: folder).output
            expectEqual(String(decoding: output, as: UTF8.self), "here")
        }
        let error = #expect(throws: FileError.self) {
            try ChildProcess.start("/bin/cat", [], in: "/no/such/folder")
        }
        expectEqual(error?.reason, .missing)
    }

    @Test func `A child process reports its errors among its output, if configured`() async throws {
        let joined = try shell("echo one; echo two >&2; echo three", errors: .joined)
        await expectEqual(joined.rest(), Array("one\ntwo\nthree\n".utf8))
        let parted = try shell("echo one; echo two >&2; echo three")
        await expectEqual(parted.rest(), Array("one\nthree\n".utf8))
    }

    @Test func `A child process reports a missing program`() throws {
        let error = #expect(throws: FileError.self) { try ChildProcess.start("/no/such/program", []) }
        expectEqual(error?.reason, .missing)
        expectEqual(error?.description.contains("/no/such/program"), true)
    }
}
