// SPDX-License-Identifier: Apache-2.0

/// A .proto file with its import name and its bytes.
package struct SourceFile: Sendable {
    /// The path relative to an include path, with `/` as separator.
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Returns a line without its newline; lines count from zero, and a missing line is empty.
    package func line(_ number: Int) -> ArraySlice<UInt8> { line(number, starts: lineStarts) }

    /// Returns a line, given the offsets of all lines.
    func line(_ number: Int, starts: [Int]) -> ArraySlice<UInt8> {
        guard starts.indices.contains(number) else { return [] }
        return bytes[starts[number]..<(number + 1 < starts.count ? starts[number + 1] - 1 : bytes.count)]
    }

    func bytes(of token: Token) -> ArraySlice<UInt8> { bytes[Int(token.start)..<Int(token.end)] }

    func text(of token: Token) -> String { String(decoding: bytes(of: token), as: UTF8.self) }

    /// The offsets of the first bytes of all lines.
    var lineStarts: [Int] {
        var starts = [0]
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        return starts
    }
}

/// A position in a source file.
///
/// Columns count bytes, and a tab advances to the next multiple of eight, as in protoc.
package struct SourcePosition: Sendable, Hashable, Comparable {
    package var line: Int32
    package var column: Int32

    package init(line: Int32, column: Int32) {
        self.line = line
        self.column = column
    }

    /// Whether the first position comes before the second.
    package static func < (one: SourcePosition, other: SourcePosition) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

/// A range of a source file, excluding the position at its end.
package struct SourceRange: Sendable, Hashable {
    package var start: SourcePosition
    /// The position after the last byte.
    package var end: SourcePosition

    package init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }
}
