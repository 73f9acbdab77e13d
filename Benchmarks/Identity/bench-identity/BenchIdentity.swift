// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measures the auth server: renewals with durable rotation, logins, what one commit carries, and the served process at rest.
///
/// The served instance is this program started again with `--serve FOLDER`, so that client and server are two processes.
@main
struct BenchIdentity {
    static let width = 64

    static func main() async throws {
        if let folder = value(after: "--serve") { return try await ServedIdentity.run(in: folder) }
        var report = Report()
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-identity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        print("durable commits on this disk")
        try await Renewals.measureDisk(in: folder, report: &report)
        print("renewals in process, \(width) at a time")
        try await Renewals.measureInProcess(in: folder, report: &report)
        print("renewals over HTTP, \(width) connections, server in a process of its own")
        try await Renewals.measureServed(in: folder, report: &report)
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }

    private static func value(after name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
    }
}
