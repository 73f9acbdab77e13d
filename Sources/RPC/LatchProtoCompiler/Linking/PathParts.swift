// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The parts of a path between its slashes, without empty ones.
    ///
    /// They are split by scalars, as the file system does: as a Character a slash merges with a combining mark after it, and with some
    /// marks before it.
    package var pathParts: [String] { unicodeScalars.split(separator: "/").map { String($0) } }

    /// Whether a path is relative, and has no part that is empty, `.` or `..`.
    package var isCanonicalPath: Bool {
        unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
            !["", ".", ".."].contains(String($0))
        }
    }
}
