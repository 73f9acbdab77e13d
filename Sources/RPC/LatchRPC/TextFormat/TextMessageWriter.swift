// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// Writes messages in the text format, one field on each line.
struct TextMessageWriter {
    var output = TextOutput()
    let options: TextWritingOptions
    /// How many Any may still be opened inside of each other: their bytes are not nested to whoever decodes them, so that
    /// nothing else bounds the recursion.
    private var packedDepth = 64

    init(options: TextWritingOptions) { self.options = options }

    /// Writes the fields of a message that have values, then the extensions, then what is unknown.
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

    private mutating func write(_ value: FieldContent, _ field: FieldSchema?, named name: String) {
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

    /// Writes what an Any holds, if its type is known and its bytes are a message of it.
    private mutating func writePacked(_ storage: MessageStorage) -> Bool {
        guard WellKnownShape(storage.layout.name) == .any, packedDepth > 0 else { return false }
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
            // What cannot be read is shown as the URL and the bytes that it is.
            return false
        }
    }
}
