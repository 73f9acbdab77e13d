// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchIdentity
import ServedIdentity

/// Measures what honest users notice of a flood: messages that expand, requests that hold memory, invented keys, sign-ups.
///
/// The served instance is this program started again with `--serve FOLDER`; its limits are so wide that the rest of its
/// defences is measured. With `--minutes N` it measures all at the same time instead, next to honest users:
/// `MixedAbuse`.
@main
struct BenchAbuse {
    static func main() async throws {
        if let folder = value(after: "--serve") {
            var configuration = IdentityConfiguration()
            if let url = value(after: "--smtp") {
                // A mixed run has the limits that a server has by default.
                configuration.smtpURL = url
                let port = value(after: "--port").flatMap { Int($0) } ?? 0
                return try await ServerProcess.run(in: folder, configuration: configuration, port: port)
            }
            configuration.tokenLimitPerMinute = 10_000_000
            configuration.loginLimitPerMinute = 1_000_000
            configuration.signUpLimitPerHour = 1_000_000
            return try await ServerProcess.run(in: folder, configuration: configuration)
        }
        if let folder = value(after: "--keys") { return try await KeyFlood.run(in: folder) }
        var report = Report()
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-abuse-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let minutes = value(after: "--minutes").flatMap { Double($0) }
        if let minutes {
            try await MixedAbuse.measure(minutes: minutes, in: try subfolder("mixed", of: folder), report: &report)
            return report.finish(isChecking: CommandLine.arguments.contains("--check"))
        }
        print("ten connections that send messages of 4 KB that expand to 4 MB")
        var served = try start(in: folder, "times")
        try await ExpansionFlood.measureResponseTimes(served, report: &report)
        try served.stop()
        print("128 requests at the same time that hold what they expand to")
        served = try start(in: folder, "memory")
        try await ExpansionFlood.measureMemory(served, report: &report)
        try served.stop()
        print("a million keys of rate limits")
        try await KeyFlood.measure(in: try subfolder("keys", of: folder), report: &report)
        print("sign-ups from 64 connections")
        served = try start(in: folder, "sign-ups")
        try await SignUpFlood.measure(served, report: &report)
        try served.stop()
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }

    /// Starts a server process with a store of its own.
    private static func start(in folder: URL, _ name: String) throws -> ServerProcess {
        try ServerProcess.start(in: try subfolder(name, of: folder))
    }

    private static func subfolder(_ name: String, of folder: URL) throws -> URL {
        let subfolder = folder.appending(path: name)
        try FileManager.default.createDirectory(at: subfolder, withIntermediateDirectories: true)
        return subfolder
    }

    private static func value(after name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
    }
}
