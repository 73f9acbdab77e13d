// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A buffer of JSON text.
struct JSONOutput {
    /// The bytes written so far.
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    @inline(__always) mutating func write(_ byte: UInt8) { bytes.append(byte) }

    /// Writes literal text.
    @inline(__always) mutating func write(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes bytes of JSON.
    @inline(__always) mutating func write(raw text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }

    /// Writes a comma unless this is the first element.
    @inline(__always) mutating func separate(_ isFirst: inout Bool) {
        if isFirst { isFirst = false } else { write(UInt8(ascii: ",")) }
    }

    /// Writes a string in quotes.
    mutating func write(string text: String) {
        var text = text
        text.withUTF8 { write(utf8: $0) }
    }

    /// Writes UTF-8 as a quoted string with the required escapes (RFC 8259 §7), and one for the delete character.
    mutating func write(utf8 text: UnsafeBufferPointer<UInt8>) {
        write(UInt8(ascii: "\""))
        var start = 0
        for (position, byte) in text.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F {
            bytes.append(contentsOf: text[start..<position])
            start = position + 1
            write(escape: byte)
        }
        bytes.append(contentsOf: start == 0 ? text[...] : text[start...])
        write(UInt8(ascii: "\""))
    }

    private mutating func write(escape byte: UInt8) {
        write(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: write(UInt8(ascii: "b"))
        case 0x09: write(UInt8(ascii: "t"))
        case 0x0A: write(UInt8(ascii: "n"))
        case 0x0C: write(UInt8(ascii: "f"))
        case 0x0D: write(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): write(byte)
        default:
            write("u00")
            write(hexDigit(byte >> 4))
            write(hexDigit(byte & 15))
        }
    }
}

extension JSONOutput {
    /// Writes an integer's digits.
    mutating func write(integer value: Int64) {
        if value < 0 { write(UInt8(ascii: "-")) }
        write(unsigned: value.magnitude)
    }

    /// Writes an integer's digits.
    mutating func write(unsigned value: UInt64) {
        guard value >= 10 else { return write(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = value
            var position = 20
            while rest > 0 {
                position -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                digits[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
            bytes.append(contentsOf: digits[position...])
        }
    }

    /// Writes a float in its shortest form, or the name of a non-finite value as a string.
    mutating func write<Value: BinaryFloatingPoint & LosslessStringConvertible>(float value: Value) {
        guard value.isFinite else {
            return write(value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
        }
        // Most floats in messages are whole and print as integers. Negative zero does not, because most parsers would
        // drop its sign.
        let bound = Value(1 << (Value.significandBitCount + 1))
        if value.magnitude < bound, value == value.rounded(.towardZero), value != 0 || value.sign == .plus {
            return write(integer: Int64(value))
        }
        if value == 0 { return write("-0.0") }
        var text = value.description
        text.withUTF8 { text in
            // Swift ends whole numbers with ".0", which JSON does not need.
            let isWhole = text.count > 2 && text[text.count - 2] == UInt8(ascii: ".") && text.last == UInt8(ascii: "0")
            bytes.append(contentsOf: isWhole ? text.dropLast(2) : text[...])
        }
    }

    /// Writes bytes as quoted base64, in the standard alphabet with padding (RFC 4648 §4).
    mutating func write(base64 data: UnsafeBufferPointer<UInt8>) {
        write(UInt8(ascii: "\""))
        bytes.append(contentsOf: Base64Alphabet.standard.encodePadded(data).utf8)
        write(UInt8(ascii: "\""))
    }
}

/// Returns the hexadecimal digit of a value below 16.
func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
