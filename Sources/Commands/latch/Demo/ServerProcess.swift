// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchProcess
import Synchronization

/// `latch serve` as a process of its own, which can be killed and started again on the same port and file.
final class ServerProcess: Sendable {
    /// `isOver` forbids a further start: an interrupt must not be outrun by a step that restarts the server.
    private struct State {
        var process: ChildProcess?
        var url: String?
        var isOver = false
    }

    private let folder: DemoFolder
    /// What every process of the demonstration inherits: nothing of the caller's settings.
    let inherited: [String: String]
    /// The whole environment of the child, in which no setting of the caller is left: the demonstration is the same
    /// everywhere.
    private let environment: [String: String]
    private let state = Mutex(State())

    /// A server that does not run yet.
    ///
    /// - Parameter environment: What the server inherits, without settings of its own.
    init(in folder: DemoFolder, environment: [String: String]) {
        self.folder = folder
        inherited = environment.filter { !$0.key.hasPrefix("LATCH_") }
        self.environment = inherited.merging(Self.settings(folder)) { $1 }
    }

    /// Starts it, and waits until it accepts connections.
    ///
    /// - Returns: Its URL.
    ///
    /// - Throws: `DemoFailure` with what it said, where it did not start, started elsewhere than before, or the run is
    ///   over.
    @discardableResult
    func start() async throws -> String {
        let last = state.withLock { $0.url }
        let process = try state.withLock { state throws in
            guard !state.isOver else { throw DemoFailure("the demonstration is over") }
            let process = try spawn(listen: last.map { String($0.dropFirst("http://".count)) } ?? "127.0.0.1:0")
            state.process = process
            return process
        }
        guard let line = await process.line(), line.hasPrefix("latch: serving http://127.0.0.1:") else {
            throw DemoFailure("the server did not start: \(folder.text("server.log"))")
        }
        let url = String(line.dropFirst("latch: serving ".count))
        try expect(last == nil || last == url, "the server started at another address than before")
        state.withLock { $0.url = url }
        return url
    }

    /// Its id as the system knows it.
    var id: Int { state.withLock { $0.process.map { Int($0.id) } ?? 0 } }

    /// Kills it (SIGKILL) and waits until it is gone.
    ///
    /// - Throws: `DemoFailure` where something else had ended it before, since the step then showed nothing.
    func kill() async throws {
        let process = state.withLock { $0.process }
        process?.kill()
        let ending = await process?.end()
        try expect(ending == .killed(by: 9), "the server ended by itself: \(folder.text("server.log"))")
    }

    /// Asks it to end (SIGTERM).
    ///
    /// - Returns: Its exit code; nil where a signal ended it.
    func terminate() async -> Int32? {
        let process = state.withLock { $0.process }
        process?.terminate()
        guard case .exited(let code) = await process?.end() else { return nil }
        return code
    }

    /// Makes it read its configuration again (SIGHUP), and waits until it has.
    ///
    /// It reads the server's log every 5 ms for at most half a minute: there is no other sign by which a caller could know.
    func reload() async throws {
        let before = folder.text("server.log").count
        state.withLock { $0.process?.hangUp() }
        for _ in 0..<6000 {
            if folder.text("server.log").dropFirst(before).contains("have been read again") { return }
            try await WallClock.system.sleep(for: .milliseconds(5))
        }
        throw DemoFailure("the server did not read its configuration again within half a minute")
    }

    /// Whether it was ended for good.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Ends it for good, however it is, and lets no other start; may be called more than once.
    func finish() async {
        let process = state.withLock { state in
            state.isOver = true
            return state.process
        }
        process?.kill()
        await process?.end()
    }

    /// Starts the process, which need not listen yet.
    private func spawn(listen: String) throws -> ChildProcess {
        do throws(FileFailure) {
            return try ChildProcess.start(
                currentProgram, arguments(listen: listen), environment: environment,
                errors: .file(folder.path("server.log")))
        } catch {
            throw DemoFailure("the server could not be started: \(error)")
        }
    }

    /// The call, as a person would type it.
    private func arguments(listen: String) -> [String] {
        [
            "serve", "--listen", listen, "--store", "sqlite:" + folder.path("identity.sqlite"), "--config",
            folder.path("latch.toml"),
        ]
    }

    /// What a developer would set: mails as files, and hashes that cost little.
    private static func settings(_ folder: DemoFolder) -> [String: String] {
        [
            "LATCH_MAIL_DIRECTORY": folder.path("mails"), "LATCH_REQUIRE_VERIFIED_EMAIL": "true",
            "LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1",
        ]
    }
}
