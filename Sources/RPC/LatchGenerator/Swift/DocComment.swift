// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A conversion of .proto comments to documentation comments.
enum DocComment {
    /// Returns the text of a comment, with the lines that `each` finds.
    static func text(of comment: String) -> String {
        var (comment, result) = (comment, [UInt8]())
        comment.withUTF8 { bytes in
            each(in: bytes) {
                result += bytes[$0]
                result.append(UInt8(ascii: "\n"))
            }
        }
        return String(decoding: result.dropLast(), as: UTF8.self)
    }

    /// Calls a closure with each line as a range of the text's bytes, without the leading space.
    ///
    /// It omits empty lines at both ends, and directives for linters (`buf:lint:ignore`, `@generated` and similar
    /// ones).
    static func each(in bytes: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Void) {
        var (start, hasBegun, emptyLines) = (0, false, 0)
        while start <= bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), bytes[end] != UInt8(ascii: "\r") { end += 1 }
            let line = trimmed(start..<end, of: bytes)
            let isPair =
                end + 1 < bytes.count && bytes[end] == UInt8(ascii: "\r") && bytes[end + 1] == UInt8(ascii: "\n")
            start = end + (isPair ? 2 : 1)
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

    /// Returns a line without one leading space and without trailing whitespace.
    private static func trimmed(_ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        if start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
        while start < end, bytes[end - 1].isBlank { end -= 1 }
        guard start < end, bytes[end - 1] >= 0x80 else { return start..<end }
        // There may be Unicode whitespace outside ASCII.
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
    /// The leading and trailing comments of a declaration as documentation; nil without comments.
    var documentation: String? {
        guard leading != nil || trailing != nil else { return nil }
        let parts = [leading, trailing].compactMap(\.self).map(DocComment.text).filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
    }
}
