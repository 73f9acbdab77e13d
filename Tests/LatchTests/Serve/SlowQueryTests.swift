// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchPostgres
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

@Suite(needsPostgres, .timeLimit(.minutes(2))) struct SlowQueryTests {
    /// A connection whose transaction is open until ``release()``.
    private final class Lock {
        private let connection: PostgresConnection

        init(_ statement: String, at address: String) throws {
            connection = try PostgresConnection(PostgresConfiguration(address))
            try connection.run("BEGIN")
            try connection.run(statement)
        }

        func release() throws { try connection.run("ROLLBACK") }
    }

    @Test
    func `The log of slow queries has the text of a statement that waits for the lock of a row, and no value`()
        async throws
    {
        let cluster = try await PostgresCluster.shared()
        let observer = try PostgresConnection(PostgresConfiguration(cluster.address()))
        try observer.run("CREATE DATABASE slow_queries")
        let address = cluster.address(database: "slow_queries")
        try await withTemporaryFolder { folder in
            let process = try BuiltProgram.start(
                ["serve", "--listen", "127.0.0.1:0"], in: folder,
                environment: [
                    "LATCH_STORE": address, "LATCH_MAIL_DIRECTORY": folder + "/mails", "LATCH_ACCESS_LOG": "json",
                    "LATCH_SLOW_QUERY_MS": "100", "LATCH_ARGON2_MEMORY_KIB": "8", "LATCH_ARGON2_PASSES": "1",
                ])
            defer { process.kill() }
            let line = try #require(await process.line(), "\(BuiltProgram.lines(of: folder + "/error"))")
            let client = Client(baseURL: try #require(URL(string: String(line.dropFirst("latch: serving ".count)))))
            let post = { @Sendable (path: String) async throws in
                let content = #"{"email":"ada@example.com","password":"a horse walks into a library"}"#
                return try await client.respond(
                    to: client.request(
                        .post, RoutePath(path), fields: [.contentType: "application/json"], body: HTTPBody(content))
                ).status
            }
            try await expectEqual(post("api/clients/register"), .created)
            let lock = try Lock("SELECT 1 FROM account FOR UPDATE", at: address)
            async let login = post("api/auth/clients/login")
            // The statement has then waited for longer than the setting says.
            let waiting = """
                SELECT count(*) FROM pg_stat_activity WHERE datname = 'slow_queries' AND wait_event_type = 'Lock'
                    AND clock_timestamp() - query_start > interval '100 ms'
                """
            try await eventually {
                try observer.first(waiting) { row throws(PostgresError) in try row.integer(0) } ?? 0 > 0
            }
            try lock.release()
            try await expectEqual(login, .ok)
            try await eventually {
                BuiltProgram.lines(of: folder + "/error").contains { line in
                    let entry = try? JSONValue(parsing: Array(line.utf8))
                    return entry?["event"] == "slow_query" && entry?["statement"]?.stringValue?.contains("$1") == true
                }
            }
            #expect(!BuiltProgram.lines(of: folder + "/error").joined().contains("ada@example.com"))
            process.terminate()
            await expectEqual(process.end(), .exited(0))
        }
    }
}
