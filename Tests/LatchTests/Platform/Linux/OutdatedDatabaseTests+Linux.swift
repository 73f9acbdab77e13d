// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import LatchProcess
import TestSupport
import Testing

@testable import latch

@Suite(.timeLimit(.minutes(2))) struct OutdatedDatabaseTests {
    @Test
    func `A database server before version 14 ends the start, with its version and the required one`() async throws {
        let server = try ScriptedPostgres(.serving(version: "12.4"))
        let running = Task { await server.run() }
        defer { running.cancel() }
        let outcome = try await BuiltProgram.run(
            "serve", "--listen", "127.0.0.1:0",
            environment: [
                "LATCH_STORE": "postgres://latch@127.0.0.1:\(server.port)/latch?sslmode=disable",
                "LATCH_MAIL_DIRECTORY": "mails", "LATCH_ACCESS_LOG": "off",
            ])
        #expect(outcome.ending == .exited(1) && outcome.output.isEmpty)
        expectEqual(
            outcome.error,
            [
                "latch: The database server has version 12, and 14 or later is needed.",
                "hint: Upgrade the server, for instance by pg_upgrade.",
            ])
    }
}
#endif
