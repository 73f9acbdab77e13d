// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

@Suite(.timeLimit(.minutes(2))) struct TerminatedStartTests {
    @Test func `A server that is terminated while it starts ends without its database`() async throws {
        try await withTemporaryFolder { folder in
            let database = try RawListener()
            let process = try BuiltProgram.start(
                ["serve", "--listen", "127.0.0.1:0"], in: folder,
                environment: [
                    "LATCH_STORE": "postgres://latch@127.0.0.1:\(database.port)/latch?sslmode=disable",
                    "LATCH_MAIL_DIRECTORY": "mails", "LATCH_ACCESS_LOG": "off",
                ])
            // It waits for an answer that does not come.
            let connection = try #require(await database.accept())
            process.terminate()
            let outcome = await BuiltProgram.outcome(of: process, in: folder)
            #expect(outcome.ending == .exited(0) && outcome.output.isEmpty && outcome.error.isEmpty)
            withExtendedLifetime(connection) {}
        }
    }
}
#endif
