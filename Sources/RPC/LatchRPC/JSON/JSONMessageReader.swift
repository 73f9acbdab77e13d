// SPDX-License-Identifier: Apache-2.0

/// Reads JSON into the memory of messages.
struct JSONMessageReader {
    var text: JSONReader
    let options: JSONReadingOptions

    /// Reads one message of any shape into storage that is still without values.
    mutating func readMessage(into storage: inout MessageStorage) throws(ProtoError) {
        let names = storage.table.layout.jsonNames
        switch names.pointee.shape {
        case .none: try readFields(names, into: &storage)
        case let shape: try readWellKnown(shape, into: &storage)
        }
    }

    /// Reads a message of a schema.
    mutating func readMessage(_ schema: MessageSchema) throws(ProtoError) -> MessageStorage {
        var storage = MessageStorage(schema)
        try readMessage(into: &storage)
        return storage
    }

    /// Reads an object whose members are the message's fields.
    ///
    /// - Parameter skipped: A member that is none of them: the type of what stands in an Any.
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

    /// Reads a member that no field has: an extension's, or one that is skipped or refused.
    private mutating func readUnknown(
        _ place: JSONString, into storage: inout MessageStorage, _ seen: inout Set<UInt32>,
        skipping skipped: StaticString?
    ) throws(ProtoError) {
        let name = try text.string(place)
        if let skipped, name == "\(skipped)" { return try text.skipValue() }
        if name.hasPrefix("["), name.hasSuffix("]"),
            let schema = options.extensions.schema(named: name.dropFirst().dropLast(), of: storage.layout.name)
        {
            let entry = schema.table.pointee.entries[0]
            // Null and an empty list set nothing, but stand there all the same.
            guard seen.insert(entry.number).inserted else {
                throw .duplicateField(schema.layout.fields[0].name, at: place.start)
            }
            return try readExtension(schema, entry, into: &storage)
        }
        guard options.ignoresUnknownFields else { throw .unknownField(name, in: storage.layout.name) }
        try text.skipValue()
    }

    /// Reads a member that is named as an extension in brackets.
    private mutating func readExtension(
        _ schema: MessageSchema, _ entry: FieldEntry, into storage: inout MessageStorage
    ) throws(ProtoError) {
        var values = MessageStorage(schema)
        try readField(entry, schema.layout.jsonNames.pointee.takesNull[0], into: &values)
        if values.has(0) { storage.setExtension(entry.number, values) }
    }

    /// Reads the value of a field; null means that it has none, except where null is its value.
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

    private mutating func readChild(_ entry: FieldEntry, into storage: inout MessageStorage) throws(ProtoError) {
        guard let schema = storage.table.schema(of: entry) else { return try text.skipValue() }
        try refuseSecond(entry, storage)
        storage.setChild(entry, try readMessage(schema))
    }

    /// protobuf.dev, ProtoJSON: two members of one oneof are an error; null is no member.
    @inline(__always)
    func refuseSecond(_ entry: FieldEntry, _ storage: MessageStorage) throws(ProtoError) {
        guard entry.presence == .oneof, storage.object.memory.word(entry).pointee != 0 else { return }
        throw .duplicateOneof(at: text.position)
    }
}

/// Slots that have been seen; up to 64 of them cost nothing.
struct SlotSet {
    private var few: UInt64 = 0
    private var many: [UInt64] = []

    /// Adds a slot.
    ///
    /// - Returns: Whether it was new.
    @inline(__always)
    mutating func insert(_ slot: Int) -> Bool {
        guard slot < 64 else { return insertFar(slot) }
        let bit = UInt64(1) << UInt64(slot)
        guard few & bit == 0 else { return false }
        few |= bit
        return true
    }

    private mutating func insertFar(_ slot: Int) -> Bool {
        let (place, bit) = (slot / 64 - 1, UInt64(1) << UInt64(slot % 64))
        while many.count <= place { many.append(0) }
        guard many[place] & bit == 0 else { return false }
        many[place] |= bit
        return true
    }
}

extension Cell {
    /// Whether several values lie there.
    @inline(__always) var isMany: Bool { rawValue >= Cell.bools.rawValue && self != .none }
}

extension LayoutTable {
    /// The schema of a field's message.
    @inline(__always)
    func schema(of entry: FieldEntry) -> MessageSchema? { child(of: entry)?.message?.takeUnretainedValue() }

    /// The schema of a field's enum.
    @inline(__always)
    func enumeration(of entry: FieldEntry) -> EnumSchema? { child(of: entry)?.enumeration?.takeUnretainedValue() }

    /// Nil for a field of scalars in a message that names no type at all.
    @inline(__always)
    private func child(of entry: FieldEntry) -> ChildType? {
        Int(entry.child) < children.count ? children[Int(entry.child)] : nil
    }
}
