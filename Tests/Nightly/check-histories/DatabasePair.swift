// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchHTTP
import LatchProcess

/// A PostgreSQL server with a synchronous standby, behind a network of each node, whose faults are requests
/// (Tests/Peers/Postgres/failover).
final class DatabasePair: Sendable {
    /// A pair that does not start, or a fault that could not be made.
    struct Failure: Error, CustomStringConvertible { let description: String }

    private static let password = "canary-7hV2"

    /// The store of each node: both servers, of which it takes the one that can be written to.
    let stores: [String]
    private let control: URL
    private let transport: any Handler
    private let process: ChildProcess

    init(nodes: Int, transport: any Handler) async throws {
        let script = URL(filePath: #filePath).appending(path: "../../../Peers/Postgres/failover").standardized.path
        let process = try ChildProcess.start(
            "/usr/bin/env", ["python3", script, Self.password, "\(nodes)"], errors: .joined)
        let line = await process.line() ?? ""
        let words = line.split(separator: " ").map(String.init)
        guard words.count == nodes + 1, let control = URL(string: "http://127.0.0.1:\(words[0])") else {
            process.terminate()
            throw Failure(description: line + String(decoding: await process.rest(), as: UTF8.self))
        }
        stores = words.dropFirst().map { word in
            let hosts = word.split(separator: ",").map { "127.0.0.1:\($0)" }.joined(separator: ",")
            return "postgres://latch:\(Self.password)@\(hosts)/postgres?sslmode=disable"
        }
        self.control = control
        self.transport = transport
        self.process = process
    }

    /// Makes a fault, and returns once it is over.
    func apply(_ fault: String, _ parameters: String) async throws {
        guard let url = URL(string: "\(control)/\(fault)?\(parameters)") else { throw HTTPError.invalidURL }
        var request = try HTTPRequest(method: .get, url: url)
        request.timeout = .seconds(180)
        let response = try await transport.respond(to: request)
        guard response.status == .noContent else { throw Failure(description: "\(fault) could not be made") }
    }

    /// Ends both servers.
    ///
    /// - Throws: `Failure` with what the script printed, as it then may have left one of them running.
    func end() async throws {
        process.terminate()
        let output = await process.rest()
        guard await process.end() == .exited(0) else {
            throw Failure(description: String(decoding: output, as: UTF8.self))
        }
    }
}
