// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess

/// The `openssl` command of the machine: a second reader and writer of keys and signatures, in a process of its own.
///
/// Each value has a folder, in which the command runs and which goes with the value; names of files are relative to it.
public final class OpenSSLCommand: Sendable {
    /// What a command printed on its standard output, and how it ended.
    public struct Answer: Sendable {
        /// Whether the command ended with 0.
        public let isSuccess: Bool
        /// The bytes of its standard output.
        public let output: [UInt8]

        /// The output as text.
        public var text: String { String(decoding: output, as: UTF8.self) }
    }

    private let program: URL
    private let folder: URL

    /// What a skipped suite says.
    public static let hint = "install the openssl command"

    /// Whether the machine has the command.
    public static var isPresent: Bool { location != nil }

    /// The command, in a fresh folder.
    public init() throws {
        guard let program = Self.location else { throw CocoaError(.fileNoSuchFile) }
        self.program = program
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-openssl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs the command with these arguments and nothing on its standard input.
    @discardableResult
    public func run(_ arguments: String...) async throws -> Answer { try await run(arguments) }

    /// Runs the command with a list of arguments and nothing on its standard input.
    @discardableResult
    public func run(_ arguments: [String]) async throws -> Answer {
        let (ending, output) = try await ChildProcess.run(program.path, arguments, in: folder.path)
        return Answer(isSuccess: ending == .exited(0), output: output)
    }

    /// Puts a file into the folder.
    public func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    /// Reads a file of the folder.
    public func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

    /// Reads a text of the folder, such as PEM.
    public func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

    private static let location: URL? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        return path.split(separator: ":").map { URL(filePath: "\($0)/openssl") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
