// SPDX-License-Identifier: Apache-2.0

extension TextMessageWriter {
    /// Writes encoded fields by their numbers; a run of bytes that reads as fields is taken for a message.
    mutating func writeUnknown(_ bytes: ArraySlice<UInt8>) {
        for field in RawField.fields(of: bytes) ?? [] { writeUnknown(field, depth: 64) }
    }

    private mutating func writeUnknown(_ field: RawField, depth: Int) {
        let name = String(field.number)
        switch field.value {
        case .varint(let value): writeLine(name, String(value))
        case .fixed32(let value): writeLine(name, Self.hexadecimal(UInt64(value), digits: 8))
        case .fixed64(let value): writeLine(name, Self.hexadecimal(value, digits: 16))
        case .group(let fields): writeMessage(name, fields, depth: depth - 1)
        case .bytes(let bytes):
            if depth > 0, !bytes.isEmpty, let fields = RawField.fields(of: bytes) {
                return writeMessage(name, fields, depth: depth - 1)
            }
            output.begin(name)
            output.write(quoted: Array(bytes))
            output.end()
        }
    }

    private mutating func writeLine(_ name: String, _ value: String) {
        output.begin(name)
        output.write(value)
        output.end()
    }

    private mutating func writeMessage(_ name: String, _ fields: [RawField], depth: Int) {
        output.open(name)
        for field in fields { writeUnknown(field, depth: depth) }
        output.close()
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: digits - text.count) + text
    }
}

/// A field of the binary encoding that no schema explains.
private struct RawField {
    enum Value {
        case varint(UInt64)
        case fixed32(UInt32)
        case fixed64(UInt64)
        case bytes(ArraySlice<UInt8>)
        case group([RawField])
    }

    let number: UInt64
    let value: Value

    /// The fields that bytes encode; nil where they are none.
    static func fields(of bytes: ArraySlice<UInt8>) -> [RawField]? {
        var bytes = bytes
        return read(&bytes, group: nil, depth: 64)
    }

    private static func read(_ bytes: inout ArraySlice<UInt8>, group: UInt64?, depth: Int) -> [RawField]? {
        guard depth > 0 else { return nil }
        var fields: [RawField] = []
        while !bytes.isEmpty {
            guard let tag = varint(&bytes), tag >> 3 != 0, tag >> 3 <= 536_870_911 else { return nil }
            if tag & 7 == 4 { return tag >> 3 == group ? fields : nil }
            guard let value = value(tag, &bytes, depth: depth) else { return nil }
            fields.append(RawField(number: tag >> 3, value: value))
        }
        return group == nil ? fields : nil
    }

    private static func value(_ tag: UInt64, _ bytes: inout ArraySlice<UInt8>, depth: Int) -> Value? {
        switch tag & 7 {
        case 0: varint(&bytes).map { .varint($0) }
        case 1: fixed(&bytes, 8).map { .fixed64($0) }
        case 2: varint(&bytes).flatMap { take(&bytes, $0) }.map { .bytes($0) }
        case 3: read(&bytes, group: tag >> 3, depth: depth - 1).map { .group($0) }
        case 5: fixed(&bytes, 4).map { .fixed32(UInt32(truncatingIfNeeded: $0)) }
        default: nil
        }
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        return nil
    }

    private static func fixed(_ bytes: inout ArraySlice<UInt8>, _ count: UInt64) -> UInt64? {
        take(&bytes, count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func take(_ bytes: inout ArraySlice<UInt8>, _ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(bytes.count) else { return nil }
        let taken = bytes.prefix(Int(count))
        bytes = bytes.dropFirst(Int(count))
        return taken
    }
}
