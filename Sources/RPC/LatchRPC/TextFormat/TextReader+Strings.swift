// SPDX-License-Identifier: Apache-2.0

extension TextReader {
    /// Whether a string is next.
    mutating func isAtString() -> Bool {
        let byte = peekToken()
        return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    /// Reads a string, or several that follow one another and are one.
    mutating func readBytes() throws(ProtoError) -> [UInt8] {
        guard isAtString() else { throw malformed("a string is expected") }
        var value: [UInt8] = []
        while isAtString() { try readPiece(into: &value) }
        return value
    }

    /// Reads a string that must be UTF-8.
    mutating func readString() throws(ProtoError) -> String {
        let place = position
        guard let text = String(validating: try readBytes(), as: UTF8.self) else {
            throw .malformedText("a string is not valid UTF-8", at: place)
        }
        return text
    }

    private mutating func readPiece(into value: inout [UInt8]) throws(ProtoError) {
        let quote = peek
        position += 1
        while true {
            let byte = peek
            guard position < bytes.count, byte != 0x0A else { throw malformed("a string has no end on its line") }
            position += 1
            switch byte {
            case quote: return
            case UInt8(ascii: "\\"): try readEscape(into: &value)
            default: value.append(byte)
            }
        }
    }

    private mutating func readEscape(into value: inout [UInt8]) throws(ProtoError) {
        let byte = peek
        position += 1
        switch byte {
        case UInt8(ascii: "a"): value.append(0x07)
        case UInt8(ascii: "b"): value.append(0x08)
        case UInt8(ascii: "f"): value.append(0x0C)
        case UInt8(ascii: "n"): value.append(0x0A)
        case UInt8(ascii: "r"): value.append(0x0D)
        case UInt8(ascii: "t"): value.append(0x09)
        case UInt8(ascii: "v"): value.append(0x0B)
        case UInt8(ascii: "?"), UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): value.append(byte)
        case UInt8(ascii: "0")...UInt8(ascii: "7"): try readOctal(byte, into: &value)
        case UInt8(ascii: "x"), UInt8(ascii: "X"): try readHexadecimal(into: &value)
        case UInt8(ascii: "u"): try readScalar(digits: 4, into: &value)
        case UInt8(ascii: "U"): try readScalar(digits: 8, into: &value)
        default:
            position -= 1
            throw malformed("an unknown escape stands in a string")
        }
    }

    /// One to three octal digits of one byte.
    private mutating func readOctal(_ first: UInt8, into value: inout [UInt8]) throws(ProtoError) {
        var code = Int(first - UInt8(ascii: "0"))
        for _ in 0..<2 where (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(peek) {
            code = code * 8 + Int(peek - UInt8(ascii: "0"))
            position += 1
        }
        guard let byte = UInt8(exactly: code) else { throw malformed("an escaped byte is above 255") }
        value.append(byte)
    }

    /// One or two hexadecimal digits of one byte.
    private mutating func readHexadecimal(into value: inout [UInt8]) throws(ProtoError) {
        guard var code = hexValue(peek) else { throw malformed("a hexadecimal digit is expected") }
        position += 1
        if let second = hexValue(peek) {
            code = code << 4 | second
            position += 1
        }
        value.append(code)
    }

    /// A character by its number; halves of surrogate pairs are none.
    private mutating func readScalar(digits: Int, into value: inout [UInt8]) throws(ProtoError) {
        var code: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = hexValue(peek) else { throw malformed("a hexadecimal digit is expected") }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        guard let scalar = Unicode.Scalar(code) else { throw malformed("an escape names no character") }
        value.append(contentsOf: String(Character(scalar)).utf8)
    }
}
