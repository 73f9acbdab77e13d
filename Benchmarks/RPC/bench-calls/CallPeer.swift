// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess

/// A client of PyPI that calls a server of PyPI, both in processes of their own.
struct CallPeer {
    let name: String
    let server: String
    let client: String

    static let all = [
        CallPeer(name: "grpcio", server: "Tests/Peers/RPC/grpc_server.py", client: "grpcio_calls.py"),
        CallPeer(name: "connectrpc", server: "Tests/Peers/RPC/connect_server.py", client: "connectrpc_calls.py"),
    ]

    /// Calls, and messages, per second by the name of what was measured; nil where the peer cannot be had.
    func rates() async throws -> JSONValue? {
        let (installed, output) = try await ChildProcess.run("/usr/bin/env", ["bash", "Scripts/fetch-peers", "rpc"])
        let folder = String(decoding: output, as: UTF8.self).split(separator: "\n").last
        guard installed == .exited(0), let folder else { return nil }
        var environment = ProcessInfo.processInfo.environment
        environment["PYTHONPATH"] = "\(folder):Tests/Peers/RPC"
        let process = try ChildProcess.start("/usr/bin/env", ["python3", server], environment: environment)
        defer { process.kill() }
        guard let port = await process.line() else { return nil }
        let (ending, text) = try await ChildProcess.run(
            "/usr/bin/env", ["python3", "Benchmarks/RPC/bench-calls/Peers/" + client, port], environment: environment)
        guard ending == .exited(0) else { return nil }
        return try JSONValue(parsing: String(decoding: text, as: UTF8.self))
    }
}
