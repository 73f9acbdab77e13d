// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchProcess
import SampleResource
import Synchronization

/// `latch serve` in a separate process, which can be killed and started again on the same port and file.
final class ServerProcess: Sendable {
    /// The state; `isOver` prevents another start, so that no step restarts the server after an interrupt.
    private struct State {
        var process: ChildProcess?
        var url: String?
        var isOver = false
    }

    private let folder: DemoDirectory
    /// The address to listen on: 127.0.0.1, or another loopback address if other programs take ports in the meantime.
    private let host: String
    /// The variables that every child process inherits, without the caller's settings.
    let inherited: [String: String]
    /// The complete environment of the server.
    private let environment: [String: String]
    private let state = Mutex(State())

    /// Creates a server without starting it.
    ///
    /// - Parameter environment: The caller's variables; `LATCH_DEMO_HOST` is the address to listen on.
    init(in folder: DemoDirectory, environment: [String: String]) {
        self.folder = folder
        inherited = environment.filter { !$0.key.hasPrefix("LATCH_") }
        host = environment["LATCH_DEMO_HOST"] ?? "127.0.0.1"
        // A development server: emails as files, cheap hashes, no access log, and no warnings about slow requests and
        // statements.
        let settings = [
            "LATCH_MAIL_DIRECTORY": folder.path("mails"), "LATCH_REQUIRE_VERIFIED_EMAIL": "true",
            "LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1", "LATCH_ACCESS_LOG": "off",
            "LATCH_SCOPES": SampleResource.scopes.text, "LATCH_DEFAULT_SCOPES": SampleResource.defaultScopes.text,
            "LATCH_SLOW_QUERY_MS": "0", "LATCH_SLOW_REQUEST_MS": "0",
        ]
        self.environment = inherited.merging(settings) { $1 }
    }

    /// Starts the server, and waits until it accepts connections.
    ///
    /// - Returns: The server's URL.
    ///
    /// - Throws: `DemoFailure` if it does not start, starts at another address than before, or the run is over.
    @discardableResult
    func start() async throws -> String {
        let last = state.withLock { $0.url }
        let process = try state.withLock { state throws in
            guard !state.isOver else { throw DemoFailure("the demonstration has ended") }
            let process = try spawn(listen: last.map { String($0.dropFirst("http://".count)) } ?? "\(host):0")
            state.process = process
            return process
        }
        guard let line = await process.line(), line.hasPrefix("latch: serving http://\(host):") else {
            throw DemoFailure("the server did not start: \(folder.text("server.log"))")
        }
        let url = String(line.dropFirst("latch: serving ".count))
        try expect(last == nil || last == url, "the server started at another address than before")
        state.withLock { $0.url = url }
        return url
    }

    /// The process ID.
    var id: Int { state.withLock { $0.process.map { Int($0.id) } ?? 0 } }

    /// Kills the server (SIGKILL) and waits until it has ended.
    ///
    /// - Throws: `DemoFailure` if it had already ended.
    func kill() async throws {
        let process = state.withLock { $0.process }
        process?.kill()
        let ending = await process?.end()
        try expect(ending == .killed(by: 9), "the server ended by itself: \(folder.text("server.log"))")
    }

    /// Sends SIGTERM and waits until the server has ended.
    ///
    /// - Returns: The exit code; nil if a signal ended the server.
    func terminate() async -> Int32? {
        let process = state.withLock { $0.process }
        process?.terminate()
        guard case .exited(let code) = await process?.end() else { return nil }
        return code
    }

    /// Sends SIGHUP and waits until the server's log confirms the reload, for at most half a minute.
    func reload() async throws {
        let before = folder.text("server.log").count
        state.withLock { $0.process?.hangUp() }
        try await wait(for: "the server did not read its configuration again") {
            folder.text("server.log").dropFirst(before).contains("have been read again") ? () : nil
        }
    }

    /// Whether the run is over.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Kills the server and prevents another start; can be called more than once.
    func finish() async {
        let process = state.withLock { state in
            state.isOver = true
            return state.process
        }
        process?.kill()
        await process?.end()
    }

    /// Starts the process without waiting for it.
    private func spawn(listen: String) throws -> ChildProcess {
        let program = try Executable.sibling(named: "latch")
        do throws(FileError) {
            return try ChildProcess.start(
                program,
                [
                    "serve", "--listen", listen, "--store", "sqlite:" + folder.path("identity.sqlite"), "--config",
                    folder.path("latch.toml"),
                ], environment: environment, errors: .file(folder.path("server.log")))
        } catch {
            throw DemoFailure("the server could not be started: \(error)")
        }
    }
}
