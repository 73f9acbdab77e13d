// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

/// The `latch` that was built together with the tests, run as a person would run it.
struct BuiltProgram {
    /// The output and the ending of a call.
    struct Outcome {
        let output: [String]
        let error: [String]
        let ending: ChildProcess.Termination
    }

    /// The folder of the test bundle, which is also that of the program.
    static let folder = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
        .joined(separator: "/")
    static let path = folder + "/latch"

    /// Settings of a server whose log has no line of what is slow: a disk that is busy with other tests is no finding.
    static let unhurried = ["LATCH_SLOW_QUERY_MS": "0", "LATCH_SLOW_REQUEST_MS": "0"]

    /// This process's environment without settings of ours, and with others in their place.
    static func environment(_ own: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LATCH_") }.merging(own) { $1 }
    }

    /// Runs it to its end, in a temporary folder.
    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Outcome {
        try await withTemporaryFolder { folder in
            let process = try start(arguments, in: folder, environment: environment)
            return await outcome(of: process, in: folder)
        }
    }

    /// Starts it, with standard error in the file `error` of `folder`.
    static func start(
        _ arguments: [String], in folder: String, environment own: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess.start(
            path, arguments, environment: environment(unhurried.merging(own) { $1 }), errors: .file(folder + "/error"))
    }

    /// Waits for the end of a process and collects what it said.
    static func outcome(of process: ChildProcess, in folder: String) async -> Outcome {
        var output: [String] = []
        while let line = await process.line() { output.append(line) }
        let ending = await process.end()
        return Outcome(output: output, error: lines(of: folder + "/error"), ending: ending)
    }

    static func lines(of path: String) -> [String] {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        return lines.map(String.init)
    }

    /// Runs `body` with a served process and its URL, and ends the process afterwards, whatever happened.
    static func serving<Result: Sendable>(
        _ arguments: [String] = [], in folder: String, environment: [String: String] = [:],
        _ body: (_ process: ChildProcess, _ url: String) async throws -> Result
    ) async throws -> Result {
        let process = try start(
            ["serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(folder)/latch.sqlite"] + arguments, in: folder,
            environment: environment.merging(["LATCH_MAIL_DIRECTORY": folder + "/mails", "LATCH_ACCESS_LOG": "off"]) {
                own, _ in own
            })
        let outcome: Swift.Result<Result, any Error>
        do {
            let line = try #require(await process.line(), "\(lines(of: folder + "/error"))")
            outcome = .success(try await body(process, String(line.dropFirst("latch: serving ".count))))
        } catch {
            outcome = .failure(error)
        }
        process.kill()
        await process.end()
        return try outcome.get()
    }
}
