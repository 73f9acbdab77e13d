// SPDX-License-Identifier: Apache-2.0

extension JSONMessageReader {
    /// Reads an object into a map's field; a key that stands twice, in whatever spelling, is an error.
    mutating func readMap(_ entry: FieldEntry, into storage: inout MessageStorage) throws(ProtoError) {
        let slot = Int(entry.slot)
        let field = storage.layout.fields[slot]
        try text.openObject()
        var isFirst = true
        while let name = try text.nextName(isFirst: &isFirst) {
            guard let key = try readKey(name, field.key?.stored) else {
                throw .malformedJSON("a map's key is not of its type", at: name.start)
            }
            guard let value = try readContent(entry, field) else { continue }
            guard storage.setEntry(slot, key, value) else { throw .duplicateKey(at: name.start) }
        }
    }

    /// Reads a key, which is always in quotes.
    private func readKey(_ name: JSONString, _ kind: StoredKind?) throws(ProtoError) -> FieldContent? {
        switch kind {
        case .string: .string(try text.string(name))
        case .bool:
            switch try text.string(name) {
            case "true": .bool(true)
            case "false": .bool(false)
            default: nil
            }
        case .int32: try readInteger(name).map { .int32($0) }
        case .int64: try readInteger(name).map { .int64($0) }
        case .uint32: try readInteger(name).map { .uint32($0) }
        case .uint64: try readInteger(name).map { .uint64($0) }
        default: nil
        }
    }

    private func readInteger<Integer: FixedWidthInteger>(_ name: JSONString) throws(ProtoError) -> Integer? {
        try readNumber(in: name) { (number, bytes) in number.integer(in: bytes) }
    }

    /// Reads one value of a map; nil where it is to be left out.
    private mutating func readContent(_ entry: FieldEntry, _ field: FieldSchema) throws(ProtoError) -> FieldContent? {
        switch field.kind.stored {
        case .bool: return .bool(try text.readBool())
        case .int32 where field.kind.isEnum: return try readEnum(entry.kind, field.enumeration).map { .int32($0) }
        case .int32: return .int32(try readInteger(Int32.self))
        case .int64: return .int64(try readInteger(Int64.self))
        case .uint32: return .uint32(try readInteger(UInt32.self))
        case .uint64: return .uint64(try readInteger(UInt64.self))
        case .float: return .float(try readFloat())
        case .double: return .double(try readDouble())
        case .string: return .string(try text.readString())
        case .bytes: return .bytes(try readBytes())
        case .message:
            guard let schema = field.child else { return nil }
            return .message(try readMessage(schema))
        }
    }
}
