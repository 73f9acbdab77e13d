// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An unsigned number literal of the text format.
enum TextNumber: Equatable {
    /// A decimal integer that fits into 64 bits.
    case decimal(UInt64)
    /// An octal or hexadecimal integer, which cannot be a float.
    case radix(UInt64)
    /// A decimal number with a point, an exponent, an `f` suffix, or more digits than fit into 64 bits.
    case float(String)
    /// A word for a number, such as `inf` or an enum value.
    case word(String)
}

extension TextFormatScanner {
    /// Reads a number with its sign; whitespace may follow the sign.
    mutating func readNumber() throws(ProtoError) -> (isNegative: Bool, number: TextNumber) {
        let isNegative = take(UInt8(ascii: "-"))
        if let word = takeIdentifier() { return (isNegative, .word(word)) }
        let start = position
        guard peek.isDigit || peek == UInt8(ascii: ".") else { throw malformed("a number is expected") }
        let number = try peek == UInt8(ascii: "0") ? readZero(from: start) : readDecimal(from: start)
        guard !Self.isLetter(peek), !peek.isDigit, peek != UInt8(ascii: ".") else {
            throw malformed("a number is followed by a letter")
        }
        return (isNegative, number)
    }

    /// Reads a number that begins with 0: zero, a fraction, or an octal or hexadecimal integer.
    private mutating func readZero(from start: Int) throws(ProtoError) -> TextNumber {
        position += 1
        let isHexadecimal = peek | 0x20 == UInt8(ascii: "x")
        guard isHexadecimal || peek.isDigit else {
            position = start
            return try readDecimal(from: start)
        }
        if isHexadecimal { position += 1 }
        let first = position
        while isHexadecimal ? hexValue(peek) != nil : (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(peek) {
            position += 1
        }
        guard let value = UInt64(text(first..<position), radix: isHexadecimal ? 16 : 8) else {
            throw malformed("an integer has no digits, or too many")
        }
        return .radix(value)
    }

    private mutating func readDecimal(from start: Int) throws(ProtoError) -> TextNumber {
        while peek.isDigit { position += 1 }
        let whole = start..<position
        var hasDigits = !whole.isEmpty
        if peek == UInt8(ascii: ".") {
            position += 1
            hasDigits = hasDigits || peek.isDigit
            while peek.isDigit { position += 1 }
        }
        guard hasDigits else { throw malformed("a number is expected") }
        if peek | 0x20 == UInt8(ascii: "e") { try skipExponent() }
        let spelling = text(start..<position)
        let isMarked = peek | 0x20 == UInt8(ascii: "f")
        if isMarked { position += 1 }
        guard !isMarked, whole.upperBound == position, let value = UInt64(spelling) else { return .float(spelling) }
        return .decimal(value)
    }

    private mutating func skipExponent() throws(ProtoError) {
        position += 1
        if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
        guard peek.isDigit else { throw malformed("an exponent has no digits") }
        while peek.isDigit { position += 1 }
    }
}

extension TextFormatScanner {
    mutating func readInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) throws(ProtoError) -> Integer {
        let start = position
        let (isNegative, number) = try readNumber()
        let size: UInt64
        switch number {
        case .decimal(let value), .radix(let value): size = value
        case .float, .word: throw .malformedText("an integer is expected", at: start)
        }
        let value = isNegative ? Integer(exactly: -Int128(size)) : Integer(exactly: size)
        guard let value else { throw .malformedText("an integer is out of range", at: start) }
        return value
    }

    /// Reads a float; an overflow becomes infinity, and an underflow zero.
    mutating func readFloat<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Value.Type
    ) throws(ProtoError) -> Value {
        let start = position
        let (isNegative, number) = try readNumber()
        let size: Value?
        switch number {
        case .decimal(let value): size = Value(String(value))
        case .float(let spelling): size = Value(Self.swiftSpelling(spelling))
        case .word(let word): size = Self.named(word)
        case .radix: size = nil
        }
        guard let size else { throw .malformedText("a float is expected", at: start) }
        return isNegative ? -size : size
    }

    /// Returns a literal in Swift's syntax, which does not accept `.5` and `5.`.
    private static func swiftSpelling(_ text: String) -> String {
        let point = UInt8(ascii: ".")
        let spelling = text.utf8.first == point ? "0" + text : text
        guard let position = spelling.utf8.firstIndex(of: point) else { return spelling }
        let next = spelling.utf8.index(after: position)
        guard next == spelling.endIndex || !spelling.utf8[next].isDigit else { return spelling }
        return spelling[..<next] + "0" + spelling[next...]
    }

    private static func named<Value: BinaryFloatingPoint>(_ word: String) -> Value? {
        switch word.lowercasedASCII() {
        case "inf", "infinity": .infinity
        case "nan": .nan
        default: nil
        }
    }

    /// Reads `true`, `True`, `t`, `1`, or the corresponding forms of false.
    mutating func readBool() throws(ProtoError) -> Bool {
        let start = position
        let (isNegative, number) = try readNumber()
        switch number {
        case .word("true"), .word("True"), .word("t"): if !isNegative { return true }
        case .word("false"), .word("False"), .word("f"): if !isNegative { return false }
        case .decimal(let value), .radix(let value): if value <= 1, !isNegative { return value == 1 }
        default: break
        }
        throw .malformedText("true or false is expected", at: start)
    }
}
