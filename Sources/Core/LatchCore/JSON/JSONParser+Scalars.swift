// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// RFC 8259 §7: reads a string from its opening quote to after its closing one.
    mutating func parseString() throws(JSONError) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return try text(bytes[start..<position], from: start)
            case UInt8(ascii: "\\"): return try parseEscapedString(from: start)
            case 0..<0x20: throw .malformed("a control character stands in a string", at: position)
            default: position += 1
            }
        }
        throw .malformed("a string has no end", at: position)
    }

    /// Goes on from the first backslash with a copy; most strings have none and are read where they lie.
    private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
        var plain = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(plain[...], from: start)
            case UInt8(ascii: "\\"): try parseEscape(into: &plain)
            case 0..<0x20: throw .malformed("a control character stands in a string", at: position - 1)
            default: plain.append(byte)
            }
        }
        throw .malformed("a string has no end", at: position)
    }

    /// RFC 8259 §7: the eight short escapes and `\u`, each in this case only.
    private mutating func parseEscape(into plain: inout [UInt8]) throws(JSONError) {
        let place = position
        let byte = peek
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(byte)
        case UInt8(ascii: "b"): plain.append(0x08)
        case UInt8(ascii: "f"): plain.append(0x0C)
        case UInt8(ascii: "n"): plain.append(0x0A)
        case UInt8(ascii: "r"): plain.append(0x0D)
        case UInt8(ascii: "t"): plain.append(0x09)
        case UInt8(ascii: "u"): plain.append(contentsOf: String(try parseScalar()).utf8)
        default: throw .malformed("an unknown escape stands in a string", at: place)
        }
    }

    /// RFC 8259 §8.2: half of a surrogate pair means different things to different parsers, so it is refused.
    private mutating func parseScalar() throws(JSONError) -> Character {
        let place = position
        var code = try parseFourDigits()
        if (0xD800..<0xDC00).contains(code) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw .invalidUnicode(at: place) }
            let low = try parseFourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw .invalidUnicode(at: place) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .invalidUnicode(at: place) }
        return Character(scalar)
    }

    /// The sixteen bits after `\u`, in digits of either case.
    private mutating func parseFourDigits() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            let byte = peek
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw .malformed("four hexadecimal digits are expected", at: position)
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    /// The string of the bytes; Swift refuses overlong forms, surrogates and what is beyond U+10FFFF.
    private func text(_ utf8: ArraySlice<UInt8>, from start: Int) throws(JSONError) -> String {
        guard let text = String(validating: utf8, as: UTF8.self) else { throw .invalidUnicode(at: start) }
        return text
    }
}

extension JSONParser {
    /// RFC 8259 §6: reads a number; an integer that fits is kept exactly, and one beyond a float's range is refused.
    mutating func parseNumber() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = take(UInt8(ascii: "-"))
        let firstDigit = position
        try skipDigits()
        if position > firstDigit + 1, bytes[firstDigit] == UInt8(ascii: "0") {
            throw .malformed("a number begins with a needless zero", at: firstDigit)
        }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try skipDigits()
        }
        if peek | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
        if isWhole, let integer = integer(bytes[firstDigit..<position], isNegative: isNegative) {
            return .integer(integer)
        }
        guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite else {
            throw .numberOutOfRange(at: start)
        }
        return .number(number)
    }

    /// Goes past at least one digit.
    private mutating func skipDigits() throws(JSONError) {
        let start = position
        while case UInt8(ascii: "0")...UInt8(ascii: "9") = peek { position += 1 }
        guard position > start else { throw .malformed("a digit is expected", at: position) }
    }

    /// The integer, counted downwards where it is negative, so that the smallest fits; nil where 64 bits are too few.
    private func integer(_ digits: ArraySlice<UInt8>, isNegative: Bool) -> Int64? {
        var value: Int64 = 0
        for byte in digits {
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (scaled, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (next, over) =
                isNegative
                ? scaled.subtractingReportingOverflow(digit) : scaled.addingReportingOverflow(digit)
            guard !tooLarge, !over else { return nil }
            value = next
        }
        return value
    }
}
