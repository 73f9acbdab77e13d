// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch
@testable import latch_demo

/// The home folder of one user on a device, and calls of the command in it.
struct CommandHome: Sendable {
    static let password = "a horse walks into a library"

    let folder: String
    /// The folder of the accounts.
    var path: String { folder + "/home" }

    /// Runs `body` with a home in a new folder.
    static func with<Result: Sendable>(_ body: (CommandHome) async throws -> Result) async throws -> Result {
        try await withTemporaryFolder { folder in try await body(CommandHome(folder: folder)) }
    }

    /// Runs the command to its end.
    ///
    /// - Parameter input: What is piped in; nothing at all by default.
    func latch(
        _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
    ) async throws -> BuiltProgram.Outcome {
        let process = try start(arguments, input: input, environment: environment)
        return await process.outcome()
    }

    /// A call that has begun, with files of its own.
    struct Call: Sendable {
        let process: ChildProcess
        let folder: String

        func outcome() async -> BuiltProgram.Outcome { await BuiltProgram.outcome(of: process, in: folder) }
    }

    /// Begins a call without waiting for its end.
    func start(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> Call {
        let call = "\(folder)/call-\(RandomSource.system.identifier())"
        try FileManager.default.createDirectory(atPath: call, withIntermediateDirectories: true)
        let own = BuiltProgram.environment(["LATCH_HOME": path].merging(environment) { _, new in new })
        guard let input else {
            let process = try ChildProcess.start(
                BuiltProgram.path, arguments, environment: own, in: call, errors: .file("\(call)/error"))
            return Call(process: process, folder: call)
        }
        try Data(input.utf8).write(to: URL(filePath: "\(call)/input"))
        let process = try ChildProcess.start(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" < input", BuiltProgram.path] + arguments, environment: own, in: call,
            errors: .file("\(call)/error"))
        return Call(process: process, folder: call)
    }

    /// Begins a call through a script of the shell, whose `$0` is the program.
    func start(through script: String) throws -> Call {
        let call = "\(folder)/call-\(RandomSource.system.identifier())"
        try FileManager.default.createDirectory(atPath: call, withIntermediateDirectories: true)
        let process = try ChildProcess.start(
            "/bin/sh", ["-c", script, BuiltProgram.path], environment: BuiltProgram.environment(["LATCH_HOME": path]),
            in: call, errors: .file("\(call)/error"))
        return Call(process: process, folder: call)
    }

    /// Begins a call on a terminal, which has its input and its standard error; only results are in its output.
    ///
    /// - Parameter isWhole: Whether the terminal has the output too.
    func start(
        on terminal: PseudoTerminal, _ arguments: [String], environment: [String: String] = [:], isWhole: Bool = false
    ) throws -> Call {
        let call = "\(folder)/call-\(RandomSource.system.identifier())"
        try FileManager.default.createDirectory(atPath: call, withIntermediateDirectories: true)
        let own = ["LATCH_HOME": path, "TERMINAL": terminal.path, "LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "80"]
        let output = isWhole ? #" > "$TERMINAL""# : ""
        let process = try ChildProcess.start(
            "/bin/sh",
            ["-c", #"exec setsid --ctty "$0" "$@" < "$TERMINAL" 2> "$TERMINAL""# + output, BuiltProgram.path]
                + arguments,
            environment: BuiltProgram.environment(own.merging(environment) { _, new in new }), in: call,
            errors: .file("\(call)/error"))
        return Call(process: process, folder: call)
    }

    /// Signs in, and expects that to succeed.
    func login(_ name: String, at issuer: String, scope: String? = nil) async throws {
        let arguments =
            ["login", "--issuer", issuer, "--account", name, "--password-stdin"]
            + (scope.map { ["--scope", $0] } ?? [])
        let outcome = try await start(arguments, input: Self.password).outcome()
        expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
    }

    /// The accounts as the command lists them.
    func accounts() async throws -> [JSONValue] {
        let outcome = try await latch("accounts", "--json")
        expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
        return try JSONValue(parsing: outcome.output.joined()).arrayValue ?? []
    }

    /// Whether a text stands in a file of the home, or in what a call left behind.
    func holds(_ text: String) throws -> Bool {
        try FileManager.default.subpathsOfDirectory(atPath: folder).contains { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)")?.firstRange(of: Data(text.utf8)) != nil
        }
    }
}

extension ServedLatch {
    /// An account with the password that the command is given.
    func signUp(_ name: String) async throws {
        let client = Client(baseURL: url)
        let body = JSONValue.object(["email": .string(name), "password": .string(CommandHome.password)])
        let request = try client.request(
            .post, "auth/signup", fields: [.contentType: "application/json"], body: HTTPBody(body.serialized()))
        try await client.respond(to: request).requireSuccess()
    }

    /// Returns the number of refreshes.
    func renewals() async throws -> Int { try await ServerMetrics(readingFrom: url).refreshes }
}
