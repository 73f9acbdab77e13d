// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProcess
public import Testing

/// The condition of tests that need PostgreSQL's server, which `make interop` installs.
public let needsPostgres = ConditionTrait.enabled(
    if: ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil, "make interop runs it")

/// A real PostgreSQL server on a free port of 127.0.0.1, which ends with the last reference to it or with this process.
public final class PostgresCluster: Sendable {
    /// The reason for which no server runs.
    public struct Failure: Error, CustomStringConvertible { public let description: String }

    /// A password that no message may repeat.
    public static let password = "canary-7hV2"
    /// A server that tests may use together, as long as each has tables of its own.
    private static let common = Task { try await PostgresCluster() }

    public let port: String
    private let folder: String
    private let process: ChildProcess

    /// Starts a server with an empty database.
    public convenience init(certificate: Certificate? = nil, settings: [String] = []) async throws {
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

    public static func shared() async throws -> PostgresCluster { try await common.value }

    /// The connection string over TCP.
    public func address(
        password: String = PostgresCluster.password, database: String = "postgres",
        parameters: String = "sslmode=disable"
    ) -> String {
        "postgres://latch:\(password)@127.0.0.1:\(port)/\(database)?\(parameters)"
    }

    /// Stops the server immediately, without a checkpoint.
    public func stop() async {
        process.terminate()
        await process.end()
    }

    /// Starts a stopped server again at the same address.
    public func restarted() async throws -> PostgresCluster {
        try await PostgresCluster(folder: folder, options: ["--port", port])
    }

    /// Removes the files of a stopped server.
    public func remove() async throws {
        await stop()
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Runs `body` with a server of its own, which it may stop.
    public static func alone(
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
