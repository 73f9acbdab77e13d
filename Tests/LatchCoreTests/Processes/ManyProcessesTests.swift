// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@Suite struct ManyProcessesTests {
    @Test
    func `Many child processes are started from many tasks at once, and each has its own output and end`() async throws
    {
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let script = "echo \(number); exit \(number % 256)"
                    let (ending, output) = try await ChildProcess.run("/bin/sh", ["-c", script])
                    return ending == .exited(Int32(number % 256)) && output == Array("\(number)\n".utf8)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test func `Many child processes hold no end of one another's pipes`() async throws {
        // Each would keep the output of those before it open, and reading that would not end before the process did.
        var lasting: [ChildProcess] = []
        for _ in 0..<8 {
            let brief = try ChildProcess.start("/bin/echo", ["brief"])
            lasting.append(try ChildProcess.start("/bin/sh", ["-c", "echo ready; while :; do sleep 0.01; done"]))
            await expectEqual(brief.rest(), Array("brief\n".utf8))
        }
        for process in lasting {
            await expectEqual(process.line(), "ready")
            expectNil(process.ending)
            process.kill()
            await expectEqual(process.end(), .killed(by: 9))
            #expect(await process.rest().isEmpty)
        }
    }

    @Test func `Many child processes have no file of this process but their three streams`() async throws {
        try await withTemporaryFolder { folder in
            // Foundation and C libraries open some without asking that programs do not inherit them.
            let path = folder + "/open"
            try Data("text".utf8).write(to: URL(filePath: path))
            let file = try #require(fopen(path, "r"))
            defer { fclose(file) }
            let script = "for file in /dev/fd/*; do [ \"$file\" -ef '\(path)' ] && echo inherited; done; echo looked"
            let output = try await ChildProcess.run("/bin/bash", ["-c", script]).output
            expectEqual(String(decoding: output, as: UTF8.self), "looked\n")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Many child processes are reaped though no task waits for them`() async throws {
        let id = try await {
            let process = try ChildProcess.start("/bin/echo", [])
            // The end of the output comes with the end of the process, and its reaping soon after.
            _ = await process.rest()
            return process.id
        }()
        // Signal 0 asks whether there is such a process, a zombie included; the time limit is for one that stays.
        try await eventually { kill(id, 0) != 0 }
    }
}
