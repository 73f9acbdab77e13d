// SPDX-License-Identifier: Apache-2.0

/// A scanner of the text format's tokens (protobuf.dev, "Text Format Language Specification").
///
/// The bytes must outlive the scanner, so it is created only inside `withUnsafeBufferPointer`.
struct TextFormatScanner {
    /// The whole text.
    let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte, which errors report; never past the end.
    var position = 0
    /// The number of additional nesting levels allowed, which limits the use of the stack.
    var depth: Int

    /// The next byte; 0 at the end, because no token begins with it.
    var peek: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Whether the scanner is at the end.
    var isAtEnd: Bool { position >= bytes.count }

    /// Returns an error at the next byte.
    func malformed(_ what: StaticString) -> ProtoError { .malformedText("\(what)", at: position) }

    /// Skips whitespace and comments, and returns the byte after them.
    @discardableResult
    mutating func peekToken() -> UInt8 {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09...0x0D: position += 1
            case UInt8(ascii: "#"):
                while position < bytes.count, bytes[position] != 0x0A { position += 1 }
            case let byte: return byte
            }
        }
        return 0
    }

    /// Consumes a byte if it is the next token.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peekToken() == byte, position < bytes.count else { return false }
        position += 1
        return true
    }

    /// Consumes a byte, which must be the next token.
    mutating func expect(_ byte: UInt8, _ what: StaticString) throws(ProtoError) {
        guard take(byte) else { throw malformed(what) }
    }

    /// Consumes an optional field separator.
    mutating func takeSeparator() {
        if !take(UInt8(ascii: ",")) { _ = take(UInt8(ascii: ";")) }
    }

    /// Opens a message with either kind of bracket.
    ///
    /// - Returns: The closing bracket.
    mutating func openMessage() throws(ProtoError) -> UInt8 {
        let closing: UInt8
        if take(UInt8(ascii: "{")) {
            closing = UInt8(ascii: "}")
        } else if take(UInt8(ascii: "<")) {
            closing = UInt8(ascii: ">")
        } else {
            throw malformed("a message in brackets is expected")
        }
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
        return closing
    }

    /// Consumes the closing bracket, if the message ends here.
    mutating func closesMessage(_ closing: UInt8) throws(ProtoError) -> Bool {
        guard !take(closing) else {
            depth += 1
            return true
        }
        guard !isAtEnd else { throw malformed("a message is not terminated") }
        return false
    }
}

extension TextFormatScanner {
    /// Whether a byte can begin an identifier.
    static func isLetter(_ byte: UInt8) -> Bool {
        byte.isLetter || byte == UInt8(ascii: "_")
    }

    /// Reads an identifier; nil if there is none.
    mutating func takeIdentifier() -> String? {
        guard Self.isLetter(peekToken()) else { return nil }
        let start = position
        while Self.isLetter(peek) || peek.isDigit { position += 1 }
        return text(start..<position)
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// Reads a name in brackets: an extension's name, or the type URL of an Any.
    ///
    /// Whitespace and comments inside are ignored; only a URL contains a slash.
    mutating func readBracketedName() throws(ProtoError) -> String {
        try expect(UInt8(ascii: "["), "a name in brackets is expected")
        var name: [UInt8] = []
        while true {
            let byte = peekToken()
            guard byte != UInt8(ascii: "]") else { break }
            guard try isNameByte(byte) else { throw malformed("a name in brackets contains an invalid character") }
            name.append(byte)
            position += 1
        }
        position += 1
        guard Self.isValidName(name) else {
            throw malformed("a name in brackets is neither a full name nor a type URL")
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Whether a byte may occur in a name: RFC 3986's unreserved characters and sub-delimiters, slashes, and percent
    /// escapes.
    private func isNameByte(_ byte: UInt8) throws(ProtoError) -> Bool {
        guard byte == UInt8(ascii: "%") else {
            return Self.isLetter(byte) || byte.isDigit || "-.~!$&()*+,;=/".utf8.contains(byte)
        }
        guard position + 2 < bytes.count, hexValue(bytes[position + 1]) != nil, hexValue(bytes[position + 2]) != nil
        else { throw malformed("an escape in a URL needs two digits") }
        return true
    }

    /// Whether the last path component is a full name, and any prefix is not empty.
    private static func isValidName(_ name: [UInt8]) -> Bool {
        let last = name.lastIndex(of: UInt8(ascii: "/"))
        if let last, last == 0 { return false }
        let parts = name[(last.map { $0 + 1 } ?? 0)...].split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            part.first.map(isLetter) == true && part.allSatisfy { isLetter($0) || $0.isDigit }
        }
    }
}

extension TextFormatScanner {
    /// Whether the next token is a string.
    mutating func isAtString() -> Bool {
        let byte = peekToken()
        return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    /// Reads a string, which may consist of several adjacent literals.
    mutating func readBytes() throws(ProtoError) -> [UInt8] {
        guard isAtString() else { throw malformed("a string is expected") }
        var value: [UInt8] = []
        while isAtString() { try readPiece(into: &value) }
        return value
    }

    /// Reads a string that must be UTF-8.
    mutating func readString() throws(ProtoError) -> String {
        let start = position
        guard let text = String(validating: try readBytes(), as: UTF8.self) else {
            throw .malformedText("a string is not valid UTF-8", at: start)
        }
        return text
    }

    private mutating func readPiece(into value: inout [UInt8]) throws(ProtoError) {
        let quote = peek
        position += 1
        while true {
            let byte = peek
            guard position < bytes.count, byte != 0x0A else {
                throw malformed("a string is not terminated on its line")
            }
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
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            position -= 1
            let code = try readCode(radix: 8, digits: 1...3)
            guard code <= 255 else { throw malformed("an escaped byte is above 255") }
            value.append(UInt8(code))
        case UInt8(ascii: "x"), UInt8(ascii: "X"): value.append(UInt8(try readCode(radix: 16, digits: 1...2)))
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            let count = byte == UInt8(ascii: "u") ? 4 : 8
            // Surrogates are refused.
            guard let scalar = Unicode.Scalar(try readCode(radix: 16, digits: count...count)) else {
                throw malformed("an escape is not a valid code point")
            }
            value.append(contentsOf: String(Character(scalar)).utf8)
        default:
            position -= 1
            throw malformed("a string contains an unknown escape")
        }
    }

    private mutating func readCode(radix: Int, digits: ClosedRange<Int>) throws(ProtoError) -> UInt32 {
        let start = position
        while position - start < digits.upperBound, let digit = hexValue(peek), digit < radix { position += 1 }
        guard position - start >= digits.lowerBound, let code = UInt32(text(start..<position), radix: radix) else {
            throw malformed("a hexadecimal digit is expected")
        }
        return code
    }
}
