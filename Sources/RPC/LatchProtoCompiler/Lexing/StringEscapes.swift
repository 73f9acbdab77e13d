// SPDX-License-Identifier: Apache-2.0

/// The escape sequences of strings (Protocol Buffers language specification, "String literals").
enum StringEscapes {
    /// The values of the single-character escapes.
    static let simple: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "\\"): 0x5C,
        UInt8(ascii: "?"): 0x3F, UInt8(ascii: "'"): 0x27, UInt8(ascii: "\""): 0x22,
    ]

    /// Decodes a string token; the lexer has already reported malformed escapes.
    static func unescaped(_ literal: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        guard let quote = literal.first else { return result }
        var rest = literal.dropFirst()
        if rest.last == quote { rest.removeLast() }
        result.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                append(escaped, &rest, to: &result)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// Whether a text has the form that `escaped(_:)` writes, or other single-character escapes.
    static func isEscaped(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\"") else { return false }
            guard byte == UInt8(ascii: "\\") else { continue }
            guard let next = rest.popFirst() else { return false }
            switch next {
            case 0x30...0x37: rest = rest.dropFirst(rest.prefix(2).prefix { (0x30...0x37).contains($0) }.count)
            default: guard simple[next] != nil else { return false }
            }
        }
        return true
    }

    private static func append(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>, to result: inout [UInt8]) {
        switch byte {
        case 0x30...0x37:
            var value = UInt16(byte - 0x30)
            for _ in 0..<2 {
                guard let digit = rest.first, digit.isOctalDigit else { break }
                value = value * 8 + UInt16(digit - 0x30)
                rest.removeFirst()
            }
            result.append(UInt8(truncatingIfNeeded: value))
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            result.append(UInt8(truncatingIfNeeded: number(&rest, digits: 2)))
        case UInt8(ascii: "u"): appendScalar(&rest, digits: 4, to: &result)
        case UInt8(ascii: "U"): appendScalar(&rest, digits: 8, to: &result)
        default: result.append(simple[byte] ?? byte)
        }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, digits: Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = rest.first?.hexValue else { break }
            value = value << 4 | UInt32(digit)
            rest.removeFirst()
        }
        return value
    }

    /// Appends a scalar as UTF-8; a surrogate pair is one scalar.
    private static func appendScalar(_ rest: inout ArraySlice<UInt8>, digits: Int, to result: inout [UInt8]) {
        var value = number(&rest, digits: digits)
        if (0xD800...0xDBFF).contains(value), rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
            var behind = rest.dropFirst(2)
            let low = number(&behind, digits: 4)
            if (0xDC00...0xDFFF).contains(low) {
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
                rest = behind
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            // A lone surrogate is written as three bytes, as in protoc.
            result += [0xE0 | UInt8(value >> 12 & 0x0F), 0x80 | UInt8(value >> 6 & 0x3F), 0x80 | UInt8(value & 0x3F)]
            return
        }
        result += Array(String(Character(scalar)).utf8)
    }

    /// Encodes bytes for the `default_value` of a `bytes` field (`CEscape` in protoc).
    static func escaped(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x0A: text += Array("\\n".utf8)
            case 0x0D: text += Array("\\r".utf8)
            case 0x09: text += Array("\\t".utf8)
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x20..<0x7F: text.append(byte)
            default: text += [UInt8(ascii: "\\"), 0x30 + byte >> 6, 0x30 + byte >> 3 & 7, 0x30 + byte & 7]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
