// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

@Suite(needsPostgres, .timeLimit(.minutes(2))) struct UnservableDatabaseTests {
    /// Returns what `latch serve` says about a database that it refuses.
    private func refusal(of address: String) async throws -> [String] {
        let outcome = try await BuiltProgram.run(
            "serve", "--listen", "127.0.0.1:0",
            environment: ["LATCH_STORE": address, "LATCH_MAIL_DIRECTORY": "mails", "LATCH_ACCESS_LOG": "off"])
        #expect(outcome.ending == .exited(1) && outcome.output.isEmpty)
        #expect(!outcome.error.joined().contains("canary"))
        return outcome.error
    }

    /// The first of them would be tried for 15 seconds if its failure could pass.
    @Test func `A database that cannot be served is missing, or its address is wrong`() async throws {
        let cluster = try await PostgresCluster.shared()
        let said = try await refusal(of: cluster.address(database: "missing"))
        #expect(said.count == 2 && said[0].contains("refuses the connection"), "\(said)")
        expectEqual(said.last?.contains("createdb"), true)
        let port = try await refusal(of: "postgres://latch@127.0.0.1:543x/latch")
        expectEqual(port.first?.contains("an invalid value for 'port'"), true, "\(port)")
    }

    @Test func `A database that cannot be served does not let its user create tables`() async throws {
        let cluster = try await PostgresCluster.shared()
        let psql = { (sql: String, database: String) async throws in
            let process = try ChildProcess.start(
                "/usr/bin/env", ["psql", "-Xqv", "ON_ERROR_STOP=1", cluster.address(database: database), "-c", sql])
            await expectEqual(process.end(), .exited(0))
        }
        try await psql("CREATE DATABASE guarded", "postgres")
        try await psql("CREATE ROLE reader LOGIN PASSWORD '\(PostgresCluster.password)'", "postgres")
        try await psql("REVOKE CREATE ON SCHEMA public FROM PUBLIC", "guarded")
        let said = try await refusal(
            of: cluster.address(database: "guarded").replacing("//latch:", with: "//reader:"))
        #expect(said.count == 2 && said[0].contains("permission denied"), "\(said)")
        expectEqual(said.last?.contains("GRANT CREATE ON SCHEMA public"), true)
    }

    /// Returns the first line of a call whose database nobody serves.
    private func firstLine(of arguments: [String]) async throws -> String {
        try await withTemporaryFolder { folder in
            try Data(String(repeating: "5c", count: 32).utf8).write(to: URL(filePath: folder + "/key"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/key")
            let process = try BuiltProgram.start(
                arguments.map { $0.replacing("FOLDER", with: folder) }, in: folder,
                environment: ["LATCH_STORE": "postgres://latch@127.0.0.1:1/latch", "LATCH_ACCESS_LOG": "json"])
            var lines: [String] = []
            while lines.isEmpty {
                try await WallClock.system.sleep(for: .milliseconds(10))
                lines = BuiltProgram.lines(of: folder + "/error")
            }
            process.kill()
            await process.end()
            return lines[0]
        }
    }

    @Test func `A database that cannot be served is awaited while nothing listens, and the log says so`() async throws {
        let line = try JSONValue(parsing: Array(try await firstLine(of: ["serve", "--listen", "127.0.0.1:0"]).utf8))
        #expect(line["level"] == "warning" && line["hint"] != nil)
        expectEqual(line["message"]?.stringValue?.hasSuffix("Connection refused. Retrying for 15 seconds."), true)
    }

    @Test(arguments: [
        ["admin", "user", "list"], ["admin", "audit", "list", "--json"], ["admin", "migrate"],
        ["admin", "migrate", "--check"],
        ["admin", "copy", "--from", "postgres://latch@127.0.0.1:1/latch", "--to", "sqlite:FOLDER/new.sqlite"],
        ["admin", "backup", "--output", "FOLDER/backup", "--key-file", "FOLDER/key"],
    ])
    func `A database that cannot be served is also awaited by the operator's commands, which say so`(
        arguments: [String]
    ) async throws {
        let line = try await firstLine(of: arguments)
        #expect(line.hasPrefix("latch: warning: The database cannot be connected"), "\(line)")
        #expect(line.hasSuffix("Connection refused. Retrying for 15 seconds."))
    }
}
