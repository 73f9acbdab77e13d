// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchCore

/// A process of `latch serve` with a store and a mailbox of its own, on a free port of 127.0.0.1.
///
/// The program is the one that was built beside the tests. The process ends with the last reference to it.
public final class ServedLatch: Sendable {
    /// What keeps the server from running.
    public struct Failure: Error, CustomStringConvertible {
        /// What happened, with what the process wrote to its standard error.
        public let description: String
    }

    /// The address that the process printed.
    public let url: URL
    /// The folder of the store and of the mails, kept when the process ends.
    public let folder: String
    /// Behind a lock, since Foundation's process is no value and two tests may end it.
    private let process: Lock<Process>

    /// Starts the server and waits until it serves.
    ///
    /// - Parameters:
    ///   - folder: Holds `identity.sqlite` and `mails/`.
    ///   - environment: Further settings, such as `LATCH_ACCESS_TOKEN_LIFETIME`.
    ///   - listen: Where to listen; a port of 0 picks a free one.
    public static func start(
        in folder: String, environment: [String: String] = [:], listen: String = "127.0.0.1:0"
    ) async throws -> ServedLatch {
        try await offThePool { try ServedLatch(in: folder, environment: environment, listen: listen) }
    }

    /// Blocks until the server serves or has ended.
    ///
    /// Passwords are hashed with the least that Argon2 allows: these tests are not about its cost.
    private init(in folder: String, environment: [String: String], listen: String) throws {
        let process = Process()
        process.executableURL = try Self.program()
        process.arguments = ["serve", "--listen", listen, "--store", "sqlite:\(folder)/identity.sqlite"]
        let base = [
            "LATCH_MAIL_DIRECTORY": "\(folder)/mails", "LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1",
            "LATCH_HOME": folder,
        ]
        process.environment = base.merging(environment) { _, new in new }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // One line is printed once connections are accepted; the end of the pipe means that the process has gone.
        let line = Self.firstLine(of: output.fileHandleForReading)
        guard let address = line?.split(separator: " ").last, line?.hasPrefix("latch: serving ") == true,
            let url = URL(string: String(address))
        else {
            process.terminate()
            process.waitUntilExit()
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            throw Failure(description: "latch serve does not serve: \(said)")
        }
        self.url = url
        self.folder = folder
        self.process = Lock(process)
    }

    deinit { end() }

    /// Ends the process as a machine that loses its power does.
    public func kill() async throws { try await offThePool { self.end() } }

    /// Kills and reaps, so that no process is left behind as a zombie; harmless when it has ended.
    private func end() {
        process.withLock { process in
            guard process.isRunning else { return }
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// Asks the process to end, as an operator does.
    ///
    /// - Returns: Its exit status.
    public func terminate() async throws -> Int32 {
        try await offThePool {
            self.process.withLock { process in
                process.terminate()
                process.waitUntilExit()
                return process.terminationStatus
            }
        }
    }

    /// The text of the newest mail that contains `words`; nil where there is none yet.
    public func mail(containing words: String) throws -> String? {
        let mails = "\(folder)/mails"
        let names =
            FileManager.default.fileExists(atPath: mails)
            ? try FileManager.default.contentsOfDirectory(atPath: mails) : []
        return try names.sorted().reversed().lazy
            .map { try String(contentsOfFile: "\(mails)/\($0)", encoding: .utf8) }
            .first { $0.contains(words) }
    }

    /// The `latch` that was built beside the running test bundle.
    public static func program() throws -> URL {
        let tests = URL(fileURLWithPath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        let candidates = [tests.deletingLastPathComponent(), Bundle.main.bundleURL]
        let program = candidates.map { $0.appendingPathComponent("latch") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let program else { throw Failure(description: "latch was not built beside \(tests.path)") }
        return program
    }

    /// Byte by byte, since what follows the line belongs to nobody; nil at the end of the pipe.
    private static func firstLine(of file: FileHandle) -> String? {
        var bytes: [UInt8] = []
        while let byte = file.readData(ofLength: 1).first {
            if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}
