// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProcess

/// The C libraries of Tests/Peers that change what processes see of their machine.
enum PreloadedLibrary {
    /// A library that cannot be compiled, or has no effect.
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Compiles a source file into a folder, and returns the library's path.
    static func compile(_ name: String, in folder: String) async throws -> String {
        let source = URL(filePath: #filePath).appending(path: "../../../Peers/\(name).c").standardized
        let path = "\(folder)/\(source.deletingPathExtension().lastPathComponent).so"
        let (ending, output) = try await ChildProcess.run(
            "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", path, source.path], errors: .joined)
        guard ending == .exited(0) else { throw Failure(description: String(decoding: output, as: UTF8.self)) }
        return path
    }
}
