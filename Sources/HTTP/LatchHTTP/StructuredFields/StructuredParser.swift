// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A strict parser of structured fields (RFC 9651 §4.2).
struct StructuredParser {
    private var scanner: FieldScanner

    init(_ text: some StringProtocol) { scanner = FieldScanner(text) }

    /// Parses a whole field: spaces at both ends are skipped, and nothing may follow the value (§4.2).
    mutating func whole<Value>(
        _ read: (inout StructuredParser) throws(HTTPError) -> Value
    ) throws(HTTPError) -> Value {
        _ = scanner.take { $0 == 0x20 }
        let value = try read(&self)
        _ = scanner.take { $0 == 0x20 }
        guard peek == nil else { throw failure("something follows the value") }
        return value
    }

    /// Parses a list (§4.2.1).
    mutating func list() throws(HTTPError) -> [StructuredMember] {
        var members: [StructuredMember] = []
        guard peek != nil else { return members }
        repeat { members.append(try member()) } while try nextMember()
        return members
    }

    /// Parses a dictionary (§4.2.2).
    mutating func dictionary() throws(HTTPError) -> StructuredDictionary {
        var pairs = StructuredDictionary()
        guard peek != nil else { return pairs }
        repeat {
            let key = try key()
            // A key without a value is true; its parameters follow directly.
            pairs[key] =
                take(0x3D) ? try member() : .item(StructuredItem(.boolean(true), try parameters()))
        } while try nextMember()
        return pairs
    }

    /// Consumes the comma between two members and returns whether another member follows (§4.2.1 and §4.2.2).
    private mutating func nextMember() throws(HTTPError) -> Bool {
        scanner.skipWhitespace()
        guard peek != nil else { return false }
        guard take(0x2C) else { throw failure("a comma is missing") }
        scanner.skipWhitespace()
        guard peek != nil else { throw failure("a comma is at the end") }
        return true
    }

    /// Parses an item or an inner list (§4.2.1.1).
    private mutating func member() throws(HTTPError) -> StructuredMember {
        peek == 0x28 ? .innerList(try innerList()) : .item(try item())
    }

    /// Parses an inner list (§4.2.1.2).
    private mutating func innerList() throws(HTTPError) -> StructuredInnerList {
        guard take(0x28) else { throw failure("an inner list does not begin") }
        var items: [StructuredItem] = []
        while true {
            _ = scanner.take { $0 == 0x20 }
            if take(0x29) { return StructuredInnerList(items, try parameters()) }
            items.append(try item())
            guard peek == 0x20 || peek == 0x29 else { throw failure("an inner list neither continues nor ends") }
        }
    }

    /// Parses an item (§4.2.3).
    mutating func item() throws(HTTPError) -> StructuredItem {
        let value = try value()
        return StructuredItem(value, try parameters())
    }

    /// Parses parameters (§4.2.3.2).
    private mutating func parameters() throws(HTTPError) -> StructuredParameters {
        var parameters = StructuredParameters()
        while take(0x3B) {
            _ = scanner.take { $0 == 0x20 }
            let key = try key()
            parameters[key] = take(0x3D) ? try value() : .boolean(true)
        }
        return parameters
    }

    /// Parses a key (§4.2.3.3).
    private mutating func key() throws(HTTPError) -> String {
        guard let first = peek, StructuredSyntax.beginsKey(first) else { throw failure("a key is missing") }
        return scanner.take(while: StructuredSyntax.isKey)
    }
}

extension StructuredParser {
    private var peek: UInt8? { scanner.next }

    private mutating func take(_ byte: UInt8) -> Bool { scanner.take(byte) }

    private func failure(_ why: String) -> HTTPError { .malformedStructuredField(why, at: scanner.position) }
}

extension StructuredParser {
    /// Parses a bare item, whose first byte determines its type (§4.2.3.1).
    mutating func value() throws(HTTPError) -> StructuredValue {
        switch peek ?? 0 {
        case 0x2D, 0x30...0x39: return try number()
        case 0x22: return .string(try string())
        case 0x2A, 0x41...0x5A, 0x61...0x7A: return .token(scanner.take(while: StructuredSyntax.isToken))
        case 0x3A: return .bytes(try byteSequence())
        case 0x3F: return .boolean(try boolean())
        case 0x40: return .date(try date())
        case 0x25: return .displayString(try displayString())
        default: throw failure("a value is missing")
        }
    }

    /// Parses an integer of up to 15 digits, or a decimal with up to 12 integer and 1 to 3 fractional digits (§4.2.4).
    private mutating func number() throws(HTTPError) -> StructuredValue {
        let sign = take(0x2D) ? "-" : ""
        let whole = scanner.take(while: isDigit)
        guard !whole.isEmpty else { throw failure("a number has no digits") }
        guard take(0x2E) else {
            guard whole.utf8.count <= 15, let number = Int64(sign + whole) else {
                throw failure("an integer is too long")
            }
            return .integer(number)
        }
        let fraction = scanner.take(while: isDigit)
        guard (1...3).contains(fraction.utf8.count) else { throw failure("a decimal has no or too many digits") }
        let zeros = String(repeating: "0", count: 3 - fraction.utf8.count)
        guard whole.utf8.count <= 12, let thousandths = Int64(sign + whole + fraction + zeros) else {
            throw failure("a decimal is too long")
        }
        return .decimal(StructuredDecimal(thousandths: thousandths))
    }

    /// Parses a string: printable ASCII, in which a backslash escapes only a quote or a backslash (§4.2.5).
    private mutating func string() throws(HTTPError) -> String {
        _ = take(0x22)
        var content: [UInt8] = []
        while let byte = scanner.takeNext() {
            switch byte {
            case 0x5C:
                guard let escaped = scanner.takeNext(), escaped == 0x22 || escaped == 0x5C else {
                    throw failure("a backslash escapes nothing")
                }
                content.append(escaped)
            case 0x22: return String(decoding: content, as: UTF8.self)
            case 0x20...0x7E: content.append(byte)
            default: throw failure("a string holds a character that it may not")
            }
        }
        throw failure("a string does not end")
    }

    /// Parses a byte sequence: base64 with optional padding (§4.2.7).
    ///
    /// Decision: padding may be missing, as §4.2.7 recommends for parsers. Non-zero pad bits are rejected, so that each
    /// byte sequence has one encoding (RFC 4648 §3.5).
    private mutating func byteSequence() throws(HTTPError) -> [UInt8] {
        _ = take(0x3A)
        var digits = scanner.take { $0 != 0x3A }.utf8[...]
        guard take(0x3A) else { throw failure("a byte sequence does not end") }
        if digits.last == 0x3D {
            guard digits.count % 4 == 0 else { throw failure("a byte sequence has the wrong padding") }
            digits.removeLast()
            if digits.last == 0x3D { digits.removeLast() }
        }
        guard let bytes = Base64Alphabet.standard.decode(digits) else { throw failure("bytes are not base64") }
        return bytes
    }

    /// Parses a boolean (§4.2.8).
    private mutating func boolean() throws(HTTPError) -> Bool {
        _ = take(0x3F)
        if take(0x31) { return true }
        guard take(0x30) else { throw failure("a boolean is neither ?0 nor ?1") }
        return false
    }

    /// Parses a date: an integer, not a decimal (§4.2.9).
    private mutating func date() throws(HTTPError) -> Int64 {
        _ = take(0x40)
        guard let first = peek, first == 0x2D || isDigit(first),
            case .integer(let seconds) = try number()
        else { throw failure("a date is not an integer") }
        return seconds
    }

    /// Parses a display string: printable ASCII and percent-encoded UTF-8 in lower case (§4.2.10).
    private mutating func displayString() throws(HTTPError) -> String {
        _ = take(0x25)
        guard take(0x22) else { throw failure("a display string does not begin") }
        var content: [UInt8] = []
        while let byte = scanner.takeNext() {
            switch byte {
            case 0x25:
                guard let high = scanner.takeNext().flatMap(StructuredSyntax.lowerHex),
                    let low = scanner.takeNext().flatMap(StructuredSyntax.lowerHex)
                else { throw failure("a percent sign is not followed by two lowercase hexadecimal digits") }
                content.append(high << 4 | low)
            case 0x22:
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw failure("a display string is not UTF-8")
                }
                return text
            case 0x20...0x7E: content.append(byte)
            default: throw failure("a display string holds a character that it may not")
            }
        }
        throw failure("a display string does not end")
    }
}

/// The byte classes of RFC 9651, for parsing and serializing.
enum StructuredSyntax {
    /// Whether a byte may begin a key: lcalpha or `*` (§3.1.2).
    static func beginsKey(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || byte == 0x2A }

    /// Whether a byte may be in a key: lcalpha, digits, `_`, `-`, `.` and `*` (§3.1.2).
    static func isKey(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, 0x5F, 0x2D, 0x2E, 0x2A: true
        default: false
        }
    }

    /// Whether a byte may begin a token: a letter or `*` (§3.3.4).
    static func beginsToken(_ byte: UInt8) -> Bool {
        byte == 0x2A || (isAlphanumeric(byte) && !isDigit(byte))
    }

    /// Whether a byte may be in a token: tchar, `:` and `/` (§3.3.4).
    static func isToken(_ byte: UInt8) -> Bool { isTokenByte(byte) || byte == 0x3A || byte == 0x2F }

    /// Returns the value of a lower-case hexadecimal digit, the only case that §3.3.8 allows.
    fileprivate static func lowerHex(_ byte: UInt8) -> UInt8? {
        (0x41...0x46).contains(byte) ? nil : Hex.value(of: byte)
    }
}
