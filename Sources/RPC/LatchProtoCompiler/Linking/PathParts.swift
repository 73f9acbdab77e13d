// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The non-empty parts of a path between its slashes.
    ///
    /// The path is split at Unicode scalars, as the file system does. A slash as a Character merges with a combining
    /// mark after it, and with some marks before it.
    package var pathParts: [String] { unicodeScalars.split(separator: "/").map { String($0) } }

    /// Whether a text contains ASCII control characters.
    ///
    /// For the system, a path with U+0000 is a shorter path. A path with a line feed is two paths in a list of files.
    package var hasControls: Bool { utf8.contains { $0 < 0x20 || $0 == 0x7F } }

    /// Whether a path is relative, and has neither control characters nor a part that is empty, `.` or `..`.
    package var isCanonicalPath: Bool {
        !hasControls
            && unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
                !["", ".", ".."].contains(String($0))
            }
    }
}
