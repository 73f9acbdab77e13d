// SPDX-License-Identifier: Apache-2.0

/// The lexer, which splits a .proto file into tokens in one pass.
///
/// Protocol Buffers language specification, "Lexical elements".
struct Lexer {
    private let source: SourceFile
    private let diagnostics: Diagnostics
    private var cursor: Cursor
    private var tokens: [Token] = []

    init(_ source: SourceFile, _ diagnostics: Diagnostics) {
        self.source = source
        self.diagnostics = diagnostics
        cursor = Cursor(source.bytes)
        // In typical files, a token and the space before it have about five bytes.
        tokens.reserveCapacity(source.bytes.count / 5 + 8)
    }

    /// Returns all tokens; the last one has the kind `end`.
    static func tokens(of source: SourceFile, _ diagnostics: Diagnostics) -> [Token] {
        var lexer = Lexer(source, diagnostics)
        lexer.run()
        return lexer.tokens
    }

    private mutating func run() {
        skipByteOrderMark()
        while true {
            skipBlanks()
            guard !cursor.isAtEnd else { break }
            if cursor.byte.isControl { skipUnprintable() } else { token() }
        }
        append(.end, from: cursor.offset, at: cursor.position)
    }

    /// Skips a UTF-8 byte order mark, and reports the beginning of any other byte order mark.
    private mutating func skipByteOrderMark() {
        guard cursor.take(0xEF) else { return }
        guard cursor.take(0xBB), cursor.take(0xBF) else {
            return fail("the file begins with 0xEF, but not with the byte order mark of UTF-8")
        }
    }

    private mutating func skipBlanks() {
        while true {
            while cursor.byte.isWhitespace { cursor.advance() }
            guard cursor.byte == UInt8(ascii: "/") else { return }
            switch cursor.next {
            case UInt8(ascii: "/"): cursor.skipLineComment()
            case UInt8(ascii: "*"): skipBlockComment()
            default: return
            }
        }
    }

    private mutating func skipBlockComment() {
        let start = cursor.position
        cursor.advance()
        cursor.advance()
        while true {
            if cursor.isAtEnd {
                fail("the file ends inside a comment")
                diagnostics.add("the comment begins here", at: start, in: source)
                return
            }
            let byte = cursor.byte
            cursor.advance()
            if byte == UInt8(ascii: "*"), cursor.take(UInt8(ascii: "/")) { return }
            if byte == UInt8(ascii: "/"), cursor.byte == UInt8(ascii: "*") {
                fail("a comment begins inside another one; comments cannot be nested")
            }
        }
    }

    private mutating func skipUnprintable() {
        fail("there is a control character in the text")
        while !cursor.isAtEnd, cursor.byte.isControl { cursor.advance() }
    }

    private mutating func token() {
        let (start, position) = (cursor.offset, cursor.position)
        append(scan(at: position), from: start, at: position)
    }

    private mutating func append(_ kind: Token.Kind, from start: Int, at position: SourcePosition) {
        tokens.append(
            Token(
                kind: kind, start: Int32(start), end: Int32(cursor.offset), line: position.line,
                column: position.column, endColumn: cursor.position.column))
    }

    /// Advances past one token, and returns its kind.
    private mutating func scan(at position: SourcePosition) -> Token.Kind {
        let byte = cursor.byte
        if byte.isLetter {
            while cursor.byte.isLetter || cursor.byte.isDigit { cursor.advance() }
            return .identifier
        }
        if byte.isDigit { return number() }
        cursor.advance()
        switch byte {
        case UInt8(ascii: "."):
            guard cursor.byte.isDigit else { return .symbol }
            if let last = tokens.last, last.kind == .identifier, last.endPosition == position {
                diagnostics.add("there must be a space between a name and a decimal point", at: position, in: source)
            }
            return fraction()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            string(until: byte)
            return .string
        default:
            // The continuation bytes of a character are not reported again.
            if byte >= 0x80, byte & 0xC0 != 0x80 || source.bytes[max(0, cursor.offset - 2)] < 0x80 {
                diagnostics.add(
                    "there is a non-ASCII character", at: position, in: source,
                    hint: "Such characters are only allowed in comments and strings.")
            }
            return .symbol
        }
    }

    private func fail(_ message: String) { diagnostics.add(message, at: cursor.position, in: source) }
}

extension Lexer {
    /// Reads a number that begins with a digit.
    private mutating func number() -> Token.Kind {
        if cursor.take(UInt8(ascii: "0")) {
            if cursor.take(UInt8(ascii: "x")) || cursor.take(UInt8(ascii: "X")) {
                if !cursor.byte.isHexDigit { fail("there are no digits after '0x'") }
                while cursor.byte.isHexDigit { cursor.advance() }
                return ended(isFloat: false)
            }
            if cursor.byte.isDigit {
                while cursor.byte.isOctalDigit { cursor.advance() }
                if cursor.byte.isDigit {
                    fail("a number that begins with 0 is octal and can only have the digits 0 to 7")
                }
                while cursor.byte.isDigit { cursor.advance() }
                return ended(isFloat: false)
            }
        }
        while cursor.byte.isDigit { cursor.advance() }
        if cursor.take(UInt8(ascii: ".")) { return fraction() }
        // This is a separate statement, so that `ended` examines the byte after the exponent.
        let isFloat = exponent()
        return ended(isFloat: isFloat)
    }

    /// Reads the digits after a decimal point, and the exponent.
    private mutating func fraction() -> Token.Kind {
        while cursor.byte.isDigit { cursor.advance() }
        _ = exponent()
        return ended(isFloat: true)
    }

    /// Reads an exponent; returns whether there was one.
    private mutating func exponent() -> Bool {
        guard cursor.take(UInt8(ascii: "e")) || cursor.take(UInt8(ascii: "E")) else { return false }
        if !cursor.take(UInt8(ascii: "-")) { _ = cursor.take(UInt8(ascii: "+")) }
        if !cursor.byte.isDigit { fail("there are no digits after the 'e' of a number") }
        while cursor.byte.isDigit { cursor.advance() }
        return true
    }

    /// Checks the byte after a number.
    private func ended(isFloat: Bool) -> Token.Kind {
        if cursor.byte.isLetter {
            fail("there must be a space between a number and a name")
        } else if cursor.byte == UInt8(ascii: ".") {
            fail(isFloat ? "a number has one decimal point" : "a number in base 8 or 16 has no decimal point")
        }
        return isFloat ? .float : .integer
    }

    /// Reads a string up to its closing quote; checks escapes, which `StringEscapes` decodes later.
    private mutating func string(until quote: UInt8) {
        while true {
            if cursor.isAtEnd || cursor.byte == 0 { return fail("the file ends inside a string") }
            switch cursor.byte {
            case UInt8(ascii: "\n"):
                return fail("the line ends inside a string; a \(quote == 34 ? "\"" : "'") is missing")
            case UInt8(ascii: "\\"):
                cursor.advance()
                escape()
            case quote: return cursor.advance()
            default: cursor.advance()
            }
        }
    }

    private mutating func escape() {
        let byte = cursor.byte
        switch byte {
        case _ where StringEscapes.simple[byte] != nil: cursor.advance()
        case _ where byte.isOctalDigit: cursor.advance()
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            cursor.advance()
            if !takeHexDigits(1) { fail("there is no hexadecimal digit after '\\x'") }
        case UInt8(ascii: "u"):
            cursor.advance()
            if !takeHexDigits(4) { fail("there must be four hexadecimal digits after '\\u'") }
        case UInt8(ascii: "U"):
            cursor.advance()
            let isBelow = cursor.take(0x30) && cursor.take(0x30) && (cursor.take(0x30) || cursor.take(0x31))
            if !isBelow || !takeHexDigits(5) {
                fail("there must be eight hexadecimal digits after '\\U', at most 0010ffff")
            }
        default: fail("the escape sequence is unknown")
        }
    }

    private mutating func takeHexDigits(_ count: Int) -> Bool {
        for _ in 0..<count {
            guard cursor.byte.isHexDigit else { return false }
            cursor.advance()
        }
        return true
    }
}

/// A token: a byte range of a file, and its position.
struct Token {
    enum Kind: UInt8 {
        case identifier, integer, float, string, symbol, end
    }

    let kind: Kind
    /// The offset of the first byte.
    let start: Int32
    /// The offset after the last byte.
    let end: Int32
    let line: Int32
    let column: Int32
    /// The column after the token's end, in the last line if a string spans several lines.
    let endColumn: Int32

    var position: SourcePosition { SourcePosition(line: line, column: column) }
    var endPosition: SourcePosition { SourcePosition(line: line, column: endColumn) }
}
