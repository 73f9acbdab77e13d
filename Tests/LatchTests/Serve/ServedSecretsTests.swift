// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import TestTags
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct ServedSecretsTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Peers/Operations/canaries.py").path

    /// The script sends requests of every kind with secrets in them, and searches what the program writes for each.
    @Test(.tags(.silentTokens), arguments: ["text", "json", "logfmt", "off"])
    func `A server's outputs hold no secret of any request, setting or response`(format: String) async throws {
        try await withTemporaryFolder { folder in
            let process = try ChildProcess.start(
                "/usr/bin/env", ["python3", Self.script, BuiltProgram.path, folder, format],
                environment: BuiltProgram.environment([:]), errors: .file(folder + "/script-error"))
            let report = await process.line()
            let ending = await process.end()
            expectEqual(ending, .exited(0), "\(BuiltProgram.lines(of: folder + "/script-error"))")
            expectEqual(report?.hasPrefix("canaries: "), true)
        }
    }
}
