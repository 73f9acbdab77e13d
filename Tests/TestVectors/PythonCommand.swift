// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess

/// The `python3` of the machine: a second implementation of digests and codes, in a process of its own.
public enum PythonCommand {
    /// What a skipped suite says.
    public static let hint = "install python3"

    /// Whether the machine has the command.
    public static var isPresent: Bool { location != nil }

    /// Runs a program with a file that holds `input` as its only argument, and gives what it prints.
    public static func run(_ program: String, input: String) async throws -> String {
        guard let location else { throw CocoaError(.fileNoSuchFile) }
        let file = FileManager.default.temporaryDirectory.appending(path: "latch-python-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (ending, output) = try await ChildProcess.run(location.path, ["-c", program, file.path])
        guard ending == .exited(0) else { throw CocoaError(.executableLoad) }
        return String(decoding: output, as: UTF8.self)
    }

    private static let location: URL? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        return path.split(separator: ":").map { URL(filePath: "\($0)/python3") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
