// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProcess
import TestSupport
import Testing

@testable import LatchPostgres

/// The condition of tests that need PostgreSQL's server, which `make interop` installs.
let needsServer = ConditionTrait.enabled(
    if: ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil, "make interop runs it")

/// A real PostgreSQL server on a free port of 127.0.0.1, which ends with the last reference to it or with this process.
final class PostgresCluster: Sendable {
    /// The reason for which no server runs.
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// A password that no message may repeat.
    static let password = "canary-7hV2"
    /// A server that tests may use together, as long as each has tables of its own.
    private static let common = Task { try await PostgresCluster() }

    let port: String
    private let folder: String
    private let process: ChildProcess

    /// Starts a server with an empty database.
    convenience init(certificate: Certificate? = nil, settings: [String] = []) async throws {
        try await self.init(
            folder: "\(FileManager.default.temporaryDirectory.path)/latch-postgres-\(UUID().uuidString)",
            options: (certificate.map { ["--certificate", $0.certificatePath, "--key", $0.keyPath] } ?? [])
                + settings.flatMap { ["--set", $0] })
    }

    /// Starts a server on a folder, which is created if it does not exist.
    private init(folder: String, options: [String]) async throws {
        let script = URL(filePath: #filePath).appending(path: "../../../Peers/Postgres/cluster").standardized.path
        let process = try ChildProcess.start(
            "/usr/bin/env", ["python3", script, folder, Self.password] + options, errors: .joined)
        guard let line = await process.line(), Int(line) != nil else {
            let rest = await process.rest()
            throw Failure(description: "PostgreSQL does not start: \(String(decoding: rest, as: UTF8.self))")
        }
        self.folder = folder
        self.process = process
        port = line
    }

    deinit {
        process.terminate()
    }

    static func shared() async throws -> PostgresCluster { try await common.value }

    /// The connection string over TCP.
    func address(password: String = PostgresCluster.password, parameters: String = "sslmode=disable") -> String {
        "postgres://latch:\(password)@127.0.0.1:\(port)/postgres?\(parameters)"
    }

    /// A database with a configuration of its own.
    func database(_ change: (inout PostgresConfiguration) -> Void = { _ in }) -> PostgresDatabase {
        var configuration = PostgresConfiguration(address())
        change(&configuration)
        return PostgresDatabase(configuration)
    }

    /// Stops the server as a power cut does.
    func stop() async {
        process.terminate()
        await process.end()
    }

    /// Starts a stopped server again at the same address.
    func restarted() async throws -> PostgresCluster {
        try await PostgresCluster(folder: folder, options: ["--port", port])
    }

    /// Removes the files of a stopped server.
    func remove() async throws {
        await stop()
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Runs `body` with a server of its own, which it may stop.
    static func alone(
        certificate: Certificate? = nil, settings: [String] = [], _ body: (PostgresCluster) async throws -> Void
    ) async throws {
        let cluster = try await PostgresCluster(certificate: certificate, settings: settings)
        do { try await body(cluster) } catch {
            try await cluster.remove()
            throw error
        }
        try await cluster.remove()
    }
}

extension PostgresDatabase {
    /// Returns the one number that a statement selects.
    func number(_ sql: String, _ values: [PostgresValue] = []) async throws -> Int64? {
        try await read { try $0.first(sql, values) { row throws(PostgresError) in try row.integer(0) } }
    }

    /// Runs one statement in a transaction.
    @discardableResult
    func run(_ sql: String, _ values: [PostgresValue] = []) async throws -> Int {
        try await transaction { try $0.run(sql, values) }
    }

    /// Waits until a query selects a number other than 0.
    func wait(for sql: String) async throws {
        while try await number(sql) ?? 0 == 0 { await Task.yield() }
    }
}

/// Returns the error that `body` throws; nil if it throws none, or another one.
func failure<Value>(_ body: () async throws -> Value) async -> PostgresError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}
