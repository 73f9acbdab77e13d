// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchProcess

/// A process of Tests/Peers/AuthPackage/backend.py: an auth service with what AuthPackage's guide says, and nothing beyond it.
///
/// It ends with the last reference to it.
public final class DocumentBackend: Sendable {
    /// An error that keeps the backend from running.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason, with what the process wrote.
        public let description: String
    }

    /// The base URL.
    public let url: URL
    private let process: ChildProcess

    /// Starts the backend and waits until it serves; it needs `python3`.
    public init() async throws {
        let program = URL(filePath: #filePath).appending(path: "../../../Peers/AuthPackage/backend.py").standardized
        process = try ChildProcess.start("/usr/bin/env", ["python3", program.path], errors: .joined)
        guard let line = await process.line(), let url = URL(string: "http://127.0.0.1:\(line)"), Int(line) != nil
        else {
            process.kill()
            throw Failure(
                description: "backend.py does not serve: \(String(decoding: await process.rest(), as: UTF8.self))")
        }
        self.url = url
    }

    deinit { process.terminate() }
}
