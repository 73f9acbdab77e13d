// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

extension JSONMessageDecoder {
    @inline(__always)
    mutating func readScalar(_ entry: FieldEntry, into storage: inout MessageStorage) throws(ProtoError) {
        try refuseSecondOneofMember(entry, storage)
        switch entry.cell {
        case .string: try storage.setText(entry, readText())
        case .bytes: try storage.setText(entry, readBytes())
        case .bool: try storage.set(entry, text.readBool())
        case .int32 where entry.kind.isEnum:
            guard let number = try readEnum(entry.kind, storage.table.enumeration(of: entry)) else { return }
            storage.set(entry, number)
        case .int32: try storage.set(entry, readInteger(Int32.self))
        case .int64: try storage.set(entry, readInteger(Int64.self))
        case .uint32: try storage.set(entry, readInteger(UInt32.self))
        case .uint64: try storage.set(entry, readInteger(UInt64.self))
        case .float: try storage.set(entry, readFloat(Float.self))
        case .double: try storage.set(entry, readFloat(Double.self))
        default: try text.skipValue()
        }
    }

    /// Reads an integer from a number or a string.
    @inline(__always)
    mutating func readInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) throws(ProtoError) -> Integer {
        try readNumber("an integer is out of range") { (number, bytes) in number.integer(in: bytes) }
    }

    /// Reads a float from a number or a string, which can name a non-finite value.
    mutating func readFloat<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Value.Type
    ) throws(ProtoError) -> Value {
        if text.peekToken() == UInt8(ascii: "\""), let value: Value = try takeNonFinite() { return value }
        return try readNumber("a number is out of range") { (number, bytes) in number.float(in: bytes) }
    }

    @inline(__always)
    private mutating func readNumber<Value>(
        _ failure: StaticString, _ convert: (DecimalText, UnsafeBufferPointer<UInt8>) -> Value?
    ) throws(ProtoError) -> Value {
        let isString = text.peekToken() == UInt8(ascii: "\"")
        let start = text.position
        let value =
            isString
            ? try readNumber(in: text.scanString(), convert) : try convert(text.scanNumber(), text.bytes)
        guard let value else { throw .malformedJSON("\(failure)", at: start) }
        return value
    }

    /// Consumes `"NaN"`, `"Infinity"` or `"-Infinity"`, if present.
    private mutating func takeNonFinite<Value: BinaryFloatingPoint>() throws(ProtoError) -> Value? {
        let start = text.position
        let string = try text.scanString()
        let value: Value? = try text.withBytes(of: string) { bytes in
            if bytes.elementsEqual("NaN".utf8) { return .nan }
            if bytes.elementsEqual("Infinity".utf8) { return .infinity }
            return bytes.elementsEqual("-Infinity".utf8) ? -.infinity : nil
        }
        if value == nil { text.position = start }
        return value
    }

    /// Reads a string that contains exactly one JSON number.
    func readNumber<Value>(
        in string: JSONString, _ body: (DecimalText, UnsafeBufferPointer<UInt8>) -> Value?
    ) throws(ProtoError) -> Value? {
        try text.withBytes(of: string) { (bytes) throws(ProtoError) in
            var inner = JSONScanner(bytes: bytes, depth: 0)
            guard let first = bytes.first, first == UInt8(ascii: "-") || first.isDigit else {
                throw .malformedJSON("a number is expected", at: string.start)
            }
            // The inner scanner counts from the quote, but the error reports the offset in the whole text.
            let number: DecimalText
            do throws(ProtoError) { number = try inner.scanNumber() } catch {
                throw .malformedJSON("a number is expected", at: string.start + inner.position)
            }
            guard inner.position == bytes.count else { throw .malformedJSON("a number is expected", at: string.start) }
            return body(number, bytes)
        }
    }

    /// Reads base64.
    mutating func readBytes() throws(ProtoError) -> Data {
        let string = try text.scanString()
        try charge(AllocationCost.data(string.end - string.start))
        let bytes = try text.withBytes(of: string) { LenientBase64.decode($0) }
        guard let bytes else { throw .malformedJSON("base64 is expected", at: string.start) }
        return Data(bytes)
    }

    /// Reads an enum value by name or number.
    ///
    /// - Returns: The number; nil for an unknown value that is ignored.
    mutating func readEnum(_ kind: FieldKind, _ schema: EnumSchema?) throws(ProtoError) -> Int32? {
        guard let schema else { return nil }
        let byte = text.peekToken()
        let start = text.position
        if byte == UInt8(ascii: "\"") {
            let name = try text.readString()
            if let number = schema.number(of: name) { return number }
        } else if byte == UInt8(ascii: "n"), schema.name == "google.protobuf.NullValue" {
            try text.expectWord("null")
            return 0
        } else {
            let number = try readInteger(Int32.self)
            if kind == .openEnum || schema.contains(number) { return number }
        }
        guard options.ignoresUnknownFields else { throw .unknownEnumValue(schema.name, at: start) }
        return nil
    }
}

extension DecimalText {
    /// Returns the value as an integer, if it is integral and in range.
    @inline(__always)
    func integer<Integer: FixedWidthInteger>(in text: UnsafeBufferPointer<UInt8>) -> Integer? {
        guard let magnitude = magnitude(in: text) else { return nil }
        guard isNegative else { return Integer(exactly: magnitude) }
        guard magnitude <= 1 << 63 else { return nil }
        return Integer(exactly: Int64(truncatingIfNeeded: 0 &- magnitude))
    }
}
