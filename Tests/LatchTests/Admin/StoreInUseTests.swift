// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

@Suite(.timeLimit(.minutes(3))) struct StoreInUseTests {
    /// Runs a command to its end.
    private func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> BuiltProgram.Outcome {
        try await withTemporaryFolder { folder in
            let process = try BuiltProgram.start(arguments, in: folder, environment: environment)
            return await BuiltProgram.outcome(of: process, in: folder)
        }
    }

    /// Makes a backup of a new store, and its key.
    private func backUp(in folder: String) async throws {
        try Data(String(repeating: "5c", count: 32).utf8).write(to: URL(filePath: folder + "/key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/key")
        try await withTemporaryFolder { other in
            try await BuiltProgram.serving(in: other) { process, _ in
                process.terminate()
                await expectEqual(process.end(), .exited(0))
            }
            let made = try await run(
                [
                    "admin", "backup", "--store", "sqlite:\(other)/latch.sqlite", "--output", folder + "/backup",
                    "--key-file", folder + "/key",
                ])
            expectEqual(made.ending, .exited(0), "\(made.error)")
        }
    }

    private func restore(to store: String, in folder: String) async throws -> BuiltProgram.Outcome {
        try await run(
            ["admin", "restore", "--store", store, "--from", folder + "/backup", "--key-file", folder + "/key"])
    }

    private func expectRefusal(_ outcome: BuiltProgram.Outcome) {
        #expect(outcome.ending == .exited(1) && outcome.output.isEmpty)
        #expect(
            outcome.error.count == 2 && outcome.error.first?.contains("another command") == true, "\(outcome.error)")
        expectEqual(outcome.error.last?.hasPrefix("hint: End "), true)
    }

    /// Removes the files of a store, as `rm latch.sqlite*` does.
    private func removeStore(in folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("latch.sqlite") {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    @Test func `A store that a server has open is not restored or copied to until the server is killed`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try await backUp(in: folder)
            let store = "sqlite:\(folder)/latch.sqlite"
            try await BuiltProgram.serving(in: folder) { process, _ in
                expectRefusal(try await restore(to: store, in: folder))
                expectRefusal(try await run(["admin", "copy", "--from", store, "--to", store]))
                try removeStore(in: folder)
                expectRefusal(try await restore(to: store, in: folder))
                #expect(!FileManager.default.fileExists(atPath: folder + "/latch.sqlite"))
                process.kill()
                await process.end()
                let restored = try await restore(to: store, in: folder)
                expectEqual(restored.ending, .exited(0), "\(restored.error)")
            }
            let verified = try await run(["admin", "audit", "verify", "--store", store])
            expectEqual(verified.ending, .exited(0), "\(verified.error)")
        }
    }

    @Test func `A store that a server has open keeps its pepper until the server is killed`() async throws {
        try await withTemporaryFolder { folder in
            let store = "sqlite:\(folder)/latch.sqlite"
            let (old, new) = (["LATCH_TOKEN_PEPPER": "one"], ["LATCH_TOKEN_PEPPER": "two"])
            let accept = ["admin", "keys", "accept-pepper", "--store", store]
            let list = ["admin", "keys", "list", "--store", store]
            try await BuiltProgram.serving(in: folder, environment: old) { process, _ in
                expectRefusal(try await run(accept, environment: new))
                try await expectEqual(run(list, environment: old).ending, .exited(0))
                process.kill()
                await process.end()
                try await expectEqual(run(accept).ending, .exited(1))
                let accepted = try await run(accept, environment: new)
                expectEqual(accepted.ending, .exited(0), "\(accepted.error)")
            }
            try await expectEqual(run(list, environment: new).ending, .exited(0))
            let refused = try await run(list, environment: old)
            #expect(refused.ending == .exited(1) && refused.error.last?.contains("accept-pepper") == true)
        }
    }

    /// The lock is gone with the rest, and so nothing shows the server.
    @Test
    func `A store that a server has open and that was still restored is not written by the server`() async throws {
        try await withTemporaryFolder { folder in
            try await backUp(in: folder)
            let store = "sqlite:\(folder)/latch.sqlite"
            try await BuiltProgram.serving(in: folder) { process, url in
                try removeStore(in: folder)
                try FileManager.default.removeItem(atPath: folder + "/.latch.sqlite.lock")
                let restored = try await restore(to: store, in: folder)
                expectEqual(restored.ending, .exited(0), "\(restored.error)")
                let before = FileManager.default.contents(atPath: folder + "/latch.sqlite")
                let client = Client(baseURL: try #require(URL(string: url)))
                let health = try await client.respond(to: try client.request(.get, "healthz"))
                expectEqual(health.status, .serviceUnavailable)
                process.terminate()
                await process.end()
                expectEqual(FileManager.default.contents(atPath: folder + "/latch.sqlite"), before)
            }
        }
    }

    @Test(needsPostgres)
    func `A store that a server has open is awaited by restore if it is not served, which says so`() async throws {
        try await withTemporaryFolder { folder in
            try await backUp(in: folder)
            let process = try BuiltProgram.start(
                [
                    "admin", "restore", "--store", "postgres://latch@127.0.0.1:1/latch", "--from", folder + "/backup",
                    "--key-file", folder + "/key",
                ], in: folder)
            var lines: [String] = []
            while lines.isEmpty {
                try await WallClock.system.sleep(for: .milliseconds(10))
                lines = BuiltProgram.lines(of: folder + "/error")
            }
            process.kill()
            await process.end()
            #expect(lines[0].hasSuffix("Connection refused. Retrying for 15 seconds."), "\(lines)")
        }
    }

    @Test(needsPostgres)
    func `A store that a server has open in PostgreSQL is not restored to until the server is killed`()
        async throws
    {
        let cluster = try await PostgresCluster.shared()
        let psql = { (sql: String, database: String) async throws in
            let process = try ChildProcess.start(
                "/usr/bin/env", ["psql", "-Xqv", "ON_ERROR_STOP=1", cluster.address(database: database), "-c", sql])
            await expectEqual(process.end(), .exited(0))
        }
        try await psql("CREATE DATABASE opened", "postgres")
        let store = cluster.address(database: "opened")
        try await withTemporaryFolder { folder in
            try await backUp(in: folder)
            let process = try BuiltProgram.start(
                ["serve", "--listen", "127.0.0.1:0", "--store", store], in: folder,
                environment: ["LATCH_MAIL_DIRECTORY": folder, "LATCH_ACCESS_LOG": "off"])
            await expectEqual(process.line()?.hasPrefix("latch: serving "), true)
            expectRefusal(try await restore(to: store, in: folder))
            try await psql("DROP SCHEMA public CASCADE; CREATE SCHEMA public", "opened")
            expectRefusal(try await restore(to: store, in: folder))
            process.kill()
            await process.end()
            let restored = try await restore(to: store, in: folder)
            expectEqual(restored.ending, .exited(0), "\(restored.error)")
            let verified = try await run(["admin", "audit", "verify", "--store", store])
            expectEqual(verified.ending, .exited(0), "\(verified.error)")
        }
    }
}
