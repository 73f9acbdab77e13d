// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// An encoder of messages to the text format, one field per line.
struct TextFormatEncoder {
    var output = TextFormatOutput()
    let options: TextFormatEncodingOptions
    /// The number of further nested Any messages to expand; it bounds the recursion, since their bytes do not count as
    /// nesting when they are decoded.
    private var packedDepth = 64

    init(options: TextFormatEncodingOptions) { self.options = options }

    /// Writes the set fields, then the extensions, then unknown fields.
    mutating func writeFields(_ storage: MessageStorage) {
        if writePacked(storage) { return }
        for field in storage.layout.fields where storage.has(field.slot) {
            write(field, named: field.textName, of: storage)
        }
        for (_, values) in storage.extensions {
            if let field = values.layout.fields.first { write(field, named: "[\(field.name)]", of: values) }
        }
        if options.includesUnknownFields { writeUnknown(storage.unknownFields.bytes[...]) }
    }

    private mutating func write(_ field: FieldSchema, named name: String, of storage: MessageStorage) {
        switch field.cardinality {
        case .singular: if let value = storage.content(field.slot) { write(value, field, named: name) }
        case .repeated: for value in storage.contents(field.slot) { write(value, field, named: name) }
        case .map:
            storage.forEachEntry(field.slot, sorted: true) { key, value in
                output.open(name)
                write(key, nil, named: "key")
                write(value, field, named: "value")
                output.close()
            }
        }
    }

    private mutating func write(_ value: AnyFieldValue, _ field: FieldSchema?, named name: String) {
        if case .message(let message) = value {
            output.open(name)
            writeFields(message)
            return output.close()
        }
        output.begin(name)
        switch value {
        case .bool(let value): output.write(value ? "true" : "false")
        case .int32(let value): output.write(field?.enumeration?.name(of: value) ?? String(value))
        case .int64(let value): output.write(String(value))
        case .uint32(let value): output.write(String(value))
        case .uint64(let value): output.write(String(value))
        case .float(let value): output.write(Self.spelling(Double(value), value.description))
        case .double(let value): output.write(Self.spelling(value, value.description))
        case .string(let value): output.write(quoted: value)
        case .bytes(let value): output.write(quoted: Array(value))
        case .message: break
        }
        output.end()
    }

    private static func spelling(_ value: Double, _ description: String) -> String {
        guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
        return description.hasSuffix(".0") ? String(description.dropLast(2)) : description
    }

    /// Writes the message in an Any, if its type is registered and its bytes are valid.
    private mutating func writePacked(_ storage: MessageStorage) -> Bool {
        guard WellKnownType(storage.layout.name) == .any, packedDepth > 0 else { return false }
        packedDepth -= 1
        defer { packedDepth += 1 }
        let url = storage[string: 0]
        do throws(ProtoError) {
            let schema = try options.types.type(url: url).schema
            let bytes = Array(storage[bytes: 1])
            let packed = try MessageStorage(schema, packed: bytes, extensions: options.extensions)
            output.open("[\(url)]")
            writeFields(packed)
            output.close()
            return true
        } catch {
            // Otherwise the URL and the bytes are written.
            return false
        }
    }
}

extension TextFormatEncoder {
    /// Writes unknown fields by number; bytes that are a valid encoding are written as a message.
    private mutating func writeUnknown(_ bytes: ArraySlice<UInt8>) {
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

/// An unknown field of the binary encoding.
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

    /// Decodes fields; nil if the bytes are invalid.
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

/// A buffer of text format.
struct TextFormatOutput {
    /// The text written so far.
    private(set) var text = ""
    private var level = 0

    private mutating func indent() { for _ in 0..<level { text += "  " } }

    /// Begins a line with a field's name.
    mutating func begin(_ name: String) {
        indent()
        text += name
        text += ": "
    }

    /// Ends the line.
    mutating func end() { text += "\n" }

    /// Opens a message.
    mutating func open(_ name: String) {
        indent()
        text += name
        text += " {\n"
        level += 1
    }

    /// Closes the message that was opened last.
    mutating func close() {
        level -= 1
        indent()
        text += "}\n"
    }

    /// Writes a value without escaping.
    mutating func write(_ value: String) { text += value }

    /// Writes a string in quotes; non-ASCII characters are not escaped.
    mutating func write(quoted value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            if scalar.isASCII { write(escaping: UInt8(ascii: scalar)) } else { text.unicodeScalars.append(scalar) }
        }
        text += "\""
    }

    /// Writes bytes in quotes, with octal escapes for non-ASCII ones.
    mutating func write(quoted value: [UInt8]) {
        text += "\""
        for byte in value { write(escaping: byte) }
        text += "\""
    }

    private mutating func write(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"): text += "\\n"
        case UInt8(ascii: "\r"): text += "\\r"
        case UInt8(ascii: "\t"): text += "\\t"
        case UInt8(ascii: "\""): text += "\\\""
        case UInt8(ascii: "'"): text += "\\'"
        case UInt8(ascii: "\\"): text += "\\\\"
        case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
        default: text += "\\\(byte >> 6)\(byte >> 3 & 7)\(byte & 7)"
        }
    }
}
