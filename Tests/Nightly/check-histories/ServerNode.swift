// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProcess
import Synchronization

/// A process of `latch serve`, which starts again at its own address after each kill.
final class ServerNode: Sendable {
    /// A server that does not serve, or does not end; the reason stands in its file of errors.
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// The time within which a server starts, and ends.
    private static let limit = Duration.seconds(60)

    /// The place of the program, its arguments without the address, and its settings.
    struct Program: Sendable {
        let path: String
        let store: String
        let settings: [String: String]
        let errors: String
        /// The variables of what its machine does wrong.
        var machine: [String: String] = [:]
        /// The date of its machine; nil for the right one.
        var clock: NodeClock?
    }

    let url: URL
    private let program: Program
    private let process: Mutex<ChildProcess>

    /// Starts a process at a free port.
    ///
    /// - Parameter host: The address to listen at, whose ports no other program takes between two starts.
    init(_ program: Program, at host: String) async throws {
        let (first, url) = try await Self.start(program, listen: "\(host):0")
        self.program = program
        self.url = url
        process = Mutex(first)
    }

    private static func start(_ program: Program, listen: String) async throws -> (ChildProcess, URL) {
        let process = try ChildProcess.start(
            program.path, ["serve", "--listen", listen, "--store", program.store],
            environment: program.settings.merging(program.machine) { $1 },
            errors: .file(program.errors))
        let line = await limited(process) { await process.line() }
        guard let line, line.hasPrefix("latch: serving "), let address = line.split(separator: " ").last,
            let url = URL(string: String(address))
        else {
            process.kill()
            await process.end()
            throw Failure(description: "latch serve does not serve, see \(program.errors)")
        }
        return (process, url)
    }

    /// Waits for what a process does next, and kills one that takes too long.
    private static func limited<Result>(_ process: ChildProcess, _ next: () async -> Result) async -> Result {
        let limit = Task {
            try await Task.sleep(for: Self.limit)
            process.kill()
        }
        defer { limit.cancel() }
        return await next()
    }

    /// Sends SIGKILL, or SIGTERM for an end that serves what was begun, and starts the next process.
    func restart(gracefully: Bool = false) async throws {
        let last = process.withLock { $0 }
        if gracefully { last.terminate() } else { last.kill() }
        if await Self.limited(last, { await last.end() }) != .exited(0), gracefully {
            throw Failure(description: "latch serve does not end well, see \(program.errors)")
        }
        let (next, _) = try await Self.start(program, listen: "\(url.host() ?? ""):\(url.port ?? 0)")
        process.withLock { $0 = next }
    }

    /// Sets the date of its machine, wrong by some seconds.
    func setDate(wrongBy seconds: Int) throws { try program.clock?.set(seconds: seconds) }

    /// Sends SIGSTOP, and SIGCONT some time later.
    func pause(for time: Duration) async throws {
        let stopped = process.withLock { $0 }
        stopped.send(SIGSTOP)
        try await Task.sleep(for: time)
        stopped.send(SIGCONT)
    }

    /// Checks the audit log of its store by a command of the same machine; returns what the command says against it.
    func auditProblem() async throws -> String? {
        let (ending, output) = try await ChildProcess.run(
            program.path, ["admin", "audit", "verify", "--store", program.store],
            environment: program.settings, errors: .joined)
        return ending == .exited(0) ? nil : String(decoding: output, as: UTF8.self)
    }

    func end() async {
        let last = process.withLock { $0 }
        last.kill()
        await last.end()
    }
}
