// SPDX-License-Identifier: Apache-2.0

/// Cuts a .proto file into tokens, in one pass (Protocol Buffers language specification, "Lexical elements").
struct Lexer {
    private let source: SourceText
    private let diagnostics: Diagnostics
    private var cursor: Cursor
    private var tokens: [Token] = []

    init(_ source: SourceText, _ diagnostics: Diagnostics) {
        self.source = source
        self.diagnostics = diagnostics
        cursor = Cursor(source.bytes)
        // About five bytes a token in what people write.
        tokens.reserveCapacity(source.bytes.count / 5 + 8)
    }

    /// All tokens; the last one is the end.
    static func tokens(of source: SourceText, _ diagnostics: Diagnostics) -> [Token] {
        var lexer = Lexer(source, diagnostics)
        lexer.run()
        return lexer.tokens
    }

    private mutating func run() {
        skipByteOrderMark()
        while true {
            skipBlanks()
            guard !cursor.isAtEnd else { break }
            if cursor.byte.isUnprintable { skipUnprintable() } else { token() }
        }
        let place = cursor.place
        tokens.append(
            Token(
                kind: .end, start: Int32(cursor.offset), end: Int32(cursor.offset), line: place.line,
                column: place.column, endColumn: place.column))
    }

    /// A mark at the beginning means nothing; another beginning like it is no UTF-8.
    private mutating func skipByteOrderMark() {
        guard cursor.take(0xEF) else { return }
        guard cursor.take(0xBB), cursor.take(0xBF) else {
            return fail("the file begins with the byte 0xEF and has no mark of UTF-8")
        }
    }

    private mutating func skipBlanks() {
        while true {
            while cursor.byte.isBlank { cursor.advance() }
            guard cursor.byte == UInt8(ascii: "/") else { return }
            switch cursor.next {
            case UInt8(ascii: "/"): cursor.skipLineComment()
            case UInt8(ascii: "*"): skipBlockComment()
            default: return
            }
        }
    }

    private mutating func skipBlockComment() {
        let start = cursor.place
        cursor.advance()
        cursor.advance()
        while true {
            if cursor.isAtEnd {
                fail("the file ends inside of a comment")
                diagnostics.add("the comment begins here", at: start, in: source)
                return
            }
            let byte = cursor.byte
            cursor.advance()
            if byte == UInt8(ascii: "*"), cursor.take(UInt8(ascii: "/")) { return }
            if byte == UInt8(ascii: "/"), cursor.byte == UInt8(ascii: "*") {
                fail("a comment begins inside of another; they cannot be nested")
            }
        }
    }

    private mutating func skipUnprintable() {
        fail("there is a control character in the text")
        while !cursor.isAtEnd, cursor.byte.isUnprintable { cursor.advance() }
    }

    private mutating func token() {
        let (start, place) = (cursor.offset, cursor.place)
        let kind = scan(at: place)
        tokens.append(
            Token(
                kind: kind, start: Int32(start), end: Int32(cursor.offset), line: place.line, column: place.column,
                endColumn: cursor.place.column))
    }

    /// Reads over one token and says what it is.
    private mutating func scan(at place: Place) -> Token.Kind {
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
            if let last = tokens.last, last.kind == .identifier, last.endPlace == place {
                diagnostics.add("there must be a space between a name and a decimal point", at: place, in: source)
            }
            return fraction()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            string(until: byte)
            return .string
        default:
            // The bytes behind the first one of a character are no mistakes of their own.
            if byte >= 0x80, byte & 0xC0 != 0x80 || source.bytes[max(0, cursor.offset - 2)] < 0x80 {
                diagnostics.add(
                    "there is a character outside of ASCII", at: place, in: source,
                    hint: "Such characters are allowed in comments and strings only.")
            }
            return .symbol
        }
    }

    private func fail(_ message: String) { diagnostics.add(message, at: cursor.place, in: source) }
}

extension Lexer {
    /// A number that begins with a digit.
    private mutating func number() -> Token.Kind {
        if cursor.take(UInt8(ascii: "0")) {
            if cursor.take(UInt8(ascii: "x")) || cursor.take(UInt8(ascii: "X")) {
                if !cursor.byte.isHexDigit { fail("there are no digits behind '0x'") }
                while cursor.byte.isHexDigit { cursor.advance() }
                return ended(isFloat: false)
            }
            if cursor.byte.isDigit {
                while cursor.byte.isOctalDigit { cursor.advance() }
                if cursor.byte.isDigit { fail("a number that begins with 0 is octal, and has the digits 0 to 7") }
                while cursor.byte.isDigit { cursor.advance() }
                return ended(isFloat: false)
            }
        }
        while cursor.byte.isDigit { cursor.advance() }
        if cursor.take(UInt8(ascii: ".")) { return fraction() }
        // Before the call: it looks at what comes behind the exponent.
        let isFloat = exponent()
        return ended(isFloat: isFloat)
    }

    /// What comes behind the point.
    private mutating func fraction() -> Token.Kind {
        while cursor.byte.isDigit { cursor.advance() }
        _ = exponent()
        return ended(isFloat: true)
    }

    /// Whether there was one.
    private mutating func exponent() -> Bool {
        guard cursor.take(UInt8(ascii: "e")) || cursor.take(UInt8(ascii: "E")) else { return false }
        if !cursor.take(UInt8(ascii: "-")) { _ = cursor.take(UInt8(ascii: "+")) }
        if !cursor.byte.isDigit { fail("there are no digits behind the 'e' of a number") }
        while cursor.byte.isDigit { cursor.advance() }
        return true
    }

    /// Looks at what comes directly behind a number.
    private func ended(isFloat: Bool) -> Token.Kind {
        if cursor.byte.isLetter {
            fail("there must be a space between a number and a name")
        } else if cursor.byte == UInt8(ascii: ".") {
            fail(isFloat ? "a number has one decimal point" : "a number in base 8 or 16 has no decimal point")
        }
        return isFloat ? .float : .integer
    }

    /// A string up to its closing quote; what its escapes mean is read later, by whoever wants it.
    private mutating func string(until quote: UInt8) {
        while true {
            if cursor.isAtEnd || cursor.byte == 0 { return fail("the file ends inside of a string") }
            switch cursor.byte {
            case UInt8(ascii: "\n"):
                return fail("the line ends inside of a string; a \(quote == 34 ? "\"" : "'") is missing")
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
        case _ where Escapes.simple[byte] != nil: cursor.advance()
        case _ where byte.isOctalDigit: cursor.advance()
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            cursor.advance()
            if !takeHexDigits(1) { fail("there is no hexadecimal digit behind '\\x'") }
        case UInt8(ascii: "u"):
            cursor.advance()
            if !takeHexDigits(4) { fail("there are not four hexadecimal digits behind '\\u'") }
        case UInt8(ascii: "U"):
            cursor.advance()
            let isBelow = cursor.take(0x30) && cursor.take(0x30) && (cursor.take(0x30) || cursor.take(0x31))
            if !isBelow || !takeHexDigits(5) {
                fail("there are not eight hexadecimal digits behind '\\U', at most 0010ffff")
            }
        default: fail("there is no such escape in a string")
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
