// SPDX-License-Identifier: Apache-2.0

/// A reader of bytes that tracks its line and column.
struct Cursor {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private(set) var position = SourcePosition(line: 0, column: 0)

    init(_ bytes: [UInt8], from offset: Int = 0, at position: SourcePosition = SourcePosition(line: 0, column: 0)) {
        self.bytes = bytes
        self.offset = offset
        self.position = position
    }

    var isAtEnd: Bool { offset >= bytes.count }

    /// The current byte; 0 at the end.
    var byte: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// The byte after the current one; 0 at the end.
    var next: UInt8 { offset + 1 < bytes.count ? bytes[offset + 1] : 0 }

    mutating func advance() {
        guard offset < bytes.count else { return }
        switch bytes[offset] {
        case UInt8(ascii: "\n"): position = SourcePosition(line: position.line + 1, column: 0)
        case UInt8(ascii: "\t"): position.column = (position.column / 8 + 1) * 8
        default: position.column += 1
        }
        offset += 1
    }

    /// Advances if `byte` is the current byte; returns whether it was.
    mutating func take(_ byte: UInt8) -> Bool {
        guard self.byte == byte, !isAtEnd else { return false }
        advance()
        return true
    }

    /// Advances past a line comment and its newline.
    mutating func skipLineComment() {
        while !isAtEnd, byte != 0, byte != UInt8(ascii: "\n") { advance() }
        _ = take(UInt8(ascii: "\n"))
    }
}

extension UInt8 {
    var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self == 0x5F }

    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isOctalDigit: Bool { (0x30...0x37).contains(self) }
    var isHexDigit: Bool { hexValue != nil }

    /// The value of a hexadecimal digit; nil for other characters.
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    /// Whether the byte is a space, a tab, or another character that separates tokens.
    var isWhitespace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether the byte is a control character that may not occur between tokens.
    var isControl: Bool { self < 0x20 && !isWhitespace }
}
