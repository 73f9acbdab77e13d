// SPDX-License-Identifier: Apache-2.0

/// Where a string lies in a JSON text, between its quotes.
struct JSONString {
    /// Its first byte.
    let start: Int
    /// The place of its closing quote.
    let end: Int
    /// Whether it has a backslash, so that its bytes are not yet what it says.
    let isEscaped: Bool
}

extension JSONReader {
    /// Goes past a string, without reading its escapes.
    mutating func scanString(_ expected: StaticString = "a string is expected") throws(ProtoError) -> JSONString {
        try expect(UInt8(ascii: "\""), expected)
        let start = position
        var isEscaped = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return JSONString(start: start, end: position - 1, isEscaped: isEscaped)
            }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                position += 1
            } else if byte < 0x20 {
                throw malformed("a control character stands in a string")
            }
            position += 1
        }
        position = bytes.count
        throw malformed("a string has no end")
    }

    /// Reads a string value.
    mutating func readString() throws(ProtoError) -> String { try string(scanString()) }

    /// What a string says; Swift refuses overlong forms, surrogates and what is beyond U+10FFFF (RFC 8259 §8.1).
    func string(_ place: JSONString) throws(ProtoError) -> String {
        let text =
            place.isEscaped
            ? String(validating: try unescaped(place), as: UTF8.self)
            : String(validating: raw(place), as: UTF8.self)
        guard let text else { throw .invalidUTF8JSON(at: place.start) }
        return text
    }

    /// The bytes of a string that has no backslash.
    @inline(__always) func raw(_ place: JSONString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[place.start..<place.end])
    }

    /// Gives the bytes of what a string says, which need not be UTF-8, to a reader of them.
    func withBytes<Result>(
        of place: JSONString, _ body: (UnsafeBufferPointer<UInt8>) throws(ProtoError) -> Result
    ) throws(ProtoError) -> Result {
        guard place.isEscaped else { return try body(raw(place)) }
        return try unescaped(place).withUnsafeBufferPointer(body)
    }

    /// The bytes of a string with its escapes read.
    private func unescaped(_ place: JSONString) throws(ProtoError) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(place.end - place.start)
        var reader = JSONReader(bytes, depth: 0)
        reader.position = place.start
        while reader.position < place.end {
            let byte = bytes[reader.position]
            reader.position += 1
            if byte == UInt8(ascii: "\\") { try reader.readEscape(into: &plain) } else { plain.append(byte) }
        }
        return plain
    }

    /// RFC 8259 §7: the eight short escapes and `\u`, each in this case only.
    private mutating func readEscape(into plain: inout [UInt8]) throws(ProtoError) {
        let byte = peek
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(byte)
        case UInt8(ascii: "b"): plain.append(0x08)
        case UInt8(ascii: "f"): plain.append(0x0C)
        case UInt8(ascii: "n"): plain.append(0x0A)
        case UInt8(ascii: "r"): plain.append(0x0D)
        case UInt8(ascii: "t"): plain.append(0x09)
        case UInt8(ascii: "u"): plain.append(contentsOf: String(Character(try readScalar())).utf8)
        default:
            position -= 1
            throw malformed("an unknown escape stands in a string")
        }
    }

    /// RFC 8259 §8.2: half of a surrogate pair means different things to different parsers, so it is refused.
    private mutating func readScalar() throws(ProtoError) -> Unicode.Scalar {
        let place = position
        var code = try readFourDigits()
        if (0xD800..<0xDC00).contains(code) {
            guard peek == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u")
            else { throw .invalidUTF8JSON(at: place) }
            position += 2
            let low = try readFourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw .invalidUTF8JSON(at: place) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .invalidUTF8JSON(at: place) }
        return scalar
    }

    /// The sixteen bits after `\u`, in digits of either case.
    private mutating func readFourDigits() throws(ProtoError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = hexValue(peek) else { throw malformed("four hexadecimal digits are expected") }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }
}

/// The value of a hexadecimal digit of either case.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
