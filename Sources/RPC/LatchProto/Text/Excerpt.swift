// SPDX-License-Identifier: Apache-2.0

/// What is shown of a line below a diagnostic, and what stands in front of the caret in the line below that.
///
/// Of a long line it is the part around the caret. What a terminal would obey is left out.
struct Excerpt {
    let text: String
    /// As wide as what stands in front of the caret, with its tabs.
    let indent: String

    /// How many bytes are shown on each side of the caret.
    private static let reach = 80

    init(_ line: ArraySlice<UInt8>, column: Int32) {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        var caret = Self.index(of: column, in: line)
        while caret > line.startIndex, caret < line.endIndex, line[caret] & 0xC0 == 0x80 { caret -= 1 }
        var (start, end) = (max(line.startIndex, caret - Self.reach), min(line.endIndex, caret + Self.reach))
        // Characters stay whole.
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

    /// The byte at a column, as columns are counted in places.
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
    /// The text with a sign instead of each control character but tabs.
    var withoutControls: String {
        let isControl = { (scalar: Unicode.Scalar) in
            (scalar.value < 0x20 && scalar.value != 0x09) || (0x7F...0x9F).contains(scalar.value)
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
        return String(text)
    }
}

extension Character {
    /// How many columns of a terminal it takes (Unicode Standard Annex 11, in large strokes).
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
