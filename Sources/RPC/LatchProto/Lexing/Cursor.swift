// SPDX-License-Identifier: Apache-2.0

/// A place in bytes that moves forward, and knows its line and column.
struct Cursor {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private(set) var place = Place(line: 0, column: 0)

    init(_ bytes: [UInt8], from offset: Int = 0, at place: Place = Place(line: 0, column: 0)) {
        self.bytes = bytes
        self.offset = offset
        self.place = place
    }

    var isAtEnd: Bool { offset >= bytes.count }

    /// The byte here; 0 at the end.
    var byte: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// The byte behind this one; 0 where there is none.
    var next: UInt8 { offset + 1 < bytes.count ? bytes[offset + 1] : 0 }

    mutating func advance() {
        guard offset < bytes.count else { return }
        switch bytes[offset] {
        case UInt8(ascii: "\n"): place = Place(line: place.line + 1, column: 0)
        case UInt8(ascii: "\t"): place.column = (place.column / 8 + 1) * 8
        default: place.column += 1
        }
        offset += 1
    }

    /// Moves over `byte`, if it is here.
    mutating func take(_ byte: UInt8) -> Bool {
        guard self.byte == byte, !isAtEnd else { return false }
        advance()
        return true
    }

    /// Moves over a comment of one line, with the end of the line.
    mutating func skipLineComment() {
        while !isAtEnd, byte != 0, byte != UInt8(ascii: "\n") { advance() }
        _ = take(UInt8(ascii: "\n"))
    }
}

extension UInt8 {
    var isLetter: Bool {
        switch self {
        case 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }

    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isOctalDigit: Bool { (0x30...0x37).contains(self) }
    var isHexDigit: Bool { hexValue != nil }

    /// What a hexadecimal digit counts.
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    /// A space, a tab, or another character that only separates.
    var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// A control character that separates nothing.
    var isUnprintable: Bool { self < 0x20 && !isBlank }
}
