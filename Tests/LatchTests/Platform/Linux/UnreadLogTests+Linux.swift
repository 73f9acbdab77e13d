// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Glibc
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct UnreadLogTests {
    @Test func `An unread log delays neither the server's requests nor its end`() async throws {
        try await withTemporaryFolder { folder in
            let pipe = folder + "/error"
            expectEqual(mkfifo(pipe, 0o600), 0)
            let reader = open(pipe, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            try await BuiltProgram.serving(in: folder, environment: ["LATCH_SHUTDOWN_GRACE": "2"]) { process, url in
                let client = Client(baseURL: try #require(URL(string: url)))
                // Their lines are more than the pipe holds.
                for _ in 0..<2000 {
                    try await expectEqual(client.perform(.raw(.get, RoutePath("readyz"))).status, .ok)
                }
                process.terminate()
                await expectEqual(process.end(), .exited(0))
            }
        }
    }
}
#endif
