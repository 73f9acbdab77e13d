// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTesting

/// A script in a process of its own: a reader of our bytes that shares no code with us.
enum PythonScript {
    struct Failure: Error {
        let status: Int32
    }

    /// Runs a script to its end and gives what it prints.
    static func run(_ script: String, _ arguments: [String]) async throws -> [UInt8] {
        try await offThePool {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["python3", "-c", script] + arguments
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
            return bytes
        }
    }
}
