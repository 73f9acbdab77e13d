// SPDX-License-Identifier: Apache-2.0

/// A parsed number in JSON's notation: sign, leading digits and exponent.
struct DecimalText {
    /// Whether the number is negative.
    var isNegative = false
    /// The digits without the decimal point; valid only if `isExact`.
    var digits: UInt64 = 0
    /// The decimal exponent of the digits, within ±`maximumExponent`.
    var exponent = 0
    /// Whether `digits` holds all digits.
    var isExact = true
    /// The range of the number in its text.
    var range = 0..<0

    /// The limit of exponents: no text has enough digits for a larger one to matter, and two of them can be added.
    fileprivate static let maximumExponent = Int.max / 4
}

extension JSONScanner {
    /// Parses a number (RFC 8259 §6).
    mutating func scanNumber() throws(ProtoError) -> DecimalText {
        _ = peekToken()
        let start = position
        var number = DecimalText()
        if peek == UInt8(ascii: "-") {
            number.isNegative = true
            position += 1
        }
        let first = position
        try scanDigits(into: &number)
        if position > first + 1, bytes[first] == UInt8(ascii: "0") {
            throw malformed("a number begins with a needless zero")
        }
        if peek == UInt8(ascii: ".") {
            position += 1
            let count = try scanDigits(into: &number)
            number.exponent -= count
        }
        if peek | 0x20 == UInt8(ascii: "e") { try scanExponent(into: &number) }
        number.range = start..<position
        return number
    }

    /// Parses one or more digits.
    ///
    /// - Returns: The number of digits.
    @inline(__always) @discardableResult
    private mutating func scanDigits(into number: inout DecimalText) throws(ProtoError) -> Int {
        let start = position
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            let (scaled, isTooLarge) = number.digits.multipliedReportingOverflow(by: 10)
            let (sum, isOver) = scaled.addingReportingOverflow(UInt64(digit))
            if isTooLarge || isOver { number.isExact = false }
            number.digits = sum
            position += 1
        }
        guard position > start else { throw malformed("a number is expected") }
        return position - start
    }

    private mutating func scanExponent(into number: inout DecimalText) throws(ProtoError) {
        position += 1
        let isNegative = peek == UInt8(ascii: "-")
        if isNegative || peek == UInt8(ascii: "+") { position += 1 }
        var exponent = DecimalText()
        try scanDigits(into: &exponent)
        let size =
            exponent.isExact
            ? Int(min(exponent.digits, UInt64(DecimalText.maximumExponent))) : DecimalText.maximumExponent
        number.exponent += isNegative ? -size : size
    }
}

extension DecimalText {
    /// Returns the magnitude of an integral number; nil if it has a fraction or exceeds 64 bits.
    ///
    /// ProtoJSON accepts 1.0, 1e2 and 120e-1 as the integers 1, 100 and 12.
    func magnitude(in text: UnsafeBufferPointer<UInt8>) -> UInt64? {
        if isExact, exponent == 0 { return digits }
        var significant = text[range].prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter(\.isDigit)[...].drop {
            $0 == 0x30
        }
        guard !significant.isEmpty else { return 0 }
        var power = exponent
        while significant.last == 0x30 {
            significant.removeLast()
            power += 1
        }
        guard power >= 0, significant.count + power <= 20 else { return nil }
        return UInt64(String(decoding: significant, as: UTF8.self) + String(repeating: "0", count: power))
    }

    /// Returns the nearest float, rounded once; nil if it would be infinite.
    func float<Value: BinaryFloatingPoint & LosslessStringConvertible>(in text: UnsafeBufferPointer<UInt8>) -> Value? {
        // Up to 2^53 and 10^22, or 2^24 and 10^10, both operands are exact, so a single operation rounds correctly.
        let isExactPower = exponent.magnitude <= (Value.significandBitCount == 52 ? 22 : 10)
        if isExact, digits <= 1 << (Value.significandBitCount + 1), isExactPower {
            let size = Value(digits)
            let power = Value(Self.powers[abs(exponent)])
            let value = exponent < 0 ? size / power : size * power
            return isNegative ? -value : value
        }
        guard let value = Value(spelling(in: text)), value.isFinite else { return nil }
        return value
    }

    private func spelling(in text: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: text[range]), as: UTF8.self)
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
