// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchProcess
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity

/// PgBouncer in front of a database, on a separate socket.
private final class Pooler {
    private static let program = "/usr/sbin/pgbouncer"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// The connection string.
    let address: String
    private let file: String
    private let text: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts it with a session for each connection, in front of the database of a connection string.
    init(to database: String) throws {
        let url = try #require(URLComponents(string: database))
        let (name, port) = (String(url.path.dropFirst()), try #require(url.port))
        folder = try TemporaryFolder()
        let path = URL(filePath: folder.file()).deletingLastPathComponent().path
        // PgBouncer refuses to run as root.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        file = path + "/pgbouncer.ini"
        text = """
            [databases]
            \(name) = host=127.0.0.1 port=\(port) user=latch password=\(PostgresCluster.password)
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(path)
            auth_type = any
            ignore_startup_parameters = extra_float_digits,options,application_name
            pool_mode =
            """
        address = "postgres:///\(name)?host=\(path)&port=6432&user=latch"
        try "\(text) session\n".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        process = try ChildProcess.start(Self.program, (getuid() == 0 ? ["-u", "postgres"] : []) + ["-q", file])
    }

    /// Lends sessions out for one transaction at a time from now on.
    func lendForTransactions() throws {
        try "\(text) transaction\n".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        process.hangUp()
    }

    func stop() async {
        process.terminate()
        _ = await process.end()
    }
}

@Suite(needsPostgres, .enabled(if: Pooler.isInstalled, "make interop installs it"), .timeLimit(.minutes(2)))
struct PostgresPoolerTests {
    @Test func `A database behind a pooler makes its server unready once it lends its sessions out`() async throws {
        let pooler = try Pooler(to: try await IdentityDatabase.create())
        let site = try await Site(storedAt: pooler.address)
        let reported = Mutex<[String]>([])
        site.identity.reportStoreFailures { error, operation in
            reported.withLock { $0.append("\(operation): \(error.hint ?? "")") }
        }
        try await site.signUp()
        for _ in 0..<3 {
            try await expectEqual(site.get("/readyz").status, 200)
            site.clock.advance(by: 16)
        }
        try pooler.lendForTransactions()
        // It takes the change up after a while.
        var status = 200
        while status == 200 {
            status = try await site.get("/readyz").status
            site.clock.advance(by: 16)
        }
        expectEqual(status, 503)
        #expect(reported.withLock { $0 }.contains { $0.contains("pool_mode = session") })
        await site.close()
        await pooler.stop()
    }
}
