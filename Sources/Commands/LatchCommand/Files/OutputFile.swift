// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A file that the command line names, to be made.
package enum OutputFile {
    /// Makes a file for its owner alone, as a whole; one that is there already is not touched.
    ///
    /// - Throws: `CommandError.failed` with the system's reason.
    package static func create(_ path: String, _ bytes: [UInt8]) throws(CommandError) {
        let file = AtomicFile(path)
        let isThere: Bool
        do { isThere = try file.read() != nil } catch { throw failure(path, error) }
        guard !isThere else {
            throw .failed("'\(path)' is there already.", hint: "Remove it, or choose another name.")
        }
        do { try file.replace(with: bytes) } catch { throw failure(path, error) }
    }

    private static func failure(_ path: String, _ failure: FileFailure) -> CommandError {
        .failed(
            "'\(path)' cannot be written: \(failure.description)", hint: "Choose a place that this user may write to.")
    }
}
