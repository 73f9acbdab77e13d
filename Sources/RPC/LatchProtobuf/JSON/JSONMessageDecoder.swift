// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

struct JSONMessageDecoder {
    var text: JSONScanner
    let options: JSONDecodingOptions
    /// The number of bytes that the remaining values may allocate.
    var budget = Int.max

    /// Charges the bytes that the next value allocates.
    @inline(__always)
    mutating func charge(_ bytes: Int) throws(ProtoError) {
        budget -= bytes
        guard budget >= 0 else { throw .overBudget("A JSON message") }
    }

    /// Reads a string and charges its bytes.
    @inline(__always)
    mutating func readText() throws(ProtoError) -> String {
        let string = try text.scanString()
        try charge(AllocationCost.text(string.end - string.start))
        return try text.string(string)
    }

    /// Reads a message of any type into empty storage.
    mutating func readMessage(into storage: inout MessageStorage) throws(ProtoError) {
        let names = storage.table.layout.jsonNames
        switch names.pointee.wellKnownType {
        case .none: try readFields(names, into: &storage)
        case let type: try readWellKnown(type, into: &storage)
        }
    }

    mutating func readMessage(_ schema: MessageSchema) throws(ProtoError) -> MessageStorage {
        try charge(AllocationCost.object(schema.table))
        var storage = MessageStorage(schema)
        try readMessage(into: &storage)
        return storage
    }

    /// Reads an object whose members are the message's fields.
    ///
    /// - Parameter skipped: The name of a member to ignore: the `@type` of an Any.
    mutating func readFields(
        _ names: UnsafePointer<JSONNames>, into storage: inout MessageStorage, skipping skipped: StaticString? = nil
    ) throws(ProtoError) {
        try text.openObject()
        var seen = SlotSet()
        var seenExtensions: Set<UInt32> = []
        var isFirst = true
        var likely = 0
        while let name = try text.nextName(isFirst: &isFirst) {
            guard let slot = try slot(of: name, names, likely: likely) else {
                try readUnknown(name, into: &storage, &seenExtensions, skipping: skipped)
                continue
            }
            likely = slot + 1
            guard seen.insert(slot) else { throw .duplicateField(storage.layout.fields[slot].name, at: name.start) }
            do throws(ProtoError) {
                try readField(storage.table.entries[slot], names.pointee.takesNull[slot], into: &storage)
            } catch {
                throw error.inside(storage.layout.fields[slot].name)
            }
        }
    }

    @inline(__always)
    private func slot(
        of name: JSONString, _ names: UnsafePointer<JSONNames>, likely: Int
    ) throws(ProtoError) -> Int? {
        guard name.isEscaped else { return names.pointee.slot(of: text.raw(name), likely: likely) }
        return try text.withBytes(of: name) { names.pointee.slot(of: $0, likely: likely) }
    }

    /// Reads a member without a field: an extension, a member to skip, or an error.
    private mutating func readUnknown(
        _ nameToken: JSONString, into storage: inout MessageStorage, _ seen: inout Set<UInt32>,
        skipping skipped: StaticString?
    ) throws(ProtoError) {
        let name = try text.string(nameToken)
        if let skipped, name == "\(skipped)" { return try text.skipValue() }
        if name.utf8.first == UInt8(ascii: "["), name.utf8.last == UInt8(ascii: "]"),
            let schema = options.extensions.schema(
                named: Substring(name.utf8.dropFirst().dropLast()), of: storage.layout.name)
        {
            let entry = schema.table.pointee.entries[0]
            // Null and an empty list set no value, but count as an occurrence.
            guard seen.insert(entry.number).inserted else {
                throw .duplicateField(schema.layout.fields[0].name, at: nameToken.start)
            }
            try charge(AllocationCost.extras + AllocationCost.object(schema.table))
            var values = MessageStorage(schema)
            try readField(entry, schema.layout.jsonNames.pointee.takesNull[0], into: &values)
            if values.has(0) { storage.setExtension(entry.number, values) }
            return
        }
        guard options.ignoresUnknownFields else { throw .unknownField(name, in: storage.layout.name) }
        try text.skipValue()
    }

    /// Reads the value of a field; null clears the field, unless its type has null as a value.
    @inline(__always)
    private mutating func readField(
        _ entry: FieldEntry, _ takesNull: Bool, into storage: inout MessageStorage
    ) throws(ProtoError) {
        if text.peekToken() == UInt8(ascii: "n"), !takesNull || entry.cell.isMany {
            return try text.expectWord("null")
        }
        switch entry.cell {
        case .none: try text.skipValue()
        case .map: try readMap(entry, into: &storage)
        case .message: try readChild(entry, into: &storage)
        default:
            if entry.cell.isMany {
                try readList(entry, into: &storage)
            } else {
                try readScalar(entry, into: &storage)
            }
        }
    }

    mutating func readChild(_ entry: FieldEntry, into storage: inout MessageStorage) throws(ProtoError) {
        guard let schema = storage.table.schema(of: entry) else { return try text.skipValue() }
        try refuseSecondOneofMember(entry, storage)
        storage.setChild(entry, try readMessage(schema))
    }

    /// Refuses a second member of a oneof (protobuf.dev, ProtoJSON); null does not count.
    @inline(__always)
    func refuseSecondOneofMember(_ entry: FieldEntry, _ storage: MessageStorage) throws(ProtoError) {
        guard entry.presence == .oneof, storage.object.memory.word(entry).pointee != 0 else { return }
        throw .duplicateOneof(at: text.position)
    }
}

/// A set of slots; up to 64 of them need no allocation.
struct SlotSet {
    private var few: UInt64 = 0
    private var many: Set<Int> = []

    /// Inserts a slot.
    ///
    /// - Returns: Whether it was new.
    @inline(__always)
    mutating func insert(_ slot: Int) -> Bool {
        guard slot < 64 else { return many.insert(slot).inserted }
        let bit = UInt64(1) << UInt64(slot)
        guard few & bit == 0 else { return false }
        few |= bit
        return true
    }
}

extension LayoutTable {
    @inline(__always)
    func schema(of entry: FieldEntry) -> MessageSchema? { children[Int(entry.child)].message?.takeUnretainedValue() }

    /// Returns the schema of a field's enum; nil for a field without a type.
    @inline(__always)
    func enumeration(of entry: FieldEntry) -> EnumSchema? {
        Int(entry.child) < children.count ? children[Int(entry.child)].enumeration?.takeUnretainedValue() : nil
    }
}

extension JSONMessageDecoder {
    /// Reads an array into a repeated field.
    mutating func readList(_ entry: FieldEntry, into storage: inout MessageStorage) throws(ProtoError) {
        let table = storage.object.table
        let address = storage.own() + Int(entry.offset)
        switch entry.cell {
        case .bools: try fill(address) { (reader) throws(ProtoError) in try reader.text.readBool() }
        case .int32s where entry.kind.isEnum:
            let schema = table.pointee.enumeration(of: entry)
            try fill(address) { (reader) throws(ProtoError) in try reader.readEnum(entry.kind, schema) }
        case .int32s: try fill(address) { (reader) throws(ProtoError) in try reader.readInteger(Int32.self) }
        case .int64s: try fill(address) { (reader) throws(ProtoError) in try reader.readInteger(Int64.self) }
        case .uint32s: try fill(address) { (reader) throws(ProtoError) in try reader.readInteger(UInt32.self) }
        case .uint64s: try fill(address) { (reader) throws(ProtoError) in try reader.readInteger(UInt64.self) }
        case .floats: try fill(address) { (reader) throws(ProtoError) in try reader.readFloat(Float.self) }
        case .doubles: try fill(address) { (reader) throws(ProtoError) in try reader.readFloat(Double.self) }
        case .strings: try fill(address) { (reader) throws(ProtoError) in try reader.readText() }
        case .datas: try fill(address) { (reader) throws(ProtoError) in try reader.readBytes() }
        case .messages:
            guard let schema = table.pointee.schema(of: entry) else { return try text.skipValue() }
            try fill(address) { (reader) throws(ProtoError) in try reader.readMessage(schema) }
        default: try text.skipValue()
        }
    }

    /// Reads the elements; omits ignored ones.
    @inline(__always)
    private mutating func fill<Value>(
        _ address: UnsafeMutableRawPointer, _ read: (inout JSONMessageDecoder) throws(ProtoError) -> Value?
    ) throws(ProtoError) {
        var values: [Value] = []
        try text.openArray()
        var isFirst = true
        try charge(AllocationCost.array)
        while try text.nextElement(isFirst: &isFirst) {
            try charge(2 * MemoryLayout<Value>.stride)
            if let value = try read(&self) { values.append(value) }
        }
        address.at([Value]?.self).pointee = values.isEmpty ? nil : values
    }
}

extension JSONMessageDecoder {
    /// Reads an object into a map field; a duplicate key, in any spelling, is an error.
    mutating func readMap(_ entry: FieldEntry, into storage: inout MessageStorage) throws(ProtoError) {
        let slot = Int(entry.slot)
        let field = storage.layout.fields[slot]
        try text.openObject()
        var isFirst = true
        // The cost of the widest key and value, in a table with spare room for entries.
        let cost = 4 * (MemoryLayout<String>.stride + MemoryLayout<String>.stride)
        while let name = try text.nextName(isFirst: &isFirst) {
            try charge(cost + AllocationCost.text(name.end - name.start))
            guard let key = try readKey(name, field.key?.stored) else {
                throw .malformedJSON("a map's key is not of its type", at: name.start)
            }
            guard let value = try readContent(entry, field) else { continue }
            guard storage.setEntry(slot, key, value) else { throw .duplicateKey(at: name.start) }
        }
    }

    /// Reads a key, which is always a string.
    private func readKey(_ name: JSONString, _ kind: StoredKind?) throws(ProtoError) -> AnyFieldValue? {
        switch kind {
        case .string: .string(try text.string(name))
        case .bool: Bool(try text.string(name)).map { .bool($0) }
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

    /// Reads one value of a map; nil if it is ignored.
    private mutating func readContent(_ entry: FieldEntry, _ field: FieldSchema) throws(ProtoError) -> AnyFieldValue? {
        switch field.kind.stored {
        case .bool: return .bool(try text.readBool())
        case .int32 where field.kind.isEnum: return try readEnum(entry.kind, field.enumeration).map { .int32($0) }
        case .int32: return .int32(try readInteger(Int32.self))
        case .int64: return .int64(try readInteger(Int64.self))
        case .uint32: return .uint32(try readInteger(UInt32.self))
        case .uint64: return .uint64(try readInteger(UInt64.self))
        case .float: return .float(try readFloat(Float.self))
        case .double: return .double(try readFloat(Double.self))
        case .string: return .string(try readText())
        case .bytes: return .bytes(try readBytes())
        case .message:
            guard let schema = field.child else { return nil }
            return .message(try readMessage(schema))
        }
    }
}
