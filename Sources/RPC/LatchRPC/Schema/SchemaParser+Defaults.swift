// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension SchemaParser {
    /// The line without `default "TEXT"` at its end, and the text with its escapes read.
    static func splitDefault(_ line: Substring) -> (Substring, String?) {
        let mark = " default \""
        guard line.utf8.last == UInt8(ascii: "\""), let start = line.firstRange(of: mark) else { return (line, nil) }
        let text = line[start.upperBound...].dropLast()
        return (line[..<start.lowerBound], String(text))
    }

    /// A default as it lies in memory; nil for zero, which needs none.
    static func defaultValue(of field: FieldSchema) -> FieldSchema.Default? {
        guard let text = field.defaultText, field.cardinality == .singular else {
            guard field.kind == .closedEnum, field.cardinality == .singular, let first = field.enumeration?.first else {
                return nil
            }
            return first == 0 ? nil : .bits(UInt64(UInt32(bitPattern: first)))
        }
        switch field.kind {
        case .string: return .text(String(decoding: unescaped(text), as: UTF8.self))
        case .bytes: return .bytes(Data(unescaped(text)))
        case .message, .group: return nil
        default: return bits(of: text, field).map { .bits($0) }
        }
    }

    private static func bits(of text: String, _ field: FieldSchema) -> UInt64? {
        switch field.kind.stored {
        case .bool: text == "true" ? 1 : 0
        case .int32:
            (Int32(text) ?? field.enumeration?.number(of: text)).map { UInt64(UInt32(bitPattern: $0)) }
        case .int64: Int64(text).map { UInt64(bitPattern: $0) }
        case .uint32: UInt32(text).map { UInt64($0) }
        case .uint64: UInt64(text)
        case .float: Float(text).map { UInt64($0.bitPattern) }
        case .double: Double(text).map { $0.bitPattern }
        case .string, .bytes, .message: nil
        }
    }

    /// The bytes of a text with C's escapes.
    static func unescaped(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        var bytes = text.utf8[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = bytes.popFirst() else {
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "n"): result.append(10)
            case UInt8(ascii: "r"): result.append(13)
            case UInt8(ascii: "t"): result.append(9)
            case UInt8(ascii: "a"): result.append(7)
            case UInt8(ascii: "b"): result.append(8)
            case UInt8(ascii: "v"): result.append(11)
            case UInt8(ascii: "f"): result.append(12)
            case UInt8(ascii: "x"), UInt8(ascii: "X"): result.append(number(&bytes, radix: 16, atMost: 2, from: 0))
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                result.append(number(&bytes, radix: 8, atMost: 2, from: Int(escape) - 48))
            default: result.append(escape)
            }
        }
        return result
    }

    private static func number(_ bytes: inout Substring.UTF8View, radix: Int, atMost: Int, from: Int) -> UInt8 {
        var value = from
        for _ in 0..<atMost {
            guard let digit = bytes.first.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }), digit < radix else {
                break
            }
            bytes.removeFirst()
            value = value * radix + digit
        }
        return UInt8(truncatingIfNeeded: value)
    }
}
