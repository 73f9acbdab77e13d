// SPDX-License-Identifier: Apache-2.0

/// The values of one message: a reference to one object, copied when it is changed while another holds it.
///
/// Generated accessors read and write by slot, which is a field's place in the text of the schema. A slot or a type that
/// does not fit the schema reads as the default and writes nothing.
///
/// It is sendable because the object is changed only while it is uniquely referenced: no two tasks see a change.
public struct MessageStorage: @unchecked Sendable {
    var object: MessageObject

    /// A message without values.
    public init(_ schema: MessageSchema) { object = .make(schema.table) }

    init(object: MessageObject) { self.object = object }

    init(table: UnsafePointer<LayoutTable>) { object = .make(table) }

    var table: LayoutTable {
        @inline(__always) unsafeAddress { object.table }
    }

    var layout: MessageLayout { table.layout }

    /// Makes the object this storage's own, and answers where its values begin.
    @inline(__always)
    mutating func own() -> UnsafeMutableRawPointer {
        if !isKnownUniquelyReferenced(&object) { object = object.copy() }
        return object.memory
    }

    /// The field of a slot, if its value lies there as `cell` says.
    @inline(__always)
    func entry(_ slot: Int, _ cell: Cell) -> FieldEntry? {
        guard let entry = entry(slot), entry.cell == cell else { return nil }
        return entry
    }

    /// The field of a slot.
    @inline(__always)
    func entry(_ slot: Int) -> FieldEntry? {
        let entries = object.table.pointee.entries
        guard UInt(bitPattern: slot) < UInt(bitPattern: entries.count) else { return nil }
        return entries[slot]
    }

    /// Whether a value of the type is its storage and nothing else, found by making one.
    ///
    /// The types are generated and are; a type that somebody wrote by hand may hold more, and is then converted one by one.
    static func isLayout<Value: Message>(of type: Value.Type) -> Bool {
        guard MemoryLayout<Value>.size == MemoryLayout<MessageStorage>.size,
            MemoryLayout<Value>.stride == MemoryLayout<MessageStorage>.stride
        else { return false }
        let storage = MessageStorage(.nothing)
        let value = Value(storage: storage)
        let found = withUnsafeBytes(of: value) { $0.loadUnaligned(as: UInt.self) }
        let expected = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: UInt.self) }
        return withExtendedLifetime((storage, value)) { found == expected }
    }
}

extension MessageSchema {
    /// A message without fields.
    static let nothing = MessageSchema("", "")
}
