// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An input file that the command line names.
package enum InputFile {
    /// Returns the content of a file.
    ///
    /// - Throws: `CommandError.failed` with the system's reason.
    package static func bytes(
        _ path: String, hint: String = "Give a file that this user may read."
    ) throws(CommandError) -> [UInt8] {
        let reason: String
        do {
            if let content = try AtomicFile(path).read() { return content }
            reason = "there is no such file."
        } catch {
            reason = error.description
        }
        throw .failed("'\(path)' cannot be read: \(reason)", hint: hint)
    }
}

/// A new output file that the command line names.
package enum OutputFile {
    /// Creates a complete file that only its owner can read; an existing file is not changed.
    ///
    /// - Throws: `CommandError.failed` with the system's reason.
    package static func create(_ path: String, _ bytes: [UInt8]) throws(CommandError) {
        let file = AtomicFile(path)
        let exists: Bool
        do { exists = try file.read() != nil } catch { throw failure(path, error) }
        guard !exists else {
            throw .failed("'\(path)' is there already.", hint: "Remove it, or choose another name.")
        }
        do { try file.replace(with: bytes) } catch { throw failure(path, error) }
    }

    private static func failure(_ path: String, _ error: FileError) -> CommandError {
        .failed(
            "'\(path)' cannot be written: \(error.description)", hint: "Choose a place that this user may write to.")
    }
}
