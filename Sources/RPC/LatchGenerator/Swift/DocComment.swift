// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// What a comment of a .proto file says, as the lines of a documentation comment.
package enum DocComment {
    /// The lines without the space that follows the slashes, and without empty ones in front and behind.
    ///
    /// Lines that speak to linters (`buf:lint:ignore`, `@generated` and the like) are left out.
    package static func lines(of text: String) -> [Substring] {
        var (text, lines) = (text, [Substring]())
        // Of a native text, whose indices are places of bytes.
        let ranges = text.withUTF8 { bytes in
            var ranges: [Range<Int>] = []
            each(in: bytes) { ranges.append($0) }
            return ranges
        }
        lines.reserveCapacity(ranges.count)
        let utf8 = text.utf8
        for range in ranges {
            let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
            lines.append(text[start..<utf8.index(start, offsetBy: range.count)])
        }
        return lines
    }

    /// Gives the lines as ranges of the text's bytes.
    static func each(in bytes: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Void) {
        var (start, hasBegun, emptyLines) = (0, false, 0)
        while start <= bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            let line = trimmed(start..<end, of: bytes)
            start = end + 1
            guard !isDirective(line, of: bytes) else { continue }
            guard !line.isEmpty else {
                if hasBegun { emptyLines += 1 }
                continue
            }
            while emptyLines > 0 {
                body(line.lowerBound..<line.lowerBound)
                emptyLines -= 1
            }
            hasBegun = true
            body(line)
        }
    }

    /// A line without one space in front and without white space behind.
    private static func trimmed(_ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        if start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
        while start < end, bytes[end - 1] == UInt8(ascii: " ") || (0x09...0x0D).contains(bytes[end - 1]) { end -= 1 }
        guard start < end, bytes[end - 1] >= 0x80 else { return start..<end }
        // White space of other scripts may stand there.
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        let rest = line.reversed().drop(while: \.isWhitespace)
        return start..<(start + rest.reduce(0) { $0 + $1.utf8.count })
    }

    private static func isDirective(_ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        directives.contains { bytes[range].starts(with: $0) }
    }

    private static let directives = [
        "buf:lint:ignore", "buf:breaking:ignore", "nolint", "@exclude", "-- api-linter:",
    ].map { Array($0.utf8) }
}

extension Comments {
    /// What stands above a declaration, or behind it, as text for a documentation comment; nil where neither is there.
    package var documentation: String? {
        guard leading != nil || trailing != nil else { return nil }
        let parts = [leading, trailing].compactMap { $0 }.map { DocComment.lines(of: $0) }.filter { !$0.isEmpty }
        guard !parts.isEmpty else { return nil }
        return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }
}
