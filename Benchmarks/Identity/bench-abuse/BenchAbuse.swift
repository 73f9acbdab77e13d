// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchIdentity
import ServedIdentity

/// Measures what honest users notice of a flood: messages that expand, requests that hold memory, invented keys, sign-ups.
///
/// The served instance is this program started again with `--serve FOLDER`; its limits are so wide that the rest of its
/// defences is measured.
@main
struct BenchAbuse {
    static func main() async throws {
        if let folder = value(after: "--serve") {
            var configuration = IdentityConfiguration()
            configuration.tokenLimitPerMinute = 10_000_000
            configuration.loginLimitPerMinute = 1_000_000
            configuration.signUpLimitPerHour = 1_000_000
            return try await ServerProcess.run(in: folder, configuration: configuration)
        }
        if let folder = value(after: "--keys") { return try await KeyFlood.run(in: folder) }
        var report = Report()
        print("ten connections that send messages of 4 KB that expand to 4 MB")
        try await measure { try await ExpansionFlood.measureResponseTimes($0, report: &report) }
        print("128 requests at once that hold what they expand to")
        try await measure { try await ExpansionFlood.measureMemory($0, report: &report) }
        print("a million keys of rate limits")
        try await KeyFlood.measure(report: &report)
        print("sign-ups from 64 connections")
        try await measure { try await SignUpFlood.measure($0, report: &report) }
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }

    /// Runs `body` with a new server process.
    private static func measure(_ body: (ServerProcess) async throws -> Void) async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let served = try ServerProcess.start(in: folder)
        try await body(served)
        try served.stop()
    }

    static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-abuse-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func value(after name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
    }
}
