// SPDX-License-Identifier: Apache-2.0

/// A scanner of JSON tokens that creates no intermediate values.
///
/// It refuses input that parsers interpret differently: invalid whitespace, leading zeros, lone surrogates, invalid
/// UTF-8 (RFC 8259). The bytes must outlive the scanner, so it is created only inside `withUnsafeBufferPointer`.
struct JSONScanner {
    /// The whole text.
    let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte, which errors report; never past the end.
    var position = 0
    /// The number of additional nesting levels allowed, which limits the use of the stack.
    var depth: Int

    /// The next byte; 0 at the end, because no token begins with it.
    @inline(__always) var peek: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Skips whitespace (RFC 8259 §2), and returns the byte after it.
    @inline(__always) mutating func peekToken() -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return 0
    }

    /// Consumes a byte if it is the next token.
    @inline(__always) mutating func take(_ byte: UInt8) -> Bool {
        guard peekToken() == byte, position < bytes.count else { return false }
        position += 1
        return true
    }

    /// Consumes a byte, which must be the next token.
    @inline(__always) mutating func expect(_ byte: UInt8, _ what: StaticString) throws(ProtoError) {
        guard take(byte) else { throw malformed(what) }
    }

    /// Consumes a word such as `null`.
    mutating func expectWord(_ word: StaticString) throws(ProtoError) {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count,
            (0..<count).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
        else { throw malformed("a value is expected") }
        position += count
    }

    /// Reads `true` or `false`.
    mutating func readBool() throws(ProtoError) -> Bool {
        switch peekToken() {
        case UInt8(ascii: "t"):
            try expectWord("true")
            return true
        case UInt8(ascii: "f"):
            try expectWord("false")
            return false
        default: throw malformed("true or false is expected")
        }
    }

    /// Checks that the text ends after the value.
    mutating func expectEnd() throws(ProtoError) {
        _ = peekToken()
        guard position == bytes.count else { throw malformed("the value is followed by other text") }
    }

    /// Returns an error at the next byte.
    func malformed(_ what: StaticString) -> ProtoError { .malformedJSON("\(what)", at: position) }
}

extension JSONScanner {
    /// Opens an object or an array.
    @inline(__always) mutating func open(_ bracket: UInt8, _ what: StaticString) throws(ProtoError) {
        try expect(bracket, what)
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
    }

    /// Consumes the comma before the next element, or the closing bracket.
    ///
    /// - Returns: Whether there is another element.
    @inline(__always) mutating func next(isFirst: inout Bool, closing bracket: UInt8) throws(ProtoError) -> Bool {
        let byte = peekToken()
        if byte == bracket, position < bytes.count {
            position += 1
            depth += 1
            return false
        }
        if isFirst {
            isFirst = false
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw malformed("a comma or a closing bracket is expected") }
        position += 1
        return true
    }

    @inline(__always) mutating func openObject() throws(ProtoError) {
        try open(UInt8(ascii: "{"), "an object is expected")
    }

    /// Reads the next member's name; nil after the last one.
    @inline(__always) mutating func nextName(isFirst: inout Bool) throws(ProtoError) -> JSONString? {
        guard try next(isFirst: &isFirst, closing: UInt8(ascii: "}")) else { return nil }
        let name = try scanString("a member's name is expected, in quotes")
        try expect(UInt8(ascii: ":"), "a colon is expected")
        return name
    }

    @inline(__always) mutating func openArray() throws(ProtoError) {
        try open(UInt8(ascii: "["), "an array is expected")
    }

    /// Moves to the next element; returns false after the last one.
    @inline(__always) mutating func nextElement(isFirst: inout Bool) throws(ProtoError) -> Bool {
        try next(isFirst: &isFirst, closing: UInt8(ascii: "]"))
    }

    /// Skips one value, which must be valid JSON.
    mutating func skipValue() throws(ProtoError) {
        switch peekToken() {
        case UInt8(ascii: "{"):
            try openObject()
            var isFirst = true
            while let name = try nextName(isFirst: &isFirst) {
                _ = try string(name)
                try skipValue()
            }
        case UInt8(ascii: "["):
            try openArray()
            var isFirst = true
            while try nextElement(isFirst: &isFirst) { try skipValue() }
        case UInt8(ascii: "\""): _ = try string(scanString())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try readBool()
        case UInt8(ascii: "n"): try expectWord("null")
        default: _ = try scanNumber()
        }
    }
}

/// The range of a string in a JSON text, without its quotes.
struct JSONString {
    /// The offset of the first byte.
    let start: Int
    /// The offset of the closing quote.
    let end: Int
    /// Whether the string contains escapes.
    let isEscaped: Bool
}

extension JSONScanner {
    /// Scans a string without decoding its escapes.
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
                throw malformed("a string contains a control character")
            }
            position += 1
        }
        position = bytes.count
        throw malformed("a string is not terminated")
    }

    mutating func readString() throws(ProtoError) -> String { try string(scanString()) }

    /// Decodes a string; Swift refuses overlong forms, surrogates and code points beyond U+10FFFF (RFC 8259 §8.1).
    func string(_ token: JSONString) throws(ProtoError) -> String {
        let text =
            token.isEscaped
            ? String(validating: try unescaped(token), as: UTF8.self)
            : String(validating: raw(token), as: UTF8.self)
        guard let text else { throw .invalidUTF8JSON(at: token.start) }
        return text
    }

    /// Returns the bytes of a string without escapes.
    @inline(__always) func raw(_ token: JSONString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[token.start..<token.end])
    }

    /// Calls `body` with the decoded bytes of a string, which may be invalid UTF-8.
    func withBytes<Result>(
        of token: JSONString, _ body: (UnsafeBufferPointer<UInt8>) throws(ProtoError) -> Result
    ) throws(ProtoError) -> Result {
        guard token.isEscaped else { return try body(raw(token)) }
        return try unescaped(token).withUnsafeBufferPointer(body)
    }

    /// Decodes the escapes of a string.
    private func unescaped(_ token: JSONString) throws(ProtoError) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(token.end - token.start)
        var reader = JSONScanner(bytes: bytes, position: token.start, depth: 0)
        while reader.position < token.end {
            let byte = bytes[reader.position]
            reader.position += 1
            if byte == UInt8(ascii: "\\") { try reader.readEscape(into: &plain) } else { plain.append(byte) }
        }
        return plain
    }

    /// Decodes an escape: one of the eight short ones or `\u`, only in lowercase (RFC 8259 §7).
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
            throw malformed("a string contains an unknown escape")
        }
    }

    /// Decodes the digits of `\u`; refuses a lone surrogate, which parsers interpret differently (RFC 8259 §8.2).
    private mutating func readScalar() throws(ProtoError) -> Unicode.Scalar {
        let start = position
        var code = try readFourDigits()
        if (0xD800..<0xDC00).contains(code) {
            guard peek == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u")
            else { throw .invalidUTF8JSON(at: start) }
            position += 2
            let low = try readFourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw .invalidUTF8JSON(at: start) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .invalidUTF8JSON(at: start) }
        return scalar
    }

    /// Reads four hexadecimal digits of either case.
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

/// Returns the value of a hexadecimal digit of either case.
func hexValue(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } }
