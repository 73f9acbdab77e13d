// SPDX-License-Identifier: Apache-2.0

/// A strict parser of one JSON text.
///
/// It rejects all text that parsers interpret differently: duplicate names, lone surrogates, invalid UTF-8, numbers out
/// of range, and text after the value. See RFC 8259 §4, §6, §8, and RFC 8725 §2.4.
struct JSONParser {
    /// The text, whose size has been checked.
    private let bytes: [UInt8]
    /// The maximum nesting of arrays and objects, which bounds the recursion.
    private let maximumDepth: Int
    private let maximumValues: Int
    /// The number of values so far.
    private var valueCount = 0
    /// The offset of the next byte, which errors name.
    private var position = 0

    /// Creates a parser at the first byte.
    init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        maximumDepth = limits.depth
        maximumValues = limits.values
    }

    /// Parses the whole text: one value with white space around it.
    mutating func parse() throws(JSONError) -> JSONValue {
        skipSpace()
        let value = try parseValue(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw .malformed("something follows the value", at: position) }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        valueCount += 1
        guard valueCount <= maximumValues else { throw .tooLarge(values: maximumValues, at: position) }
        switch peek {
        case UInt8(ascii: "{"): return .object(try parseObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try parseArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
        case UInt8(ascii: "n"): return try parseWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default: throw .malformed("a value is expected", at: position)
        }
    }

    /// Parses an object (RFC 8259 §4); duplicate names are errors, since parsers differ in which value they take.
    private mutating func parseObject(depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= maximumDepth else { throw .tooDeep(at: position) }
        position += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return JSONObject() }
        // Most top-level objects fit into this capacity; for nested ones it would waste memory.
        var object = depth == 1 ? JSONObject(capacity: 10) : JSONObject()
        while true {
            guard peek == UInt8(ascii: "\"") else { throw .malformed("a name is expected", at: position) }
            let start = position
            let name = try parseString()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw .malformed("a colon is expected", at: position) }
            skipSpace()
            guard object.insert(name, try parseValue(depth: depth)) else { throw .duplicateName(at: start) }
            skipSpace()
            if take(UInt8(ascii: "}")) { return object }
            guard take(UInt8(ascii: ",")) else { throw .malformed("a comma or a brace is expected", at: position) }
            skipSpace()
        }
    }

    /// Parses an array (RFC 8259 §5); a trailing comma is an error.
    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= maximumDepth else { throw .tooDeep(at: position) }
        position += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return [] }
        var array: [JSONValue] = []
        if depth <= 2 { array.reserveCapacity(4) }
        while true {
            array.append(try parseValue(depth: depth))
            skipSpace()
            if take(UInt8(ascii: "]")) { return array }
            guard take(UInt8(ascii: ",")) else { throw .malformed("a comma or a bracket is expected", at: position) }
            skipSpace()
        }
    }

    /// Parses one of the three literal names, in lower case (RFC 8259 §3).
    private mutating func parseWord(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let matches = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { throw .malformed("a value is expected", at: position) }
        position += word.utf8CodeUnitCount
        return value
    }
}

extension JSONParser {
    /// The next byte, or 0 at the end, with which no token begins.
    private var peek: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Skips `byte`, which must not be 0, and returns whether it is the next one.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    /// Skips white space: blank, tab, line feed and carriage return (RFC 8259 §2).
    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}

extension JSONParser {
    /// Parses a string with its quotation marks (RFC 8259 §7).
    private mutating func parseString() throws(JSONError) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return try text(bytes[start..<position], from: start)
            case UInt8(ascii: "\\"): return try parseEscapedString(from: start)
            case 0..<0x20: throw .malformed("a string contains a control character", at: position)
            default: position += 1
            }
        }
        throw .malformed("a string has no end", at: position)
    }

    /// Parses the rest of a string with escapes into a copy; most strings have none and need no copy.
    private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
        var plain = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(plain[...], from: start)
            case UInt8(ascii: "\\"): try parseEscape(into: &plain)
            case 0..<0x20: throw .malformed("a string contains a control character", at: position - 1)
            default: plain.append(byte)
            }
        }
        throw .malformed("a string has no end", at: position)
    }

    /// Parses one of the eight short escapes or `\u` (RFC 8259 §7).
    private mutating func parseEscape(into plain: inout [UInt8]) throws(JSONError) {
        let start = position
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
        default: throw .malformed("a string contains an unknown escape", at: start)
        }
    }

    /// Parses the scalar of `\u`; lone surrogates are errors, since parsers interpret them differently (RFC 8259 §8.2).
    private mutating func parseScalar() throws(JSONError) -> Character {
        let start = position
        var code = try parseFourDigits()
        if (0xD800..<0xDC00).contains(code) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw .invalidUnicode(at: start) }
            let low = try parseFourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw .invalidUnicode(at: start) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .invalidUnicode(at: start) }
        return Character(scalar)
    }

    /// Parses the four hexadecimal digits after `\u`.
    private mutating func parseFourDigits() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hex.value(of: peek) else {
                throw .malformed("four hexadecimal digits are expected", at: position)
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    /// Returns the bytes as a string; overlong forms, surrogates and values beyond U+10FFFF are errors.
    private func text(_ utf8: ArraySlice<UInt8>, from start: Int) throws(JSONError) -> String {
        guard let text = String(validating: utf8, as: UTF8.self) else { throw .invalidUnicode(at: start) }
        return text
    }
}

extension JSONParser {
    /// Parses a number (RFC 8259 §6); 64-bit integers are kept exactly, and a number beyond a float's range is an
    /// error.
    private mutating func parseNumber() throws(JSONError) -> JSONValue {
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

    /// Skips at least one digit.
    private mutating func skipDigits() throws(JSONError) {
        let start = position
        while case UInt8(ascii: "0")...UInt8(ascii: "9") = peek { position += 1 }
        guard position > start else { throw .malformed("a digit is expected", at: position) }
    }

    /// Returns the integer; nil if it exceeds 64 bits.
    ///
    /// A negative number is counted downwards, so that the minimum fits.
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
