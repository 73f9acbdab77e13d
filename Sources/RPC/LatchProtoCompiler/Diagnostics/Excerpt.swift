// SPDX-License-Identifier: Apache-2.0

/// The part of a line shown below a diagnostic, and the indentation of the caret below it.
///
/// A long line is cut to the part around the caret. Control characters, which a terminal would interpret, are replaced.
struct Excerpt {
    let text: String
    /// The whitespace as wide as the text before the caret; it keeps tabs.
    let indent: String

    /// The number of bytes shown on each side of the caret.
    private static let reach = 80

    init(_ line: ArraySlice<UInt8>, column: Int32) {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        var caret = Self.index(of: column, in: line)
        while caret > line.startIndex, caret < line.endIndex, line[caret] & 0xC0 == 0x80 { caret -= 1 }
        var (start, end) = (max(line.startIndex, caret - Self.reach), min(line.endIndex, caret + Self.reach))
        // A character must not be cut.
        while start > line.startIndex, start < caret, line[start] & 0xC0 == 0x80 { start += 1 }
        while end < line.endIndex, end > caret, line[end] & 0xC0 == 0x80 { end -= 1 }
        let before = String(decoding: line[start..<caret], as: UTF8.self).withoutControls
        let behind = String(decoding: line[caret..<end], as: UTF8.self).withoutControls
        let (head, tail) = (start > line.startIndex ? "…" : "", end < line.endIndex ? "…" : "")
        text = head + before + behind + tail
        indent = (head + before).reduce(into: "") { indent, character in
            indent += character == "\t" ? "\t" : String(repeating: " ", count: character.columns)
        }
    }

    /// Returns the index of the byte at a column; tabs count as in `SourcePosition`.
    private static func index(of column: Int32, in line: ArraySlice<UInt8>) -> Int {
        var (index, reached) = (line.startIndex, Int32(0))
        while index < line.endIndex, reached < column {
            reached = line[index] == UInt8(ascii: "\t") ? (reached / 8 + 1) * 8 : reached + 1
            index += 1
        }
        return index
    }
}

extension String {
    /// The text with U+FFFD instead of control characters except tabs, line separators, and bidirectional controls.
    ///
    /// Bidirectional controls can make code look like other code (CVE-2021-42574).
    package var withoutControls: String {
        let isControl = { (scalar: Unicode.Scalar) in
            switch scalar.value {
            case 0x09: false
            case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
        return String(text)
    }
}

extension Character {
    /// The approximate number of terminal columns for the character (Unicode Standard Annex 11).
    fileprivate var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
