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
        var served = try start()
        try await ExpansionFlood.measureResponseTimes(served, report: &report)
        try served.stop()
        print("128 requests at once that hold what they expand to")
        served = try start()
        try await ExpansionFlood.measureMemory(served, report: &report)
        try served.stop()
        print("a million keys of rate limits")
        try await KeyFlood.measure(report: &report)
        print("sign-ups from 64 connections")
        served = try start()
        try await SignUpFlood.measure(served, report: &report)
        try served.stop()
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }

    /// Starts a server process with a store of its own.
    private static func start() throws -> ServerProcess { try ServerProcess.start(in: try temporaryFolder()) }

    static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-abuse-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func value(after name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
    }
}
