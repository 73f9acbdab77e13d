// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchIdentity
import ServedIdentity

/// Measures the auth server: refreshes with durable rotation, logins, what one commit carries, the served process at rest, and
/// what the time of a refused login discloses.
///
/// The served instance is this program started again with `--serve FOLDER`, so that client and server are two processes.
@main
struct BenchIdentity {
    static let width = 64

    /// The defaults, except that one address and one device may refresh as often as the server can.
    static var configuration: IdentityConfiguration {
        var configuration = IdentityConfiguration()
        configuration.refreshLimitPerMinute = 10_000_000
        configuration.tokenLimitPerMinute = 10_000_000
        return configuration
    }

    static func main() async throws {
        if let folder = value(after: "--serve") {
            return try await ServerProcess.run(in: folder, configuration: configuration)
        }
        var report = Report()
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-identity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        print("durable commits on this disk")
        try await RefreshBenchmark.measureDisk(in: folder, report: &report)
        print("refreshes in process, \(width) at a time")
        try await RefreshBenchmark.measureInProcess(in: folder, report: &report)
        print("refreshes over HTTP, \(width) connections, server in a process of its own")
        try await RefreshBenchmark.measureServed(in: folder, report: &report)
        print("refused logins of known and unknown names, after a change of the hash cost")
        try await DisclosureBenchmark.measure(in: folder, report: &report)
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }

    private static func value(after name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
    }
}
