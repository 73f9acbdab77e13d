// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

extension StructuredParser {
    /// §4.2.3.1: the first byte says the kind.
    mutating func value() throws(HTTPError) -> StructuredValue {
        switch peek ?? 0 {
        case 0x2D, 0x30...0x39: return try number()
        case 0x22: return .string(try string())
        case 0x2A, 0x41...0x5A, 0x61...0x7A: return .token(text(of: take(while: StructuredSyntax.isToken)))
        case 0x3A: return .bytes(try byteSequence())
        case 0x3F: return .boolean(try boolean())
        case 0x40: return .date(try date())
        case 0x25: return .displayString(try displayString())
        default: throw failure("a value is missing")
        }
    }

    /// §4.2.4: up to 15 digits, or 12 before a point and 1 to 3 after it.
    private mutating func number() throws(HTTPError) -> StructuredValue {
        let isNegative = take(0x2D)
        let whole = take(while: StructuredSyntax.isDigit)
        guard !whole.isEmpty else { throw failure("a number has no digits") }
        guard peek == 0x2E else {
            guard whole.count <= 15 else { throw failure("an integer is too long") }
            return .integer(signed(whole, isNegative))
        }
        guard whole.count <= 12 else { throw failure("a decimal is too long") }
        _ = take(0x2E)
        let fraction = take(while: StructuredSyntax.isDigit)
        guard (1...3).contains(fraction.count) else { throw failure("a decimal has no or too many digits") }
        let digits = whole + fraction + [UInt8](repeating: 0x30, count: 3 - fraction.count)
        return .decimal(StructuredDecimal(thousandths: signed(digits, isNegative)))
    }

    /// At most 15 digits, which no `Int64` overflows at.
    private func signed(_ digits: ArraySlice<UInt8>, _ isNegative: Bool) -> Int64 {
        let magnitude = digits.reduce(into: Int64(0)) { $0 = $0 * 10 + Int64($1 - 0x30) }
        return isNegative ? -magnitude : magnitude
    }

    /// §4.2.5: printable ASCII, with a backslash before a quote and before itself, and before nothing else.
    private mutating func string() throws(HTTPError) -> String {
        _ = take(0x22)
        var content: [UInt8] = []
        while let byte = next() {
            switch byte {
            case 0x5C:
                guard let escaped = next(), escaped == 0x22 || escaped == 0x5C else {
                    throw failure("a backslash escapes nothing")
                }
                content.append(escaped)
            case 0x22: return text(of: content)
            case 0x20...0x7E: content.append(byte)
            default: throw failure("a string holds a character that it may not")
            }
        }
        throw failure("a string does not end")
    }

    /// §4.2.7: base64, whose padding may be missing and whose last bits should be zero.
    ///
    /// Decision: padding may be left out, as §4.2.7 recommends for readers; bits that no writer leaves set are refused,
    /// so that bytes have one spelling (RFC 4648 §3.5).
    private mutating func byteSequence() throws(HTTPError) -> [UInt8] {
        _ = take(0x3A)
        var digits = take { $0 != 0x3A }
        guard take(0x3A) else { throw failure("a byte sequence does not end") }
        if digits.last == 0x3D {
            guard digits.count % 4 == 0 else { throw failure("a byte sequence has the wrong padding") }
            digits.removeLast()
            if digits.last == 0x3D { digits.removeLast() }
        }
        guard let bytes = Base64Alphabet.standard.decode(digits) else { throw failure("bytes are not base64") }
        return bytes
    }

    /// §4.2.8.
    private mutating func boolean() throws(HTTPError) -> Bool {
        _ = take(0x3F)
        if take(0x31) { return true }
        guard take(0x30) else { throw failure("a boolean is neither ?0 nor ?1") }
        return false
    }

    /// §4.2.9: an integer, not a decimal.
    private mutating func date() throws(HTTPError) -> Int64 {
        _ = take(0x40)
        guard let first = peek, first == 0x2D || StructuredSyntax.isDigit(first),
            case .integer(let seconds) = try number()
        else { throw failure("a date is no integer") }
        return seconds
    }

    /// §4.2.10: printable ASCII and percent-encoded bytes in lower case, which together are UTF-8.
    private mutating func displayString() throws(HTTPError) -> String {
        _ = take(0x25)
        guard take(0x22) else { throw failure("a display string does not begin") }
        var content: [UInt8] = []
        while let byte = next() {
            switch byte {
            case 0x25:
                guard let high = next().flatMap(StructuredSyntax.lowerHex),
                    let low = next().flatMap(StructuredSyntax.lowerHex)
                else { throw failure("a percent sign stands without two digits in lower case") }
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
