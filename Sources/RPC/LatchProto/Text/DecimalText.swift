// SPDX-License-Identifier: Apache-2.0

/// Numbers with a fraction as descriptors have them, in the notation of C's `%g`: with fifteen digits where they suffice,
/// else with seventeen; of a `float` with six or nine.
enum DecimalText {
    static func shortest(_ value: Double) -> String {
        text(value, "\(value.magnitude)", fewest: 15, most: 17) { Double($0) == value }
    }

    static func shortest(_ value: Float) -> String {
        // C's reader refuses what is below the smallest normal number, and nine digits are written then.
        text(Double(value), "\(value.magnitude)", fewest: 6, most: 9) { Float($0) == value && !value.isSubnormal }
    }

    /// - Parameters:
    ///   - name: The fewest digits that name the number among those of its type.
    ///   - isExact: Whether a text is read as the number.
    private static func text(
        _ value: Double, _ name: String, fewest: Int, most: Int, isExact: (String) -> Bool
    ) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-inf" : "inf" }
        if value == 0 { return value.sign == .minus ? "-0" : "0" }
        let sign = value < 0 ? "-" : ""
        let (_, exponent) = parts(of: name)
        for count in [fewest, most] {
            let (digits, place) = exactDigits(of: value.magnitude, exponent, count: count)
            let text = sign + notation(digits, place, precision: count)
            if count == most || isExact(text) { return text }
        }
        return name
    }

    /// The digits of a number in Swift's notation, and the power of ten of the first one.
    private static func parts(of number: String) -> (digits: [UInt8], exponent: Int) {
        let text = number.split(separator: "e")
        let number = text[0].split(separator: ".")
        let (whole, fraction) = (Array(number[0].utf8), number.count > 1 ? Array(number[1].utf8) : [])
        var digits = whole + fraction
        var exponent = whole.count - 1 + (text.count > 1 ? Int(text[1]) ?? 0 : 0)
        while digits.count > 1, digits[0] == 0x30 {
            digits.removeFirst()
            exponent -= 1
        }
        while digits.count > 1, digits.last == 0x30 { digits.removeLast() }
        return (digits, exponent)
    }

    /// `%.*g`: without zeros at the end, and with an exponent where the number is very large or very small.
    private static func notation(_ digits: [UInt8], _ exponent: Int, precision: Int) -> String {
        func text(_ digits: some Sequence<UInt8>) -> String { String(decoding: Array(digits), as: UTF8.self) }
        if exponent < -4 || exponent >= precision {
            let fraction = digits.count > 1 ? "." + text(digits.dropFirst()) : ""
            let size = exponent.magnitude < 10 ? "0\(exponent.magnitude)" : "\(exponent.magnitude)"
            return text(digits.prefix(1)) + fraction + (exponent < 0 ? "e-" : "e+") + size
        }
        if exponent < 0 { return "0." + String(repeating: "0", count: -exponent - 1) + text(digits) }
        let whole = exponent + 1
        if digits.count <= whole { return text(digits) + String(repeating: "0", count: whole - digits.count) }
        return text(digits.prefix(whole)) + "." + text(digits.dropFirst(whole))
    }

    /// So many digits exactly, the last one rounded to even, without zeros at the end.
    private static func exactDigits(
        of value: Double, _ exponent: Int, count: Int
    ) -> (digits: [UInt8], exponent: Int) {
        var number = LargeNumber(value.significandBitPattern | (value.isNormal ? 1 << 52 : 0))
        var unit = LargeNumber(1)
        let power = Int(value.exponentBitPattern) - 1075 + (value.isNormal ? 0 : 1)
        if power >= 0 { number.shift(by: power) } else { unit.shift(by: -power) }
        for _ in 0..<exponent.magnitude { if exponent > 0 { unit.multiply(by: 10) } else { number.multiply(by: 10) } }
        var digits: [UInt8] = []
        var exponent = exponent
        // The shortest name of a very small number may be one power of ten above its exact digits.
        if number.compare(unit) < 0 {
            number.multiply(by: 10)
            exponent -= 1
        }
        for _ in 0..<count {
            digits.append(0x30 + number.takeMultiple(of: unit))
            number.multiply(by: 10)
        }
        // What is left counts tenths of the last digit.
        unit.multiply(by: 5)
        let order = number.compare(unit)
        if order > 0 || (order == 0 && digits[count - 1] & 1 == 1) {
            var index = count - 1
            while index >= 0, digits[index] == 0x39 {
                digits[index] = 0x30
                index -= 1
            }
            if index >= 0 { digits[index] += 1 } else { (digits, exponent) = ([0x31], exponent + 1) }
        }
        while digits.count > 1, digits.last == 0x30 { digits.removeLast() }
        return (digits, exponent)
    }
}

/// A whole number of any size, for the exact digits of a fraction.
private struct LargeNumber {
    /// The lowest part first.
    private var parts: [UInt32]

    init(_ value: UInt64) { parts = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)] }

    mutating func multiply(by factor: UInt32) {
        var carry: UInt64 = 0
        for index in parts.indices {
            carry += UInt64(parts[index]) * UInt64(factor)
            parts[index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        if carry > 0 { parts.append(UInt32(carry)) }
    }

    mutating func shift(by bits: Int) {
        parts.insert(contentsOf: repeatElement(0, count: bits / 32), at: 0)
        if bits % 32 > 0 { multiply(by: 1 << UInt32(bits % 32)) }
    }

    /// Below, at or above 0 where this one is less than, equal to or greater than `other`.
    func compare(_ other: LargeNumber) -> Int {
        for index in stride(from: max(parts.count, other.parts.count) - 1, through: 0, by: -1) {
            let mine = index < parts.count ? parts[index] : 0
            let its = index < other.parts.count ? other.parts[index] : 0
            if mine != its { return mine < its ? -1 : 1 }
        }
        return 0
    }

    /// Takes `unit` away as often as it goes, which is less than ten times, and says how often that was.
    mutating func takeMultiple(of unit: LargeNumber) -> UInt8 {
        var count: UInt8 = 0
        while compare(unit) >= 0, count < 10 {
            var borrow: Int64 = 0
            for index in parts.indices {
                let difference = Int64(parts[index]) - Int64(index < unit.parts.count ? unit.parts[index] : 0) + borrow
                parts[index] = UInt32(truncatingIfNeeded: difference)
                borrow = difference < 0 ? -1 : 0
            }
            count += 1
        }
        return count
    }
}
