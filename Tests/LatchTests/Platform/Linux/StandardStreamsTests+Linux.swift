// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import LatchFoundation
import LatchProcess
import LatchTesting
import Testing

@testable import latch

@Suite struct MissingStreamsTests {
    @Test func `A program that is started without standard streams opens nothing in their place`() async throws {
        try await withTemporaryFolder { folder in
            // Only the output is open, which tells when the server has opened its files and its sockets.
            let command = "exec '\(BuiltProgram.path)' serve --listen 127.0.0.1:0 --store sqlite:\(folder)/l.sqlite"
            let process = try ChildProcess.start(
                "/bin/sh", ["-c", command + " <&- 2>&-"],
                environment: BuiltProgram.environment(["LATCH_MAIL_DIRECTORY": folder + "/mails"]))
            let line = await process.line()
            expectEqual(line?.hasPrefix("latch: serving"), true)
            for stream in [0, 2] {
                let path = "/proc/\(process.id)/fd/\(stream)"
                try expectEqual(FileManager.default.destinationOfSymbolicLink(atPath: path), "/dev/null")
            }
            process.terminate()
            await expectEqual(process.end(), .exited(0))
        }
    }
}
#endif
