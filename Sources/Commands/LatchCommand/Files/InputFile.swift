// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A file that the command line names.
package enum InputFile {
    /// Its content.
    ///
    /// - Throws: `CommandError.failed` with the system's reason.
    package static func bytes(_ path: String) throws(CommandError) -> [UInt8] {
        let content: [UInt8]?
        do {
            content = try AtomicFile(path).read()
        } catch {
            throw .failed(
                "'\(path)' cannot be read: \(error.description)", hint: "Give a file that this user may read.")
        }
        guard let content else {
            throw .failed(
                "'\(path)' cannot be read: there is no such file.", hint: "Give a file that this user may read.")
        }
        return content
    }
}
