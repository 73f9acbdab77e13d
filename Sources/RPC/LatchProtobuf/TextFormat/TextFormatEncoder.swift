// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// An encoder of messages to the text format, one field per line.
struct TextFormatEncoder {
    /// The text written so far.
    private(set) var text = ""
    private let options: TextFormatEncodingOptions
    private var level = 0
    /// The number of nested Any messages that may still be expanded.
    ///
    /// It limits the recursion, because the messages' bytes do not count as nesting when they are decoded.
    private var packedDepth = 64

    init(options: TextFormatEncodingOptions) { self.options = options }

    /// Writes the set fields, then the extensions, then unknown fields.
    mutating func writeFields(_ storage: MessageStorage) {
        if writePacked(storage) { return }
        for field in storage.layout.fields where storage.has(field.slot) {
            write(field, named: field.textName(in: storage.layout), of: storage)
        }
        for (_, values) in storage.extensions {
            guard let field = values.layout.fields.first else { continue }
            write(field, named: "[\(field.bracketedName(in: storage.layout))]", of: values)
        }
        if options.includesUnknownFields { writeUnknown(storage.unknownFields.bytes) }
    }

    private mutating func write(_ field: FieldSchema, named name: String, of storage: MessageStorage) {
        switch field.cardinality {
        case .singular: if let value = storage.content(field.slot) { write(value, field, named: name) }
        case .repeated: for value in storage.contents(field.slot) { write(value, field, named: name) }
        case .map:
            for (key, value) in storage.entries(field.slot) {
                writeMessage(name) {
                    $0.write(key, nil, named: "key")
                    $0.write(value, field, named: "value")
                }
            }
        }
    }

    private mutating func write(_ value: AnyFieldValue, _ field: FieldSchema?, named name: String) {
        switch value {
        case .bool(let value): writeLine(name, value.description)
        case .int32(let value): writeLine(name, field?.enumeration?.name(of: value) ?? value.description)
        case .int64(let value): writeLine(name, value.description)
        case .uint32(let value): writeLine(name, value.description)
        case .uint64(let value): writeLine(name, value.description)
        case .float(let value): writeLine(name, Self.spelling(Double(value), value.description))
        case .double(let value): writeLine(name, Self.spelling(value, value.description))
        case .string(let value): writeLine(name, quoted: value.unicodeScalars, isText: true)
        case .bytes(let value): writeLine(name, quoted: value)
        case .message(let message): writeMessage(name) { $0.writeFields(message) }
        }
    }

    private static func spelling(_ value: Double, _ description: String) -> String {
        guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
        return description.utf8.suffix(2).elementsEqual(".0".utf8)
            ? String(Substring(description.utf8.dropLast(2))) : description
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
            writeMessage("[\(url)]") { $0.writeFields(packed) }
            return true
        } catch {
            // In this case the URL and the bytes are written.
            return false
        }
    }
}

extension TextFormatEncoder {
    /// Writes unknown fields by number; writes bytes as a message if they are a valid encoding.
    private mutating func writeUnknown(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            guard Self.isMessage(bytes) else { return }
            var decoder = BinaryDecoder(bytes, depth: 0, extensions: [])
            writeUnknown(&decoder, depth: 64)
        }
    }

    /// Writes fields, which are valid, up to the end of the bytes or of a group.
    private mutating func writeUnknown(_ decoder: inout BinaryDecoder, depth: Int) {
        do throws(DecodingFailure) {
            while decoder.remaining > 0 {
                let tag = try decoder.tag()
                let name = String(tag >> 3)
                switch WireType(rawValue: UInt8(tag & 7)) {
                case .varint: writeLine(name, String(try decoder.varint()))
                case .fixed32: writeLine(name, Self.hexadecimal(UInt64(try decoder.fixed(UInt32.self)), digits: 8))
                case .fixed64: writeLine(name, Self.hexadecimal(try decoder.fixed(UInt64.self), digits: 16))
                case .startGroup: writeMessage(name) { $0.writeUnknown(&decoder, depth: depth - 1) }
                case .delimited: writeUnknown(name, try decoder.delimited(), depth: depth)
                case .endGroup, nil: return
                }
            }
        } catch {
            // `isMessage` has read the same bytes without an error.
        }
    }

    private mutating func writeUnknown(_ name: String, _ bytes: UnsafeBufferPointer<UInt8>, depth: Int) {
        guard depth > 0, !bytes.isEmpty, Self.isMessage(bytes) else { return writeLine(name, quoted: bytes) }
        var decoder = BinaryDecoder(bytes, depth: 0, extensions: [])
        writeMessage(name) { $0.writeUnknown(&decoder, depth: depth - 1) }
    }

    private static func isMessage(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var decoder = BinaryDecoder(bytes, depth: 64, extensions: [])
        do throws(DecodingFailure) {
            while decoder.remaining > 0 { try decoder.skip(decoder.tag()) }
            return true
        } catch {
            return false
        }
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: digits - text.utf8.count) + text
    }
}

extension TextFormatEncoder {
    private mutating func writeLine(_ name: String, _ value: String) {
        indent()
        text += name
        text += ": "
        text += value
        text += "\n"
    }

    private mutating func writeMessage(_ name: String, _ body: (inout TextFormatEncoder) -> Void) {
        indent()
        text += name
        text += " {\n"
        level += 1
        body(&self)
        level -= 1
        indent()
        text += "}\n"
    }

    private mutating func indent() { for _ in 0..<level { text += "  " } }

    private mutating func writeLine(_ name: String, quoted bytes: some Sequence<UInt8>) {
        writeLine(name, quoted: bytes.lazy.map { Unicode.Scalar($0) }, isText: false)
    }

    /// Writes a string or bytes; escapes non-ASCII bytes.
    private mutating func writeLine(_ name: String, quoted scalars: some Sequence<Unicode.Scalar>, isText: Bool) {
        indent()
        text += name
        text += ": \""
        for scalar in scalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\"", "'", "\\":
                text += "\\"
                text.unicodeScalars.append(scalar)
            case " "..."~": text.unicodeScalars.append(scalar)
            case _ where isText && !scalar.isASCII: text.unicodeScalars.append(scalar)
            default: text += "\\\(scalar.value >> 6)\(scalar.value >> 3 & 7)\(scalar.value & 7)"
            }
        }
        text += "\"\n"
    }
}
