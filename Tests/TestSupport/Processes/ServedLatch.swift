// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchCore
import LatchProcess
import Synchronization

/// A process of `latch serve` with a store and a mailbox of its own, on a free port of 127.0.0.1.
///
/// The program is the one that was built beside the tests. The process ends with the last reference to it.
public final class ServedLatch: Sendable {
    /// An error that keeps the server from running.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason, with the standard error of the process.
        public let description: String
    }

    /// The address that the process printed.
    public let url: URL
    /// The folder of the store and of the mails, kept when the process ends.
    public let folder: String
    private let process: ChildProcess
    /// Keeps the port of a process that was killed from the servers of other tests.
    private let port = Mutex<RefusingPort?>(nil)

    /// Starts the server and waits until it serves.
    ///
    /// Passwords are hashed with the least that Argon2 allows: these tests are not about its cost.
    ///
    /// - Parameters:
    ///   - folder: Holds `identity.sqlite`, `mails/`, and `error`: what the process wrote to its standard error.
    ///   - environment: Further settings, such as `LATCH_ACCESS_TOKEN_LIFETIME`.
    ///   - listen: Where to listen; a port of 0 picks a free one.
    public static func start(
        in folder: String, environment: [String: String] = [:], listen: String = "127.0.0.1:0"
    ) async throws -> ServedLatch {
        let base = [
            "LATCH_MAIL_DIRECTORY": "\(folder)/mails", "LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1",
            "LATCH_HOME": folder, "LATCH_SLOW_QUERY_MS": "0", "LATCH_SLOW_REQUEST_MS": "0",
            "LATCH_SCOPES": "widgets:read widgets:write widgets:admin projects:read projects:write files:read",
            "LATCH_DEFAULT_SCOPES": "widgets:read widgets:write projects:read projects:write files:read",
        ]
        let process = try ChildProcess.start(
            try program().path, ["serve", "--listen", listen, "--store", "sqlite:\(folder)/identity.sqlite"],
            environment: base.merging(environment) { _, new in new }, errors: .file("\(folder)/error"))
        // One line is printed once connections are accepted; the end of the output means that the process has gone.
        let line = await process.line()
        guard let address = line?.split(separator: " ").last, line?.hasPrefix("latch: serving ") == true,
            let url = URL(string: String(address))
        else {
            process.kill()
            await process.end()
            let said = try String(contentsOfFile: "\(folder)/error", encoding: .utf8)
            throw Failure(description: "latch serve does not serve: \(said)")
        }
        return ServedLatch(url: url, folder: folder, process: process)
    }

    private init(url: URL, folder: String, process: ChildProcess) {
        self.url = url
        self.folder = folder
        self.process = process
    }

    deinit { process.kill() }

    /// Ends the process as a machine that loses its power does; connections are refused from then on.
    ///
    /// - Throws: `ServerError.portInUse` if another server was quicker.
    public func kill() async throws {
        process.kill()
        await process.end()
        let free = try RefusingPort(url.port ?? 0)
        port.withLock { $0 = free }
    }

    /// Asks the process to end, as an operator does.
    ///
    /// - Returns: Its exit status; nil where a signal ended it.
    public func terminate() async -> Int32? {
        process.terminate()
        guard case .exited(let code) = await process.end() else { return nil }
        return code
    }

    /// The text of the newest mail that contains `words`; nil where there is none yet.
    public func mail(containing words: String) throws -> String? {
        let mails = "\(folder)/mails"
        let names =
            FileManager.default.fileExists(atPath: mails)
            ? try FileManager.default.contentsOfDirectory(atPath: mails) : []
        return try names.filter { $0.hasSuffix(".eml") }.sorted().reversed().lazy
            .map { try String(contentsOfFile: "\(mails)/\($0)", encoding: .utf8) }
            .first { $0.contains(words) }
    }

    /// The `latch` that was built beside the running test bundle.
    public static func program() throws -> URL { try BuiltProgram.path("latch") }
}
