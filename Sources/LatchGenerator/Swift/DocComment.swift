// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// What a comment of a .proto file says, as the lines of a documentation comment.
package enum DocComment {
    /// The lines without the space that follows the slashes, and without empty ones in front and behind.
    ///
    /// Lines that speak to linters (`buf:lint:ignore`, `@generated` and the like) are left out.
    package static func lines(of text: some StringProtocol) -> [Substring] {
        let split = String(text).utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var lines = split.map(Substring.init).map { line in
            var line = Substring(line)
            if line.first == " " { line = line.dropFirst() }
            while let last = line.last, last.isWhitespace { line.removeLast() }
            return line
        }
        lines.removeAll { line in directives.contains { line.hasPrefix($0) } }
        lines = Array(lines.drop { $0.isEmpty })
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static let directives = ["buf:lint:ignore", "buf:breaking:ignore", "nolint", "@exclude", "-- api-linter:"]
}

extension Comments {
    /// What stands above a declaration, or behind it, as text for a documentation comment; nil where neither is there.
    package var documentation: String? {
        let parts = [leading, trailing].compactMap { $0 }.map { DocComment.lines(of: $0) }.filter { !$0.isEmpty }
        guard !parts.isEmpty else { return nil }
        return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }
}
